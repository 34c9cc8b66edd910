// SPDX-License-Identifier: MIT
// An exchange: exchange <gateway> [arguments]. It listens on a port, starts the gateway with that
// port as its last argument, and judges what it receives by its own clock. It hangs up on a gateway
// that breaks a rule. It knows nothing of weir.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "rules.hpp"

namespace {

std::int64_t clock_now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void serve(int socket) {
    rules::session session;
    int busiest = 0;
    std::array<char, 4096> bytes{};
    std::size_t there = 0;
    for (;;) {
        const ssize_t got = recv(socket, bytes.data() + there, bytes.size() - there, 0);
        if (got <= 0) break;
        const std::int64_t now = clock_now();
        there += static_cast<std::size_t>(got);
        std::size_t read = 0;
        for (rules::message m{}; there - read >= sizeof m; read += sizeof m) {
            std::memcpy(&m, bytes.data() + read, sizeof m);
            if (m.account >= rules::accounts || !session.receive(m, now)) {
                std::printf("exchange: disconnected by message %ld\n", session.messages());
                return;
            }
        }
        busiest = std::max(busiest, session.counted(now));
        std::memmove(bytes.data(), bytes.data() + read, there -= read);
    }
    std::printf("exchange: %ld messages, up to %d in a window of %d; nobody was disconnected\n",
                session.messages(), busiest, rules::of_a_session);
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) {
        std::fprintf(stderr, "usage: exchange <gateway> [arguments]\n");
        return 2;
    }
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const its = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener, its, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, its, &size) != 0) {
        std::perror("exchange");
        return 1;
    }
    const pid_t gateway = fork();
    if (gateway == 0) {
        std::string port = std::to_string(ntohs(address.sin_port));
        std::vector<char*> arguments(words + 1, words + count);
        arguments.push_back(port.data());
        arguments.push_back(nullptr);
        execvp(words[1], arguments.data());
        std::perror(words[1]);
        _exit(127);
    }
    int status = 1;
    pollfd calls{listener, POLLIN, 0};
    while (poll(&calls, 1, 100) == 0) {
        if (waitpid(gateway, &status, WNOHANG) == gateway) return 1;  // it never called
    }
    const int socket = accept(listener, nullptr, nullptr);
    if (socket >= 0) {
        serve(socket);
        std::fflush(stdout);
        close(socket);
    }
    waitpid(gateway, &status, 0);
    return socket >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

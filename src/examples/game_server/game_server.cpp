// SPDX-License-Identifier: MIT
// The server on a real socket: 10 000 players on UDP, a frame 60 times a second, and a flood of
// strangers for the second half. Says how long the frames took. The players and the flood are
// processes of their own.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <weir/adapter/random_seed.hpp>

#include "server.hpp"

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

// The time of a frame or of some packets: read once for all of them.
using frame_time = weir::cached_clock<struct frames>;

constexpr std::uint32_t abusive = 20;  // the first slots
constexpr int seconds_of_each = 2;

sockaddr_in loopback(int port) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(static_cast<std::uint16_t>(port));
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}
std::uint64_t number(const sockaddr_in& a) {
    return std::uint64_t{a.sin_addr.s_addr} << 16 | a.sin_port;
}

struct wire {
    int socket;
    void operator()(std::uint64_t address, const update& u) const {
        sockaddr_in to = loopback(0);
        to.sin_addr.s_addr = static_cast<std::uint32_t>(address >> 16);
        to.sin_port = static_cast<std::uint16_t>(address);
        (void)sendto(socket, &u, sizeof u, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&to),
                     sizeof to);
    }
};
using server_type = game_server<frame_time, wire>;

// A process that sends what `next` says, every 5 ms, from some sockets; until it is ended.
template <class Next>
pid_t sender(int port, int sockets, int every_5_ms, Next next) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const sockaddr_in to = loopback(port);
    std::vector<int> from(static_cast<std::size_t>(sockets));
    for (int& s : from) {
        s = socket(AF_INET, SOCK_DGRAM, 0);
        (void)connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
    std::size_t i = 0;
    for (auto at = steady::now();; at += 5ms) {
        for (int n = 0; n < every_5_ms; ++n) {
            const packet p = next();
            (void)send(from[i++ % from.size()], &p, sizeof p, MSG_DONTWAIT);
        }
        const auto wait =
            std::chrono::duration_cast<std::chrono::microseconds>(at + 5ms - steady::now());
        if (wait.count() > 0) usleep(static_cast<useconds_t>(wait.count()));
    }
}

// All that has arrived.
void receive(int socket, server_type& server) {
    constexpr unsigned at_once = 64;
    std::array<packet, at_once> packets{};
    std::array<sockaddr_in, at_once> from{};
    std::array<iovec, at_once> parts{};
    std::array<mmsghdr, at_once> messages{};
    for (unsigned i = 0; i < at_once; ++i) {
        parts[i] = {&packets[i], sizeof(packet)};
        messages[i].msg_hdr = {&from[i], sizeof(sockaddr_in), &parts[i], 1, nullptr, 0, 0};
    }
    frame_time::refresh();
    for (int got = at_once; got == at_once;) {
        got = recvmmsg(socket, messages.data(), at_once, MSG_DONTWAIT, nullptr);
        for (int i = 0; i < got; ++i) {
            const auto n = static_cast<std::size_t>(i);
            if (messages[n].msg_len == sizeof(packet))
                server.on_packet(packets[n], number(from[n]));
        }
    }
}

// Frames for some seconds. Says how long the server worked in each.
void run(const char* what, int socket, server_type& server) {
    constexpr int frames = seconds_of_each * frames_per_second;
    std::vector<double> worked;
    const counts before = server.counted();
    const auto begin = steady::now();
    for (int frame = 1; frame <= frames; ++frame) {
        const auto end = begin + frame * 1'000'000us / frames_per_second;
        steady::duration work{};
        for (auto now = steady::now(); now < end; now = steady::now()) {
            pollfd its{socket, POLLIN, 0};
            const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(end - now);
            const timespec wait{0, left.count()};
            if (ppoll(&its, 1, &wait, nullptr) <= 0) continue;
            const auto woke = steady::now();
            receive(socket, server);
            work += steady::now() - woke;
        }
        const auto woke = steady::now();
        frame_time::refresh();
        server.end_frame();
        work += steady::now() - woke;
        worked.push_back(std::chrono::duration<double, std::milli>(work).count());
    }
    std::sort(worked.begin(), worked.end());
    const counts& c = server.counted();
    std::printf("%s: %llu commands a second, %llu packets of strangers, %llu updates out\n", what,
                (c.admitted - before.admitted) / seconds_of_each,
                (c.strangers + c.strangers_refused - before.strangers - before.strangers_refused) /
                    seconds_of_each,
                (c.sent - before.sent) / seconds_of_each);
    std::printf("  a frame took %.2f ms, of 100 the slowest but one %.2f ms\n",
                worked[worked.size() / 2], worked[worked.size() * 99 / 100]);
}

}  // namespace

int main() {
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    const int room = 1 << 20;  // or a flood fills it while a frame is made
    (void)setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    sockaddr_in here = loopback(0);
    socklen_t size = sizeof here;
    auto* const its = reinterpret_cast<sockaddr*>(&here);
    if (bind(s, its, size) != 0 || getsockname(s, its, &size) != 0) {
        std::perror("game_server");
        return 1;
    }
    static server_type server(wire{s}, weir::random_seed());

    const int port = ntohs(here.sin_port);
    // Each player moves twice a second: 20 000 packets. The abusive ones have another 100 each.
    const pid_t players = sender(port, 1, 110, [n = std::uint32_t{0}]() mutable {
        const std::uint32_t slot = ++n % 11 == 0 ? n / 11 % abusive : n * 10 / 11 % most_players;
        return packet{slot, token_of(slot), n % 11 == 0 ? command::chat : command::move};
    });
    run("quiet", s, server);
    const pid_t strangers = sender(port, 50, 500, [dice = std::mt19937(1)]() mutable {
        return packet{static_cast<std::uint32_t>(dice()), 0, command::move};
    });
    run("flood", s, server);
    for (const pid_t child : {players, strangers}) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }

    count honest = 0;
    count others = 0;
    for (std::uint32_t slot = 0; slot < most_players; ++slot) {
        (slot < abusive ? others : honest) += server.refused(slot);
    }
    std::printf("refused: %llu commands of honest players, %llu of abusive ones, %llu packets of "
                "strangers\n",
                honest, others, server.counted().strangers_refused);
    return 0;
}

// SPDX-License-Identifier: MIT
// The gateway on a real socket: order_gateway [exact|buckets] <port>. Two strategies push more than
// may go, for three seconds. Started by `exchange`, which is the other side.
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <weir/adapter/pacer_thread.hpp>

#include "gateway.hpp"
#include "rules.hpp"

namespace {

using namespace std::chrono_literals;

int connected_to(int port) {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    if (connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return -1;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // or small messages wait for others
    return s;
}

struct wire {
    int socket;
    std::atomic<long>* sent;
    std::atomic<bool>* connected;
    void operator()(const rules::message& m) const {
        if (!*connected) return;
        *connected = send(socket, &m, sizeof m, MSG_NOSIGNAL) == sizeof m;
        if (*connected) ++*sent;
    }
};

template <template <class> class Limits>
int run(int socket) {
    std::atomic<long> sent{0};
    std::atomic<bool> connected{true};
    gateway<weir::default_clock, wire, Limits> g(wire{socket, &sent, &connected});
    weir::pacer_thread runner{g.pacer(), {.name = "orders", .how = weir::waiting::hybrid}};
    if (const auto r = runner.start(); !r.runs()) {
        std::fprintf(stderr, "order_gateway: %s\n", r.why);
        return 1;
    }
    std::atomic<long> pushed{0};
    const auto end = std::chrono::steady_clock::now() + 3s;
    {
        const auto strategy = [&](int first) {
            for (std::uint32_t n = 0; connected && std::chrono::steady_clock::now() < end;) {
                // Each strategy has half of the accounts, so an account has one thread.
                const auto account = static_cast<std::uint16_t>(first + n % 4);
                if (g.push({++n, account, n % 23 == 0})) ++pushed;
                if (n % 40 == 0) std::this_thread::sleep_for(40ms);
            }
        };
        const std::jthread one(strategy, 0);
        const std::jthread two(strategy, 4);
    }
    runner.run([](auto& p) { p.drain_for(weir::seconds(2)); });
    runner.join();
    std::printf("gateway: %ld pushed, %ld sent, %ld stale and dropped; %s\n", pushed.load(),
                sent.load(), g.dropped(), connected ? "still connected" : "disconnected");
    // Nothing is lost: each message was sent or is known to be dropped.
    return connected && sent + g.dropped() != pushed ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
    const int port = count < 2 ? 0 : std::atoi(words[count - 1]);
    const std::string_view limits = count == 3 ? words[1] : "exact";
    if (count > 3 || port <= 0 || (limits != "exact" && limits != "buckets")) {
        std::fprintf(stderr, "usage: exchange order_gateway [exact|buckets]\n");
        return 2;
    }
    const int socket = connected_to(port);
    if (socket < 0) {
        std::perror("order_gateway");
        return 1;
    }
    const int status = limits == "exact" ? run<exact>(socket) : run<buckets>(socket);
    close(socket);
    return status;
}

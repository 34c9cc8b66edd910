// SPDX-License-Identifier: MIT
// A client and a provider that are two processes and talk HTTP over a socket. What is used of the
// rules is reported and not asserted: it depends on how busy the machine is. That each call is
// answered, and that both counted the same, is asserted.
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/http_told.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/begin.hpp>
#include <weir/limiter/limiter.hpp>

#include "../../src/examples/outbound/providers.hpp"
#include "provider.hpp"

namespace {

using namespace outbound;  // NOLINT(google-build-using-namespace)

constexpr int workers = 4;
constexpr std::int64_t units = 200;
constexpr ns period = second / 2;
constexpr int calls_of_each = 250;

// One message, up to the empty line; what follows stays for the next.
class stream {
public:
    explicit stream(int socket) : socket_(socket) {
        const int on = 1;
        (void)setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    ~stream() { close(socket_); }

    bool write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    // Its lines; none if the other side has hung up.
    std::vector<std::string> read() {
        std::vector<std::string> lines;
        for (;;) {
            const std::size_t end = unread_.find("\r\n");
            if (end == 0) {
                unread_.erase(0, 2);
                return lines;
            }
            if (end != std::string::npos) {
                lines.push_back(unread_.substr(0, end));
                unread_.erase(0, end + 2);
                continue;
            }
            std::array<char, 4096> some{};
            const ssize_t got = recv(socket_, some.data(), some.size(), 0);
            if (got <= 0) return {};
            unread_.append(some.data(), static_cast<std::size_t>(got));
        }
    }

private:
    int socket_;
    std::string unread_;
};

// In a process of its own, until all clients have hung up. Exits with how many calls it let begin.
[[noreturn]] void serve(int listener) {
    provider p(1'000'000);
    p.with<rolling>(units, period).with<at_once>(workers);
    std::mutex one;
    std::int64_t answered = 0;
    const auto now = [] {
        const std::chrono::nanoseconds t = std::chrono::steady_clock::now().time_since_epoch();
        return 1'700'000'000 * second + t.count() + t.count() / 20'000;
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < workers; ++i) {
        threads.emplace_back([&, its = accept(listener, nullptr, nullptr)] {
            stream s(its);
            while (!s.read().empty()) {
                const call c;
                reply r;
                {
                    const std::scoped_lock lock(one);
                    r = p.begin(c, now());
                }
                if (r.status == 200) {
                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                    const std::scoped_lock lock(one);
                    p.end(c, r, now());
                    ++answered;
                }
                std::string text = "HTTP/1.1 " + std::to_string(r.status) + " as told\r\n";
                for (const auto& [name, value] : r.told) text += name + ": " + value + "\r\n";
                if (!s.write(text + "\r\n")) return;
            }
        });
    }
    threads.clear();
    _exit(answered == 0 ? 1 : 0);
}

class process {
public:
    process() {
        const int listener = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof any;
        if (bind(listener, reinterpret_cast<sockaddr*>(&any), size) != 0 ||
            listen(listener, workers) != 0 ||
            getsockname(listener, reinterpret_cast<sockaddr*>(&any), &size) != 0)
            std::abort();
        address_ = any;
        child_ = fork();
        if (child_ == 0) serve(listener);
        close(listener);
    }
    process(const process&) = delete;
    process& operator=(const process&) = delete;
    ~process() = default;

    [[nodiscard]] int connected() const {
        const int s = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(s, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0)
            std::abort();
        return s;
    }
    [[nodiscard]] int exit_status() const {
        int status = -1;
        (void)waitpid(child_, &status, 0);
        return status;
    }

private:
    sockaddr_in address_{};
    pid_t child_;
};

TEST(outbound, over_sockets_each_call_is_answered) {
    weir::limiter<weir::sliding_log<units>> rate{
        weir::quota{units, with_slack(weir::nanoseconds(period))}};
    weir::in_flight calls{workers};
    weir::all_of limits{rate, calls};
    const process its;
    std::atomic<int> admitted{0};
    std::atomic<int> refused{0};
    const auto begin = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < workers; ++i) {
            threads.emplace_back([&] {
                stream s(its.connected());
                for (int k = 0; k < calls_of_each; ++k) {
                    auto call = weir::acquire(limits);
                    if (!call || !s.write("GET / HTTP/1.1\r\nHost: provider\r\n\r\n")) return;
                    const auto lines = s.read();
                    if (lines.empty()) return;
                    (lines[0].find(" 200 ") != std::string::npos ? admitted : refused) += 1;
                    weir::http::told told(std::chrono::system_clock::now());
                    for (std::size_t l = 1; l < lines.size(); ++l) {
                        const std::size_t colon = lines[l].find(": ");
                        (void)told.read(lines[l].substr(0, colon), lines[l].substr(colon + 2));
                    }
                }
            });
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(admitted + refused, workers * calls_of_each);
    EXPECT_EQ(its.exit_status(), 0);
    const double share =
        admitted / (static_cast<double>(units) * (took.count() * second / period + 1));
    std::printf("%d calls, %d refused, %.1f %% of what the rules allow\n", admitted + refused,
                refused.load(), 100 * share);
}

}  // namespace

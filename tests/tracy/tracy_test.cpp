// SPDX-License-Identifier: MIT
// What a profiler that connects is sent: by Tracy's client, over a socket, as in earnest.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <netinet/in.h>
#include <numeric>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/adapter/tracy.hpp>
#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

#include "profiler.hpp"

namespace {

using weir::quota;
using weir::seconds;

struct sink {
    void emit(int&&) { ++emitted; }
    void drop(int&&, weir::dropped) { ++dropped; }
    int emitted = 0;
    int dropped = 0;
};

using virtual_clock = weir::manual_clock<struct traced>;  // in nanoseconds
using polled = weir::pacer<int, sink, weir::schedule<virtual_clock>, weir::lanes<1, 64>,
                           weir::pacer_trace<"orders", virtual_clock>>;

void emit_all(polled& p) {
    for (auto next = p.poll(); next.what == weir::polled::due; next = p.poll()) {
        virtual_clock::set(next.at);
    }
}

[[nodiscard]] std::int64_t sum(const std::vector<std::int64_t>& points) {
    return std::accumulate(points.begin(), points.end(), std::int64_t{0});
}

TEST(client, welcomes_a_profiler_on_loopback) {
    const profiler p;
    EXPECT_EQ(p.program.rfind("tracy_tests", 0), 0U) << p.program;
}

TEST(pacer_trace, sends_each_item_once_and_nothing_of_the_time_before_it_was_asked) {
    polled p(weir::schedule<virtual_clock>(quota{1'000, seconds(1), 1}), sink{});
    auto mine = p.open();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(mine.try_push(int(i)));
    emit_all(p);
    p.to() = {};
    profiler seen;
    const auto end = virtual_clock::now() + 40'000'000;
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(mine.try_push(int(i), 1, weir::deadline(end)));
        if (i >= 20) {
            virtual_clock::advance(weir::milliseconds(1));
            (void)p.poll();
        }
    }
    virtual_clock::set({end.count + 1});
    emit_all(p);
    p.pause();  // the last that is sent
    seen.read_until([](auto& s) { return !s.messages.empty(); });
    ASSERT_EQ(p.to().emitted, 10);
    ASSERT_EQ(p.to().dropped, 20);
    EXPECT_EQ(seen.messages.front(), "pacer: paused");
    EXPECT_EQ(seen.zones["emit"], 10);
    EXPECT_EQ(seen.zones["pop"], 30);
    EXPECT_EQ(seen.zones["wait"], 0) << "nobody waits here";
    EXPECT_EQ(seen.left, 40);
    EXPECT_EQ(sum(seen.plots["orders: emitted"]), 10);
    EXPECT_EQ(sum(seen.plots["orders: dropped"]), 20);
    EXPECT_EQ(seen.plots["orders: waiting"].front(), 20);
    EXPECT_EQ(seen.plots["orders: waiting"].back(), 0);
}

TEST(pacer_trace, plots_the_worst_lateness_of_an_interval) {
    profiler seen;
    polled p(weir::schedule<virtual_clock>(quota{10'000, seconds(1), 1}), sink{});
    auto mine = p.open();
    for (int i = 0; i < 14; ++i) ASSERT_TRUE(mine.try_push(int(i)));
    for (int i = 0; i < 14; ++i) {
        const weir::word late = i == 3 ? 40'000 : i == 12 ? 30'000 : 0;
        virtual_clock::set({static_cast<weir::word>(i) * 100'000 + late});
        (void)p.poll();
    }
    p.pause();
    seen.read_until([](auto& s) { return !s.messages.empty(); });
    // A point after a millisecond, and one when all are gone.
    EXPECT_EQ(seen.plots["orders: worst lateness (ns)"],
              (std::vector<std::int64_t>{40'000, 30'000}));
    EXPECT_EQ(seen.plots["orders: emitted"], (std::vector<std::int64_t>{11, 3}));
}

TEST(pacer_trace, tells_what_was_decided) {
    profiler seen;
    polled p(weir::schedule<virtual_clock>(quota{1'000, seconds(1), 1}), sink{});
    p.pause();
    p.resume();
    p.throttled(weir::milliseconds(5));
    EXPECT_EQ(p.set_rate(quota{2'000, seconds(1), 1}), weir::pacer_error::none);
    seen.read_until([](auto& s) { return s.messages.size() >= 4; });
    EXPECT_EQ(seen.messages, (std::vector<std::string>{"pacer: paused", "pacer: resumed",
                                                       "pacer: throttled", "pacer: another rate"}));
}

TEST(pacer_trace, shows_the_waits_of_a_thread_and_its_name) {
    profiler seen;
    weir::pacer<int, sink, weir::schedule<>, weir::lanes<1, 64>, weir::pacer_trace<"orders">> p(
        weir::schedule<>(weir::per_second(1'000)), sink{});
    weir::pacer_thread runner(p, {.name = "orders out"});
    ASSERT_TRUE(runner.start().runs());
    {
        auto mine = p.open();
        for (int i = 0; i < 5; ++i) ASSERT_TRUE(mine.try_push(int(i)));
    }
    // It is there for the question after its name, as a pacer's thread is.
    seen.read_until([](auto& s) {
        return s.zones["emit"] == 5 && s.zones["wait"] > 0 && s.threads["orders out"] > 0;
    });
    p.close();
    runner.join();
    EXPECT_EQ(seen.zones["pop"], 5);
}

TEST(limiter_trace, plots_what_was_decided_since_the_last_sample) {
    profiler seen;
    weir::limiter<weir::gcra<>, virtual_clock, weir::limiter_trace<"api">> l(
        quota{10, seconds(1), 3});
    virtual_clock::advance(seconds(10));
    for (int i = 0; i < 5; ++i) (void)l.try_acquire();
    l.observer().sample();
    for (int i = 0; i < 4; ++i) (void)l.try_acquire();
    l.observer().sample();
    seen.read_until([](auto& s) { return s.plots["api: denied"].size() == 2; });
    EXPECT_EQ(seen.plots["api: admitted"], (std::vector<std::int64_t>{3, 0}));
    EXPECT_EQ(seen.plots["api: denied"], (std::vector<std::int64_t>{2, 4}));
}

// A port that nobody else has: the client reads the variable before main() begins.
void start_again_with_a_port(char** arguments) {
    const int free_one = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (bind(free_one, reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
        getsockname(free_one, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
        std::perror("no free port");
        std::exit(1);
    }
    close(free_one);
    setenv("TRACY_PORT", std::to_string(ntohs(at.sin_port)).c_str(), 1);
    execv("/proc/self/exe", arguments);
    std::perror("/proc/self/exe");
    std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    if (std::getenv("TRACY_PORT") == nullptr) start_again_with_a_port(arguments);
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}

// SPDX-License-Identifier: MIT
// A pacer in somebody's event loop: its sleeper lies down before the loop waits, and a push makes a
// file descriptor readable.
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

#include "../stress/crowd.hpp"

namespace {

using weir::next_poll;
using weir::word;

struct counter {
    void emit(int&&) { ++emitted; }
    static void drop(int&&, weir::dropped) {}
    int emitted = 0;
};

void make_readable(void* fd) noexcept {
    const std::uint64_t one = 1;
    (void)!write(*static_cast<int*>(fd), &one, sizeof(one));
}

TEST(pacer, wakes_an_event_loop) {
    int fd = eventfd(0, EFD_NONBLOCK);
    ASSERT_GE(fd, 0);
    counter sink;
    weir::pacer<int, counter&, weir::schedule<weir::steady_clock>, weir::lanes<2, 64>> p(
        weir::schedule<weir::steady_clock>(weir::per_second(1'000'000)), sink);
    ASSERT_TRUE(p.wake_with(&make_readable, &fd, true)) << "this loop has no membarrier";
    const int total = repetitions(20'000);
    std::jthread producer([&p, total, mine = p.open()]() mutable {
        for (int i = 0; i < total; ++i) {
            while (!mine.try_push(1)) std::this_thread::yield();
            for (int k = 0; k < i % 64; ++k) weir::order_clock();
        }
        mine.close();
        p.close();
    });
    for (next_poll next = p.poll(); next.what != weir::polled::done; next = p.poll()) {
        if (next.wakes) {
            p.sleeper().lie_down(&weir::machine_fences::full);
            if (p.poll() != next) {
                p.sleeper().get_up();
                continue;
            }
        }
        int timeout = -1;
        if (next.what == weir::polled::due) {
            const auto now = weir::steady_clock::now();
            timeout = earlier(next.at, now + 1'000'000) ? 0 : 1;
        }
        pollfd wanted{fd, POLLIN, 0};
        (void)::poll(&wanted, 1, timeout);
        std::uint64_t times = 0;
        (void)!read(fd, &times, sizeof(times));
        (void)p.sleeper().was_alerted();
        p.sleeper().get_up();
    }
    producer.join();
    while (p.poll().what == weir::polled::due) {
    }
    EXPECT_EQ(sink.emitted, total);
    close(fd);
}

}  // namespace

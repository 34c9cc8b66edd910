// SPDX-License-Identifier: MIT
// A pacer's thread and what only Linux does to it: signals, sandboxes, scheduling classes.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

#include "on_a_thread.hpp"

namespace {

using namespace std::chrono_literals;
using weir::pacer_thread;
using weir::waiting;

using watched_pacer = weir::pacer<int, counting&, schedule, weir::lanes<4, 64>, watched>;

// A signal interrupts the system's sleep, again and again.
TEST(pacer_thread, goes_on_when_signals_interrupt_it) {
    struct sigaction ignored {};
    struct sigaction before {};
    ignored.sa_handler = [](int) {};  // and not SIG_IGN, which would interrupt nothing
    ASSERT_EQ(sigaction(SIGUSR1, &ignored, &before), 0);
    for (const waiting how : {waiting::sleep, waiting::hybrid, waiting::spin}) {
        counting sink;
        watched_pacer p(a_second(1'000), sink);
        pacer_thread runner(p, {.how = how});
        ASSERT_TRUE(runner.start().well());
        pthread_t its{};
        runner.run([&](auto&) { its = pthread_self(); });
        auto mine = p.open();
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(mine.try_push(1));
        wait_until("all items are emitted", [&] {
            pthread_kill(its, SIGUSR1);
            std::this_thread::sleep_for(20us);
            return sink.emitted == 50;
        });
        runner.stop();
        EXPECT_TRUE(p.observer().times.keeps(1'000, 1'000'000'000, 20));
    }
    sigaction(SIGUSR1, &before, nullptr);
}

#ifdef __GLIBC__
TEST(pacer_thread, says_that_the_system_has_no_thread_for_it) {
    counting sink;
    watched_pacer p(a_second(1'000), sink);
    pacer_thread runner(p);
    pthread_attr_t usual;
    pthread_attr_t too_much;
    ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
    ASSERT_EQ(pthread_getattr_default_np(&too_much), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&too_much, SIZE_MAX / 8 * 7), 0);
    ASSERT_EQ(pthread_setattr_default_np(&too_much), 0);
    const auto report = runner.start();
    ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
    EXPECT_FALSE(report.runs());
    EXPECT_NE(report.thread, 0);
    EXPECT_TRUE(runner.start().well());
}
#endif

TEST(pacer_thread, says_which_priority_it_was_refused) {
    counting sink;
    watched_pacer p(a_second(1), sink);
    pacer_thread runner(
        p, {.how = waiting::hybrid, .by = weir::scheduling::round_robin, .priority = 1'000});
    EXPECT_EQ(runner.start().scheduling, EINVAL);
}

// As a sandbox might that is entered late. The filter is this thread's and that of those it starts.
bool refuse_membarrier() {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(rules), rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(pacer_thread, naps_if_the_system_makes_no_fences_any_more) {
    counting sink;
    weir::pacer<int, counting&, schedule, weir::lanes<1, 4>> p(a_second(1'000), sink);
    pacer_thread runner(p);
    bool refused = false;
    weir::thread_report report;
    std::thread([&] {
        refused = refuse_membarrier();
        report = runner.start();
    }).join();
    ASSERT_TRUE(report.runs());
    if (!refused || report.membarrier != 0) GTEST_SKIP() << "no membarrier here that ends";
    wait_until("it has napped ten times", [&] { return runner.approx_sleeps() >= 10; });
}

// Nor may it ask pushes for fences that have begun without.
TEST(pacer_thread, naps_where_lanes_are_open_before_it_is_made_and_there_is_no_membarrier) {
    counting sink;
    weir::pacer<int, counting&, schedule, weir::lanes<2, 64>> p(a_second(1'000'000), sink);
    auto mine = p.open();
    ASSERT_TRUE(mine.try_push(1));
    bool refused = false;
    std::thread([&] {
        refused = refuse_membarrier();
        pacer_thread runner(p);
        const auto report = runner.start();
        ASSERT_TRUE(report.runs());
        EXPECT_EQ(report.membarrier != 0, refused);
        for (int i = 1; i < 100; ++i) {
            wait_until("it is emitted", [&] { return sink.emitted == i; });
            EXPECT_TRUE(mine.try_push(1));
        }
        wait_until("all are emitted", [&] { return sink.emitted == 100; });
    }).join();
    if (!refused) GTEST_SKIP() << "no seccomp here";
}

}  // namespace

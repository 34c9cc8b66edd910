// SPDX-License-Identifier: MIT
// Stripes of cores where something is missing: the C library's registration (ctest runs this file
// with glibc's tunable off as well), a thread's, the kernel's membarrier, or stripes. Nothing is
// lost then, and nothing comes out of nowhere. What happens at any instant is in tests/stopped, and
// many threads at once in tests/stress.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/stripe_of_core.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/striped.hpp>

#ifdef __linux__
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#include <sys/syscall.h>
#endif
#endif

namespace {

using weir::core_sections;
using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct of_cores>;
using limiter = weir::limiter<weir::gcra<>, clock>;
template <std::size_t Stripes = 16, class Policy = weir::stripe_of_core>
using in_stripes = weir::striped<limiter, Stripes, Policy>;

constexpr word burst = 1024;

class a_stripe_of_a_core : public testing::Test {
protected:
    void SetUp() override { clock::set(weir::tick{1'000'000'000'000}); }

    template <class Striped>
    [[nodiscard]] word there(const Striped& all) const {
        return all.approx_left() + shared_.peek(0).remaining();
    }
    template <class Striped>
    [[nodiscard]] static word taken(Striped& all) {
        word passed = 0;
        while (all.try_acquire()) ++passed;
        return passed;
    }

    limiter shared_{quota{burst, seconds(10), burst}};
};

constinit limiter global{quota{burst, seconds(10), burst}};
constinit in_stripes<> global_stripes{global};

TEST_F(a_stripe_of_a_core, may_be_a_constinit_global) {
    EXPECT_TRUE(global_stripes.try_acquire());
    EXPECT_EQ(global.peek(0).remaining() + global_stripes.approx_left(), burst - 1);
}

TEST_F(a_stripe_of_a_core, tells_whether_sections_are_used) {
    const core_sections how = weir::stripe_of_core::sections();
    std::printf("%s\n", weir::describe(how));
    EXPECT_EQ(weir::restartable::core() == weir::restartable::no_core, how != core_sections::used);
    const char* tunables = std::getenv("GLIBC_TUNABLES");
    if (tunables != nullptr && std::string(tunables).find("rseq=0") != std::string::npos) {
        EXPECT_NE(how, core_sections::used);
    }
}

TEST_F(a_stripe_of_a_core, is_below_the_number_of_stripes) {
    for (std::size_t stripes = 1; stripes <= 64; stripes *= 2)
        EXPECT_LT(weir::stripe_of_core::mine(stripes), stripes);
}

TEST_F(a_stripe_of_a_core, passes_all_units_and_no_more) {
    in_stripes<> all(shared_);
    EXPECT_TRUE(all.try_acquire(7));
    EXPECT_EQ(there(all), burst - 7);
    EXPECT_EQ(taken(all) + there(all), burst - 7);
    all.reset();
    EXPECT_EQ(all.approx_left(), 0U);
    EXPECT_EQ(there(all), burst);
    EXPECT_TRUE(all.try_acquire());
    EXPECT_GT(all.approx_left(), 0U);
    all.give_back();
    EXPECT_EQ(all.approx_left(), 0U);
    EXPECT_EQ(there(all), burst - 1);
    EXPECT_TRUE(all.try_acquire());
    EXPECT_EQ(there(all), burst - 2);
}

#ifdef __linux__

// Has `act` done by a thread on each core that there is for us, in their order.
template <class Act>
int on_each_core(Act act) {
    cpu_set_t all;
    CPU_ZERO(&all);
    EXPECT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    int cores = 0;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(core, &all)) continue;
        std::thread([&] {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
            act(core);
        }).join();
        ++cores;
    }
    return cores;
}

TEST_F(a_stripe_of_a_core, gives_back_what_lies_in_the_stripes_of_all_cores) {
    in_stripes<64> all(shared_, 8);
    const auto cores =
        static_cast<word>(on_each_core([&](std::size_t) { EXPECT_TRUE(all.try_acquire()); }));
    EXPECT_EQ(there(all), burst - cores);
    EXPECT_GE(all.approx_left(), cores);
    all.give_back();
    EXPECT_EQ(all.approx_left(), 0U);
    EXPECT_EQ(there(all), burst - cores);
}

TEST_F(a_stripe_of_a_core, serves_all_cores_where_they_share_one) {
    in_stripes<1> all(shared_, 16);
    word passed = 0;
    for (int round = 0; round < 3; ++round) {
        (void)on_each_core([&](std::size_t) {
            const word restocks = all.approx_restocks();
            for (int i = 0; i < 20; ++i) passed += all.try_acquire() ? 1U : 0U;
            // Neither does the shared limit serve each request.
            EXPECT_LE(all.approx_restocks(), restocks + 2);
            EXPECT_EQ(passed + there(all), burst);
        });
    }
    EXPECT_EQ(passed + taken(all), burst);
}

TEST_F(a_stripe_of_a_core, tells_how_many_decisions_had_to_exchange) {
    constexpr word plenty = 1'000'000;
    limiter limit(quota{plenty, seconds(10), plenty});
    in_stripes<1024> alone(limit, 16);
    in_stripes<1> together(limit, 16);
    bool has_sections_of_the_stripe = true;
    (void)on_each_core([&](std::size_t core) {
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(alone.try_acquire());
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(together.try_acquire());
        has_sections_of_the_stripe = has_sections_of_the_stripe && core == 0;
    });
    EXPECT_EQ(alone.approx_exchanged(), 0U);
    const bool has_sections = weir::stripe_of_core::sections() == core_sections::used;
    EXPECT_EQ(together.approx_exchanged() > 50, has_sections && !has_sections_of_the_stripe);
}

TEST_F(a_stripe_of_a_core, goes_on_in_the_child_of_a_fork) {
    in_stripes<> all(shared_, 16);
    EXPECT_TRUE(all.try_acquire());
    const pid_t child = fork();
    if (child == 0) {
        word passed = 1;
        for (int i = 0; i < 100; ++i) passed += all.try_acquire() ? 1U : 0U;
        const bool exact = passed + there(all) == burst;
        all.give_back();
        _exit(exact && all.approx_left() == 0 && taken(all) <= burst - passed ? 0 : 1);
    }
    int how = -1;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    EXPECT_EQ(how, 0);
    EXPECT_EQ(taken(all) + there(all), burst - 1);
}

#ifdef RSEQ_SIG
// As before a library of somebody else has registered the thread anew.
TEST_F(a_stripe_of_a_core, exchanges_for_a_thread_that_is_not_registered) {
    if (weir::stripe_of_core::sections() != core_sections::used) GTEST_SKIP();
    in_stripes<1> all(shared_, 32);
    EXPECT_TRUE(all.try_acquire());
    word passed = 1;
    std::thread([&] {
        char* pointer = nullptr;
        asm("movq %%fs:0, %0" : "=r"(pointer));
        char* const area = pointer + __rseq_offset;
        constexpr unsigned registered = 32;
        ASSERT_EQ(syscall(SYS_rseq, area, registered, RSEQ_FLAG_UNREGISTER, RSEQ_SIG), 0);
        EXPECT_EQ(weir::restartable::core(), weir::restartable::no_core);
        EXPECT_EQ(weir::stripe_of_core::mine(1), 0U);
        // Those of the core are not for it.
        for (int i = 0; i < 100; ++i) passed += all.try_acquire() ? 1U : 0U;
        EXPECT_EQ(passed, 101U);
        EXPECT_EQ(passed + there(all), burst);
        all.give_back();
        for (int i = 0; i < 100; ++i) passed += all.try_acquire() ? 1U : 0U;
        EXPECT_EQ(passed, 201U);
        EXPECT_EQ(passed + there(all), burst);
    }).join();
    EXPECT_EQ(passed + taken(all), burst);
}
#endif

#endif

// --- stand-ins

// Each section is stopped, as by a debugger that goes step by step.
struct always_stopped : weir::restartable {
    static bool try_replace(weir::atomic<word>&, const weir::atomic<std::uint32_t>&, word,
                            word) noexcept {
        return false;
    }
};
// One core, and sections that always come to their end.
struct undisturbed {
    static constexpr std::uint32_t no_core = weir::restartable::no_core;
    static inline std::uint32_t core_ = 0;
    static inline unsigned stops_ = 0;

    static core_sections sections() noexcept { return core_sections::used; }
    static std::uint32_t core() noexcept { return core_; }
    static bool stop_all() noexcept { return ++stops_ != 0; }
    static bool try_replace(weir::atomic<word>& units, const weir::atomic<std::uint32_t>& open,
                            word expected, word desired) noexcept {
        if (open.load_relaxed() != core_ || units.load_relaxed() != expected) return false;
        units.store_relaxed(desired);
        return true;
    }
};
struct not_stoppable : undisturbed {
    static bool stop_all() noexcept { return false; }
};
template <class Sections>
struct with : weir::stripe_of_core {
    using stock = weir::core_stock<Sections>;
    static std::size_t mine(std::size_t stripes) noexcept { return Sections::core() % stripes; }
};

TEST_F(a_stripe_of_a_core, keeps_what_the_kernel_does_not_let_go) {
    undisturbed::core_ = 1;
    in_stripes<2, with<not_stoppable>> all(shared_, 8);
    EXPECT_TRUE(all.try_acquire());
    all.give_back();
    EXPECT_EQ(all.approx_left(), 7U);
    EXPECT_EQ(there(all), burst - 1);
    EXPECT_TRUE(all.try_acquire());
    EXPECT_EQ(all.approx_left(), 6U);
    EXPECT_EQ(taken(all), burst - 2);
}

TEST_F(a_stripe_of_a_core, needs_no_section_that_comes_to_its_end) {
    in_stripes<2, with<always_stopped>> all(shared_, 8);
    EXPECT_EQ(taken(all) + there(all), burst);
}

TEST_F(a_stripe_of_a_core, is_for_exchanges_once_two_cores_share_it) {
    using restock = weir::exchanged_stock::restock;
    undisturbed::core_ = 1;
    weir::core_stock<undisturbed> s;
    s.belong_to(1, 2);
    EXPECT_EQ(s.begin_restock(1), restock::begun);
    s.end_restock(10);
    EXPECT_TRUE(s.try_take(4));
    // A core that only passes by takes none of them, and changes nothing.
    undisturbed::core_ = 0;
    EXPECT_FALSE(s.try_take(1));
    EXPECT_EQ(s.begin_restock(1), restock::occupied);
    undisturbed::core_ = 1;
    EXPECT_TRUE(s.try_take(1));
    EXPECT_EQ(undisturbed::stops_, 0U);
    // The fourth core is the second one's neighbour here.
    undisturbed::core_ = 3;
    EXPECT_FALSE(s.try_take(1));
    EXPECT_EQ(s.begin_restock(1), restock::served);
    EXPECT_EQ(undisturbed::stops_, 1U);
    EXPECT_EQ(s.exchanged(), 0U);
    EXPECT_TRUE(s.try_take(1));
    undisturbed::core_ = 1;
    EXPECT_TRUE(s.try_take(1));
    EXPECT_EQ(s.exchanged(), 2U);
    EXPECT_EQ(s.units(), 2U);
    EXPECT_EQ(s.begin_restock(3), restock::begun);
    s.end_restock(5);
    undisturbed::core_ = 3;
    EXPECT_TRUE(s.try_take(7));
    EXPECT_EQ(s.units(), 0U);
    EXPECT_EQ(undisturbed::stops_, 1U);
    EXPECT_EQ(s.begin_restock(1), restock::begun);
    EXPECT_EQ(s.take_all(), 0U);
    s.end_restock(0);
}

TEST_F(a_stripe_of_a_core, serves_from_both_words_at_once) {
    using restock = weir::exchanged_stock::restock;
    undisturbed::core_ = 0;
    weir::core_stock<undisturbed> s;
    s.belong_to(0, 2);
    EXPECT_EQ(s.begin_restock(1), restock::begun);
    s.end_restock(3);
    EXPECT_EQ(s.begin_restock(6), restock::begun);
    undisturbed::core_ = 1;  // it is moved while it restocks
    s.end_restock(4);
    undisturbed::core_ = 0;
    EXPECT_EQ(s.units(), 7U);
    EXPECT_FALSE(s.try_take(5));
    EXPECT_EQ(s.begin_restock(5), restock::served);
    EXPECT_EQ(s.units(), 2U);
    EXPECT_TRUE(s.try_take(2));
}

}  // namespace

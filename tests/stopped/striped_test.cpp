// SPDX-License-Identifier: MIT
// Threads that are stopped while they take units out of a stripe, restock it, give its units back
// or reset it, and others who act then: nobody is held up, nobody gets more than was taken from the
// shared limit, and no unit is lost. Stripes are those of threads, and those of cores with a
// stand-in for restartable sections.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/stripe_of_core.hpp>
#include <weir/base/atomic.hpp>
#include <weir/clock/manual.hpp>
#include <weir/table/striped.hpp>

#include "lenders.hpp"

namespace {

using weir::quota;
using weir::word;

using clock = weir::manual_clock<struct of_stripes, 1'000'000>;

constexpr word begin = 1'000'000'000'000;
constexpr word burst = 48;
constexpr std::size_t stripes = 2;
constexpr word largest_lease = burst / (2 * stripes);

struct chosen {
    using stock = weir::exchanged_stock;
    static inline std::size_t stripe_ = 0;
    static std::size_t mine(std::size_t) noexcept { return stripe_; }

    // Says where it was.
    static std::size_t go(std::size_t stripe) { return std::exchange(stripe_, stripe); }
};

// As the kernel does it: a section has not happened if its thread is moved, if another thread runs
// on its core in between, or if all are stopped.
struct kernel_sections {
    static constexpr std::uint32_t no_core = weir::restartable::no_core;
    static inline std::uint32_t core_ = 0;
    static inline unsigned stops_ = 0;

    static weir::core_sections sections() noexcept { return weir::core_sections::used; }
    static std::uint32_t core() noexcept { return core_; }
    static bool stop_all() noexcept {
        ++stops_;
        return true;
    }
    static bool try_replace(weir::atomic<word>& units, const weir::atomic<std::uint32_t>& open,
                            word expected, word desired) noexcept {
        const std::uint32_t core = core_;
        const unsigned stops = stops_;
        if (open.load_relaxed() != core || units.load_relaxed() != expected) return false;
        (void)units.load_relaxed();  // the last place to be stopped at
        if (core_ != core || stops_ != stops) return false;
        auto others = std::exchange(stopped::others, nullptr);
        units.store_relaxed(desired);
        stopped::others = std::move(others);
        return true;
    }
};

struct core_chosen {
    using stock = weir::core_stock<kernel_sections>;
    static std::size_t mine(std::size_t all) noexcept { return kernel_sections::core_ & (all - 1); }

    // A thread begins to run on this core, so it stops the one that ran there.
    static std::size_t go(std::size_t core) {
        ++kernel_sections::stops_;
        return std::exchange(kernel_sections::core_, static_cast<std::uint32_t>(core));
    }
};

template <class Limit, class Policy>
struct in_stripes {
    using limit = Limit;
    using policy = Policy;
};

template <class Of>
struct scene {
    using limit_type = typename Of::limit;
    using policy = typename Of::policy;

    scene() {
        // One unit is left in each stripe.
        take(0, 11);
        take(1, 11);
    }

    bool take(std::size_t stripe, word n) {
        const std::size_t mine = policy::go(stripe);
        const bool took = all.try_acquire(n).admitted();
        policy::go(mine);
        got += took ? n : 0;
        return took;
    }
    [[nodiscard]] word there() const { return limit.peek(0).remaining(); }
    [[nodiscard]] word accounted() const { return got + all.approx_left() + there(); }

    struct at_begin {
        at_begin() {
            clock::set({begin});
            policy::go(0);
        }
    } time;
    limit_type limit{quota{burst, weir::seconds(static_cast<std::int64_t>(burst)), burst}};
    weir::striped<limit_type, stripes, policy> all{limit, 12};
    word got = 0;
};

template <class Of>
using deed = stopped::deed<scene<Of>>;

template <class Of>
const std::vector<deed<Of>>& deeds() {
    using s = scene<Of>&;
    static const std::vector<deed<Of>> all{
        {"take what is left", [](s x) { x.take(0, 1); }},
        {"restock", [](s x) { x.take(0, 2); }},
        {"restock twice", [](s x) { x.take(0, 12), x.take(0, 2); }},
        {"restock another", [](s x) { x.take(1, 3); }},
        {"take from the shared limit", [](s x) { x.take(0, 13); }},
        {"ask in vain", [](s x) { x.take(0, 40), x.take(0, 12), x.take(0, 12), x.take(0, 2); }},
        {"give back", [](s x) { x.all.give_back(); }, true},
        {"move to another stripe", [](s) { Of::policy::go(1); }},
    };
    return all;
}

template <class Of>
class stopped_stripes : public testing::Test {};
template <class Limit>
using of_threads = in_stripes<Limit, chosen>;
template <class Limit>
using of_cores = in_stripes<Limit, core_chosen>;
using limits = stopped::lenders<clock, burst>;
using all_of_them = weir::joined<limits::each<of_threads>, limits::each<of_cores>>;
TYPED_TEST_SUITE(stopped_stripes, all_of_them::as<testing::Types>);

TYPED_TEST(stopped_stripes, lose_no_unit_and_bring_none) {
    const auto& all = deeds<TypeParam>();
    stopped::stop_each(all, all, [](auto& s, auto& one, auto& other, const std::string& what) {
        if (one.refunds || other.refunds) {
            ASSERT_LE(s.accounted(), burst) << what;
        } else {
            ASSERT_EQ(s.accounted(), burst) << what;
        }
        for (word left = s.there() + s.all.approx_left(); left != 0; --left) {
            if (!s.take(0, 1) && !s.take(1, 1)) FAIL() << what << ": nobody gets a unit";
        }
    });
}

TYPED_TEST(stopped_stripes, hold_no_more_than_a_lease) {
    const auto& all = deeds<TypeParam>();
    stopped::stop_each(all, all, [](auto& s, auto&, auto&, const std::string& what) {
        (void)s.limit.drain();
        word held = 0;
        while (s.take(0, 1)) ++held;
        ASSERT_LE(held, largest_lease) << what;
    });
}

// Forever: at the end of what others do, the one who is stopped has not gone on.
TYPED_TEST(stopped_stripes, withhold_no_more_than_a_lease) {
    for (const auto& one : deeds<TypeParam>()) {
        if (one.refunds) continue;
        for (int when = 0;; ++when) {
            scene<TypeParam> s;
            bool passes_later = false;
            const auto others = [&] {
                // Past any back-off, in which no unit comes.
                for (int i = 0; i < 10; ++i) {
                    while (s.take(0, 1) || s.take(1, 1)) {
                    }
                    clock::advance(weir::microseconds(100));
                }
                const word held = burst - s.got - s.all.approx_left();
                ASSERT_EQ(s.there(), 0U);
                ASSERT_LE(held, 14U) << one.name << ", before access " << when;
                clock::advance(weir::seconds(static_cast<std::int64_t>(burst)));
                passes_later = s.take(0, 1);
            };
            if (!stopped::stop(
                    when, [&] { one.act(s); }, others))
                break;
            ASSERT_TRUE(passes_later) << one.name << ", before access " << when;
        }
    }
}

TYPED_TEST(stopped_stripes, hold_a_lease_each_at_most_whenever_they_are_reset) {
    for (const auto& one : deeds<TypeParam>()) {
        for (int when = 0;; ++when) {
            scene<TypeParam> s;
            const auto others = [&] {
                s.all.reset();
                s.got = 0;
            };
            if (!stopped::stop(
                    when, [&] { one.act(s); }, others))
                break;
            ASSERT_LE(s.all.approx_left(), stripes * largest_lease) << one.name << ' ' << when;
            ASSERT_LE(s.there(), burst);
            const word before = s.got;
            while (s.take(0, 1) || s.take(1, 1)) {
            }
            ASSERT_LE(s.got - before, burst + stripes * largest_lease) << one.name << ' ' << when;
            ASSERT_GE(s.got + largest_lease, burst) << one.name << ' ' << when;
        }
    }
}

// All that was taken goes by while one is stopped who gives back. Then it is not there again,
// beside what the others have left.
TYPED_TEST(stopped_stripes, give_back_nothing_that_has_gone_by) {
    if (!weir::undoing<typename TypeParam::limit>) return;
    for (word taken = 0; taken <= burst; taken += 4) {
        for (int when = 0;; ++when) {
            scene<TypeParam> s;
            const auto others = [&] {
                clock::advance(weir::seconds(3 * static_cast<std::int64_t>(largest_lease)));
                ASSERT_EQ(s.there(), burst);
                ASSERT_TRUE(s.limit.try_acquire(taken));
            };
            s.take(0, 2);
            if (!stopped::stop(
                    when, [&] { s.all.give_back(); }, others))
                break;
            ASSERT_EQ(s.there(), burst - taken) << taken << " taken, stopped at " << when;
            ASSERT_EQ(s.all.approx_left(), 0U);
        }
    }
}

}  // namespace

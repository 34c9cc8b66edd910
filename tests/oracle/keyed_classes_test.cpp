// SPDX-License-Identifier: MIT
// A keyed table with classes, beside a model that knows how many units each key has: random
// histories in which quotas change and keys come with other classes. Times and rates are such that
// the table rounds nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/table/keyed.hpp>

#include "../keyed_layouts.hpp"
#include "dice.hpp"
#include "effort.hpp"

namespace {

using clock = weir::manual_clock<struct keyed_classes_oracle, 4'096>;

// What a tick brings at a rate of 1 unit a second. It is a granule of a table with two classes.
constexpr std::int64_t parts = 4'096;
constexpr std::int64_t guard = 500;  // ticks
constexpr weir::nanoseconds guard_time(guard * 1'000'000'000 / 4'096 + 1);

struct own_quota {
    std::int64_t rate;  // parts of a unit in a tick, or units in a second
    std::int64_t burst;

    [[nodiscard]] weir::quota quota() const { return {rate, weir::seconds(1), burst}; }
};

// A key as if it had never lost its place. It has as many units as have come since it took some,
// but no more than the burst at the time when it is asked.
struct own_key {
    std::size_t its_class = 0;
    std::int64_t there = 0;  // in parts; uncapped
    bool has_place = false;
    bool was_idle = false;  // since it took some, so another may have its place
};

template <bool Exact, std::size_t Classes>
struct subject {
    static constexpr weir::keyed_layout layout{.exact = Exact, .classes = Classes};
};

template <class Subject>
class history {
    static constexpr std::size_t classes = Subject::layout.classes;
    using any_table = weir::keyed_limits<weir::any_size, clock, Subject::layout>;
    static constexpr std::size_t places = any_table::places_in_line;
    using table = weir::keyed_limits<places, clock, Subject::layout>;

public:
    history(std::uint64_t seed, std::size_t keys)
        : dice_(seed),
          keys_(keys),
          quotas_(first()),
          table_(made(std::make_index_sequence<classes>{})) {}

    void run(int steps) {
        for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            if (!dice_.one_in(3)) pass(dice_.roll(dice_.one_in(8) ? 20'000 : 500));
            if (dice_.one_in(12)) {
                change(dice_.index(classes));
            } else {
                ask(dice_.index(keys_.size()), dice_.roll(8));
            }
        }
    }
    [[nodiscard]] std::uint64_t refused_for_a_place() const { return full_; }
    [[nodiscard]] std::uint64_t moved() const { return moved_; }

private:
    [[nodiscard]] own_quota any() {
        return {16 * static_cast<std::int64_t>(1 + dice_.roll(40)),
                static_cast<std::int64_t>(1 + dice_.roll(12))};
    }
    [[nodiscard]] std::vector<own_quota> first() {
        clock::set(weir::tick{dice_.next()});
        std::vector<own_quota> all;
        for (std::size_t i = 0; i < classes; ++i) all.push_back(any());
        return all;
    }
    template <std::size_t... I>
    [[nodiscard]] table made(std::index_sequence<I...> /*all*/) {
        return table({quotas_[I].quota()...}, weir::when_full::deny, weir::seed(1),
                     {.guard = guard_time, .room = 50'000});
    }
    [[nodiscard]] auto limit(std::size_t key, std::size_t of_class) {
        if constexpr (classes == 1) {
            (void)of_class;
            return table_[key];
        } else {
            return table_.limit(key, of_class);
        }
    }

    void pass(std::uint64_t ticks) {
        clock::set(weir::tick{clock::now().count + ticks});
        for (own_key& k : keys_) {
            k.there += static_cast<std::int64_t>(ticks) * quotas_[k.its_class].rate;
        }
        note_idle();
        since_change_ += static_cast<std::int64_t>(ticks);
    }
    void change(std::size_t of_class) {
        const own_quota next = any();
        quotas_[of_class] = next;
        if constexpr (classes == 1) {
            EXPECT_EQ(table_.set_quota(next.quota()), weir::quota_error::none);
        } else {
            EXPECT_EQ(table_.set_quota(of_class, next.quota()), weir::quota_error::none);
        }
        note_idle();
        since_change_ = 0;
    }
    void note_idle() {
        for (own_key& k : keys_)
            k.was_idle = k.was_idle || k.there >= quotas_[k.its_class].burst * parts;
    }

    void ask(std::size_t which, std::uint64_t n) {
        own_key& key = keys_[which];
        const std::size_t of_class = dice_.index(classes);
        const own_quota& q = quotas_[of_class];
        const std::int64_t most = q.burst * parts;
        // Of two possible states: it kept its place, or it begins anew.
        const auto limit_now = limit(which, of_class);
        const auto seen = static_cast<std::int64_t>(limit_now.peek(0).remaining());
        const auto debt = static_cast<std::int64_t>(limit_now.debt());
        std::int64_t there = key.has_place ? std::min(key.there, most) : most;
        if (key.has_place && key.was_idle && seen == q.burst) there = most;
        EXPECT_EQ(seen, std::max<std::int64_t>(there, 0) / parts);
        EXPECT_EQ(debt, (std::max<std::int64_t>(-there, 0) + parts - 1) / parts);

        auto its = limit(which, of_class);
        const bool charges = dice_.one_in(3);
        const auto units = static_cast<std::int64_t>(n) * parts;
        const auto answer = charges ? its.charge(n) : its.try_acquire(n);
        const bool fits = units <= there + (charges ? most : 0);
        const bool never = units > most + (charges ? most : 0);
        if (n == 0) return;
        if (fits && !answer) return refused(key, answer);
        EXPECT_EQ(answer.admitted(), fits);
        if (never) {
            EXPECT_EQ(answer.verdict(), weir::verdict::never);
        } else if (!fits) {
            const std::int64_t missing = units - there - (charges ? most : 0);
            // A refusal does not move a key: its units come as in the class that it has.
            const bool moves = key.has_place && key.its_class != of_class;
            const std::int64_t rate = moves ? quotas_[key.its_class].rate : q.rate;
            const std::int64_t granule = moves ? parts >> 9U : 0;
            const auto wait = static_cast<std::int64_t>(answer.ticks().retry_after());
            EXPECT_GE(wait, (missing + rate - 1) / rate);
            EXPECT_LE(wait, (missing + granule + rate - 1) / rate);
        }
        if (!answer) return;
        moved_ += key.has_place && key.its_class != of_class ? 1U : 0U;
        key = {of_class, there - units, true, false};
        EXPECT_EQ(answer.remaining(),
                  static_cast<std::uint64_t>(std::max<std::int64_t>(key.there, 0) / parts));
    }
    // There is no place: so it may have none, and so many others do.
    template <class Answer>
    void refused(const own_key& key, const Answer& answer) {
        ++full_;
        EXPECT_EQ(answer.verdict(), weir::verdict::wait);
        EXPECT_TRUE(!key.has_place || key.was_idle);
        std::size_t may_be_kept = 0;
        for (const own_key& k : keys_) {
            const own_quota& q = quotas_[k.its_class];
            const bool is_kept =
                k.there <= q.burst * parts + (guard + 1) * q.rate + 2 * 16 * parts / 4'096;
            may_be_kept += k.has_place && (is_kept || since_change_ <= guard + 1) ? 1U : 0U;
        }
        EXPECT_GE(may_be_kept, places);
    }

    oracle::dice dice_;
    std::vector<own_key> keys_;
    std::vector<own_quota> quotas_;
    table table_;
    std::int64_t since_change_ = guard + 2;
    std::uint64_t full_ = 0;
    std::uint64_t moved_ = 0;
};

template <class Subject>
class keyed_with_classes : public testing::Test {};
using subjects = testing::Types<subject<false, 1>, subject<false, 2>, subject<false, 5>,
                                subject<true, 1>, subject<true, 2>, subject<true, 16>>;
TYPED_TEST_SUITE(keyed_with_classes, subjects);

TYPED_TEST(keyed_with_classes, answer_as_a_model_of_units_would) {
    for (const std::size_t keys : {3U, 6U, 12U}) {
        std::uint64_t full = 0;
        std::uint64_t moved = 0;
        for (std::uint64_t seed = 1; seed <= oracle::scaled(200) && !this->HasFailure(); ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", keys " + std::to_string(keys));
            history<TypeParam> h(seed, keys);
            h.run(1'000);
            full += h.refused_for_a_place();
            moved += h.moved();
        }
        EXPECT_EQ(full != 0, keys > (TypeParam::layout.exact ? 4U : 8U));
        EXPECT_EQ(moved != 0, TypeParam::layout.classes > 1);
    }
}

}  // namespace

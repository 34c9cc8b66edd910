// SPDX-License-Identifier: MIT
// A keyed table beside a map that has an exact limiter for each key and forgets none: random
// histories in virtual time. The table has one line, so the map can tell when it is full, and
// whose place a new key takes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/keyed.hpp>

#include "../keyed_layouts.hpp"
#include "dice.hpp"

namespace {

using weir::nanoseconds;
using weir::when_full;

// Powers of two, so that the table's granules are exact: 2^13 of them are a unit's time.
constexpr std::int64_t granule = 1 << 7;
constexpr std::int64_t unit = granule << 13;
constexpr std::int64_t burst = 5;
constexpr std::int64_t guard = 3 * unit / 4;
const weir::quota each = weir::quota(1, nanoseconds(unit)).with_burst(burst);

struct keyed_oracle {};
using clock = weir::manual_clock<keyed_oracle>;
using exact = weir::limiter<weir::gcra<>, clock>;

template <class Subject>
class history {
    using any_table = weir::keyed_limits<weir::any_size, clock, Subject::layout>;
    using table = weir::keyed_limits<any_table::places_in_line, clock, Subject::layout>;

public:
    static constexpr std::size_t places = any_table::places_in_line;

    history(when_full policy, std::uint64_t seed)
        : policy_(policy),
          dice_(seed),
          table_(each, policy, weir::seed(1), {.guard = nanoseconds(guard)}) {
        clock::set(weir::tick{(dice_.next() >> 2U) & ~std::uint64_t{granule - 1}});
    }

    void run(int steps, std::uint64_t keys) {
        for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            clock::advance(nanoseconds(
                granule *
                static_cast<std::int64_t>(1 + dice_.roll(dice_.one_in(8) ? 100'000 : 8'000))));
            ask(dice_.roll(keys), dice_.roll(burst + 2));
        }
        EXPECT_EQ(table_.statistics().full, full_);
        EXPECT_EQ(table_.statistics().forgiven, nanoseconds(forgiven_));
    }
    [[nodiscard]] weir::word full() const { return full_; }

private:
    struct of_key {
        exact limit{each, {.queue = 0, .guard = nanoseconds(guard)}};
        std::int64_t idle_at = 0;
        bool has_place = false;
    };

    // Of all that a key has got since the beginning, and was forgiven.
    struct ledger {
        std::int64_t idle_at = 0;  // if nothing had been forgiven
        std::int64_t forgiven = 0;
    };
    void passed(std::uint64_t key, weir::word units) {
        std::int64_t& idle_at = ledgers_[key].idle_at;
        idle_at = std::max(idle_at, now()) + static_cast<std::int64_t>(units) * unit;
    }
    // But for what was forgiven to this very key. `allow` knows no bound.
    void keeps_its_quota(std::uint64_t key, const of_key& own) {
        const ledger& its = ledgers_[key];
        EXPECT_LE(its.idle_at, std::max(own.idle_at, now()) + its.forgiven) << "key " << key;
    }

    [[nodiscard]] auto limit(std::uint64_t key) {
        return table_[Subject::key(static_cast<std::size_t>(key))];
    }
    [[nodiscard]] static std::int64_t now() {
        return static_cast<std::int64_t>(clock::now().count);
    }
    [[nodiscard]] static bool is_kept(const of_key& k) {
        return k.has_place && k.idle_at + guard > now();
    }

    void ask(std::uint64_t key, weir::word n) {
        enum { peek, up_to, charge, take };
        of_key& own = map_[key];
        const auto how = dice_.roll(4);
        // A key without a place has all of its units.
        const bool fits = how == up_to || how == charge || n <= burst;
        if (n != 0 && fits && !is_kept(own) && kept() == static_cast<std::int64_t>(places)) {
            if (how == take) ask_full(key, n, own);
            return;
        }
        switch (how) {
            case peek: same(limit(key).peek(n), own.limit.peek(n)); return;
            case up_to: {
                const auto some = limit(key).acquire_up_to(n);
                passed(key, some.units);
                const auto expected = own.limit.acquire_up_to(n);
                EXPECT_EQ(some.units, expected.units);
                same(some.after, expected.after);
                break;
            }
            case charge: {
                const auto answer = limit(key).charge(n);
                passed(key, answer ? n : 0);
                same(answer, own.limit.charge(n));
                break;
            }
            default: {
                const auto answer = limit(key).try_acquire(n);
                passed(key, answer ? n : 0);
                same(answer, own.limit.try_acquire(n));
            }
        }
        noted(own);
        keeps_its_quota(key, own);
    }

    // There is no place for the key.
    void ask_full(std::uint64_t key, weir::word n, of_key& own) {
        ++full_;
        const auto answer = limit(key).try_acquire(n);
        const std::int64_t until = first()->second.idle_at + guard - now();
        if (policy_ == when_full::deny) {
            EXPECT_EQ(answer.verdict(), weir::verdict::wait);
            EXPECT_EQ(answer.retry_after(), nanoseconds(until));
        } else if (policy_ == when_full::allow) {
            EXPECT_TRUE(answer);
        } else {
            forgiven_ += until;
            const auto forgotten = victim();
            ledgers_[forgotten->first].forgiven += std::max<std::int64_t>(until - guard, 0);
            forgotten->second = of_key();
            passed(key, answer ? n : 0);
            same(answer, own.limit.try_acquire(n));
            noted(own);
            keeps_its_quota(key, own);
        }
    }

    template <class One, class Other>
    static void same(const One& one, const Other& other) {
        EXPECT_STREQ(to_text(one).c_str(), to_text(other).c_str());
        EXPECT_EQ(one.retry_after(), other.retry_after());
        EXPECT_EQ(one.reset_after(), other.reset_after());
    }
    static void noted(of_key& own) {
        const nanoseconds busy = own.limit.save().time;
        if (busy == nanoseconds{}) return;
        own.idle_at = now() + busy.count();
        own.has_place = true;
    }

    [[nodiscard]] std::int64_t kept() const {
        return std::count_if(map_.begin(), map_.end(),
                             [](const auto& entry) { return is_kept(entry.second); });
    }
    // Whose place is free first.
    [[nodiscard]] typename std::map<std::uint64_t, of_key>::iterator first() {
        auto least = map_.end();
        for (auto i = map_.begin(); i != map_.end(); ++i) {
            if (is_kept(i->second) &&
                (least == map_.end() || i->second.idle_at < least->second.idle_at))
                least = i;
        }
        return least;
    }
    // Of several that are free at the same instant, the one that the table has forgotten.
    [[nodiscard]] typename std::map<std::uint64_t, of_key>::iterator victim() {
        const auto least = first();
        for (auto i = map_.begin(); i != map_.end(); ++i) {
            if (is_kept(i->second) && i->second.idle_at == least->second.idle_at &&
                limit(i->first).save() != i->second.limit.save())
                return i;
        }
        return least;
    }

    when_full policy_;
    oracle::dice dice_;
    table table_;
    std::map<std::uint64_t, of_key> map_;
    std::map<std::uint64_t, ledger> ledgers_;
    weir::word full_ = 0;
    std::int64_t forgiven_ = 0;
};

template <class Subject>
class keyed_table : public testing::Test {
protected:
    static void answers_as_a_map(when_full policy) {
        using its_history = history<Subject>;
        // Those that have place, one more, some more and many more.
        for (const std::size_t keys : {its_history::places - 2, its_history::places + 1,
                                       2 * its_history::places - 4, std::size_t{40}}) {
            weir::word full = 0;
            for (std::uint64_t seed = 1; seed <= 50 && !testing::Test::HasFailure(); ++seed) {
                SCOPED_TRACE("seed " + std::to_string(seed) + ", keys " + std::to_string(keys));
                its_history h(policy, seed);
                h.run(2'000, keys);
                full += h.full();
            }
            EXPECT_EQ(full != 0, keys > its_history::places) << keys;
        }
    }
};
TYPED_TEST_SUITE(keyed_table, keyed_layouts);

TYPED_TEST(keyed_table, that_denies_answers_as_a_map_of_limiters_would) {
    this->answers_as_a_map(when_full::deny);
}
TYPED_TEST(keyed_table, that_forgives_answers_as_a_map_of_limiters_would) {
    this->answers_as_a_map(when_full::forgive_least);
}
TYPED_TEST(keyed_table, that_allows_answers_as_a_map_of_limiters_would) {
    this->answers_as_a_map(when_full::allow);
}

}  // namespace

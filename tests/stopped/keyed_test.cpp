// SPDX-License-Identifier: MIT
// A keyed table: one who is stopped at any access, while others enter, charge and reset keys, and
// stopped once more a little later, brings no key more or less than its burst. Nor does it where
// keys come with one class and another, whose rates change meanwhile.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/table/key_hash.hpp>
#include <weir/table/key_word.hpp>
#include <weir/table/keyed.hpp>

#include "../keyed_layouts.hpp"
#include "../oracle/dice.hpp"
#include "twice.hpp"

namespace {

using weir::word;

struct stopped_keys {};
using clock = weir::manual_clock<stopped_keys>;

constexpr word burst = 4;
constexpr std::size_t keys = 10;

struct action {
    std::size_t key = 0;
    word units = 0;  // 0: a reset
    bool sleeps = false;
    std::size_t its_class = 0;
    std::int64_t rate = 0;  // 0: the class keeps its own
};
using actions = std::vector<action>;

template <class Subject>
[[nodiscard]] actions some(oracle::dice& d, std::size_t most, std::size_t of_keys) {
    actions all(d.index(most + 1));
    for (action& a : all) {
        // Often about the key that the other one asks for.
        a.key = d.one_in(2) ? 0 : d.index(of_keys);
        a.units = d.one_in(3) ? 0 : 1 + d.roll(burst);
        a.sleeps = d.one_in(8);
        if (Subject::layout.classes == 0) continue;
        a.its_class = d.index(Subject::layout.classes);
        if (d.one_in(3)) a.rate = 5 + static_cast<std::int64_t>(d.roll(20));
    }
    return all;
}

// With which the keys that are asked for most look for the same place first, so that a key that
// was entered elsewhere meets itself there when another one is reset.
template <class Subject>
[[nodiscard]] weir::seed meeting() {
    using layout =
        std::conditional_t<Subject::layout.exact, weir::exact_keys<>, weir::compact_keys<>>;
    const auto home = [](const weir::key_hash& hash, std::size_t key) {
        return layout::key_of(hash(Subject::key(key))).tag >> (weir::key_word::tag_bits - 3);
    };
    for (std::uint64_t s = 1;; ++s) {
        const weir::key_hash hash{weir::seed(s)};
        if (home(hash, 0) == home(hash, 1) && home(hash, 0) == home(hash, 2)) return weir::seed(s);
    }
}

template <class Subject>
class history {
    using table = weir::keyed_limits<weir::any_size, clock, Subject::layout>;

public:
    history() : history(std::make_index_sequence<at_least_one>{}) {}

    void act(const actions& some) {
        for (const action& a : some) {
            if (a.rate != 0) {
                change(a.its_class, weir::per_second(a.rate).with_burst(burst));
            } else if (a.sleeps) {
                sleep();
            } else if (a.units == 0) {
                limit(a.key, a.its_class).reset();
                passed_.at(a.key) = 0;
                has_place_.at(a.key) = false;
                was_reset_ = was_reset_ || a.key == 0;
            } else {
                passed_.at(a.key) += limit(a.key, a.its_class).acquire_up_to(a.units).units;
                has_place_.at(a.key) = has_place_.at(a.key) || passed_.at(a.key) != 0;
            }
        }
    }
    // By the one who is stopped.
    void ask(word units) {
        was_reset_ = false;
        its_ = limit(0).try_acquire(units) ? units : 0;
    }

    // What is left of each key fits to what has passed. Units that were taken while the key was
    // reset count before or after.
    void fits() {
        std::array<word, keys> left{};
        for (const bool has_place : {true, false}) {
            for (std::size_t k = 0; k < keys; ++k) {
                if (has_place != (has_place_.at(k) || (k == 0 && its_ != 0))) continue;
                left.at(k) = limit(k).drain();
                EXPECT_LE(left.at(k), burst) << "key " << k;
                limit(k).reset();
            }
        }
        for (std::size_t k = 1; k < keys; ++k) EXPECT_EQ(passed_.at(k) + left.at(k), burst) << k;
        const word others = passed_[0] + left[0];
        const bool may_count_before = was_reset_ && others == burst;
        EXPECT_EQ(others + (may_count_before ? 0 : its_), burst);
        for (auto& line : memory_)
            for (auto& place : line.place)
                EXPECT_EQ(keys_of_table::state(place).load_relaxed(), 0U);
    }

private:
    static constexpr std::size_t classes = Subject::layout.classes;
    static constexpr std::size_t at_least_one = classes == 0 ? 1 : classes;

    template <std::size_t... I>
    explicit history(std::index_sequence<I...> /*of classes*/)
        : all_(memory_, {(static_cast<void>(I), weir::per_second(10).with_burst(burst))...},
               weir::when_full::deny, seed(), {.guard = weir::seconds(5)}) {}

    // Keys of equal tags look for the same place anyhow.
    [[nodiscard]] static weir::seed seed() {
        if (std::is_base_of_v<exact_table_of_equal_tags, Subject>) return weir::seed(1);
        static const weir::seed found = meeting<Subject>();
        return found;
    }

    using keys_of_table =
        std::conditional_t<Subject::layout.exact, weir::exact_keys<>, weir::compact_keys<>>;

    // Until all keys are idle, and whoever claimed a place has to be dead. Who is late by that is
    // still within the guard, so all keys keep their places.
    void sleep() {
        if (has_slept_) return;
        has_slept_ = true;
        clock::advance(weir::milliseconds(3'500));
        passed_.fill(0);
        was_reset_ = true;
    }
    [[nodiscard]] auto limit(std::size_t k, std::size_t its_class = 0) {
        if constexpr (classes == 0) {
            (void)its_class;
            return all_[Subject::key(k)];
        } else {
            return all_.limit(Subject::key(k), its_class);
        }
    }
    void change(std::size_t its_class, const weir::quota& q) {
        if constexpr (classes != 0) {
            EXPECT_EQ(all_.set_quota(its_class, q), weir::quota_error::none);
        }
    }

    std::array<typename table::line, 1> memory_;
    table all_;
    std::array<word, keys> passed_{};
    std::array<bool, keys> has_place_{};
    bool has_slept_ = false;
    word its_ = 0;
    bool was_reset_ = false;
};

template <class Subject>
class stopped_keyed : public testing::Test {};
using subjects =
    testing::Types<compact_table, exact_table, exact_table_of_equal_tags,
                   with_two_classes<compact_table>, with_two_classes<exact_table_of_equal_tags>>;
TYPED_TEST_SUITE(stopped_keyed, subjects);

TYPED_TEST(stopped_keyed, brings_no_key_more_or_less_than_its_burst) {
    clock::set(weir::tick{1'000'000'000'000});
    int stops = 0;
    // With classes there are more places at which one can be stopped.
    const std::uint64_t seeds = TypeParam::layout.classes == 0 ? 700 : 100;
    for (std::uint64_t seed = 1; seed <= seeds && !this->HasFailure(); ++seed) {
        oracle::dice d(seed);
        const actions before = some<TypeParam>(d, 12, keys);
        const actions first = some<TypeParam>(d, 6, 3);
        const actions second = some<TypeParam>(d, 6, 3);
        const word units = 1 + d.roll(burst);
        using story = history<TypeParam>;
        stops += stopped::stop_twice(
            seed, [] { return story(); }, [&](story& h) { h.act(before); },
            [&](story& h) { h.ask(units); }, [&](story& h) { h.act(first); },
            [&](story& h) { h.act(second); }, 60, [](int later) { return later + 1; });
    }
    EXPECT_GT(stops, 50'000);
}

}  // namespace

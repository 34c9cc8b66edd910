// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/table/keyed.hpp>

#include "../../keyed_layouts.hpp"

namespace {

using weir::hashed;
using weir::keyed_limits;
using weir::milliseconds;
using weir::per_second;
using weir::seconds;
using weir::seed;
using weir::when_full;
using namespace std::string_view_literals;

constexpr weir::word beginning = 1'000'000'000'000;
constexpr seed fixed(20261120);

struct keyed_clock {};
using clock = weir::manual_clock<keyed_clock>;

// Each layout.
template <class Layout>
class keyed : public testing::Test {
protected:
    template <std::size_t Places>
    using table = keyed_limits<Places, clock, Layout::layout>;
    using any_table = keyed_limits<weir::any_size, clock, Layout::layout>;
    static constexpr std::size_t line = any_table::places_in_line;
    static constexpr std::size_t bytes_a_place = Layout::layout.exact ? 16 : 8;  // a place

    // The smallest one, in which all keys meet, and one that has place for some.
    template <class... Terms>
    [[nodiscard]] static auto one_line(const Terms&... terms) {
        return table<line>(per_second(10), terms...);
    }
    template <class... Terms>
    [[nodiscard]] static auto roomy(const Terms&... terms) {
        return table<64>(per_second(10), terms...);
    }

    void SetUp() override { clock::set(weir::tick{beginning}); }

    // Keys that nobody has used in the test before.
    [[nodiscard]] std::uint64_t next_key() { return next_++; }

    template <class Table>
    void occupy(Table& all, std::size_t keys) {
        for (std::size_t i = 0; i < keys; ++i) (void)all[next_key()].try_acquire();
    }

private:
    std::uint64_t next_ = 1'000'000;
};
using layouts = testing::Types<compact_table, exact_table>;
TYPED_TEST_SUITE(keyed, layouts);

// --- an entry is a limit

TYPED_TEST(keyed, limits_each_key_by_itself) {
    auto all = this->roomy(when_full::deny, fixed);
    for (int i = 10; i > 0; --i) {
        const auto d = all[7].try_acquire();
        ASSERT_TRUE(d);
        EXPECT_EQ(d.remaining(), static_cast<weir::word>(i - 1));
    }
    const auto refused = all[7].try_acquire();
    EXPECT_FALSE(refused);
    // No shorter than the exact time, and longer by less than the granules that it is counted in.
    EXPECT_GE(refused.retry_after(), milliseconds(100));
    EXPECT_LE(refused.retry_after(), milliseconds(100) + weir::microseconds(25));
    EXPECT_TRUE(all[8].try_acquire(10));
    clock::advance(refused.retry_after());
    EXPECT_TRUE(all[7].try_acquire());
    EXPECT_FALSE(all[7].try_acquire());
    EXPECT_EQ(all[7].try_acquire(11).verdict(), weir::verdict::never);
    EXPECT_EQ(all[9].try_acquire(11).verdict(), weir::verdict::never);
}

// Times are rounded down to parts of a unit's time.
TYPED_TEST(keyed, lets_a_unit_pass_by_an_8192nd_of_its_time_too_early_at_most) {
    const auto unit = milliseconds(100).count();
    std::int64_t earliest = unit;
    for (weir::word begin = beginning; begin < beginning + 1'000'000; begin += 997) {
        keyed_limits<64, clock, TypeParam::layout> all(per_second(10).with_burst(1),
                                                       when_full::deny, fixed);
        EXPECT_TRUE(all[7].try_acquire(1, weir::instant<clock>(begin)));
        const auto passes = [&](std::int64_t after) {
            return all[7].peek(1, weir::instant<clock>(begin) + after).admitted();
        };
        std::int64_t least = 0;
        std::int64_t most = unit + unit / 4'096;
        while (most - least > 1) {
            const std::int64_t middle = least + (most - least) / 2;
            (passes(middle) ? most : least) = middle;
        }
        ASSERT_GE(most, unit - unit / 8'192);
        earliest = std::min(earliest, most);
    }
    EXPECT_LT(earliest, unit) << "the guide says that it may be";
}

TYPED_TEST(keyed, entries_can_be_asked_what_a_limiter_can) {
    auto all = this->roomy(when_full::deny, fixed);
    using entry = typename decltype(all)::entry;
    static_assert(weir::limit<entry> && weir::lending<entry> && !weir::reserving<entry>);
    EXPECT_EQ(all[1].acquire_up_to(15).units, 10U);
    EXPECT_EQ(all[1].acquire_up_to(15).units, 0U);
    EXPECT_TRUE(all[2].charge(15));
    EXPECT_EQ(all[2].debt(), 5U);
    EXPECT_FALSE(all[2].charge(6));
    EXPECT_TRUE(all[3].charge(20));
    EXPECT_FALSE(all[4].charge(21));
    EXPECT_EQ(all[4].debt(), 0U);
    EXPECT_EQ(all[5].peek(3).remaining(), 7U);
    EXPECT_EQ(all[5].drain(), 10U);
    EXPECT_FALSE(all[5].peek());
    all[5].reset();
    EXPECT_TRUE(all[5].try_acquire(10));
    const auto saved = all[5].save();
    EXPECT_TRUE(all[6].restore(saved));
    EXPECT_FALSE(all[6].try_acquire());
    EXPECT_TRUE(all[5].restore({0, weir::nanoseconds{}}));
    EXPECT_EQ(all[5].drain(), 10U);
    EXPECT_EQ(all[6].burst(), 10U);
    EXPECT_EQ(all[6].quota(), per_second(10));

    static_assert(weir::limit_view<entry>);
    auto others = this->roomy(when_full::deny, fixed);
    EXPECT_TRUE(weir::all_of(all[10], all[11], others[10]).try_acquire(10));
    EXPECT_FALSE(weir::all_of(all[10], others[11]).try_acquire());
    EXPECT_EQ((weir::all_of<entry, entry>::make(all[12], all[12]).error()),
              weir::all_of_error::limit_given_twice);
    weir::lease some(all[12], 4);
    EXPECT_TRUE(some.try_acquire());
    EXPECT_EQ(all[12].drain(), 6U);
}

TYPED_TEST(keyed, looking_takes_no_place) {
    auto all = this->one_line(when_full::deny, fixed);
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(all[i].peek());
        EXPECT_TRUE(all[i].try_acquire(0));
        EXPECT_EQ(all[i].acquire_up_to(0).units, 0U);
        EXPECT_FALSE(all[i].try_acquire(11));
        EXPECT_EQ(all[i].debt(), 0U);
    }
    EXPECT_EQ(all.statistics().occupied, 0U);
}

// --- keys

enum class account : std::uint16_t { first = 77 };

TYPED_TEST(keyed, keys_are_numbers_texts_and_bytes) {
    typename TestFixture::template table<1024> all(per_second(1), when_full::deny, fixed);
    EXPECT_TRUE(all[77].try_acquire());
    EXPECT_FALSE(all[std::uint64_t{77}].try_acquire());
    EXPECT_FALSE(all[account::first].try_acquire());
    EXPECT_TRUE(all[-1].try_acquire());
    EXPECT_FALSE(all[std::int64_t{-1}].try_acquire());

    EXPECT_TRUE(all["10.0.0.1"].try_acquire());
    EXPECT_FALSE(all["10.0.0.1"sv].try_acquire());
    EXPECT_FALSE(all[std::string("10.0.0.1")].try_acquire());
    const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
    EXPECT_TRUE(all[bytes].try_acquire());
    EXPECT_FALSE(all["\1\2\3"sv].try_acquire());

    EXPECT_TRUE(all[hashed(5)].try_acquire());
    EXPECT_FALSE(all[hashed(5)].try_acquire());
}

TEST(key_hash, tells_texts_apart_by_each_byte_and_by_their_length) {
    const weir::key_hash hash(fixed);
    for (std::size_t length = 0; length < 50; ++length) {
        std::string text(length, '\0');
        const std::uint64_t before = hash(text);
        EXPECT_NE(before, hash(text + '\0')) << length;
        for (char& c : text) {
            c = 1;
            EXPECT_NE(before, hash(text)) << length;
            c = 0;
        }
    }
}

TEST(key_hash, is_another_one_for_each_number) {
    const weir::key_hash hash(fixed);
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < 200'000; ++i) {
        all.push_back(hash(i));
        all.push_back(hash(~i << 40U));
    }
    // Steps that can be undone lose no bit of any number.
    for (unsigned bit = 0; bit < 64; ++bit) {
        for (std::uint64_t i = 1; i < 1'000; ++i)
            EXPECT_NE(hash(i * all[static_cast<std::size_t>(i)]),
                      hash((i * all[static_cast<std::size_t>(i)]) ^ std::uint64_t{1} << bit))
                << bit;
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(key_hash, is_another_one_with_another_seed) {
    const weir::key_hash one(seed(1));
    const weir::key_hash other(seed(2));
    int equal_lines = 0;
    for (std::uint64_t key = 0; key < 10'000; ++key)
        equal_lines += one(key) >> 56U == other(key) >> 56U ? 1 : 0;
    EXPECT_GT(equal_lines, 10);
    EXPECT_LT(equal_lines, 100);
}

// What share of so many keys finds no place, in a million.
template <class Layout, class KeyOf>
[[nodiscard]] std::size_t without_place(std::size_t keys, std::size_t places, KeyOf key_of) {
    keyed_limits<weir::any_size, clock, Layout::layout> all(places, per_second(1), when_full::deny,
                                                            fixed);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < keys; ++i) refused += all[key_of(i)].try_acquire() ? 0U : 1U;
    return refused * 1'000'000 / keys;
}

constexpr std::size_t many = std::size_t{1} << 17U;

// The same while keys come and go, and this share of the places is occupied.
template <class Layout>
[[nodiscard]] double without_place_for_long(double occupied) {
    constexpr std::size_t places = std::size_t{1} << 15U;
    clock::set(weir::tick{beginning});
    keyed_limits<weir::any_size, clock, Layout::layout> all(places, per_second(1).with_burst(1),
                                                            when_full::deny, fixed);
    const double kept = 1.01e9;  // a second, and the guard
    const auto apart = weir::nanoseconds(static_cast<std::int64_t>(kept / (occupied * places)));
    std::uint64_t key = 0;
    std::size_t refused = 0;
    std::size_t asked = 0;
    for (double time = 0; time < 12 * kept; time += static_cast<double>(apart.count())) {
        clock::advance(apart);
        const bool passes = all[++key].try_acquire().admitted();
        if (time < 2 * kept) continue;
        ++asked;
        refused += passes ? 0U : 1U;
    }
    return static_cast<double>(refused) / static_cast<double>(asked);
}

// The figures of the guide.
TYPED_TEST(keyed, tables_refuse_hardly_anybody_as_long_as_they_are_not_too_full) {
    const auto share = without_place_for_long<TypeParam>;
    if constexpr (TypeParam::layout.exact) {
        EXPECT_LE(share(0.3), 0.00001);
        EXPECT_LE(share(0.4), 0.00013);
        EXPECT_LE(share(0.5), 0.003);
        EXPECT_GE(share(0.5), 0.001);
    } else {
        EXPECT_LE(share(0.5), 0.00001);
        EXPECT_LE(share(0.6), 0.00006);
        EXPECT_LE(share(0.7), 0.003);
        EXPECT_GE(share(0.7), 0.0003);
    }
}

// Keys with a pattern are spread as well as others.
TYPED_TEST(keyed, tables_spread_keys_with_a_pattern) {
    const std::size_t most = TypeParam::layout.exact ? 300 : 10;
    for (const unsigned shift : {0U, 8U, 23U, 32U, 46U}) {
        const auto pattern = [shift](std::size_t i) { return std::uint64_t{i} << shift; };
        EXPECT_LE(without_place<TypeParam>(many / 2, many, pattern), most) << shift;
    }
    const auto texts = [](std::size_t i) { return "player " + std::to_string(i); };
    EXPECT_LE(without_place<TypeParam>(many / 2, many, texts), most);
}

// In the exact layout all 64 bits of a hash tell keys apart.
TEST(exact_keys, are_all_bits_of_a_hash) {
    using keys = weir::exact_keys<>;
    for (std::uint64_t hash : {std::uint64_t{0}, 0x1234'5678'9ABC'DEF0U, ~std::uint64_t{0}}) {
        const auto one = keys::key_of(hash);
        for (unsigned bit = 0; bit < 64; ++bit) {
            const auto other = keys::key_of(hash ^ std::uint64_t{1} << bit);
            EXPECT_TRUE(one.tag != other.tag || one.id != other.id) << bit;
        }
    }
}

TEST(exact_keys, of_equal_tags_have_limits_of_their_own) {
    keyed_limits<4, clock, weir::keyed_layout{.exact = true}> all(per_second(10), when_full::deny,
                                                                  seed(1));
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(all[exact_table_of_equal_tags::key(i)].drain(), 10U);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(all[exact_table_of_equal_tags::key(i)].drain(), 0U);
}

// --- idle places

TYPED_TEST(keyed, places_that_are_idle_for_the_guard_go_to_other_keys) {
    auto all =
        this->one_line(when_full::deny, fixed, weir::keyed_options{.guard = milliseconds(50)});
    this->occupy(all, this->line);
    EXPECT_EQ(all.statistics().occupied, all.size());
    EXPECT_FALSE(all[1].try_acquire());
    clock::advance(milliseconds(149));
    EXPECT_FALSE(all[1].try_acquire());
    EXPECT_EQ(all.statistics().steals, 0U);
    clock::advance(milliseconds(2));
    EXPECT_TRUE(all[1].try_acquire());
    EXPECT_EQ(all.statistics().steals, 1U);
    EXPECT_EQ(all.statistics().full, 2U);
    EXPECT_EQ(all.statistics().forgiven, weir::nanoseconds{});
}

TYPED_TEST(keyed, late_clocks_do_not_find_a_key_whose_place_was_taken) {
    auto all =
        this->one_line(when_full::deny, fixed, weir::keyed_options{.guard = milliseconds(50)});
    const auto early = clock::now();
    EXPECT_TRUE(all[1].try_acquire(10, early));
    this->occupy(all, this->line - 1);
    // One second later it is idle. Whoever comes then with a time that is late by less than the
    // guard finds it as it was.
    const auto later = early + 1'040'000'000;
    EXPECT_FALSE(all[2].try_acquire(1, early + 90'000'000));
    for (std::size_t i = 1; i < this->line; ++i)
        EXPECT_TRUE(all[this->next_key()].try_acquire(1, later));
    EXPECT_FALSE(all[2].try_acquire(1, later));
    EXPECT_FALSE(all[1].try_acquire(1, early + 50'000'000));
    EXPECT_TRUE(all[2].try_acquire(1, early + 1'051'000'000));
}

TYPED_TEST(keyed, keys_that_sleep_for_long_begin_anew) {
    for (const int days : {1, 7, 13, 100, 1000}) {
        auto all = this->one_line(when_full::deny, fixed);
        (void)all[1].drain();
        clock::advance(seconds(86'400LL * days + 12'345));
        EXPECT_EQ(all[1].drain(), 10U) << days;
    }
}

TYPED_TEST(keyed, tables_work_wherever_the_clock_begins) {
    for (const weir::word begin : {weir::word{0}, ~weir::word{0} - 1'000'000'000}) {
        clock::set(weir::tick{begin});
        auto all = this->one_line(when_full::deny, fixed);
        for (std::size_t i = 0; i < this->line; ++i) EXPECT_EQ(all[i].drain(), 10U);
        EXPECT_FALSE(all[9].try_acquire());
        clock::advance(milliseconds(1'020));
        for (std::size_t i = 0; i < this->line; ++i) EXPECT_EQ(all[i].drain(), 10U);
    }
}

// --- when it is full

TYPED_TEST(keyed, deny_says_when_there_is_a_place) {
    auto all = this->one_line(when_full::deny, fixed);
    this->occupy(all, this->line / 2);
    clock::advance(milliseconds(30));
    this->occupy(all, this->line / 2);
    const auto refused = all[1].try_acquire();
    EXPECT_EQ(refused.verdict(), weir::verdict::wait);
    EXPECT_EQ(refused.remaining(), 0U);
    EXPECT_FALSE(all[1].peek());
    EXPECT_EQ(all[1].acquire_up_to(3).units, 0U);
    EXPECT_FALSE(all[1].charge(1));
    EXPECT_FALSE(all[1].restore({0, milliseconds(20)}));
    EXPECT_GE(refused.retry_after(), milliseconds(80));
    EXPECT_LE(refused.retry_after(), milliseconds(81));
    clock::advance(refused.retry_after());
    EXPECT_TRUE(all[1].peek());
    EXPECT_TRUE(all[1].try_acquire());
}

TYPED_TEST(keyed, forgive_least_takes_the_place_of_the_key_that_is_idle_first) {
    auto all = this->one_line(when_full::forgive_least, fixed);
    for (std::size_t i = 0; i < this->line; ++i)
        (void)all[i].try_acquire(weir::word{i == 2 ? 1U : 2U});
    EXPECT_TRUE(all[9].peek());
    EXPECT_TRUE(all[9].try_acquire(10));
    for (std::size_t i = 0; i < this->line; ++i)
        EXPECT_EQ(all[i].peek(0).remaining(), i == 2 ? 10U : 8U) << i;
    const auto s = all.statistics();
    EXPECT_EQ(s.full, 1U);
    EXPECT_EQ(s.steals, 1U);
    // A unit, and the guard.
    EXPECT_GE(s.forgiven, milliseconds(110));
    EXPECT_LE(s.forgiven, milliseconds(111));
}

TYPED_TEST(keyed, allow_admits_and_forgets) {
    auto all = this->one_line(when_full::allow, fixed);
    this->occupy(all, this->line);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(all[1].try_acquire(10));
    EXPECT_FALSE(all[1].try_acquire(11));
    EXPECT_EQ(all.statistics().full, 100U);
    EXPECT_EQ(all.statistics().steals, 0U);
}

// --- keys with equal tags

// Of 200,000 keys some 2400 pairs have equal tags of 23 bits: n * n / 2 / 2^23. In a table of eight
// lines a quarter of these share a limit: those whose lines are the same, in either order. So a
// key shares with each of the 16 places that it looks at in one of 2^23 cases.
TEST(compact_keys, share_a_limit_if_their_tags_and_lines_are_equal) {
    constexpr std::uint64_t keys = 200'000;
    const weir::key_hash hash(fixed);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> tags;
    for (std::uint64_t key = 0; key < keys; ++key)
        tags.emplace_back(weir::key_word::tag_of(hash(key)), key);
    std::sort(tags.begin(), tags.end());
    clock::set(weir::tick{beginning});
    keyed_limits<64, clock> all(per_second(10), when_full::deny, fixed);
    int pairs = 0;
    int sharing = 0;
    for (std::size_t i = 1; i < tags.size(); ++i) {
        const auto [tag, one] = tags[i];
        const auto [tag_before, other] = tags[i - 1];
        if (tag != tag_before) continue;
        ++pairs;
        EXPECT_EQ(all[one].drain(), 10U);
        const weir::word left = all[other].drain();
        EXPECT_TRUE(left == 0 || left == 10);  // less than its own, or its own
        sharing += left == 0 ? 1 : 0;
        all[one].reset();
        all[other].reset();
    }
    EXPECT_NEAR(pairs, 2384, 250);
    EXPECT_NEAR(sharing, pairs / 4, 100);
    EXPECT_EQ(all.statistics().occupied, 0U);
}

// --- how a key is entered, step by step, in memory that the test can see

template <class Layout>
class key_places : public keyed<Layout> {
protected:
    using any_table = typename keyed<Layout>::any_table;
    using keys = std::conditional_t<Layout::layout.exact, weir::exact_keys<>, weir::compact_keys<>>;
    static constexpr std::uint64_t key = 42;

    [[nodiscard]] static auto its() { return keys::key_of(weir::key_hash(fixed)(key)); }
    [[nodiscard]] std::uint64_t word(std::size_t i) {
        return keys::state(memory_[0].place[i]).load_relaxed();
    }
    [[nodiscard]] bool is_established(std::size_t i) {
        return keys::is_of(memory_[0].place[i], word(i), its());
    }
    [[nodiscard]] std::size_t words_of_key() {
        std::size_t found = 0;
        for (std::size_t i = 0; i < line; ++i) {
            const bool is_claim = keys::is_claim_of(memory_[0].place[i], word(i), its());
            found += is_claim || is_established(i) ? 1U : 0U;
        }
        return found;
    }
    // As a thread would leave it that dies after it has claimed a place for the key.
    void claim(std::size_t i, std::uint64_t number) {
        const auto r = weir::key_word::rate::make(per_second(10), clock::hertz(),
                                                  {.queue = 0, .guard = milliseconds(10)});
        const std::uint64_t claim = weir::key_word::claim(r->at(clock::now()), number, its().tag);
        auto& place = memory_[0].place[i];
        keys::state(place).store_relaxed(claim);
        EXPECT_TRUE(keys::sign(place, claim, its()));
    }

    static constexpr std::size_t line = any_table::places_in_line;
    typename any_table::line memory_[1];
    any_table all_{memory_, per_second(10), when_full::deny, fixed};
};
TYPED_TEST_SUITE(key_places, layouts);

TYPED_TEST(key_places, complete_the_claim_of_a_thread_that_has_died) {
    this->claim(3, 7);
    EXPECT_EQ(this->all_[this->key].drain(), 10U);
    EXPECT_EQ(this->all_[this->key].drain(), 0U);
    EXPECT_EQ(this->words_of_key(), 1U);
    EXPECT_TRUE(this->is_established(3));
}

TYPED_TEST(key_places, keep_the_first_of_several_claims) {
    this->claim(3, 7);
    this->claim(1, 8);
    this->claim(2, 9);
    EXPECT_EQ(this->all_[this->key].drain(), 10U);
    EXPECT_EQ(this->words_of_key(), 1U);
    EXPECT_TRUE(this->is_established(1));
}

TYPED_TEST(key_places, leave_the_claim_of_another_key_alone_until_it_is_old) {
    for (std::size_t i = 0; i < this->line; ++i) this->claim(i, i + 1);
    EXPECT_FALSE(this->all_[1].try_acquire());
    clock::advance(milliseconds(3'200));
    EXPECT_TRUE(this->all_[1].try_acquire());
    EXPECT_EQ(this->words_of_key(), this->line - 1);
}

TYPED_TEST(key_places, forget_a_key_that_is_reset) {
    (void)this->all_[this->key].drain();
    EXPECT_EQ(this->words_of_key(), 1U);
    this->all_[this->key].reset();
    EXPECT_EQ(this->words_of_key(), 0U);
}

// --- a quota for each call

template <class Table, class Quota>
concept limits_by = requires(Table& all, Quota&& its) {
    all.limit(1, std::forward<Quota>(its));
};

template <class Subject>
class keyed_by_calls : public keyed<Subject> {
protected:
    using its_table =
        keyed_limits<weir::any_size, clock,
                     weir::keyed_layout{.exact = Subject::layout.exact, .quota_per_call = true}>;
    static constexpr weir::quota_range range{per_second(1000), weir::per_minute(10)};
    its_table table_{its_table::places_in_line, range, when_full::deny, fixed};
    const typename its_table::prepared fast_ = table_.prepare(per_second(1000)).value();
    const typename its_table::prepared slow_ = table_.prepare(weir::per_minute(10)).value();
};
TYPED_TEST_SUITE(keyed_by_calls, layouts);

TYPED_TEST(keyed_by_calls, hold_each_quota) {
    auto& all = this->table_;
    EXPECT_EQ(all.limit(1, this->fast_).drain(), 1000U);
    EXPECT_EQ(all.limit(2, this->slow_).drain(), 10U);
    EXPECT_EQ(all.limit(1, this->fast_).quota(), per_second(1000));
    EXPECT_EQ(all.limit(2, this->slow_).burst(), 10U);
    const auto soon = all.limit(1, this->fast_).peek().retry_after();
    EXPECT_GE(soon, milliseconds(1));
    EXPECT_LE(soon, weir::microseconds(1001));
    const auto later = all.limit(2, this->slow_).peek().retry_after();
    EXPECT_GE(later, seconds(6));
    EXPECT_LE(later, milliseconds(6001));
    clock::advance(later);
    EXPECT_EQ(all.limit(1, this->fast_).drain(), 1000U);
    EXPECT_EQ(all.limit(2, this->slow_).drain(), 1U);
}

TYPED_TEST(keyed_by_calls, take_the_quota_from_a_function_of_the_key) {
    auto& all = this->table_;
    const auto its_quota = [&](std::uint64_t key) -> const auto& {
        return key % 2 == 0 ? this->fast_ : this->slow_;
    };
    for (const std::uint64_t key : {4U, 5U})
        EXPECT_EQ(all.limit(key, its_quota(key)).drain(), key == 4 ? 1000U : 10U);
}

TYPED_TEST(keyed_by_calls, keep_the_time_of_a_key_whose_quota_changes) {
    auto& all = this->table_;
    EXPECT_TRUE(all.limit(1, this->slow_).try_acquire(2));  // idle in 12 s
    const auto refused = all.limit(1, this->fast_).try_acquire();
    EXPECT_FALSE(refused);
    EXPECT_GE(refused.retry_after(), milliseconds(11'001));
    EXPECT_LE(refused.retry_after(), milliseconds(11'002));
    clock::advance(seconds(12) + milliseconds(1));
    EXPECT_EQ(all.limit(1, this->fast_).drain(), 1000U);  // idle in 1 s
    EXPECT_EQ(all.limit(1, this->slow_).drain(), 9U);
}

TYPED_TEST(keyed_by_calls, leave_a_place_alone_as_long_as_its_own_quota_needs_it) {
    auto& all = this->table_;
    for (std::size_t i = 0; i < this->line; ++i) (void)all.limit(i, this->slow_).try_acquire(5);
    clock::advance(milliseconds(30'009));
    EXPECT_FALSE(all.limit(100, this->fast_).try_acquire());
    clock::advance(milliseconds(20));
    for (std::size_t i = 0; i < this->line; ++i)
        EXPECT_TRUE(all.limit(100 + i, this->fast_).try_acquire());
    clock::advance(milliseconds(10));
    EXPECT_FALSE(all.limit(200, this->slow_).try_acquire());
    clock::advance(milliseconds(2));
    for (std::size_t i = 0; i < this->line; ++i)
        EXPECT_TRUE(all.limit(200 + i, this->slow_).try_acquire());
}

TYPED_TEST(keyed_by_calls, refuse_what_does_not_lie_beside_the_others) {
    using some = typename TestFixture::its_table;
    const auto reason = [&](const weir::quota& q) { return this->table_.prepare(q).error(); };
    EXPECT_EQ(reason(per_second(900).with_burst(7)), weir::quota_error::none);
    EXPECT_EQ(reason(per_second(1001)), weir::quota_error::faster_than_the_range);
    EXPECT_EQ(reason(weir::per_minute(10).with_burst(11)), weir::quota_error::burst_too_long);
    EXPECT_EQ(some::refusal(this->range), weir::quota_error::none);
    EXPECT_EQ(some::refusal({per_second(1'000'000), weir::per_hour(10)}),
              weir::quota_error::burst_too_long);
    EXPECT_EQ(some::refusal({weir::per_minute(10), per_second(1000)}),
              weir::quota_error::faster_than_the_range);
    EXPECT_EQ(some::refusal(this->range, {.debt = -1}), weir::quota_error::debt_negative);
    static_assert(!limits_by<some, typename some::prepared>, "it would not live long enough");
    static_assert(limits_by<some, const typename some::prepared&>);
}

TYPED_TEST(keyed_by_calls, take_no_quota_that_another_table_has_prepared) {
    typename TestFixture::its_table other{this->line, this->range, when_full::deny, fixed};
    const auto foreign = other.prepare(per_second(1000)).value();
    EXPECT_DEATH((void)this->table_.limit(1, foreign),
                 "this quota was prepared by another keyed table");
}

// --- the table as a whole

TYPED_TEST(keyed, tables_tell_which_keys_are_not_idle) {
    auto all = this->roomy(when_full::deny, fixed);
    (void)all[1].try_acquire(2);
    (void)all[2].try_acquire(10);
    std::vector<weir::nanoseconds> kept;
    const auto keep = [&](const weir::kept_key& k) { kept.push_back(k.idle_after); };
    all.for_each(keep);
    ASSERT_EQ(kept.size(), 2U);
    std::sort(kept.begin(), kept.end());
    EXPECT_GE(kept[0], milliseconds(200));
    EXPECT_LE(kept[0], milliseconds(201));
    EXPECT_GE(kept[1], seconds(1));
    clock::advance(milliseconds(500));
    kept.clear();
    all.for_each(keep);
    EXPECT_EQ(kept.size(), 1U);
}

template <class Table>
concept tells_hashes = requires(const Table& t) {
    t.hash_of(1);
};

TEST(exact_keys, are_found_again_by_what_the_table_tells_of_them) {
    using table = keyed_limits<1024, clock, weir::keyed_layout{.exact = true}>;
    static_assert(tells_hashes<table> && !tells_hashes<keyed_limits<1024, clock>>);
    static_assert(!std::is_constructible_v<hashed, weir::kept_hash>);
    static_assert(!weir::number_key<weir::kept_hash> && !weir::bytes_key<weir::kept_hash>);
    clock::set(weir::tick{beginning});
    table all(per_second(10), when_full::deny, fixed);
    const std::map<weir::kept_hash, int> asked = {
        {all.hash_of(1), 1}, {all.hash_of("two"), 2}, {all.hash_of(hashed(3)), 3}};
    EXPECT_TRUE(all[1].try_acquire(1));
    EXPECT_TRUE(all["two"].try_acquire(2));
    EXPECT_TRUE(all[hashed(3)].try_acquire(3));
    std::size_t met = 0;
    all.for_each([&](const weir::kept_exact_key& k) {
        const auto units = static_cast<weir::word>(asked.at(k.hash));
        EXPECT_EQ(all[k.hash].peek(0).remaining(), 10 - units);
        EXPECT_EQ(all[k.hash].drain(), 10 - units);
        ++met;
    });
    EXPECT_EQ(met, asked.size());
    EXPECT_EQ(all[1].drain(), 0U);
    EXPECT_EQ(all.statistics().occupied, asked.size());
    // As a number that was kept.
    const auto number = static_cast<std::uint64_t>(all.hash_of(1));
    all[weir::kept_hash(number)].reset();
    EXPECT_EQ(all[1].drain(), 10U);
}

TYPED_TEST(keyed, tables_forget_idle_keys_at_once_when_they_are_told_to) {
    auto all = this->roomy(when_full::deny, fixed, weir::keyed_options{.guard = milliseconds(50)});
    for (int i = 0; i < 5; ++i) (void)all[i].try_acquire(1);
    (void)all[9].try_acquire(10);
    clock::advance(milliseconds(149));
    EXPECT_EQ(all.clear_idle(), 0U);
    clock::advance(milliseconds(2));
    EXPECT_EQ(all.clear_idle(), 5U);
    EXPECT_EQ(all.clear_idle(), 0U);
    EXPECT_EQ(all[9].drain(), 1U);
    EXPECT_EQ(all[1].drain(), 10U);
}

TYPED_TEST(keyed, tables_lie_in_themselves_in_given_memory_or_in_an_allocation) {
    using some = typename TestFixture::any_table;
    EXPECT_EQ(sizeof(typename TestFixture::template table<2048>) -
                  sizeof(typename TestFixture::template table<1024>),
              1024 * this->bytes_a_place);
    static std::array<typename some::line, 4> memory;
    some given(memory, per_second(10), when_full::deny, fixed);
    std::memset(static_cast<void*>(memory.data()), 0xFF, sizeof(memory));  // of another table
    some again(memory, per_second(10), when_full::deny, fixed);
    const std::array<typename some::line, 4> empty{};
    EXPECT_EQ(std::memcmp(memory.data(), empty.data(), sizeof(memory)), 0);
    some own(1001, per_second(10), when_full::deny, fixed);
    EXPECT_EQ(given.size(), 4 * this->line);
    EXPECT_EQ(own.size(), (1000 + this->line) / this->line * this->line);
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(given[i].drain(), 10U);
        EXPECT_EQ(own[i].drain(), 10U);
        EXPECT_EQ(given[i].drain(), 0U);
        EXPECT_EQ(own[i].drain(), 0U);
    }
}

TYPED_TEST(keyed, tables_have_an_observer_for_all_keys) {
    keyed_limits<64, clock, TypeParam::layout, weir::counters> all(per_second(1), when_full::deny,
                                                                   fixed);
    for (int i = 0; i < 3; ++i) {
        (void)all[i].try_acquire();
        (void)all[i].try_acquire();
    }
    EXPECT_EQ(all.observer().admitted(), 3U);
    EXPECT_EQ(all.observer().denied(), 3U);
}

TYPED_TEST(keyed, tables_refuse_what_their_word_cannot_hold) {
    using some = typename TestFixture::any_table;
    EXPECT_EQ(some::refusal(per_second(10)), weir::quota_error::none);
    EXPECT_EQ(some::refusal(per_second(10).with_burst(100'000'000'000)),
              weir::quota_error::burst_too_long);
    EXPECT_EQ(some::refusal(per_second(10), {.guard = milliseconds(-1)}),
              weir::quota_error::guard_negative);
    EXPECT_EQ(some::refusal(per_second(10), {.debt = -1}), weir::quota_error::debt_negative);
    EXPECT_THROW(some(8, per_second(10).with_burst(100'000'000'000), when_full::deny, fixed),
                 weir::refused);
    EXPECT_DEATH(some(0, per_second(10), when_full::deny, fixed),
                 "a keyed table has one line at least");
}

// What is held is the quota, within two parts in ten thousand below it and never above.
TYPED_TEST(keyed, tables_hold_the_rate) {
    for (const weir::quota& q : {per_second(3), per_second(1'000), per_second(333'333),
                                 weir::per_minute(7), weir::per_hour(1)}) {
        typename TestFixture::any_table all(8, q, when_full::deny, fixed);
        const std::int64_t exact = q.period().count() / q.units();
        (void)all[1].drain();
        std::int64_t waited = 0;
        for (int i = 0; i < 1000; ++i) {
            const auto wait = all[1].peek().retry_after();
            waited += wait.count();
            clock::advance(wait);
            ASSERT_TRUE(all[1].try_acquire());
        }
        EXPECT_GE(waited, exact * 1000);
        EXPECT_LE(waited, exact * 1000 + exact / 5 + 2'000) << exact;
    }
}

TYPED_TEST(keyed, places_for_tells_how_many_places_are_needed) {
    // 20,000 requests a second keep a place for 110 ms each: 2200 of 7340.
    const std::size_t places = weir::places_for(per_second(20'000), per_second(10));
    EXPECT_NEAR(static_cast<double>(places), 7340, 8);
    EXPECT_EQ(places % 8, 0U);
    typename TestFixture::any_table all(places, per_second(10), when_full::deny, fixed);
    for (int i = 0; i < 100'000; ++i) {
        EXPECT_TRUE(all[this->next_key()].try_acquire());
        clock::advance(weir::microseconds(50));
    }
    EXPECT_NEAR(static_cast<double>(all.statistics().occupied), 2200, 5);
    EXPECT_EQ(all.statistics().full, 0U);
}

}  // namespace

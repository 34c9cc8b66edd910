#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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

class keyed : public testing::Test {
protected:
    using clock = weir::manual_clock<keyed>;
    template <std::size_t Places>
    using table = keyed_limits<Places, clock>;
    using any_table = keyed_limits<weir::any_size, clock>;

    void SetUp() override { clock::set(weir::tick{beginning}); }

    // Keys that nobody has used in the test before.
    [[nodiscard]] std::uint64_t next_key() { return next_++; }

    template <class Table>
    void occupy(Table& all, int keys) {
        for (int i = 0; i < keys; ++i) (void)all[next_key()].try_acquire();
    }

private:
    std::uint64_t next_ = 1'000'000;
};

// --- an entry is a limit

TEST_F(keyed, limits_each_key_by_itself) {
    table<64> all(per_second(10), when_full::deny, fixed);
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

TEST_F(keyed, entries_can_be_asked_what_a_limiter_can) {
    table<64> all(per_second(10), when_full::deny, fixed);
    using entry = table<64>::entry;
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
    table<64> others(per_second(10), when_full::deny, fixed);
    EXPECT_TRUE(weir::all_of(all[10], all[11], others[10]).try_acquire(10));
    EXPECT_FALSE(weir::all_of(all[10], others[11]).try_acquire());
    EXPECT_EQ((weir::all_of<entry, entry>::make(all[12], all[12]).error()),
              weir::all_of_error::limit_given_twice);
    weir::lease some(all[12], 4);
    EXPECT_TRUE(some.try_acquire());
    EXPECT_EQ(all[12].drain(), 6U);
}

TEST_F(keyed, looking_takes_no_place) {
    table<8> all(per_second(10), when_full::deny, fixed);
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

TEST_F(keyed, keys_are_numbers_texts_and_bytes) {
    table<1024> all(per_second(1), when_full::deny, fixed);
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
template <class KeyOf>
[[nodiscard]] std::size_t without_place(std::size_t keys, std::size_t places, KeyOf key_of) {
    using clock = weir::manual_clock<keyed>;
    keyed_limits<weir::any_size, clock> all(places, per_second(1), when_full::deny, fixed);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < keys; ++i) refused += all[key_of(i)].try_acquire() ? 0U : 1U;
    return refused * 1'000'000 / keys;
}

constexpr std::size_t many = std::size_t{1} << 17U;

TEST_F(keyed, tables_refuse_hardly_anybody_before_half_of_their_places_are_taken) {
    const auto any = [](std::size_t i) { return i * 0x9E37'79B9'7F4A'7C15U; };
    EXPECT_LE(without_place(many * 3 / 10, many, any), 60U);
    EXPECT_LE(without_place(many / 2, many, any), 500U);
    EXPECT_LE(without_place(many * 7 / 10, many, any), 7'000U);
}

// Keys with a pattern are spread as well as others.
TEST_F(keyed, tables_spread_keys_with_a_pattern) {
    for (const unsigned shift : {0U, 8U, 23U, 32U, 46U}) {
        const auto pattern = [shift](std::size_t i) { return std::uint64_t{i} << shift; };
        EXPECT_LE(without_place(many / 2, many, pattern), 500U) << shift;
    }
    const auto texts = [](std::size_t i) { return "player " + std::to_string(i); };
    EXPECT_LE(without_place(many / 2, many, texts), 500U);
}

// --- idle places

TEST_F(keyed, places_that_are_idle_for_the_guard_go_to_other_keys) {
    table<8> all(per_second(10), when_full::deny, fixed, {.guard = milliseconds(50)});
    occupy(all, 8);
    EXPECT_EQ(all.statistics().occupied, 8U);
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

TEST_F(keyed, late_clocks_do_not_find_a_key_whose_place_was_taken) {
    table<8> all(per_second(10), when_full::deny, fixed, {.guard = milliseconds(50)});
    const auto early = clock::now();
    EXPECT_TRUE(all[1].try_acquire(10, early));
    occupy(all, 7);
    // One second later it is idle. Whoever comes then with a time that is late by less than the
    // guard finds it as it was.
    const auto later = early + 1'040'000'000;
    EXPECT_FALSE(all[2].try_acquire(1, early + 90'000'000));
    for (int i = 0; i < 7; ++i) EXPECT_TRUE(all[next_key()].try_acquire(1, later));
    EXPECT_FALSE(all[2].try_acquire(1, later));
    EXPECT_FALSE(all[1].try_acquire(1, early + 50'000'000));
    EXPECT_TRUE(all[2].try_acquire(1, early + 1'051'000'000));
}

TEST_F(keyed, keys_that_sleep_for_long_begin_anew) {
    for (const int days : {1, 7, 13, 100, 1000}) {
        table<8> all(per_second(10), when_full::deny, fixed);
        (void)all[1].drain();
        clock::advance(seconds(86'400LL * days + 12'345));
        EXPECT_EQ(all[1].drain(), 10U) << days;
    }
}

TEST_F(keyed, tables_work_wherever_the_clock_begins) {
    for (const weir::word begin : {weir::word{0}, ~weir::word{0} - 1'000'000'000}) {
        clock::set(weir::tick{begin});
        table<8> all(per_second(10), when_full::deny, fixed);
        for (int i = 0; i < 8; ++i) EXPECT_EQ(all[i].drain(), 10U);
        EXPECT_FALSE(all[9].try_acquire());
        clock::advance(milliseconds(1'020));
        for (int i = 0; i < 8; ++i) EXPECT_EQ(all[i].drain(), 10U);
    }
}

// --- when it is full

TEST_F(keyed, deny_says_when_there_is_a_place) {
    table<8> all(per_second(10), when_full::deny, fixed);
    occupy(all, 4);
    clock::advance(milliseconds(30));
    occupy(all, 4);
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

TEST_F(keyed, forgive_least_takes_the_place_of_the_key_that_is_idle_first) {
    table<8> all(per_second(10), when_full::forgive_least, fixed);
    for (int i = 0; i < 8; ++i) (void)all[i].try_acquire(static_cast<weir::word>(i == 5 ? 1 : 2));
    EXPECT_TRUE(all[9].peek());
    EXPECT_TRUE(all[9].try_acquire(10));
    EXPECT_EQ(all[5].peek(0).remaining(), 10U);
    for (const int i : {0, 1, 2, 3, 4, 6, 7}) EXPECT_EQ(all[i].peek(0).remaining(), 8U) << i;
    const auto s = all.statistics();
    EXPECT_EQ(s.full, 1U);
    EXPECT_EQ(s.steals, 1U);
    // A unit, and the guard.
    EXPECT_GE(s.forgiven, milliseconds(110));
    EXPECT_LE(s.forgiven, milliseconds(111));
}

TEST_F(keyed, allow_admits_and_forgets) {
    table<8> all(per_second(10), when_full::allow, fixed);
    occupy(all, 8);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(all[1].try_acquire(10));
    EXPECT_FALSE(all[1].try_acquire(11));
    EXPECT_EQ(all.statistics().full, 100U);
    EXPECT_EQ(all.statistics().steals, 0U);
}

// --- keys with equal tags

// Of 200,000 keys some 2400 pairs have equal tags of 23 bits: n * n / 2 / 2^23. In a table of eight
// lines a quarter of these share a limit: those whose lines are the same, in either order. So a
// key shares with each of the 16 places that it looks at in one of 2^23 cases.
TEST_F(keyed, keys_share_a_limit_if_their_tags_and_lines_are_equal) {
    constexpr std::uint64_t keys = 200'000;
    const weir::key_hash hash(fixed);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> tags;
    for (std::uint64_t key = 0; key < keys; ++key)
        tags.emplace_back(weir::key_word::tag_of(hash(key)), key);
    std::sort(tags.begin(), tags.end());
    table<64> all(per_second(10), when_full::deny, fixed);
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

class key_places : public keyed {
protected:
    static constexpr std::uint64_t key = 42;

    [[nodiscard]] static std::uint64_t tag() {
        return weir::key_word::tag_of(weir::key_hash(fixed)(key));
    }
    [[nodiscard]] static std::uint64_t claim_at(weir::tick at, std::uint64_t number) {
        const auto r = weir::key_word::rate::make(per_second(10), clock::hertz(),
                                                  {.queue = 0, .guard = milliseconds(10)});
        return weir::key_word::claim(r->at(at), number, tag());
    }
    [[nodiscard]] int words_of_key() const {
        int found = 0;
        for (const auto& p : memory_[0].place)
            found += (p.load_relaxed() & weir::key_word::tag_mask & ~std::uint64_t{1}) == tag();
        return found;
    }
    void put(std::size_t i, std::uint64_t word) { memory_[0].place[i].store_relaxed(word); }

    any_table::line memory_[1];
    any_table all_{memory_, per_second(10), when_full::deny, fixed};
};

TEST_F(key_places, complete_the_claim_of_a_thread_that_has_died) {
    put(5, claim_at(clock::now(), 7));
    EXPECT_EQ(all_[key].drain(), 10U);
    EXPECT_EQ(all_[key].drain(), 0U);
    EXPECT_EQ(words_of_key(), 1);
    EXPECT_TRUE(weir::key_word::is_of(memory_[0].place[5].load_relaxed(), tag()));
}

TEST_F(key_places, keep_the_first_of_several_claims) {
    put(6, claim_at(clock::now(), 7));
    put(2, claim_at(clock::now(), 8));
    put(4, claim_at(clock::now(), 9));
    EXPECT_EQ(all_[key].drain(), 10U);
    EXPECT_EQ(words_of_key(), 1);
    EXPECT_TRUE(weir::key_word::is_of(memory_[0].place[2].load_relaxed(), tag()));
}

TEST_F(key_places, leave_the_claim_of_another_key_alone_until_it_is_old) {
    for (std::size_t i = 0; i < 8; ++i) put(i, claim_at(clock::now(), i));
    EXPECT_FALSE(all_[1].try_acquire());
    clock::advance(milliseconds(3'200));
    EXPECT_TRUE(all_[1].try_acquire());
    EXPECT_EQ(words_of_key(), 7);
}

TEST_F(key_places, forget_a_key_that_is_reset) {
    (void)all_[key].drain();
    EXPECT_EQ(words_of_key(), 1);
    all_[key].reset();
    EXPECT_EQ(words_of_key(), 0);
}

// --- the table as a whole

TEST_F(keyed, tables_lie_in_themselves_in_given_memory_or_in_an_allocation) {
    EXPECT_EQ(sizeof(table<2048>) - sizeof(table<1024>), 1024 * 8U);
    static std::array<any_table::line, 4> memory;
    any_table given(memory, per_second(10), when_full::deny, fixed);
    memory[2].place[3].store_relaxed(~std::uint64_t{0});  // of another table
    any_table again(memory, per_second(10), when_full::deny, fixed);
    EXPECT_EQ(memory[2].place[3].load_relaxed(), 0U);
    any_table own(1001, per_second(10), when_full::deny, fixed);
    EXPECT_EQ(given.size(), 32U);
    EXPECT_EQ(own.size(), 1008U);
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(given[i].drain(), 10U);
        EXPECT_EQ(own[i].drain(), 10U);
        EXPECT_EQ(given[i].drain(), 0U);
        EXPECT_EQ(own[i].drain(), 0U);
    }
}

TEST_F(keyed, tables_have_an_observer_for_all_keys) {
    keyed_limits<64, clock, weir::counters> all(per_second(1), when_full::deny, fixed);
    for (int i = 0; i < 3; ++i) {
        (void)all[i].try_acquire();
        (void)all[i].try_acquire();
    }
    EXPECT_EQ(all.observer().admitted(), 3U);
    EXPECT_EQ(all.observer().denied(), 3U);
}

TEST_F(keyed, tables_refuse_what_their_word_cannot_hold) {
    using some = table<8>;
    EXPECT_EQ(some::refusal(per_second(10)), weir::quota_error::none);
    EXPECT_EQ(some::refusal(per_second(10).with_burst(100'000'000'000)),
              weir::quota_error::burst_too_long);
    EXPECT_EQ(some::refusal(per_second(10), {.guard = milliseconds(-1)}),
              weir::quota_error::guard_negative);
    EXPECT_EQ(some::refusal(per_second(10), {.debt = -1}), weir::quota_error::debt_negative);
    EXPECT_THROW(some(per_second(10).with_burst(100'000'000'000), when_full::deny, fixed),
                 weir::refused);
    EXPECT_DEATH(any_table(0, per_second(10), when_full::deny, fixed),
                 "a keyed table has 8 places at least");
}

// What is held is the quota, within two parts in ten thousand below it and never above.
TEST_F(keyed, tables_hold_the_rate) {
    for (const weir::quota& q : {per_second(3), per_second(1'000), per_second(333'333),
                                 weir::per_minute(7), weir::per_hour(1)}) {
        table<8> all(q, when_full::deny, fixed);
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

TEST_F(keyed, places_for_tells_how_many_places_are_needed) {
    // 20,000 requests a second keep a place for 110 ms each: 2200 of 7340.
    const std::size_t places = weir::places_for(per_second(20'000), per_second(10));
    EXPECT_NEAR(static_cast<double>(places), 7340, 8);
    EXPECT_EQ(places % 8, 0U);
    any_table all(places, per_second(10), when_full::deny, fixed);
    for (int i = 0; i < 100'000; ++i) {
        EXPECT_TRUE(all[next_key()].try_acquire());
        clock::advance(weir::microseconds(50));
    }
    EXPECT_NEAR(static_cast<double>(all.statistics().occupied), 2200, 5);
    EXPECT_EQ(all.statistics().full, 0U);
}

}  // namespace

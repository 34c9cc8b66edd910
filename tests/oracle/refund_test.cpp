// SPDX-License-Identifier: MIT
// Refunds on paper and in a limiter, on random histories; and a refund that is stopped on its way
// while others come and go.
//
// Tests that are disabled show what is known to be wrong: enable each with its remedy.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/weir.hpp>

#include "complaint.hpp"
#include "effort.hpp"
#include "refund_history.hpp"

namespace {

using namespace oracle;
using weir::seconds;
using weir::tick;
using weir::word;

template <class Cell>
struct open_cell : showing<Cell> {
    using base = Cell;
};
struct tag;
template <class Cell, std::uint64_t Hertz>
using open_limiter = weir::limiter<open_cell<Cell>, weir::manual_clock<tag, Hertz>>;

using limiters = testing::Types<
    open_limiter<weir::gcra<>, 1'000'000'000>, open_limiter<weir::gcra<>, 2'596'000'000>,
    open_limiter<weir::gcra<>, 19'200'000>, open_limiter<weir::leaky_bucket<>, 1'000>>;

template <class Limiter>
class refund_oracle : public testing::Test {
protected:
    static void judge(std::uint64_t histories, refund_tally& sum) {
        const auto one = only_seed();
        for (std::uint64_t i = 0; i < histories && !HasFailure(); ++i) {
            const std::uint64_t seed = one.value_or(series() << 32U | i);
            expect_no(refund_disagreement<Limiter>(dice(seed), sum), seed);
            if (one) return;
        }
    }
};
TYPED_TEST_SUITE(refund_oracle, limiters);

TYPED_TEST(refund_oracle, gives_back_no_more_than_has_not_drained_and_no_less_than_it_must) {
    refund_tally sum;
    const std::uint64_t enough = scaled(60'000);
    this->judge(enough, sum);
    if (this->HasFailure() || only_seed()) return;

    // Histories in which little happens would agree as well.
    EXPECT_EQ(sum.histories, enough);
    EXPECT_GT(sum.later, sum.admitted / 10);
    EXPECT_GT(sum.whole, sum.events / 50);
    EXPECT_GT(sum.part, sum.events / 50);
    EXPECT_GT(sum.nothing, sum.events / 50);
    EXPECT_GT(sum.ended, sum.events / 200);
    std::cout << sum.events << " events in " << sum.histories << " histories: " << sum.admitted
              << " admitted, " << sum.later << " of them for later; of refunds " << sum.whole
              << " gave all, " << sum.part << " a part, " << sum.nothing << " nothing, "
              << sum.ended << " were from before a reset; " << sum.less
              << " gave less than had not drained\n";
}

// A limit of which each access to an atomic can be stopped: then others act, and perhaps are
// stopped as well. Every change of the cell's word is entered on the axis in the order in which it
// happens, so it is known what a refund could have given back at best: what had not drained when it
// began, or when the word was last changed if that was later.
template <class Word>
class stopped_limit;
template <class Word>
stopped_limit<Word>* scene = nullptr;

template <class T>
class stoppable {
public:
    constexpr stoppable() noexcept = default;
    constexpr explicit stoppable(T value) noexcept : value_(value) {}

    T load_relaxed() const noexcept {
        scene<T>->before_access();
        return value_;
    }
    T load_acquire() const noexcept { return load_relaxed(); }
    T fetch_add_relaxed(T amount) noexcept {
        scene<T>->before_access();
        return std::exchange(value_, value_ + amount);
    }
    T fetch_add_release(T amount) noexcept { return fetch_add_relaxed(amount); }
    bool try_exchange_relaxed(T& expected, T desired) noexcept {
        scene<T>->before_access();
        if (std::exchange(expected, value_) != value_) return false;
        value_ = desired;
        return true;
    }

protected:
    T value_{};
};

template <class T>
class told : public stoppable<T> {
public:
    using stoppable<T>::stoppable;

    void store_release(T value) noexcept {
        scene<T>->before_access();
        scene<T>->changed(std::exchange(this->value_, value), value);
    }
    bool try_exchange_relaxed(T& expected, T desired) noexcept {
        scene<T>->before_access();
        const T seen = std::exchange(expected, this->value_);
        if (seen != this->value_) return false;
        scene<T>->changed(std::exchange(this->value_, desired), desired);
        return true;
    }
    bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return try_exchange_relaxed(expected, desired);
    }
};

template <class Word>
class stopped_limit {
public:
    static constexpr Word burst = 4;

    stopped_limit() {
        scene<Word> = this;
        reset();
    }

    // Does `one`, and the others before its access number `when`; false if it has fewer.
    template <class One, class Others>
    bool stop(int when, One one, Others others) {
        left_ = when;
        others_ = others;
        one();
        return !std::exchange(others_, nullptr);
    }

    void take(Word n) {
        const deed d(*this, {action::take, n});
        (void)cell_.try_acquire(tick{d.began}, n, rate_);
    }
    void reserve(Word n) {
        const deed d(*this, {action::reserve, n});
        const auto mark = ledger_.now();
        const auto s = cell_.reserve(tick{d.began}, n, weir::largest<Word>, rate_);
        if (s.verdict == weir::verdict::admitted) held_.push_back({d.about, mark, s.next});
    }
    void refund(std::size_t which, Word unused = burst) {
        if (held_.empty()) return;
        const auto place = held_.begin() + static_cast<std::ptrdiff_t>(which % held_.size());
        const permit p = *place;
        held_.erase(place);
        const Word n = std::min(unused, p.about.n);
        const deed d(*this, {action::refund, n, p.about.span, p.about.ends});
        const auto now = [&]() noexcept { return tick{now_}; };
        (void)ledger_.give_back(cell_, p.mark, p.until, rate_.cost(n), n == p.about.n, now, rate_);
    }
    void reset() {
        const deed d(*this, {action::reset});
        ledger_.begin_reset();
        cell_.fill(tick{d.began}, burst, rate_);
        ledger_.end_reset();
    }
    void pass(word ticks) { now_ += ticks; }

    // A permit that nobody disturbs gives back all: nothing that was announced is left over.
    void finish() {
        pass(1'000'000);
        held_.clear();
        reserve(1);
        const integer before = axis_.tat();
        refund(0);
        if (before - axis_.tat() != integer{rate_.cost(1)}) complain("something is left over");
        if (!axis_.conforms()) complain("more than a burst");
    }
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

    // Refunds and resets: an eighth in a row leaves the tag of the first.
    [[nodiscard]] int renewals() const { return renewals_; }

    void before_access() {
        if (!others_ || left_-- > 0) return;
        story_ += " {";
        std::exchange(others_, nullptr)();
        story_ += "}";
    }
    void changed(Word old, Word now) {
        deal& d = doing_->about;
        const integer at = fractions(doing_->began);
        switch (d.what) {
            case action::take:
            case action::reserve:
                d.ends = ends_;
                d.span = axis_.admit(at, integer{rate_.cost(d.n)});
                break;
            case action::refund: {
                const bool lives = d.ends == ends_;
                const auto back = integer{static_cast<Word>((old & ~low) - (now & ~low))};
                const integer best = fractions(std::max(doing_->began, changed_));
                if (!lives) complain("gives back after a reset");
                if (lives && back > axis_.future(d.span, best)) complain("gives back what drained");
                if (lives) axis_.give_back(d.span, back);
                ++renewals_;
                break;
            }
            case action::reset:
                axis_ = refund_axis(at, burst * integer{rate_.period()});
                ++ends_;
                ++renewals_;
                break;
        }
        const auto tat = static_cast<Word>(static_cast<std::uint64_t>(axis_.tat()));
        if ((tat & ~low) != (now & ~low)) complain("is not where it should be");
        changed_ = now_;
        story_ += " done";
    }

private:
    enum class action { take, reserve, refund, reset };
    struct deal {
        action what;
        Word n = 0;
        std::size_t span = 0;
        int ends = 0;  // how many resets there had been
    };
    // What somebody is about, until he has done it.
    struct deed {
        deed(stopped_limit& l, const deal& d)
            : about(d), began(l.now_), limit(l), outer(std::exchange(l.doing_, this)) {
            const char* const names[] = {"take", "reserve", "refund", "reset"};
            limit.story_ += std::string("; ") + names[static_cast<int>(d.what)] + " " +
                            text_of(integer{d.n}) + " at " + text_of(integer{began});
        }
        deed(const deed&) = delete;
        deed& operator=(const deed&) = delete;
        ~deed() { limit.doing_ = outer; }

        deal about;
        word began;
        stopped_limit& limit;
        deed* outer;
    };
    struct permit {
        deal about;
        typename weir::refund_ledger<Word, stoppable>::mark mark;
        Word until;
    };
    using cell = weir::gcra<Word, told>;
    static constexpr Word low = sizeof(Word) == 8 ? 7 : 0;

    [[nodiscard]] integer fractions(word ticks) const { return integer{ticks} << rate_.shift(); }
    void complain(const char* what) {
        if (trouble_.empty()) trouble_ = what + story_;
    }

    typename cell::rate rate_ = *cell::rate::make(weir::quota{1, seconds(1), burst}, 1'000,
                                                  {.debt = 0, .queue = 3 * burst});
    word now_ = 1'000;
    word changed_ = 0;
    int left_ = 0;
    std::function<void()> others_;
    deed* doing_ = nullptr;
    refund_axis axis_{0, 0};
    int ends_ = 0;
    int renewals_ = 0;
    std::vector<permit> held_;
    std::string story_;
    std::string trouble_;
    weir::refund_ledger<Word, stoppable> ledger_;
    cell cell_;
};

using stopped = stopped_limit<std::uint64_t>;

// A history with one deed in it that is stopped, and others in between that are stopped too.
struct interleaving {
    dice chaos;
    bool stops_resets;
    stopped limit{};

    // False if the deed has no access of that number.
    bool play(int when) {
        for (int i = 0; i < 3; ++i) limit.reserve(1 + chaos.roll(stopped::burst));
        some(4, 0, 0);
        const auto n = 1 + chaos.roll(stopped::burst);
        const auto which = static_cast<std::size_t>(chaos.roll(64));
        const auto face = chaos.roll(stops_resets ? 10 : 8);
        const auto one = [&] {
            if (face < 6) limit.refund(which, n);
            if (face >= 6 && face < 8) limit.reserve(n);
            if (face >= 8) limit.reset();
        };
        const int most = limit.renewals() + 7;
        const bool done = limit.stop(when, one, [&] { some(6, 2, most); });
        some(6, 0, 0);
        limit.finish();
        return done;
    }

private:
    void some(std::uint64_t most, int depth, int renewals) {
        for (auto i = 1 + chaos.roll(most); i > 0; --i) {
            if (depth > 0 && limit.renewals() >= renewals) return;
            act(depth, renewals - 1);
        }
    }
    void act(int depth, int renewals) {
        const auto n = 1 + chaos.roll(stopped::burst);
        const auto which = static_cast<std::size_t>(chaos.roll(64));
        const auto face = chaos.roll(20);
        const auto one = [&] {
            if (face < 5) limit.pass(chaos.chance(50) ? 500 * chaos.roll(9) : chaos.roll(4'000));
            if (face >= 5 && face < 11) limit.reserve(n);
            if (face >= 11 && face < 17) limit.refund(which, n);
            if (face >= 17 && face < 19) limit.take(n);
            if (face == 19) limit.reset();
        };
        const bool whole = depth == 0 || chaos.chance(70) || (face == 19 && !stops_resets);
        if (whole) return one();
        const auto when = static_cast<int>(chaos.roll(8));
        (void)limit.stop(when, one, [&] { some(3, depth - 1, renewals); });
    }
};

void expect_no_trouble(std::uint64_t histories, bool stops_resets) {
    std::uint64_t stops = 0;
    for (std::uint64_t i = 0; i < histories; ++i) {
        const std::uint64_t seed = only_seed().value_or(series() << 32U | i);
        for (int when = 0;; ++when, ++stops) {
            interleaving several{dice(seed), stops_resets};
            const bool more = several.play(when);
            ASSERT_EQ(several.limit.trouble(), "")
                << "WEIR_TEST_SEED=" << seed << ", stopped at " << when;
            if (!more) break;
        }
        if (only_seed()) return;
    }
    std::cout << stops << " stops in " << histories << " histories\n";
    EXPECT_GT(stops, 3 * histories);
}

// Resets are not stopped here, and seven renewals of the tag are the most that may come in between.
TEST(stopped_refund, gives_back_no_more_than_has_not_drained_whoever_comes_in_between) {
    expect_no_trouble(scaled(60'000), false);
}

// A permit granted between the end of a generation and the new state belongs to neither.
TEST(stopped_refund, gives_back_nothing_from_before_a_reset_that_was_stopped_too) {
    expect_no_trouble(scaled(60'000), true);
}

// A refund is stopped before each of its accesses while the span of its permit drains and the state
// that it has seen comes back: by so many refunds of others, and as much reserved anew.
template <class Word>
void expect_no_mistake_for_a_state_seen_before(int renewals) {
    for (int when = 0, more = 1; more != 0; ++when) {
        stopped_limit<Word> limit;
        limit.reserve(2);
        limit.reserve(2);
        const auto others = [&] {
            limit.refund(0);
            for (int i = 1; i < renewals; ++i) {
                limit.reserve(1);
                limit.refund(0);
            }
            limit.pass(1'500);
            limit.reserve(2);
        };
        const auto mine = [&] { limit.refund(1); };
        more = limit.stop(when, mine, others) ? 1 : 0;
        ASSERT_EQ(limit.trouble(), "") << "stopped at " << when;
    }
}

TEST(stopped_refund, does_not_mistake_a_state_for_one_seen_before) {
    for (int renewals = 1; renewals < 8; ++renewals) {
        expect_no_mistake_for_a_state_seen_before<std::uint64_t>(renewals);
    }
}

using plain_limiter = weir::limiter<weir::gcra<>, weir::manual_clock<tag, 1'000'000>>;
using small_limiter = weir::limiter<weir::gcra<std::uint32_t>, weir::manual_clock<tag, 1'000'000>>;

using instant = weir::instant<plain_limiter::clock_type>;
constexpr instant at(word seconds) { return instant(seconds * 1'000'000); }
template <class Limiter>
auto reserved(Limiter& limit, word n, instant now) {
    auto p = limit.reserve(n, seconds(3'600), now);
    EXPECT_EQ(p.units(), n);
    return p;
}

TEST(known_refund, behind_which_somebody_waits_leaves_no_room_before_him) {
    plain_limiter limit{weir::quota{1, seconds(1), 5}};
    auto p = reserved(limit, 5, at(0));
    const auto waits = reserved(limit, 5, at(0));
    EXPECT_EQ(waits.start(), at(5));
    (void)limit.refund(std::move(p), 5, at(0));
    EXPECT_FALSE(limit.try_acquire(5, at(5))) << "ten at one instant";
}

// What was given back after a permit counts as if it had lain before it.
TEST(known_refund, after_that_of_a_later_permit_gives_back_all) {
    plain_limiter limit{weir::quota{1, seconds(1), 5}};
    auto p = reserved(limit, 3, at(0));
    EXPECT_TRUE(limit.refund(reserved(limit, 2, at(0)), 2, at(0)));
    EXPECT_TRUE(limit.refund(std::move(p), 3, at(0)));
    EXPECT_EQ(limit.peek(0, at(0)).remaining(), 5U);
}

TEST(known_refund, after_a_restore_that_was_refused_gives_back_all) {
    plain_limiter limit{weir::quota{1, seconds(1), 5}};
    auto p = reserved(limit, 5, at(0));
    EXPECT_FALSE(limit.restore({0, seconds(1'000'000)}, at(0)));
    EXPECT_TRUE(limit.refund(std::move(p), 5, at(0)));
}

// A word of 32 bits has no room for what makes a refund strict.
TEST(known_refund, in_a_small_word_keeps_the_charge) {
    small_limiter limit{weir::quota{1, seconds(1), 5}};
    EXPECT_FALSE(limit.refund(reserved(limit, 3, at(0)), 3, at(0)));
    EXPECT_EQ(limit.peek(0, at(0)).remaining(), 2U);
}

}  // namespace

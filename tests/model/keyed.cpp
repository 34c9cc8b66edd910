// A keyed table: how a key is entered, loses its place and is charged, in a line that three threads
// use. In each schedule a key has one word at most, no claim stays behind, and what a key's word
// says is left and what has passed of it are its burst.
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/table/key_cell.hpp>
#include <weir/table/key_places.hpp>
#include <weir/table/key_word.hpp>

#include "../oracle/mistakes.hpp"
#include "check.hpp"
#include "script.hpp"
#include "weaker.hpp"

namespace {

using model::begin;
using model::check;
using model::drawn;
using model::exchanges_relaxed;
using model::make;
using model::preempted;
using model::relacy_atomic;
using model::require;
using model::searches;
using weir::word;

namespace key_word = weir::key_word;

constexpr word burst = 2;

// Both of a key's lines are the one line that there is, and all keys take turns at one counter.
struct key {
    std::size_t home;
    std::uint64_t number;

    [[nodiscard]] constexpr std::uint64_t hash() const { return home << 20U | number << 3U; }
    [[nodiscard]] constexpr std::uint64_t tag() const { return key_word::tag_of(hash()); }
};

// Times are in ticks after the beginning.
template <template <class> class Atomic>
class table_scenario : public model::scenario {
public:
    explicit table_scenario(word guard = second) : guard_(guard) {}

    void before() final {
        line_.begin();
        turns_.begin();
        passed_ = {};
        prepare();
        model::writes = 0;
    }
    void after() final {
        require(model::writes <= most_writes_, "a denial has written");
        std::size_t claims = 0;
        for (std::size_t k = 0; k < keys.size(); ++k) {
            std::size_t words = 0;
            word left = 0;
            for (const auto& place : line_->place) {
                const std::uint64_t here = place.load_relaxed();
                claims += key_word::is_claim_of(here, keys[k].tag()) ? 1U : 0U;
                if (!key_word::is_of(here, keys[k].tag())) continue;
                ++words;
                left = rate_.answer({weir::verdict::admitted, here, 0}, {begin + ended_at_[k]})
                           .remaining();
            }
            const word passed = passed_[0][k] + passed_[1][k] + passed_[2][k];
            require(words <= 1, "a key has two words");
            require(passed <= there_[k], "a key got more than was there");
            require(words == 0 || passed + left <= there_[k], "a key has more than was there");
            require(words == 0 || passed + left >= there_[k], "units are lost");
            require(words == 1 || passed == 0, "what has passed is forgotten");
        }
        require(claims == 0, "a claim stays behind");
        turns_.end();
        line_.end();
    }

protected:
    virtual void prepare() {}

    void take(std::size_t thread, std::size_t which, word n, word at = 0) {
        passed_[thread][which] += cell(which).acquire_up_to({begin + at}, n, rate_).units;
    }
    void reset(std::size_t which) { cell(which).fill({begin}, 0, rate_); }

    void put(std::size_t place, std::uint64_t what) { line_->place[place].store_relaxed(what); }
    // A word of a key that is idle so many ticks after the beginning.
    [[nodiscard]] std::uint64_t idle_at(word ticks, key k) const {
        return key_word::established(rate_.at({begin + ticks}) + key_word::tag_mask, k.tag());
    }
    [[nodiscard]] std::uint64_t claimed(std::uint64_t number, key k) const {
        return key_word::claim(rate_.at({begin}), number, k.tag());
    }
    // All places but one, by keys that nobody asks for. They are idle so many ticks after the
    // beginning, which is no further from now than a burst's time, or they would be relics.
    void occupy_all_but(std::size_t place, word until) {
        for (std::size_t i = 0; i < weir::compact_keys<Atomic>::places_in_line; ++i) {
            if (i != place) put(i, idle_at(until, {0, 100 + i}));
        }
    }

    static constexpr word second = model::hertz;
    static constexpr std::size_t home = 3;
    static constexpr std::array<key, 3> keys = {{{home, 1}, {home, 2}, {6, 3}}};

    std::array<word, keys.size()> there_ = {burst, burst, burst};  // units of each key
    std::array<word, keys.size()> ended_at_{};                     // when what is left is asked for
    unsigned most_writes_ = ~0U;

private:
    // As key_places sees the lines of a table.
    struct only_line {
        table_scenario* of;
        auto& operator[](std::size_t) { return *of->line_; }
    };

    [[nodiscard]] auto cell(std::size_t which) {
        only_line lines{this};
        return weir::key_cell<Atomic>({lines, 1, &*turns_, keys[which].hash()},
                                      weir::when_full::deny);
    }

    word guard_;
    key_word::rate rate_ =
        key_word::rate::make(
            {1, weir::seconds(1), static_cast<std::int64_t>(burst)}, model::hertz,
            {.debt = 0, .queue = 0, .guard = weir::milliseconds(static_cast<std::int64_t>(guard_))})
            .value();
    model::shared<typename weir::key_places<Atomic>::line> line_;
    model::shared<weir::key_turns<Atomic>> turns_;
    std::array<std::array<word, keys.size()>, model::threads> passed_{};
};

// Three threads enter a key. One place is free, and the third thread empties the one that is the
// key's home, so claims are put into two places.
template <template <class> class Atomic>
class entered_by_three : public table_scenario<Atomic> {
    void prepare() override {
        this->occupy_all_but(1, 2 * this->second);
        this->put(this->home, this->idle_at(0, this->keys[2]));
    }
    void thread(std::size_t index) override {
        if (index == 2) this->reset(2);
        this->take(index, 0, 1);
    }
};

// Who has died while it entered a key has left a claim. The others complete it.
class after_a_death : public table_scenario<relacy_atomic> {
    void prepare() override { put(5, claimed(7, keys[0])); }
    void thread(std::size_t index) override { take(index, index == 2 ? 1 : 0, 1); }
};

// Its claim is old, so another key may take the only place that is left.
class long_after_a_death : public table_scenario<relacy_atomic> {
public:
    long_after_a_death() { ended_at_.fill(30 * second); }

private:
    void prepare() override {
        occupy_all_but(5, 32 * second);
        put(5, claimed(7, keys[0]));
    }
    void thread(std::size_t index) override { take(index, index == 2 ? 1 : 0, 1, 30 * second); }
};

// One key is charged in the only place that another may have.
template <template <class> class Atomic>
class stolen_while_charged : public table_scenario<Atomic> {
public:
    stolen_while_charged() { this->ended_at_.fill(this->second); }

private:
    void prepare() override {
        this->occupy_all_but(this->home, 3 * this->second);
        this->put(this->home, this->idle_at(0, this->keys[0]));
    }
    void thread(std::size_t index) override {
        this->take(index, index == 0 ? 1 : 0, index == 1 ? 1 : burst, this->second);
    }
};

// A key has one unit, by a clock that is late. By another clock all have come back, and another key
// wants its place. A second place becomes free, where the key could begin anew.
template <bool HasGuard>
class charged_late : public table_scenario<relacy_atomic> {
    static constexpr word guard = second;
    static constexpr word at = second + 10;  // which is late by the guard

public:
    charged_late() : table_scenario(HasGuard ? guard : 0) {
        ended_at_ = {at, at + guard, 0};
        there_[0] = 1;
    }

private:
    void prepare() override {
        occupy_all_but(home, 3 * second);
        put(home, idle_at(2 * second, keys[0]));
        put(6, idle_at(3 * second, keys[2]));
    }
    void thread(std::size_t index) override {
        if (index == 0) return take(0, 1, burst, at + guard);
        if (index == 1) return reset(2);
        take(index, 0, burst, at);
    }
};

// A key that has nothing left, and is in the table.
class refused : public table_scenario<relacy_atomic> {
public:
    refused() {
        there_[0] = 0;
        most_writes_ = 0;
    }

private:
    void prepare() override { put(1, idle_at(burst * second, keys[0])); }
    void thread(std::size_t index) override { take(index, 0, 1); }
};

// Mistakes.

// Turns are taken, but all have one number.
template <class T>
class counts_nothing : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T) noexcept {
        return relacy_atomic<T>::try_exchange_acq_rel(expected, expected);
    }
};
template <class T>
using in_two_steps = oracle::in_two_steps<T, relacy_atomic>;

const searches many{drawn(300'000)};
// One key has to be entered before another one is looked for, which is seldom drawn.
const searches in_few_pieces{preempted(1), drawn(100'000)};

const check entered("a_key_that_three_threads_enter_has_one_word", many,
                    make<entered_by_three<relacy_atomic>>);
const check completed("a_key_whose_inserter_has_died_is_completed", many, make<after_a_death>);
const check abandoned("a_place_whose_inserter_died_long_ago_goes_to_one_key", many,
                      make<long_after_a_death>);
const check stolen("a_place_that_is_stolen_while_its_key_is_charged_charges_one_key", many,
                   make<stolen_while_charged<relacy_atomic>>);
const check late("a_key_that_is_charged_late_does_not_begin_anew", in_few_pieces,
                 make<charged_late<true>>);
const check denied("a_denial_of_a_key_writes_nothing", many, make<refused>);

const check unordered("finds_keys_entered_without_an_order_of_turns", many,
                      make<entered_by_three<exchanges_relaxed>>, "a key has two words");
const check uncounted("finds_claims_without_a_number", many, make<entered_by_three<counts_nothing>>,
                      "a key has two words");
const check torn("finds_places_that_are_stolen_in_two_steps", many,
                 make<stolen_while_charged<in_two_steps>>, "a key got more than was there");
const check unguarded("finds_a_table_without_a_guard", in_few_pieces, make<charged_late<false>>,
                      "a key got more than was there");

}  // namespace

// SPDX-License-Identifier: MIT
// A keyed table: how a key is entered, loses its place and is charged, in a line that three threads
// use. In each schedule a key has one word at most, no claim stays behind, and what a key's word
// says is left and what has passed of it are its burst.
//
// In the exact layout the first two keys have equal tags, so their ids alone tell them apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/table/key_cell.hpp>
#include <weir/table/key_layout.hpp>
#include <weir/table/key_places.hpp>
#include <weir/table/key_word.hpp>

#include "check.hpp"
#include "script.hpp"

namespace model {

using weir::compact_keys;
using weir::exact_keys;
using weir::word;

namespace key_word = weir::key_word;

inline constexpr word burst = 2;

// Both of a key's lines are the one line that there is, and all keys take turns at one counter.
struct key {
    std::size_t home;
    std::uint64_t number;
    std::uint64_t id = 0;

    // In either layout the home is in the tag.
    [[nodiscard]] constexpr std::uint64_t hash() const {
        return id << 32U | home << 20U | home << 13U | number << 3U;
    }
};

// Times are in ticks after the beginning.
template <template <class> class Atomic, template <template <class> class> class Layout>
class table_scenario : public scenario {
    using layout = Layout<Atomic>;
    using place = typename layout::place;

public:
    explicit table_scenario(word guard = second) : guard_(guard) {}

    void before() final {
        line_.begin();
        turns_.begin();
        passed_ = {};
        prepare();
        writes = 0;
    }
    void after() final {
        require(writes <= most_writes_, "a denial has written");
        std::size_t claims = 0;
        for (const auto& p : line_->place) claims += key_word::is_claim(layout::load(p)) ? 1U : 0U;
        for (std::size_t k = 0; k < keys.size(); ++k) {
            std::size_t words = 0;
            word left = 0;
            for (const auto& p : line_->place) {
                const std::uint64_t here = layout::load(p);
                if (!layout::is_of(p, here, layout::key_of(keys[k].hash()))) continue;
                ++words;
                left = rate_.answer({weir::verdict::admitted, here, 0}, {begin + ended_at_[k]})
                           .remaining();
            }
            const word passed = passed_[0][k] + passed_[1][k] + passed_[2][k];
            require(words <= 1, "a key has two words");
            require(passed <= there_[k], "a key got more than was there");
            require(words == 0 || passed + left <= there_[k], "a key has more than was there");
            if (is_reset_[k]) continue;
            require(words == 0 || passed + left >= there_[k], "units are lost");
            require(words == 1 || passed == 0, "what has passed is forgotten");
        }
        require(claims == claims_left_, "a claim stays behind");
        turns_.end();
        line_.end();
    }

protected:
    virtual void prepare() {}

    void take(std::size_t thread, std::size_t which, word n, word at = 0) {
        passed_[thread][which] += cell(which).acquire_up_to({begin + at}, n, rate_).units;
    }
    void reset(std::size_t which) { cell(which).fill({begin}, 0, rate_); }

    // A key that is idle so many ticks after the beginning, entered by the claim of that number.
    void put(std::size_t where, word idle_at, key k, std::uint64_t number = 40) {
        place& p = line_->place[where];
        const auto its = layout::key_of(k.hash());
        const std::uint64_t tat = rate_.at({begin + idle_at}) + key_word::tag_mask;
        const std::uint64_t state = key_word::established(tat, its.tag);
        // By a store if that suffices: a search that tries everything would try failing exchanges.
        if constexpr (!has_ids) return layout::state(p).store_relaxed(state);
        const std::uint64_t claim = put_claim(where, number, k);
        (void)layout::sign(p, claim, its);
        while (!layout::establish(p, claim, state)) {
        }
    }
    // A claim that is not signed yet.
    std::uint64_t put_claim(std::size_t where, std::uint64_t number, key k) {
        const std::uint64_t claim =
            key_word::claim(rate_.at({begin}), number, layout::key_of(k.hash()).tag);
        layout::state(line_->place[where]).store_relaxed(claim);
        return claim;
    }
    void put_signed_claim(std::size_t where, std::uint64_t number, key k) {
        const std::uint64_t claim = put_claim(where, number, k);
        (void)layout::sign(line_->place[where], claim, layout::key_of(k.hash()));
    }
    // All places but one, by keys that nobody asks for. They are idle so many ticks after the
    // beginning, which is no further from now than a burst's time, or they would be relics.
    void occupy_all_but(std::size_t where, word until) {
        for (std::size_t i = 0; i < layout::places_in_line; ++i) {
            if (i != where) put(i, until, {0, 100 + i});
        }
    }

    static constexpr word second = hertz;
    // Longer than a claim's time tells: a tick of this slow clock is a granule.
    static constexpr word long_after = 300 * second;
    static constexpr std::size_t home = 3;
    static constexpr std::size_t elsewhere = 1;
    static constexpr std::size_t third_home = 2;
    static constexpr bool has_ids = layout::places_in_line == 4;
    static constexpr std::array<key, 3> keys = {
        {{home, 1}, {home, has_ids ? 1 : 2, 1}, {third_home, 3}}};

    std::array<word, keys.size()> there_ = {burst, burst, burst};  // units of each key
    std::array<bool, keys.size()> is_reset_{};  // so that it may have more than `there_`
    std::array<word, keys.size()> ended_at_{};  // when what is left is asked for
    unsigned most_writes_ = ~0U;
    std::size_t claims_left_ = 0;

private:
    // As key_places sees the lines of a table.
    struct only_line {
        table_scenario* of;
        auto& operator[](std::size_t) { return *of->line_; }
    };

    [[nodiscard]] auto cell(std::size_t which) {
        only_line lines{this};
        return weir::key_cell<Atomic, Layout>({lines, 1, &*turns_, keys[which].hash()},
                                              weir::when_full::deny);
    }

    word guard_;
    key_word::rate rate_ =
        key_word::rate::make(
            {1, weir::seconds(1), static_cast<std::int64_t>(burst)}, hertz,
            {.debt = 0, .queue = 0, .guard = weir::milliseconds(static_cast<std::int64_t>(guard_))})
            .value();
    shared<typename weir::key_places<Atomic, Layout>::line> line_;
    shared<weir::key_turns<Atomic>> turns_;
    std::array<std::array<word, keys.size()>, threads> passed_{};
};

// Three threads enter a key. One place is free, and the third thread empties the one that is the
// key's home, so claims are put into two places.
template <template <class> class Atomic, template <template <class> class> class Layout>
class entered_by_three : public table_scenario<Atomic, Layout> {
    void prepare() override {
        this->occupy_all_but(this->elsewhere, 2 * this->second);
        this->put(this->home, 0, this->keys[2]);
    }
    void thread(std::size_t index) override {
        if (index == 2) this->reset(2);
        this->take(index, 0, 1);
    }
};

// Who has died while it entered a key has left a claim. The others complete it.
template <template <template <class> class> class Layout>
class after_a_death : public table_scenario<relacy_atomic, Layout> {
    void prepare() override { this->put_signed_claim(this->elsewhere, 7, this->keys[0]); }
    void thread(std::size_t index) override { this->take(index, index == 2 ? 1 : 0, 1); }
};

// Its claim is old, so another key may take the only place that is left.
template <template <template <class> class> class Layout>
class long_after_a_death : public table_scenario<relacy_atomic, Layout> {
public:
    long_after_a_death() { this->ended_at_.fill(this->long_after); }

private:
    void prepare() override {
        this->occupy_all_but(this->elsewhere, this->long_after + 2 * this->second);
        this->put_signed_claim(this->elsewhere, 7, this->keys[0]);
    }
    void thread(std::size_t index) override {
        this->take(index, index == 2 ? 1 : 0, 1, this->long_after);
    }
};

// One key is charged in the only place that another may have.
template <template <class> class Atomic, template <template <class> class> class Layout>
class stolen_while_charged : public table_scenario<Atomic, Layout> {
public:
    stolen_while_charged() { this->ended_at_.fill(this->second); }

private:
    // The next claim has the same version, so the exact layout tells the two by their ids alone.
    static constexpr std::uint64_t number = 64;

    void prepare() override {
        this->occupy_all_but(this->home, 3 * this->second);
        this->put(this->home, 0, this->keys[0], number);
    }
    void thread(std::size_t index) override {
        this->take(index, index == 0 ? 1 : 0, index == 1 ? 1 : burst, this->second);
    }
};

// A key has one unit, by a clock that is late. By another clock all have come back, and another key
// wants its place. A second place becomes free, where the key could begin anew.
template <bool HasGuard, template <template <class> class> class Layout>
class charged_late : public table_scenario<relacy_atomic, Layout> {
    using base = table_scenario<relacy_atomic, Layout>;
    static constexpr word guard = base::second;
    static constexpr word at = base::second + 10;  // which is late by the guard

public:
    charged_late() : base(HasGuard ? guard : 0) {
        this->ended_at_ = {at, at + guard, 0};
        this->there_[0] = 1;
    }

private:
    void prepare() override {
        this->occupy_all_but(this->home, 3 * this->second);
        this->put(this->home, 2 * this->second, this->keys[0]);
        this->put(this->third_home, 3 * this->second, this->keys[2], 41);
    }
    void thread(std::size_t index) override {
        if (index == 0) return this->take(0, 1, burst, at + guard);
        if (index == 1) return this->reset(2);
        this->take(index, 0, burst, at);
    }
};

// A key that has nothing left, and is in the table.
template <template <template <class> class> class Layout>
class refused : public table_scenario<relacy_atomic, Layout> {
public:
    refused() {
        this->there_[0] = 0;
        this->most_writes_ = 0;
    }

private:
    void prepare() override { this->put(this->elsewhere, burst * this->second, this->keys[0]); }
    void thread(std::size_t index) override { this->take(index, 0, 1); }
};

}  // namespace model

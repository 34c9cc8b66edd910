// SPDX-License-Identifier: MIT
// fleet_key_table: the keys of a limit that machines share for which this process holds units, or
// has asked for some. Any thread takes units; one thread, the supplier, puts units there, is told
// which keys have few, and takes keys out. The table is that of keyed_limits in the exact layout
// (key_places.hpp says how a key is entered, and why it is there once at most), with a stock in
// place of a time: fleet_key_word.hpp.
//
// A request finds the key's word and exchanges it: there it linearises, and a denial that changes
// nothing at its load. It reads no clock, and is lock-free: a try fails only because another
// exchange succeeded.
//
// A key that has few units, is denied, or is new is told of once: whoever sets `told` in its word
// pushes its place on a stack, which the supplier takes as a whole. From then on the place is the
// supplier's to tell of, until it takes `told` back.
//
// Invariants. A place is on the stack once at most, and only with `told`: who pushes it has set
// `told`, and nobody else takes that back before it was popped. What lies beside a place (its text,
// its next one on the stack) is written only between the exchange that sets `told` and the push,
// and read only by the supplier, after it popped the place and before it takes `told` back or
// empties the place. The exchanges order these: push and pop by the stack's head, the supplier's
// last read and the next writer by the word, which the writer loads once more with acquire. The
// supplier empties a place only by an exchange of a word without `told`, so no key that somebody is
// about to tell of goes away.
//
// Who stops between its exchange and its push keeps the supplier from this one key, and nobody
// else: its requests are denied once its units are spent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <weir/adapter/fleet_key_notes.hpp>
#include <weir/adapter/fleet_key_word.hpp>
#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/table/array_places.hpp>
#include <weir/table/key_hash.hpp>
#include <weir/table/key_layout.hpp>
#include <weir/table/key_places.hpp>
#include <weir/table/key_turns.hpp>
#include <weir/table/when_full.hpp>

namespace weir {

template <template <class> class Atomic = atomic>
class fleet_key_table {
    static_assert(sizeof(word) == 8, "the keys of a fleet need 64-bit words");
    using places = key_places<Atomic, exact_keys>;
    using layout = typename places::layout;
    using found = typename places::found;
    using place = typename places::place;

public:
    using line = typename places::line;
    using note = typename fleet_key_notes<Atomic>::note;
    static constexpr std::size_t longest_key = fleet_key_notes<Atomic>::longest_key;

    // What a new key is met with, as the supplier last said.
    enum class newcomers : std::uint32_t {
        refused,   // and not entered
        entered,   // without units
        credited,  // entered, with the credit, which the supplier is told of
        passed,    // and not entered; what has too few units passes as well
    };

    // What a request met.
    struct taken {
        bool passes;
        word left;
        // For how long units may not come to the key, as the supplier last said, in microseconds.
        std::uint32_t wait = 0;
    };

    // A little more than two places for a key: then one in 100 000 finds none when all are there.
    [[nodiscard]] static constexpr std::size_t lines_for(std::size_t keys) noexcept {
        return (keys * 17 / 8) / layout::places_in_line + 2;
    }
    [[nodiscard]] static constexpr std::size_t places_for(std::size_t keys) noexcept {
        return lines_for(keys) * layout::places_in_line;
    }
    [[nodiscard]] static constexpr std::size_t bytes_a_place() noexcept {
        return sizeof(line) / layout::places_in_line + sizeof(note);
    }

    // Allocates. No key holds more than `most` units; the credit is no more than that.
    fleet_key_table(std::size_t keys, word most, word credit, seed s)
        : hash_(s),
          most_(most),
          credit_(credit),
          lines_(lines_for(keys)),
          notes_(places_for(keys)) {}
    // In memory that is given: arrays of lines, and of a note for each of their places.
    template <std::size_t Lines>
    fleet_key_table(line (&lines)[Lines], note (&notes)[Lines * layout::places_in_line], word most,
                    word credit, seed s)
        : hash_(s),
          most_(most),
          credit_(credit),
          lines_(lines, Lines),
          notes_(notes, Lines * layout::places_in_line) {}

    [[nodiscard]] word most() const noexcept { return most_; }
    [[nodiscard]] std::size_t size() const noexcept {
        return lines_.size() * layout::places_in_line;
    }

    // All n units or none. A text of more than `longest_key` bytes is no key.
    [[nodiscard, gnu::always_inline]] taken take(std::string_view key, word n) noexcept {
        const places its = of(key);
        found at = its.find();
        lost_races lost;
        while (at.at != nullptr) {
            const auto t = fleet_key_word::take(at.word, n);
            const bool writes = places::writes(t);
            if (!writes || places::try_exchange(at, t.how.next)) {
                if (writes && t.how.wait == fleet_key_word::passes) [[likely]]
                    return {true, fleet_key_word::units(t.how.next)};
                return came_to(key, n, at.at, t);
            }
            lost.again_relaxed(places::state(at), at.word);
            at = its.find_again(at);
        }
        return enter(key, n, its);
    }

    // What `take` would meet. Wait-free.
    [[nodiscard]] taken look(std::string_view key, word n) noexcept {
        const found at = of(key).find();
        const newcomers how = for_newcomers();
        const word units = at.at != nullptr             ? fleet_key_word::units(at.word)
                           : how == newcomers::credited ? credit_
                                                        : 0;
        const bool all = how == newcomers::passed && n <= most_;
        if (key.size() > longest_key) return {false, 0};
        return {n <= units || all, units, wait(at.at)};
    }

    // Requests of new keys for which there was no place.
    [[nodiscard]] word without_place() const noexcept {
        word all = 0;
        for (const auto& t : turns_) all += static_cast<word>(t.full.load_relaxed());
        return all;
    }
    // Units that passed because everything did.
    [[nodiscard]] word passed() const noexcept { return passed_.load_relaxed(); }

    // --- the supplier: one thread at a time. A place is a number below `size()`.

    void meet_newcomers(newcomers how, std::uint32_t time) noexcept {
        how_.store_relaxed(static_cast<std::uint32_t>(how));
        born_.store_relaxed(time);
    }

    // Calls `act(place)` for each that it is told of, the first one first.
    template <class Act>
    void each_told(Act act) noexcept {
        notes_.each(act);
    }
    // Of a place that it was told of.
    [[nodiscard]] note& beside(std::uint32_t its) noexcept { return notes_[its]; }
    [[nodiscard]] word units(std::uint32_t its) noexcept {
        return fleet_key_word::units(state(its).load_relaxed());
    }
    // How many fit. From now on the key has few units at half of `size`, or earlier.
    word put(std::uint32_t its, word n, word size) noexcept {
        word fits = 0;
        change(its, [&](std::uint64_t now) {
            fits = smaller(n, most_ - fleet_key_word::units(now));
            const std::uint64_t more = std::uint64_t{fits} << fleet_key_word::units_at;
            return ((now + more) & ~fleet_key_word::low_mask) | fleet_key_word::low_of(size);
        });
        return fits;
    }
    // Up to n. How many there were.
    word take_out(std::uint32_t its, word n) noexcept {
        word got = 0;
        change(its, [&](std::uint64_t now) {
            got = smaller(n, fleet_key_word::units(now));
            return now - (std::uint64_t{got} << fleet_key_word::units_at);
        });
        return got;
    }
    // It is told of the key again when that has few units or is denied. False, and nothing is
    // changed, if the key has no longer so many.
    bool rest(std::uint32_t its, word units) noexcept {
        return change_if(
            its, [&](std::uint64_t now) { return fleet_key_word::units(now) == units; },
            [](std::uint64_t now) { return now & ~fleet_key_word::told; });
    }
    // The key goes away, with its units, if it has so many and nobody tells of it.
    bool forget(std::uint32_t its, word units) noexcept {
        return change_if(
            its,
            [&](std::uint64_t now) {
                return fleet_key_word::units(now) == units && !fleet_key_word::is_told(now);
            },
            [](std::uint64_t) { return std::uint64_t{0}; });
    }

private:
    [[nodiscard, gnu::always_inline]] places of(std::string_view key) noexcept {
        return places(lines_, lines_.size(), &turns_[0], hash_(key));
    }
    [[nodiscard]] place& place_of(std::uint32_t its) noexcept {
        constexpr std::size_t in_line = layout::places_in_line;
        return lines_[its / in_line].place[its % in_line];
    }
    [[nodiscard]] auto& state(std::uint32_t its) noexcept { return layout::state(place_of(its)); }
    [[nodiscard]] std::uint32_t number_of(const place* at) const noexcept {
        const auto bytes = reinterpret_cast<std::uintptr_t>(at) - first_;
        return static_cast<std::uint32_t>(bytes / sizeof(place));
    }
    [[nodiscard]] newcomers for_newcomers() const noexcept {
        return static_cast<newcomers>(how_.load_relaxed());
    }

    // The key is in no place.
    [[nodiscard, gnu::noinline]] taken enter(std::string_view key, word n, places its) noexcept {
        const newcomers how = for_newcomers();
        if (key.size() > longest_key) return {false, 0};
        const bool is_entered = how == newcomers::entered || how == newcomers::credited;
        if (n == 0 || n > most_ || !is_entered) return without(n, {false, 0});
        const fleet_key_word::new_keys born(how == newcomers::credited ? credit_ : 0,
                                            born_.load_relaxed());
        const auto t = places::enter(its, {}, born, when_full::deny, [n](std::uint64_t state) {
            return fleet_key_word::take(state, n);
        });
        return came_to(key, n, its.find().at, t);
    }

    // After an exchange that is told of, or a denial. Without a place if there was none for the
    // key, or if it is gone by now.
    [[nodiscard, gnu::noinline]] taken came_to(std::string_view key, word n, place* at,
                                               const weir::taken<std::uint64_t>& t) noexcept {
        const word left = fleet_key_word::units(t.how.next);
        const bool writes = places::writes(t);
        const bool passes = writes && (t.how.wait & fleet_key_word::passes) != 0;
        if (at != nullptr) {
            const std::uint32_t its = number_of(at);
            // Acquire: what the supplier last read beside the place was read before. Pairs with
            // the release in `change_if`.
            if (writes) (void)layout::load(*at);
            if (writes && (t.how.wait & fleet_key_word::enters) != 0)
                notes_[its].begin(key, passes ? left + n : left);
            if (!passes && n <= most_) notes_[its].want(n);
            if (writes && (t.how.wait & fleet_key_word::tells) != 0) notes_.push(its);
        }
        return passes ? taken{true, left} : without(n, {false, left, wait(at)});
    }
    // What is denied passes if everything does.
    [[nodiscard]] taken without(word n, const taken& denied) noexcept {
        if (n > most_ || (n != 0 && for_newcomers() != newcomers::passed)) return denied;
        (void)passed_.fetch_add_relaxed(n);
        return {true, denied.left};
    }
    [[nodiscard]] std::uint32_t wait(const place* at) noexcept {
        return at == nullptr ? 0 : notes_[number_of(at)].wait();
    }

    template <class Next>
    void change(std::uint32_t its, Next next) noexcept {
        (void)change_if(
            its, [](std::uint64_t) { return true; }, next);
    }
    template <class If, class Next>
    bool change_if(std::uint32_t its, If may, Next next) noexcept {
        lost_races lost;
        std::uint64_t now = state(its).load_relaxed();
        while (may(now)) {
            // Release: what was read beside the place was read before. Pairs with the acquire in
            // `came_to`, and in key_places with that of whoever comes into the place.
            if (state(its).try_exchange_acq_rel(now, next(now))) return true;
            lost.again_relaxed(state(its), now);
        }
        return false;
    }

    // Relaxed order suffices where none is said: what is told is only counted, or is looked at
    // again.
    key_hash hash_;
    word most_;
    word credit_;
    array_places<any_size, line> lines_;
    fleet_key_notes<Atomic> notes_;
    std::uintptr_t first_ = reinterpret_cast<std::uintptr_t>(&lines_[0].place[0]);
    Atomic<std::uint32_t> how_{0};
    Atomic<std::uint32_t> born_{0};
    Atomic<word> passed_{0};
    typename places::turns turns_[places::stripes];
};

}  // namespace weir

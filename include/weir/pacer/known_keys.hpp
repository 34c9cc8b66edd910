// SPDX-License-Identifier: MIT
// known_keys: which keys have a place, and the limit of each. A key is known from its first item
// until its limit is as good as new again; then another key may have its place. A key may be held:
// nothing of it goes before a time.
//
// The thread that polls uses it. It allocates when it is constructed, and never again. To rest, and
// to have a place freed, takes time logarithmic in the number of keys. Invariant: a key rests, or
// something waits for it, or its place is free; those that rest are in `resting_`, by the time at
// which their limit is full and they are not held any more. So no key gains by coming back.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/observer.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/each.hpp>
#include <weir/pacer/place_index.hpp>
#include <weir/pacer/steered_items.hpp>
#include <weir/pacer/time_heap.hpp>
#include <weir/table/array.hpp>
#include <weir/table/key_hash.hpp>

namespace weir {

template <clock Clock>
struct known_key {
    std::uint64_t hash = 0;
    instant<Clock> held_until{};  // if `is_held`
    std::uint32_t place = 0;      // in a heap; the next one of the free places
    bool rests = false;
    bool is_held = false;
};

// Entry: a known_key with what else is kept of a key.
template <clock Clock, class Each, class Entry>
class known_keys;

template <clock Clock, auto Key, class Cell, auto Class, std::size_t Classes, class Entry>
class known_keys<Clock, each<Key, Cell, Class, Classes>, Entry> {
    using instant = weir::instant<Clock>;
    using limits_type =
        limiter_array<any_size, Cell, Clock, array_layout{.classes = Classes}, unobserved>;

    static_assert(detail::names_a_key<Key>, "a keyed pacer needs the key of an item: weir::each");
    static_assert((Classes > 1) == detail::names_a_key<Class>,
                  "several quotas need the class of an item, and one quota needs none");

public:
    known_keys(const typename each<Key, Cell, Class, Classes>::quotas& q, std::size_t keys, seed s)
        : limits_(keys, q), entries_(keys), by_hash_(keys), resting_(keys), hash_(s) {
        for (std::size_t i = keys; i > 0; --i) give_back(static_cast<std::uint32_t>(i - 1));
    }

    [[nodiscard]] Entry& operator[](std::uint32_t n) noexcept { return entries_[n]; }
    [[nodiscard]] const Entry& operator[](std::uint32_t n) const noexcept { return entries_[n]; }

    // The key that is known, or `nowhere`.
    template <class K>
    [[nodiscard]] std::uint32_t find(const K& key) const noexcept {
        return with_hash(hash_(key));
    }
    // The key of an item, which is known from now on; or `nowhere` if there is no place. A new one
    // neither rests nor waits.
    template <class Item>
    [[nodiscard]] std::uint32_t of(const Item& item, instant now) noexcept {
        const std::uint64_t hash = hash_(detail::key_of<Key>(item));
        const std::uint32_t n = with_hash(hash);
        if constexpr (Classes > 1) {
            return n != nowhere ? n : begin(hash, now, detail::key_of<Class>(item));
        } else {
            return n != nowhere ? n : begin(hash, now);
        }
    }
    // The same of a key. If there are classes, none of which is said here, only if it is known.
    template <class K>
    [[nodiscard]] std::uint32_t of_key(const K& key, instant now) noexcept {
        const std::uint64_t hash = hash_(key);
        const std::uint32_t n = with_hash(hash);
        if constexpr (Classes > 1) {
            return n;
        } else {
            return n != nowhere ? n : begin(hash, now);
        }
    }

    // What its limit says to so many units now.
    [[nodiscard]] verdict may_have(std::uint32_t n, word units, instant now) noexcept {
        return is_held(n, now) ? verdict::wait : limits_[n].peek(units, now).verdict();
    }
    // When it may have so many units: now, or later. Now also if never.
    [[nodiscard]] instant free_at(std::uint32_t n, word units, instant now) noexcept {
        const auto d = limits_[n].peek(units, now);
        instant then = now;
        if (d.verdict() == verdict::wait) then = now + detail::ticks_to_wait<Clock>(d);
        const bool held_longer = is_held(n, now) && earlier(then, entries_[n].held_until);
        return held_longer ? entries_[n].held_until : then;
    }
    void charge(std::uint32_t n, word units, instant now) noexcept {
        (void)limits_[n].try_acquire(units, now);
    }
    // Does not shorten another hold.
    void hold(std::uint32_t n, instant until, instant now) noexcept {
        if (is_held(n, now) && !earlier(entries_[n].held_until, until)) return;
        entries_[n].is_held = true;
        entries_[n].held_until = until;
    }

    // Nothing waits for it.
    void rest(std::uint32_t n, instant now) noexcept {
        stir(n);
        entries_[n].rests = true;
        resting_.add(*this, n, free_at(n, limits_[n].burst(), now), 0);
    }
    // Something waits for it, or it is to rest anew.
    void stir(std::uint32_t n) noexcept {
        if (entries_[n].rests) resting_.remove(*this, n);
        entries_[n].rests = false;
    }
    [[nodiscard]] std::size_t resting() const noexcept { return resting_.size(); }
    // Frees some places of keys that are as good as new.
    void tidy(instant now) noexcept {
        for (int i = 0; i < 8 && some_rested(now); ++i) free_first_rested();
    }

    // For a heap.
    [[nodiscard]] std::uint32_t& place(std::uint32_t n) noexcept { return entries_[n].place; }

    // What it takes of memory for each key.
    [[nodiscard]] static constexpr std::size_t bytes_per_key() noexcept {
        return sizeof(Entry) + sizeof(typename limits_type::place) + place_index<0>::bytes_for(1) +
               time_heap<Clock>::bytes_per_place();
    }

private:
    [[nodiscard]] std::uint32_t with_hash(std::uint64_t hash) const noexcept {
        return by_hash_.find(hash,
                             [&](std::uint32_t other) { return entries_[other].hash == hash; });
    }
    // A place for a new key, or `nowhere`.
    template <class... Its>
    [[nodiscard]] std::uint32_t begin(std::uint64_t hash, instant now, Its... of_class) noexcept {
        if (free_ == nowhere && some_rested(now)) free_first_rested();
        const std::uint32_t n = free_;
        if (n == nowhere) return n;
        free_ = entries_[n].place;
        entries_[n] = {};
        entries_[n].hash = hash;
        by_hash_.add(hash, n);
        if constexpr (Classes > 1) {
            limits_.begin_as(n, of_class..., now);
        } else {
            limits_[n].reset(now);
        }
        return n;
    }
    void give_back(std::uint32_t n) noexcept {
        entries_[n].place = free_;
        free_ = n;
    }
    [[nodiscard]] bool some_rested(instant now) const noexcept {
        return !resting_.is_empty() && !earlier(now, resting_.first_time());
    }
    void free_first_rested() noexcept {
        const std::uint32_t n = resting_.first();
        resting_.remove(*this, n);
        by_hash_.remove(entries_[n].hash, n,
                        [&](std::uint32_t other) { return entries_[other].hash; });
        give_back(n);
    }

    // A time that is past is forgotten, or it would seem to come one day.
    [[nodiscard]] bool is_held(std::uint32_t n, instant now) noexcept {
        Entry& its = entries_[n];
        its.is_held = its.is_held && earlier(now, its.held_until);
        return its.is_held;
    }

    limits_type limits_;
    array_places<any_size, Entry> entries_;
    place_index<0> by_hash_;
    time_heap<Clock> resting_;
    key_hash hash_;
    std::uint32_t free_ = nowhere;
};

}  // namespace weir

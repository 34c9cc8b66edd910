// SPDX-License-Identifier: MIT
// key_layout: the two ways in which a keyed table keeps its keys. Both have the same protocol, see
// key_places.hpp, and the same state word, see key_word.hpp: so both hold the same quotas.
//
//     compact_keys   8 bytes a place   the state word, with a tag of 23 bits
//     exact_keys    16 bytes a place   the state word, with a tag of 16 bits, and the key's id
//
// In the compact layout a place's lines and its tag are a key's identity. In the exact one the tag
// and the id together are all 64 bits of the key's hash, which no other integer has.
//
// An id changes by exchanges of its own, while its place is claimed:
//
//     id      48 bits of the hash                        number (16)
//     state   tat (40)              tag (16)   1   version (6)   0       established
//     state   time (24) number (16) tag (16)   1   000000        1       claimed
//
// A claim belongs to the key in the id, once the id has the claim's number. Whoever made the claim
// brings that about before it takes its turn: it reads the id, then sees its own claim still in the
// state word, and then exchanges the id for its own. Anybody who completes the claim, or meets it,
// finds it with its id or takes it for another key's.
//
// Invariant: as long as a place is established, its id is that of the key that was established
// there. Proof: suppose that an id is exchanged meanwhile. Then somebody has read it, so after it
// was written, and seen a claim in the state word after that. But the id was written under the
// claim that became established, and only whoever made a claim writes under it, once. So that was a
// later claim, and the place was no longer established. (The number makes the id another one than
// any before. Numbers come round after 65,536 turns. A thread would have to stop between its
// reading and its exchange for exactly so many, and the same key return to the same place with the
// last.)
//
// So who reads an established state, and then its own id beside it, and exchanges the state,
// charges its own key: had the place gone to another key in between, the state would differ in its
// tag, its version or its time. (It is the same by chance if the other key has the same 16 bits of
// the hash, the same 6 bits of its number and the same granule of time: one in 4 million of the
// keys that come to the place while a thread stops between its reading and its exchange, and of
// these those with the very same time. Such a thread charges the other key once.)
//
// Both words are exchanged alone, as every machine with 64-bit words can. 32-bit words are too
// short for a tag and a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/table/key_word.hpp>

namespace weir {

template <template <class> class Atomic = atomic>
struct compact_keys {
    using word = Atomic<std::uint64_t>;
    using place = word;
    static constexpr std::size_t places_in_line = 8;
    static constexpr std::size_t roomy = 3;  // so many free places are enough for another key

    struct key {
        std::uint64_t tag;  // never zero
    };
    [[nodiscard, gnu::always_inline]] static constexpr key key_of(std::uint64_t hash) noexcept {
        return {key_word::tag_of(hash)};
    }

    [[nodiscard, gnu::always_inline]] static word& state(place& p) noexcept { return p; }
    // The word is all there is to know, so relaxed order suffices.
    [[nodiscard, gnu::always_inline]] static std::uint64_t load(const place& p) noexcept {
        return p.load_relaxed();
    }
    [[nodiscard, gnu::always_inline]] static bool is_of(const place&, std::uint64_t state,
                                                        key k) noexcept {
        return key_word::is_of(state, k.tag);
    }
    [[nodiscard]] static bool is_claim_of(const place&, std::uint64_t state, key k) noexcept {
        return key_word::is_claim_of(state, k.tag);
    }
    // A claim has its key from the beginning.
    [[nodiscard]] static constexpr bool sign(place&, std::uint64_t, key) noexcept { return true; }
    // A decision about a key without a word becomes the word, and its claim is gone.
    [[nodiscard]] static bool establish(place& p, std::uint64_t claim,
                                        std::uint64_t next) noexcept {
        return p.try_exchange_relaxed(claim, next);
    }
    // Is the word that a lost exchange has seen still of the key?
    [[nodiscard, gnu::always_inline]] static bool is_still_of(std::uint64_t state, key k) noexcept {
        return key_word::is_of(state, k.tag);
    }
};

template <template <class> class Atomic = atomic>
struct exact_keys {
    using word = Atomic<std::uint64_t>;
    struct place {
        word state;
        word id;
    };
    static constexpr std::size_t places_in_line = 4;
    static constexpr std::size_t roomy = 4;

    struct key {
        std::uint64_t tag;
        std::uint64_t id;  // without a number
    };
    [[nodiscard, gnu::always_inline]] static constexpr key key_of(std::uint64_t hash) noexcept {
        return {(hash & number_mask) << 8U | occupied, hash & ~number_mask};
    }

    [[nodiscard, gnu::always_inline]] static word& state(place& p) noexcept { return p.state; }
    // Pairs with the release in `establish`: who sees a key's state sees its id.
    [[nodiscard, gnu::always_inline]] static std::uint64_t load(const place& p) noexcept {
        return p.state.load_acquire();
    }
    // A state that was loaded by `load`. The id may be a later one; then it is of another version.
    [[nodiscard, gnu::always_inline]] static bool is_of(const place& p, std::uint64_t state,
                                                        key k) noexcept {
        if ((state & ~key_word::tat_mask & ~version_mask) != k.tag) return false;
        const std::uint64_t id = p.id.load_relaxed();
        return (id & ~number_mask) == k.id && version_of(id) == (state & version_mask);
    }
    [[nodiscard]] static bool is_claim_of(const place& p, std::uint64_t state, key k) noexcept {
        return key_word::is_claim_of(state, k.tag) &&
               p.id.load_relaxed() == (k.id | key_word::number_of(state));
    }

    // Makes a claim that this thread made the key's. False if it is there no longer.
    [[nodiscard]] static bool sign(place& p, std::uint64_t claim, key k) noexcept {
        const std::uint64_t number = key_word::number_of(claim);
        // Pairs with the exchange below, of other threads: who sees the id of a later claim sees
        // that its own claim is gone.
        std::uint64_t id = p.id.load_acquire();
        do {
            // A number that has come round, so the claim may be another key's by now.
            if ((id & number_mask) == number) return false;
            if (p.state.load_relaxed() != claim) return false;
        } while (!p.id.try_exchange_acq_rel(id, k.id | number));  // pairs with itself
        return true;
    }
    // Release: pairs with the acquire in `load`. Admissions exchange the state in between, which
    // hides nothing of that.
    [[nodiscard]] static bool establish(place& p, std::uint64_t claim,
                                        std::uint64_t next) noexcept {
        const std::uint64_t version = version_of(key_word::number_of(claim));
        // Pairs with the acquire in `load`.
        return p.state.try_exchange_acq_rel(claim, next | version);
    }
    // False if another key has come into the place since its state was loaded.
    [[nodiscard]] static bool has_hash(const place& p, std::uint64_t state,
                                       std::uint64_t& hash) noexcept {
        // Pairs with the exchange in `sign`: who sees a later id sees that the state is gone.
        const std::uint64_t id = p.id.load_acquire();
        hash = (id & ~number_mask) | (state >> 8U & number_mask);
        return p.state.load_relaxed() == state && version_of(id) == (state & version_mask);
    }
    // That takes another look at the id, after an acquire.
    [[nodiscard]] static constexpr bool is_still_of(std::uint64_t, key) noexcept { return false; }

private:
    static constexpr std::uint64_t number_mask = 0xFFFF;
    static constexpr std::uint64_t occupied = 0x80;  // no state is zero
    static constexpr std::uint64_t version_mask = 0x7E;

    [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t
    version_of(std::uint64_t number) noexcept {
        return number << 1U & version_mask;
    }
};

// Zero is an empty place, so a table may lie in memory that is all zeros.
template <class Layout>
struct alignas(cache_line) line_of_keys {
    typename Layout::place place[Layout::places_in_line];
};

}  // namespace weir

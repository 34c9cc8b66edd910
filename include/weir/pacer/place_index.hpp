// SPDX-License-Identifier: MIT
// place_index: finds places of a pool by a hash: a ticket's or a key's. It holds the numbers of the
// places and nothing else; what is in a place the pool knows and says when it is asked.
//
// Open addressing with linear probing, at most half full. What is removed leaves no mark: what came
// after it is moved up. Invariant: from the slot that a place's hash names to the slot in which the
// place is, no slot is empty.
//
// One thread uses it. It allocates when it is constructed, if its size is not part of its type, and
// never again. A look takes as many steps as there are places with neighbouring hashes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <weir/table/array_places.hpp>

namespace weir {

// The number of a place in a pool.
using place_number = std::uint32_t;
inline constexpr place_number nowhere = UINT32_MAX;

namespace detail {

// array_places, made in one way whether their number is part of the type or not.
template <std::size_t Size, class Place>
class pool_places : public array_places<Size, Place> {
public:
    explicit pool_places(std::size_t size) requires(Size == 0) : array_places<0, Place>(size) {}
    explicit pool_places(std::size_t /*size*/) requires(Size != 0) {}
};

}  // namespace detail

// For so many places; 0: as many as it is constructed for.
template <std::size_t Places>
class place_index {
public:
    explicit place_index(std::size_t places) : slots_(size_for(places)) {
        for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i] = nowhere;
    }

    // The place with this hash for which same(place) holds, or `nowhere`.
    template <class Same>
    [[nodiscard]] place_number find(std::uint64_t hash, Same same) const noexcept {
        std::size_t i = home(hash);
        while (slots_[i] != nowhere && !same(slots_[i])) i = after(i);
        return slots_[i];
    }

    void add(std::uint64_t hash, place_number place) noexcept {
        std::size_t i = home(hash);
        while (slots_[i] != nowhere) i = after(i);
        slots_[i] = place;
    }

    // Only if it is in here. hash_of(place) tells the hash of any place that is.
    template <class HashOf>
    void remove(std::uint64_t hash, place_number place, HashOf hash_of) noexcept {
        std::size_t hole = home(hash);
        while (slots_[hole] != place) hole = after(hole);
        for (std::size_t i = after(hole); slots_[i] != nowhere; i = after(i)) {
            // What would be before its home if it was moved stays.
            const std::size_t from_home = (i - home(hash_of(slots_[i]))) & mask();
            if (from_home < ((i - hole) & mask())) continue;
            slots_[hole] = slots_[i];
            hole = i;
        }
        slots_[hole] = nowhere;
    }

    // What it takes of memory for so many places.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t places) noexcept {
        return size_for(places) * sizeof(place_number);
    }

private:
    [[nodiscard]] static constexpr std::size_t size_for(std::size_t places) noexcept {
        return std::bit_ceil(2 * places);
    }
    [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
    [[nodiscard]] std::size_t home(std::uint64_t hash) const noexcept {
        return static_cast<std::size_t>(hash) & mask();
    }
    [[nodiscard]] std::size_t after(std::size_t i) const noexcept { return (i + 1) & mask(); }

    detail::pool_places<Places == 0 ? 0 : size_for(Places), place_number> slots_;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// time_heap: the numbers of entries in the order of their times, the earliest first. A binary heap;
// each entry knows where it is in it, so any can be moved or removed.
//
// One thread uses it. It allocates when it is constructed, and never again. Changes take
// logarithmic time. `Entries` tells before(a, b), which is earlier, and place(a), a reference to
// where a is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/table/array_places.hpp>

namespace weir {

class time_heap {
public:
    explicit time_heap(std::size_t most) : numbers_(most) {}

    [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // The earliest; only if there is one.
    [[nodiscard]] std::uint32_t first() const noexcept { return numbers_[0]; }

    // Only one that is not in it.
    template <class Entries>
    void add(Entries& all, std::uint32_t n) noexcept {
        put(all, size_++, n);
        up(all, size_ - 1);
    }
    template <class Entries>
    void remove(Entries& all, std::uint32_t n) noexcept {
        const std::size_t hole = all.place(n);
        const std::uint32_t last = numbers_[--size_];
        if (hole == size_) return;
        put(all, hole, last);
        moved(all, last);
    }
    // Its time has changed.
    template <class Entries>
    void moved(Entries& all, std::uint32_t n) noexcept {
        up(all, all.place(n));
        down(all, all.place(n));
    }

private:
    template <class Entries>
    void put(Entries& all, std::size_t at, std::uint32_t n) noexcept {
        numbers_[at] = n;
        all.place(n) = static_cast<std::uint32_t>(at);
    }
    template <class Entries>
    void up(Entries& all, std::size_t at) noexcept {
        const std::uint32_t n = numbers_[at];
        for (; at > 0; at = (at - 1) / 2) {
            const std::uint32_t above = numbers_[(at - 1) / 2];
            if (!all.before(n, above)) break;
            put(all, at, above);
        }
        put(all, at, n);
    }
    template <class Entries>
    void down(Entries& all, std::size_t at) noexcept {
        const std::uint32_t n = numbers_[at];
        for (std::size_t below = 2 * at + 1; below < size_; below = 2 * at + 1) {
            if (below + 1 < size_ && all.before(numbers_[below + 1], numbers_[below])) ++below;
            if (!all.before(numbers_[below], n)) break;
            put(all, at, numbers_[below]);
            at = below;
        }
        put(all, at, n);
    }

    array_places<any_size, std::uint32_t> numbers_;
    std::size_t size_ = 0;
};

}  // namespace weir

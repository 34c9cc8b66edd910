// SPDX-License-Identifier: MIT
// time_heap: the numbers of entries in the order of their times, the earliest first; of those with
// the same time the one with the lower turn. Each entry knows where it is in here, so any can be
// moved or removed.
//
// A heap in which four are below one, and times stand beside the numbers: so a step down looks at
// one or two cache lines, and at no entry. One thread uses it. It allocates when it is constructed,
// and never again. Changes take logarithmic time. `Entries` tells place(n), a reference to where n
// is.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/table/array_places.hpp>

namespace weir {

template <clock Clock>
class time_heap {
    using instant = weir::instant<Clock>;

public:
    explicit time_heap(std::size_t most) : slots_(most) {}

    [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // The earliest; only if there is one.
    [[nodiscard]] std::uint32_t first() const noexcept { return slots_[0].number; }
    [[nodiscard]] instant first_time() const noexcept { return slots_[0].time; }
    // Of the one that is there.
    [[nodiscard]] instant time_at(std::uint32_t place) const noexcept { return slots_[place].time; }

    // Only one that is not in it.
    template <class Entries>
    void add(Entries& all, std::uint32_t n, instant time, std::uint32_t turn) noexcept {
        up(all, size_++, {time, turn, n});
    }
    template <class Entries>
    void remove(Entries& all, std::uint32_t n) noexcept {
        const std::size_t hole = all.place(n);
        const slot last = slots_[--size_];
        if (hole != size_) settle(all, hole, last);
    }
    // Its time has changed.
    template <class Entries>
    void move(Entries& all, std::uint32_t n, instant time, std::uint32_t turn) noexcept {
        settle(all, all.place(n), {time, turn, n});
    }

    [[nodiscard]] static constexpr std::size_t bytes_per_place() noexcept { return sizeof(slot); }

private:
    static constexpr std::size_t below = 4;

    struct slot {
        instant time;
        std::uint32_t turn;
        std::uint32_t number;

        [[nodiscard]] bool is_before(const slot& other) const noexcept {
            if (time != other.time) return earlier(time, other.time);
            return static_cast<std::int32_t>(turn - other.turn) < 0;
        }
    };

    template <class Entries>
    void put(Entries& all, std::size_t at, const slot& s) noexcept {
        slots_[at] = s;
        all.place(s.number) = static_cast<std::uint32_t>(at);
    }
    // Puts it there, or where its time belongs.
    template <class Entries>
    void settle(Entries& all, std::size_t at, const slot& s) noexcept {
        if (at > 0 && s.is_before(slots_[(at - 1) / below])) {
            up(all, at, s);
        } else {
            down(all, at, s);
        }
    }
    template <class Entries>
    void up(Entries& all, std::size_t at, const slot& s) noexcept {
        for (; at > 0 && s.is_before(slots_[(at - 1) / below]); at = (at - 1) / below) {
            put(all, at, slots_[(at - 1) / below]);
        }
        put(all, at, s);
    }
    template <class Entries>
    void down(Entries& all, std::size_t at, const slot& s) noexcept {
        for (std::size_t first = below * at + 1; first < size_; first = below * at + 1) {
            const std::size_t end = first + below < size_ ? first + below : size_;
            std::size_t best = first;
            for (std::size_t i = first + 1; i < end; ++i) {
                if (slots_[i].is_before(slots_[best])) best = i;
            }
            if (!slots_[best].is_before(s)) break;
            put(all, at, slots_[best]);
            at = best;
        }
        put(all, at, s);
    }

    array_places<any_size, slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace weir

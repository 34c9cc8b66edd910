// SPDX-License-Identifier: MIT
// fleet_key_notes: what lies beside the places of a fleet_key_table, where the supplier alone reads
// it: a key's text, how many units it was credited with and how many it was denied; and the stack
// of places that the supplier is told of. See there for who may write when.
//
// The stack is taken as a whole, so its head needs no number against coming round: a push onto a
// head that was taken and came back is right. Push is lock-free, and linearises at its exchange;
// taking is wait-free but for pushes. Relaxed order suffices for all else: the exchange of the head
// orders what was written beside a place, and numbers that may be written at any time are looked at
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/table/array_places.hpp>

namespace weir {

template <template <class> class Atomic = atomic>
class fleet_key_notes {
public:
    static constexpr std::size_t longest_key = 64;

    // Of one place.
    class note {
    public:
        // A key has come into the place.
        void begin(std::string_view key, word credit) noexcept {
            wanted_.store_relaxed(0);
            wait_.store_relaxed(0);
            credit_.store_relaxed(static_cast<std::uint32_t>(credit));
            length_ = static_cast<std::uint8_t>(key.size());
            for (std::size_t i = 0; i < key.size(); ++i) text_[i] = key[i];
        }
        // So many units were denied.
        void want(word n) noexcept {
            const auto short_n = static_cast<std::uint32_t>(n);
            if (wanted_.load_relaxed() < short_n) wanted_.store_relaxed(short_n);
        }
        void tell_wait(std::uint32_t microseconds) noexcept { wait_.store_relaxed(microseconds); }
        [[nodiscard]] std::uint32_t wait() const noexcept { return wait_.load_relaxed(); }

        [[nodiscard]] std::string_view text() const noexcept { return {text_, length_}; }
        [[nodiscard]] word credit() const noexcept { return credit_.load_relaxed(); }
        // The largest number of units that was denied since the last time; 0 if none was. One that
        // is denied at this moment may be missed, and then is when it comes again.
        [[nodiscard]] word wanted() noexcept {
            const word most = wanted_.load_relaxed();
            if (most != 0) wanted_.store_relaxed(0);
            return most;
        }

    private:
        friend fleet_key_notes;

        Atomic<std::uint32_t> wanted_{0};
        Atomic<std::uint32_t> wait_{0};
        Atomic<std::uint32_t> credit_{0};
        Atomic<std::uint32_t> next_{0};  // on the stack: a place's number and 1
        std::uint8_t length_ = 0;
        char text_[longest_key];
    };

    explicit fleet_key_notes(std::size_t places) : notes_(places) {}
    fleet_key_notes(note* memory, std::size_t places) noexcept : notes_(memory, places) {}

    [[nodiscard]] note& operator[](std::uint32_t place) noexcept { return notes_[place]; }

    void push(std::uint32_t place) noexcept {
        lost_races lost;
        std::uint32_t top = top_.load_relaxed();
        for (;;) {
            notes_[place].next_.store_relaxed(top);
            if (top_.try_exchange_acq_rel(top, place + 1)) return;  // pairs with `each`
            lost.again_relaxed(top_, top);
        }
    }

    // Takes the places and calls `act(place)` for each, the first one first.
    template <class Act>
    void each(Act act) noexcept {
        std::uint32_t at = top_.load_relaxed();
        while (at != 0 && !top_.try_exchange_acq_rel(at, 0)) {  // pairs with `push`
        }
        std::uint32_t first = 0;
        while (at != 0) {  // turned round
            auto& next = notes_[at - 1].next_;
            const std::uint32_t earlier = next.load_relaxed();
            next.store_relaxed(first);
            first = at;
            at = earlier;
        }
        while (first != 0) {
            const std::uint32_t place = first - 1;
            first = notes_[place].next_.load_relaxed();
            act(place);
        }
    }

private:
    array_places<any_size, note> notes_;
    alignas(own_line) Atomic<std::uint32_t> top_{0};
};

}  // namespace weir

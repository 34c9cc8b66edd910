// SPDX-License-Identifier: MIT
// lost_slots: how many slots of a schedule went by unused because its pacer was polled too late.
// Kept as time, so that parts of a slot are not forgotten, and turned into slots when somebody
// asks. With words of 32 bits nothing is counted: on a microcontroller it would take 350 bytes of
// code.
#pragma once

#include <weir/base/word.hpp>
#include <weir/pacer/fine_time.hpp>

namespace weir {

template <class Word>
inline constexpr bool counts_lost_slots = sizeof(Word) == 8;

template <class Word>
class lost_slots {
public:
    [[gnu::noinline, gnu::cold]] constexpr void add(fine_time<Word> from, fine_time<Word> to,
                                                    Word now) noexcept {
        time_ = time_ + (to - from);
        at_ = now;
    }
    // When the last one was lost.
    [[nodiscard]] constexpr Word at() const noexcept { return at_; }
    [[nodiscard]] constexpr bool any() const noexcept { return time_.ticks != 0; }
    constexpr void forget() noexcept { time_ = {}; }

    // The whole slots since it was asked last, but no more than `most`: what is more is forgotten.
    [[nodiscard]] constexpr Word take(fine_time<Word> interval, Word most) noexcept {
        // Rounded up, so that no round takes more than there is; the next one takes what it left.
        const Word ticks = interval.rounded_up();
        Word slots = 0;
        while (time_.ticks >= ticks) {
            const Word some = time_.ticks / ticks;
            if (some >= most - slots) {
                forget();
                return most;
            }
            slots += some;
            time_ = time_ - interval * some;
        }
        return slots;
    }

    // As many slots of another interval as there were whole ones of the old one.
    constexpr void count_by(fine_time<Word> interval, fine_time<Word> old) noexcept {
        if (!any()) return;
        const Word slots = take(old, largest<Word> / 4 / (interval.ticks + 1));
        time_ = interval * slots;
    }

private:
    fine_time<Word> time_{};
    Word at_ = 0;
};

template <class Word>
    requires(!counts_lost_slots<Word>)
class lost_slots<Word> {
public:
    constexpr void add(fine_time<Word> /*from*/, fine_time<Word> /*to*/, Word /*now*/) noexcept {}
    constexpr void count_by(fine_time<Word> /*interval*/, fine_time<Word> /*old*/) noexcept {}
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// spin_account: may a thread spin, or does spinning cost it the core?
//
// Where others want the core too, the scheduler gives each its share. A thread that sleeps between
// short pieces of work never uses up its share, and runs as soon as it wakes. One that spins uses
// it up, and then waits for milliseconds until the others have had theirs.
//
// So the account compares what is lost while the thread spins with what is lost while it only
// sleeps. A wait that ends more than 250 us late has lost that time. Spinning may lose 1/128 of the
// time more than sleeping does: that much is paid in as time goes by, losses are taken out, and
// below zero the thread only sleeps, until the account is full again. Noise that meets a sleeping
// thread as well, such as a hypervisor's, ends no spinning; but a thread that loses more than 3 %
// asleep has no core to spin on.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>

namespace weir {

class spin_account {
public:
    static constexpr nanoseconds loss = microseconds(250);  // from so late on
    static constexpr std::int64_t time_per_loss = 128;

    [[nodiscard]] constexpr bool may_spin() const noexcept { return spins_; }

    // A wait ended at `now`, so long after its time.
    constexpr void ended(nanoseconds now, nanoseconds late) noexcept {
        passes(now);
        if (late <= loss) return;
        const std::int64_t lost = smaller(late, longest_loss).count();
        // What is late right after the thread has stopped to spin is still spinning's fault.
        if (!spins_ && now.count() - stopped_ >= aftermath.count()) {
            slept_lost_ += lost;
            return;
        }
        balance_ -= lost;
        if (balance_ < least.count()) balance_ = least.count();
        if (!spins_ || balance_ >= 0) return;
        spins_ = false;
        stopped_ = now.count();
    }

    // Time goes by, by a clock that is never set.
    constexpr void passes(nanoseconds now) noexcept {
        if (now.count() <= last_) return;
        const std::int64_t time = smaller(now.count() - last_, longest_counted.count());
        last_ = now.count();
        balance_ += time / time_per_loss;
        if (spins_) {
            balance_ += time * expected() / per_million;
        } else {
            sleeps(time);
            spins_ = balance_ >= most.count();
        }
        balance_ = smaller(balance_, most.count());
    }

private:
    static constexpr nanoseconds most = milliseconds(2);
    static constexpr nanoseconds least{-6'000'000};  // it is tried again after a second
    static constexpr nanoseconds longest_loss = milliseconds(20);
    static constexpr nanoseconds aftermath = milliseconds(20);
    static constexpr nanoseconds longest_counted = seconds(1);  // it may have done anything
    static constexpr nanoseconds remembered = seconds(4);
    static constexpr std::int64_t per_million = 1'000'000;
    static constexpr std::int64_t most_noise = 30'000;  // of a million; more is others' load

    constexpr void sleeps(std::int64_t time) noexcept {
        slept_ += time;
        if (slept_ < remembered.count()) return;
        slept_ /= 2;
        slept_lost_ /= 2;
    }
    // Of a million, what is lost while the thread only sleeps, as far as that is noise.
    [[nodiscard]] constexpr std::int64_t expected() const noexcept {
        if (slept_ < milliseconds(1).count()) return 0;
        const std::int64_t lost = slept_lost_ / (slept_ / per_million);
        return smaller(lost, most_noise);
    }

    bool spins_ = true;
    std::int64_t balance_ = most.count();
    std::int64_t last_ = 0;
    std::int64_t stopped_ = 0;
    std::int64_t slept_ = 0;
    std::int64_t slept_lost_ = 0;
};

}  // namespace weir

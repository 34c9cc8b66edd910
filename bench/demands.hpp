// SPDX-License-Identifier: MIT
// What a subject is asked in a row, so that each answer is measured apart from the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/weir.hpp>

#include "harness/task.hpp"

namespace bench {

enum class demand : unsigned char {
    admit,  // from a burst that does not run out, so the cell is busy
    idle,   // admitted by a cell that is full again each time
    deny,   // from an empty cell
    mixed,  // one of two at random is more than there is, so the branches cannot be foreseen
};

enum class time : unsigned char { read, given };

// A burst that no row exhausts, and which a token bucket still holds within 1 % of the rate.
inline constexpr std::int64_t plenty = 50'000'000;

// A window's burst is a period's units: for it to admit without end, these are few and soon there
// again.
template <class Subject>
inline constexpr bool is_window = requires {
    requires Subject::is_window;
};

inline constexpr std::int64_t window_units = 1024;

template <class Subject>
[[nodiscard]] weir::quota quota_for(demand d) {
    switch (d) {
        case demand::idle:
            if (is_window<Subject>) return {1, weir::nanoseconds(100)};
            return {1'000'000'000, weir::seconds(1), 1};
        case demand::deny: return {1, weir::seconds(3600)};
        case demand::admit:
        case demand::mixed: break;
    }
    if (is_window<Subject>) return {window_units, weir::microseconds(4)};
    return {1'000'000, weir::seconds(1), plenty};
}

// Which calls of a mixed demand ask for too much: from a xorshift, the same in every run, and so
// many that the branch predictor cannot learn them by heart (it does learn 4096).
using pattern = std::array<bool, 1U << 17U>;
[[nodiscard]] inline const pattern& too_much() {
    static const pattern made = [] {
        pattern p{};
        std::uint32_t x = 2463534242U;
        for (bool& flag : p) {
            x ^= x << 13U;
            x ^= x >> 17U;
            x ^= x << 5U;
            flag = (x >> 16U) % 2 != 0;
        }
        return p;
    }();
    return made;
}

template <class Subject, demand Demand, time Time = time::read>
class demand_task {
public:
    demand_task() : subject_(quota_for<Subject>(Demand)) {}

    // Half of the units, so that the burst neither runs out nor is ever there as a whole.
    void prepare() {
        const auto burst = static_cast<weir::word>(quota_for<Subject>(Demand).burst());
        subject_.fill(Demand == demand::deny ? 0 : (burst + 1) / 2);
        start_ = Subject::now();
    }

    auto worker(unsigned thread) { return asking(subject_, start_, thread); }

private:
    class asking {
    public:
        asking(Subject& subject, decltype(Subject::now()) start, unsigned thread)
            : subject_(&subject),
              too_much_(&too_much()),
              now_(start),
              at_(thread * (too_much().size() / 2)) {}

        // Inlined, with the subject's `take`, as it would be in a user's one loop: of many rows the
        // compiler puts some out of line, and these would pay for that.
        [[gnu::always_inline]] void operator()() {
            weir::word n = 1;
            if constexpr (Demand == demand::mixed) {
                n = (*too_much_)[at_++ % too_much_->size()] ? whole : 1;
            }
            bool admitted = false;
            if constexpr (Time == time::read) {
                admitted = subject_->take(n);
            } else {
                if constexpr (Demand == demand::idle) now_.count += far_apart;
                if constexpr (is_window<Subject>) now_.count += a_unit_apart;
                admitted = subject_->take(n, now_);
            }
            admitted_ += admitted ? 1U : 0U;
            ++asked_;
            keep(admitted_);
        }

        [[nodiscard]] bool held() const {
            switch (Demand) {
                // A thread that is stopped between the clock and the decision comes late, which a
                // window of microseconds refuses.
                case demand::admit:
                    return is_window<Subject> ? admitted_ * 100 >= asked_ * 99
                                              : admitted_ == asked_;
                case demand::idle: return true;  // two threads may race for the one unit
                case demand::deny: return admitted_ == 0;
                case demand::mixed: break;
            }
            return asked_ < 100 || (admitted_ != 0 && admitted_ != asked_);
        }

        [[nodiscard]] std::uint64_t admitted() const { return admitted_; }
        [[nodiscard]] std::uint64_t asked() const { return asked_; }

    private:
        static constexpr auto whole =
            static_cast<weir::word>(is_window<Subject> ? window_units : plenty);
        static constexpr weir::word far_apart = 1000;   // ticks; a unit comes back within that
        static constexpr weir::word a_unit_apart = 50;  // a window has twice as many

        Subject* subject_;
        const pattern* too_much_;
        decltype(Subject::now()) now_;
        std::size_t at_;
        std::uint64_t admitted_ = 0;
        std::uint64_t asked_ = 0;
    };

    Subject subject_;
    decltype(Subject::now()) start_{};
};

}  // namespace bench

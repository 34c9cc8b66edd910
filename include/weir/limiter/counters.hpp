// SPDX-License-Identifier: MIT
// counters and stats: observers that count decisions. They have the same functions and differ in
// who writes where.
//
//     counters   one cache line, to which all threads add: a locked addition, some 4 ns. For one
//                thread, for microcontrollers, and where thousands of limits have one each
//     stats      a line for each of 16 threads, which alone writes it: less than 1 ns, and no
//                thread waits for another's line. More threads share a 17th line, as in `counters`
//
// Any number of threads may call everything but moves. A count is wait-free. Relaxed order
// suffices, since a count tells of nothing but itself.
//
// Invariant: a line that a thread owns (see thread_slot) has one writer at a time, so a load and a
// store lose nothing there; the shared line is written by atomic additions alone. So a sum is exact
// once the threads that counted are done, and what one thread reads never goes back. The counts of
// one snapshot may be some decisions apart. A word of 64 bits does not wrap; one of 32 bits does,
// after 4 billion.
//
// `stats` is not for limits that signals' handlers ask, or that lie in memory which processes
// share: it may lose their counts, and the first count of a thread may allocate. `counters` is.
//
// A refund counts nothing, neither a permit's nor that of an all_of which has lost a race: what it
// gives back stays counted as admitted.
#pragma once

#include <cstddef>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/thread_slot.hpp>
#include <weir/base/word.hpp>

namespace weir {

struct decision_counts {
    word admitted = 0;  // decisions, whatever their number of units
    word units = 0;     // of those
    word denied = 0;
    word never = 0;
    word retries = 0;  // races lost inside a decision

    friend constexpr bool operator==(const decision_counts&, const decision_counts&) = default;
};

template <std::size_t OwnLines>
class basic_counters final {
    static_assert(OwnLines == 0 || __STDC_HOSTED__ == 1,
                  "lines of threads need an operating system: weir::counters does not");
    static_assert(OwnLines <= thread_slot::most, "thread_slot has fewer numbers than that");

    struct alignas(own_line) line {
        atomic<word> singles{0};  // admitted decisions about one unit: most, and so one addition
        atomic<word> others{0};   // about another number of units
        atomic<word> units{0};    // of those
        atomic<word> denied{0};
        atomic<word> never{0};
        atomic<word> retries{0};

        void copy(const line& other) noexcept {
            singles.store_relaxed(other.singles.load_relaxed());
            others.store_relaxed(other.others.load_relaxed());
            units.store_relaxed(other.units.load_relaxed());
            denied.store_relaxed(other.denied.load_relaxed());
            never.store_relaxed(other.never.load_relaxed());
            retries.store_relaxed(other.retries.load_relaxed());
        }
    };

public:
    constexpr basic_counters() noexcept = default;
    // While nobody else uses either.
    basic_counters(basic_counters&& other) noexcept { *this = std::move(other); }
    basic_counters& operator=(basic_counters&& other) noexcept {
        for (std::size_t i = 0; i < lines; ++i) lines_[i].copy(other.lines_[i]);
        return *this;
    }
    ~basic_counters() = default;

    [[nodiscard]] decision_counts snapshot() const noexcept {
        decision_counts all;
        for (const line& l : lines_) {
            const word singles = l.singles.load_relaxed();
            all.admitted += singles + l.others.load_relaxed();
            all.units += singles + l.units.load_relaxed();
            all.denied += l.denied.load_relaxed();
            all.never += l.never.load_relaxed();
            all.retries += l.retries.load_relaxed();
        }
        return all;
    }
    [[nodiscard]] word admitted() const noexcept { return snapshot().admitted; }
    [[nodiscard]] word units() const noexcept { return snapshot().units; }
    [[nodiscard]] word denied() const noexcept { return snapshot().denied; }
    [[nodiscard]] word never() const noexcept { return snapshot().never; }
    [[nodiscard]] word retries() const noexcept { return snapshot().retries; }

    [[gnu::always_inline]] void on_admitted(word units) noexcept {
        if (units == 1) return count<&line::singles>(word{1});
        count<&line::others, &line::units>(word{1}, units);
    }
    [[gnu::always_inline]] void on_denied() noexcept { count<&line::denied>(word{1}); }
    [[gnu::always_inline]] void on_never() noexcept { count<&line::never>(word{1}); }
    [[gnu::always_inline]] void on_retry() noexcept { count<&line::retries>(word{1}); }

private:
    static constexpr std::size_t lines = OwnLines + 1;

    template <atomic<word> line::*... Counts, class... Amounts>
    [[gnu::always_inline]] void count(Amounts... by) noexcept {
        if constexpr (OwnLines == 0) {
            (add((lines_[0].*Counts), by), ...);
        } else {
            const std::size_t mine = thread_slot::known();
            if (mine < OwnLines) [[likely]] {
                (add_alone((lines_[mine].*Counts), by), ...);
            } else {
                count_elsewhere<Counts...>(by...);
            }
        }
    }
    // A thread's first count, and those of threads that have no line of their own.
    template <atomic<word> line::*... Counts, class... Amounts>
    [[gnu::noinline]] void count_elsewhere(Amounts... by) noexcept {
        const std::size_t mine = thread_slot::find();
        if (mine < OwnLines) {
            (add_alone((lines_[mine].*Counts), by), ...);
        } else {
            (add((lines_[OwnLines].*Counts), by), ...);
        }
    }

    [[gnu::always_inline]] static void add_alone(atomic<word>& to, word by) noexcept {
        to.store_relaxed(to.load_relaxed() + by);
    }
    [[gnu::always_inline]] static void add(atomic<word>& to, word by) noexcept {
        to.fetch_add_relaxed(by);
    }

    line lines_[lines]{};  // the last one is shared
};

using counters = basic_counters<0>;
#if __STDC_HOSTED__
using stats = basic_counters<16>;
#endif

}  // namespace weir

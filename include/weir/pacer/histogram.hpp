// SPDX-License-Identifier: MIT
// histogram: how often a value was how large, on a scale that is linear within each power of two:
// sixteen buckets each, so no answer is off by more than a sixteenth. One thread adds, without a
// read-modify-write; any thread reads meanwhile, and may miss what is added while it does. Relaxed
// order suffices: a count tells of nothing but itself.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>

namespace weir {

class histogram {
public:
    void add(word value) noexcept {
        bump(counts_[place(value)], 1);
        bump(sum_, value);
        if (value > most_.load_relaxed()) most_.store_relaxed(value);
    }

    [[nodiscard]] word count() const noexcept {
        word all = 0;
        for (const auto& c : counts_) all += c.load_relaxed();
        return all;
    }
    // Of all values. What was added meanwhile may be in one of count and sum only. In ticks of 2.6
    // GHz a word of 64 bits wraps after 225 years, or 10 days if 8192 items wait all the time.
    [[nodiscard]] word sum() const noexcept { return sum_.load_relaxed(); }

    // Calls act(last, count) for each bucket that is not empty, the lowest values first: `count`
    // values are no larger than `last` and larger than the `last` before.
    template <class Act>
    void for_each_bucket(Act act) const noexcept(noexcept(act(word{}, word{}))) {
        for (std::size_t i = 0; i < buckets; ++i) {
            const word here = counts_[i].load_relaxed();
            if (here != 0) act(last_of(i), here);
        }
    }

    // The smallest value that so many in a million are no larger than, rounded up to its bucket:
    // 500'000 is the median. 0 if there are none.
    [[nodiscard]] word quantile(std::uint32_t in_a_million) const noexcept {
        const word all = count();
        const std::uint64_t wanted =
            (static_cast<std::uint64_t>(all) / million) * in_a_million +
            ((static_cast<std::uint64_t>(all) % million) * in_a_million + (million - 1)) / million;
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < buckets; ++i) {
            seen += counts_[i].load_relaxed();
            if (seen != 0 && seen >= wanted) {
                const word last = last_of(i);
                const word most = most_.load_relaxed();
                return last < most ? last : most;
            }
        }
        return most_.load_relaxed();
    }
    [[nodiscard]] word most() const noexcept { return most_.load_relaxed(); }

private:
    static constexpr unsigned fine = 4;  // bits
    static constexpr std::size_t buckets = (bits_of<word> - fine + 1) << fine;
    static constexpr std::uint64_t million = 1'000'000;

    static void bump(atomic<word>& count, word by) noexcept {
        count.store_relaxed(count.load_relaxed() + by);
    }

    [[nodiscard]] static constexpr std::size_t place(word value) noexcept {
        const auto bits = static_cast<unsigned>(std::bit_width(value));
        if (bits <= fine) return static_cast<std::size_t>(value);
        const unsigned shift = bits - fine - 1;
        return (std::size_t{shift} << fine) + static_cast<std::size_t>(value >> shift);
    }
    [[nodiscard]] static constexpr word last_of(std::size_t place) noexcept {
        constexpr std::size_t first_shifted = std::size_t{2} << fine;
        if (place < first_shifted) return static_cast<word>(place);
        const auto shift = static_cast<unsigned>((place >> fine) - 1);
        const word mantissa = static_cast<word>(place - (std::size_t{shift} << fine));
        return ((mantissa + 1) << shift) - 1;
    }

    atomic<word> counts_[buckets];
    atomic<word> sum_{0};
    atomic<word> most_{0};
};

}  // namespace weir

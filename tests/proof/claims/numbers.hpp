// SPDX-License-Identifier: MIT
// Claims about wide and fine_time, against the compiler's own numbers of twice the word.
#pragma once

#include <cstdint>

#include <weir/base/wide.hpp>
#include <weir/pacer/fine_time.hpp>

namespace proof {

template <class Word, class Twice>
struct numbers {
    static constexpr unsigned bits = weir::bits_of<Word>;

    // Two numbers of twice the word, {a, b} and {c, d}; e is one of the word.
    struct five {
        Word a, b, c, d, e;
    };
    [[nodiscard]] static constexpr Twice both(Word high, Word low) noexcept {
        return static_cast<Twice>(static_cast<Twice>(high) << bits | low);
    }
    [[nodiscard]] static constexpr Twice both(weir::fine_time<Word> t) noexcept {
        return both(t.ticks, t.parts);
    }
    [[nodiscard]] static constexpr Twice both(weir::wide w) noexcept {
        return both(static_cast<Word>(w.high), static_cast<Word>(w.low));
    }

    static constexpr bool a_sum_of_times(five n) noexcept {
        const weir::fine_time<Word> s{n.a, n.b};
        const weir::fine_time<Word> t{n.c, n.d};
        return both(s + t) == static_cast<Twice>(both(s) + both(t));
    }
    static constexpr bool a_difference_of_times(five n) noexcept {
        const weir::fine_time<Word> s{n.a, n.b};
        const weir::fine_time<Word> t{n.c, n.d};
        return both(s - t) == static_cast<Twice>(both(s) - both(t));
    }
    static constexpr bool half_of_a_time(five n) noexcept {
        const weir::fine_time<Word> s{n.a, n.b};
        return both(s.half()) == both(s) / 2;
    }
    static constexpr bool a_time_rounded_up(five n) noexcept {
        const weir::fine_time<Word> s{n.a, n.b};
        return s.rounded_up() == static_cast<Word>((both(s) + weir::largest<Word>) >> bits);
    }
    // Ticks that are half a circle apart have no order, whatever their parts.
    static constexpr bool the_earlier_of_two_times(five n) noexcept {
        const weir::fine_time<Word> s{n.a, n.b};
        const weir::fine_time<Word> t{n.c, n.d};
        if (static_cast<Word>(n.a - n.c) == weir::largest<Word> / 2 + 1) return true;
        if (static_cast<Word>(n.c - n.a) == weir::largest<Word> / 2 + 1) return true;
        const auto distance = static_cast<Twice>(both(s) - both(t));
        return s.earlier_than(t) == (distance >> (2 * bits - 1) != 0);
    }
};

// wide is made of 64 bits on every target.
template <class Twice>
struct wides : numbers<std::uint64_t, Twice> {
    using base = numbers<std::uint64_t, Twice>;
    using five = typename base::five;
    using base::both;

    static constexpr bool a_sum(five n) noexcept {
        return both(weir::wide{n.a, n.b} + weir::wide{n.c, n.d}) == both(n.a, n.b) + both(n.c, n.d);
    }
    static constexpr bool a_difference(five n) noexcept {
        return both(weir::wide{n.a, n.b} - weir::wide{n.c, n.d}) == both(n.a, n.b) - both(n.c, n.d);
    }
    static constexpr bool what_is_shifted(five n) noexcept {
        if (n.e > 127) return true;
        return both(weir::wide{n.a, n.b} << static_cast<unsigned>(n.e)) == both(n.a, n.b) << n.e;
    }
    static constexpr bool the_order(five n) noexcept {
        return (weir::wide{n.a, n.b} < weir::wide{n.c, n.d}) == (both(n.a, n.b) < both(n.c, n.d));
    }
    static constexpr bool what_fits(five n) noexcept {
        return weir::wide{n.a, n.b}.fits(n.e) == (both(n.a, n.b) <= n.e);
    }
};

#define WEIR_CLAIMS_OF_FINE_TIME(CLAIM)                                                            \
    CLAIM(a_sum_of_times)                                                                          \
    CLAIM(a_difference_of_times)                                                                   \
    CLAIM(half_of_a_time)                                                                          \
    CLAIM(a_time_rounded_up)                                                                       \
    CLAIM(the_earlier_of_two_times)
#define WEIR_CLAIMS_OF_WIDE(CLAIM)                                                                 \
    CLAIM(a_sum)                                                                                   \
    CLAIM(a_difference)                                                                            \
    CLAIM(what_is_shifted)                                                                         \
    CLAIM(the_order)                                                                               \
    CLAIM(what_fits)

}  // namespace proof

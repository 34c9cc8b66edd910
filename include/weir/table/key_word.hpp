// SPDX-License-Identifier: MIT
// key_word: what one place of a keyed table holds: in the upper 40 bits the time at which its key
// will be idle (`tat`, as gcra's), in the lower 24 a tag that says whose it is. So who it belongs
// to and how far it is spent change in one exchange.
//
//     empty        0
//     established  tat                      tag     0    a key's limit
//     claimed      time (24) number (16)    tag     1    where somebody is about to enter a key
//
// A claim holds the time at which it was made, roughly, and a number that no other claim of that
// time has. Both its lines and its tag are a key's identity: keys that are equal in all of these
// are one key to the table.
#pragma once

#include <cstdint>

#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/backlog.hpp>

namespace weir::key_word {

inline constexpr unsigned tag_bits = 24;  // with the claim's bit
inline constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;
inline constexpr std::uint64_t tat_mask = ~tag_mask;
inline constexpr std::uint64_t claimed = 1;

using rate = backlog_rate<std::uint64_t, tag_bits>;

// The tag of an established word, from the low bits of a hash. Never zero.
[[nodiscard, gnu::always_inline]] constexpr std::uint64_t tag_of(std::uint64_t hash) noexcept {
    const std::uint64_t tag = (hash << 1U) & tag_mask;
    return tag != 0 ? tag : 2;
}
[[nodiscard, gnu::always_inline]] constexpr bool is_of(std::uint64_t word,
                                                       std::uint64_t tag) noexcept {
    return (word & tag_mask) == tag;
}
[[nodiscard]] constexpr bool is_claim(std::uint64_t word) noexcept { return (word & claimed) != 0; }
[[nodiscard]] constexpr bool is_claim_of(std::uint64_t word, std::uint64_t tag) noexcept {
    return is_of(word, tag | claimed);
}
// Whose tag it is, with another state.
[[nodiscard]] constexpr std::uint64_t established(std::uint64_t tat, std::uint64_t tag) noexcept {
    return (tat & tat_mask) | tag;
}

inline constexpr unsigned number_bits = 16;
inline constexpr unsigned claim_time = tag_bits + number_bits;

[[nodiscard]] constexpr std::uint64_t claim(std::uint64_t at, std::uint64_t number,
                                            std::uint64_t tag) noexcept {
    const std::uint64_t numbered = (number << tag_bits) & ((std::uint64_t{1} << claim_time) - 1);
    return (at >> claim_time) << claim_time | (numbered & ~tag_mask) | tag | claimed;
}

[[nodiscard]] constexpr std::uint64_t number_of(std::uint64_t claim) noexcept {
    return (claim >> tag_bits) & ((std::uint64_t{1} << number_bits) - 1);
}

// Was a claim made so long ago that whoever made it has died? A period is 2^13 granules or more, if
// that is no finer than a tick, and the claim's time counts 2^16 of them. A claim that is taken for
// abandoned and is not does no harm: whoever made it finds it gone and begins again.
[[nodiscard]] constexpr bool is_abandoned(std::uint64_t word, std::uint64_t at) noexcept {
    const std::uint64_t circle = (std::uint64_t{1} << (64 - claim_time)) - 1;
    const std::uint64_t age = ((at >> claim_time) - (word >> claim_time)) & circle;
    return age > 1 && age != circle;  // a clock may be late by one
}
[[nodiscard]] constexpr std::int64_t until_abandoned(std::uint64_t word,
                                                     std::uint64_t at) noexcept {
    return is_abandoned(word, at) ? INT64_MIN : std::int64_t{1} << claim_time;
}

}  // namespace weir::key_word

namespace weir {

// What the words of a table's places mean at a time, if all keys live in the time of one rate. (In
// a table with classes each class has a time of its own: see key_class.hpp.)
template <class Rate>
struct key_times {
    tick now;
    Rate rate;

    // The time of claims.
    [[nodiscard]] std::uint64_t of_claims() const noexcept { return rate.at(now); }

    // For how long another key must leave the place alone, in fractions of a tick. From 0 down it
    // may have the place, and the lower the better: an empty one is best, then the one whose key
    // has been idle for longest. If `how_long` is false, only the sign is asked for.
    [[nodiscard]] std::int64_t until_free(std::uint64_t state, bool how_long) const noexcept {
        (void)how_long;
        if (state == 0) return INT64_MIN;
        if (!key_word::is_claim(state)) return rate.until_forgotten(state, now);
        return key_word::until_abandoned(state, of_claims());
    }
    // That time as a wait of the key that wants the place, and as what its key is forgiven.
    [[nodiscard]] std::uint64_t wait(std::int64_t until) const noexcept {
        return static_cast<std::uint64_t>(until);
    }
    [[nodiscard]] std::uint64_t forgiven(std::int64_t until) const noexcept {
        return static_cast<std::uint64_t>(until) >> key_word::tag_bits;
    }

    // In ticks: for how long a key is not idle, and what was forgiven.
    [[nodiscard]] std::uint64_t busy(std::uint64_t state) const noexcept {
        return state == 0 || key_word::is_claim(state) ? 0 : rate.state(state, now).ticks;
    }
    [[nodiscard]] std::uint64_t ticks(std::uint64_t forgiven) const noexcept {
        const wide all = divide_up(wide{0, forgiven} << key_word::tag_bits,
                                   {0, std::uint64_t{1} << rate.shift()});
        return all.fits(UINT64_MAX) ? all.low : UINT64_MAX;
    }
};

// Those of the table that a key with this rate is in.
template <class Rate>
[[nodiscard]] auto times_of(tick now, const Rate& r) noexcept {
    if constexpr (requires { r.times(); }) {
        return r.times();
    } else {
        return key_times<Rate>{now, r};
    }
}

}  // namespace weir

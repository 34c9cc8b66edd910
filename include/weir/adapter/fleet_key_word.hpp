// SPDX-License-Identifier: MIT
// fleet_key_word: the state word of a key whose units are leased, in a place of a keyed table in
// the exact layout (see key_layout.hpp). Where a key of such a table has its time, this one has its
// stock:
//
//     units (24)   born (10)   low (5)   told (1)   tag (16)   1   version (6)   0
//
//     units   in stock
//     born    of the time at which the key came: no later key of the place has the same for long
//     low     the key has few units from 2^(low - 1) down, or at 0 if it is 0
//     told    the supplier has been told of the key, and need not be told again
//
// So a request takes units, and finds out whether it has to tell the supplier, by one exchange.
#pragma once

#include <bit>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/table/key_word.hpp>

namespace weir::fleet_key_word {

inline constexpr unsigned units_at = 40;
inline constexpr unsigned born_at = 30;
inline constexpr unsigned low_at = 25;
inline constexpr std::uint64_t told = std::uint64_t{1} << 24U;
inline constexpr std::uint64_t most_units = (std::uint64_t{1} << 24U) - 1;
inline constexpr std::uint64_t low_mask = std::uint64_t{31} << low_at;
inline constexpr std::uint64_t born_mask = std::uint64_t{1023} << born_at;

[[nodiscard, gnu::always_inline]] constexpr word units(std::uint64_t state) noexcept {
    return static_cast<word>(state >> units_at);
}
[[nodiscard]] constexpr bool is_told(std::uint64_t state) noexcept { return (state & told) != 0; }
[[nodiscard, gnu::always_inline]] constexpr word few(std::uint64_t state) noexcept {
    const auto low = static_cast<unsigned>((state & low_mask) >> low_at);
    return static_cast<word>((std::uint64_t{1} << low) >> 1U);
}
// Half of a lease of this size, or less: down to a power of two.
[[nodiscard]] constexpr std::uint64_t low_of(word size) noexcept {
    return static_cast<std::uint64_t>(std::bit_width(size / 2)) << low_at;
}

// A key that is in no place yet has this mark in place of `low`.
inline constexpr std::uint64_t is_new = low_mask;
[[nodiscard]] constexpr std::uint64_t of_new_key(word credit, std::uint64_t born) noexcept {
    return std::uint64_t{credit} << units_at | ((born << born_at) & born_mask) | is_new;
}

// What a request came to, in a step's `wait`: it passes, it tells the supplier, it entered the key.
inline constexpr std::uint64_t passes = 1;
inline constexpr std::uint64_t tells = 2;
inline constexpr std::uint64_t enters = 4;

// All n units or none. A denial is written too, as far as the supplier does not know of it.
[[nodiscard, gnu::always_inline]] constexpr taken<std::uint64_t> take(std::uint64_t state,
                                                                      word n) noexcept {
    const bool fresh = (state & low_mask) == is_new;
    const std::uint64_t known = fresh ? state & ~low_mask : state;
    const bool fits = n <= units(state);
    const std::uint64_t left = fits ? known - (std::uint64_t{n} << units_at) : known;
    const bool says = !is_told(state) && (fresh || !fits || units(left) <= few(known));
    if (!fits && !says) return {0, {verdict::wait, state, 0}};
    const std::uint64_t what = (fits ? passes : 0U) | (says ? tells : 0U) | (fresh ? enters : 0U);
    return {1, {verdict::admitted, says ? left | told : left, what}};
}

// For key_places: a new key's state, and when a place is free. That is only when it is empty, as
// the supplier alone takes a key out: it knows what the key owes.
class new_keys {
public:
    constexpr new_keys(word credit, std::uint64_t born) noexcept : credit_(credit), born_(born) {}

    [[nodiscard]] constexpr std::uint64_t at(tick /*now*/) const noexcept {
        return of_new_key(credit_, born_);
    }
    [[nodiscard]] constexpr std::uint64_t filled(tick now, int /*units*/) const noexcept {
        return at(now);
    }
    [[nodiscard]] static constexpr std::uint64_t period() noexcept { return 1; }

    class times_of_places {
    public:
        constexpr explicit times_of_places(std::uint64_t born) noexcept : born_(born) {}
        [[nodiscard]] constexpr std::uint64_t of_claims() const noexcept {
            return born_ << key_word::claim_time;
        }
        [[nodiscard]] constexpr std::int64_t until_free(std::uint64_t state,
                                                        bool /*how_long*/) const noexcept {
            if (state == 0) return INT64_MIN;
            if (!key_word::is_claim(state)) return INT64_MAX;
            return key_word::until_abandoned(state, of_claims());
        }
        [[nodiscard]] static constexpr std::uint64_t wait(std::int64_t /*until*/) noexcept {
            return 1;
        }
        [[nodiscard]] static constexpr std::uint64_t forgiven(std::int64_t /*until*/) noexcept {
            return 0;  // nobody is
        }

    private:
        std::uint64_t born_;
    };
    [[nodiscard]] constexpr times_of_places times() const noexcept {
        return times_of_places(born_);
    }

private:
    word credit_;
    std::uint64_t born_;
};

}  // namespace weir::fleet_key_word

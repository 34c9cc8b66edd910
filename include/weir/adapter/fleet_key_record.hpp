// SPDX-License-Identifier: MIT
// What the supplier of a fleet_key_table keeps of each place, and what it counts.
#pragma once

#include <cstdint>

#include <weir/adapter/fleet_lease.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>

namespace weir {

// What the thread of fleet_keyed_limits has done since the beginning, and how many keys it has.
struct fleet_key_counts : fleet_counts {
    word keys = 0;           // in the table now
    word entered = 0;        // keys that came
    word forgotten = 0;      // keys that went away
    word without_place = 0;  // requests of new keys for which there was no place

    friend constexpr bool operator==(const fleet_key_counts&, const fleet_key_counts&) = default;
};

struct fleet_key_record {
    enum class list : std::uint8_t { none, active, resting };

    fleet_lease rule;
    std::uint64_t idle_at = 0;     // the floor, of the last answer
    std::uint32_t connection = 0;  // on which that came
    std::uint32_t owed = 0;        // units that have passed and that Redis does not know of
    std::uint32_t filled = 0;      // what was in stock after the last look
    std::uint32_t busy_at = 0;     // these are in milliseconds, in a circle
    std::uint32_t rests_since = 0;
    std::uint32_t minted_at = 0;
    float credit = 0;  // of the local share: less than a unit
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    list its = list::none;

    // The units of the process's share that have come since the last time, `since` at the
    // earliest, and no more than `most`. `share` is in units a millisecond.
    [[nodiscard]] word mint(std::uint32_t now, std::uint32_t since, double share,
                            word most) noexcept {
        if (now - minted_at > now - since) {
            minted_at = since;
            credit = 0;
        }
        const double all = credit + share * (now - minted_at);
        minted_at = now;
        const word whole = all < static_cast<double>(most) ? static_cast<word>(all) : most;
        credit = whole == most ? 0 : static_cast<float>(all - static_cast<double>(whole));
        return whole;
    }
};

}  // namespace weir

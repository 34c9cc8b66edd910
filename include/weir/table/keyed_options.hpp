// SPDX-License-Identifier: MIT
// keyed_options: what a keyed table can be told beside its quota, and how many places it needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>

namespace weir {

struct keyed_layout {
    // All 64 bits of a key are kept, so different integers never share a limit. That takes 16 bytes
    // a place. Without it a place takes 8 bytes, and keys that the table cannot tell apart share a
    // limit: they get less, not more.
    bool exact = false;

    // Each call says the quota of its key: `t.limit(key, its_quota)` instead of `t[key]`.
    bool quota_per_call = false;

    // So many quotas, up to 16, which can change while others acquire: `set_quota`. If there is
    // more than one, each call says the class of its key: `t.limit(key, its_class)` instead of
    // `t[key]`. Without classes the quota of all keys never changes.
    std::size_t classes = 0;
};

struct keyed_options {
    // How many units `charge` may take beyond what is there.
    std::int64_t debt = options::whole_burst;

    // How far a given `now` may lie behind the latest one without admitting more. A key keeps its
    // place for so long after it has become idle.
    nanoseconds guard = milliseconds(10);

    // With classes: how many units a burst, its debt and what comes within the guard may be
    // together, whatever quota a class is given later. By default eight times as many as those of
    // the largest class at first, and 1024 at least. The odds of a relic grow with it.
    static constexpr std::int64_t by_quotas = INT64_MIN;
    std::int64_t room = by_quotas;
};

namespace detail {

// Of the cell that a key is.
[[nodiscard]] constexpr options as_options(const keyed_options& o) noexcept {
    return {.debt = o.debt, .queue = 0, .guard = o.guard};
}

}  // namespace detail

// Places for a table in which practically no key finds none: three tenths of them are occupied if
// all keys together pass `together`. (Each request that passes keeps a place for the time of a
// unit, and for the guard.)
[[nodiscard]] constexpr std::uint64_t places_for(const quota& together, const quota& of_a_key,
                                                 const keyed_options& o = {}) noexcept {
    const std::int64_t unit = of_a_key.period().count() / of_a_key.units() + 1 + o.guard.count();
    const wide busy = divide_up(
        multiply(static_cast<std::uint64_t>(together.units()), static_cast<std::uint64_t>(unit)),
        {0, static_cast<std::uint64_t>(together.period().count())});
    const wide places = divide_up(
        busy.fits(largest<std::uint64_t> / 10) ? multiply(busy.low, 10) : wide{1, 0}, {0, 3});
    constexpr std::uint64_t most = std::uint64_t{1} << 35U;
    const std::uint64_t all = places.fits(most) ? places.low : most;
    constexpr std::uint64_t whole_lines = 8;
    return (all / whole_lines + 1) * whole_lines;
}

}  // namespace weir

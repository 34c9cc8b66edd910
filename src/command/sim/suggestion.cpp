// SPDX-License-Identifier: MIT
#include "command/sim/suggestion.hpp"

#include <algorithm>
#include <span>

#include <weir/base/wide.hpp>

namespace weir::command {
namespace {

constexpr std::uint64_t whole = 100'000'000;  // hundred-millionths
constexpr std::uint64_t most_units = std::uint64_t{1} << 40U;

// The burst is rounded up.
std::optional<quota> scaled_to(const quota& like, std::uint64_t units) {
    const wide burst = divide_up(multiply(units, static_cast<std::uint64_t>(like.burst())),
                                 {0, static_cast<std::uint64_t>(like.units())});
    if (!burst.fits(INT64_MAX)) return {};
    const auto q = quota::make(static_cast<std::int64_t>(units), like.period(),
                               static_cast<std::int64_t>(burst.low));
    return q ? std::optional<quota>(*q) : std::nullopt;
}

struct trial {
    bool is_over = false;  // false: nobody wants to know any more
    bool is_enough = false;
    std::uint64_t refused = 0;
    std::string why;  // it cannot be tried
};

class trials {
public:
    trials(const limit_kind& kind, const std::vector<arrival>& all, const suggestion_terms& terms,
           const std::function<bool()>& goes_on)
        : kind_(kind), all_(all), terms_(terms), goes_on_(goes_on) {}

    // Of a quota that is not enough nobody needs to know all that it refuses, unless `to_the_end`.
    [[nodiscard]] trial of(std::uint64_t units, bool to_the_end) const {
        trial t;
        const auto q = scaled_to(terms_.like, units);
        if (!q) {
            t.why = "no quota is as large as it would have to be";
            t.is_over = true;
            return t;
        }
        const auto limit = kind_.make({*q, terms_.longest_wait, true}, t.why);
        if (limit == nullptr) {
            t.is_over = true;
            return t;
        }
        std::span<const arrival> rest = all_;
        const auto count = [&] { return limit->so_far().refused; };
        t.is_enough = true;
        while (!rest.empty()) {
            if (!goes_on_()) return t;
            const std::size_t n = std::min(rest.size(), 16 * batch_size);
            limit->take(rest.first(n));
            rest = rest.subspan(n);
            if (limit->so_far().without_place != 0) {
                t.why = "its logs of that many units do not fit into memory";
                t.is_over = true;
                return t;
            }
            t.is_enough = are_fewer(count(), terms_.share, all_.size());
            if (!t.is_enough && !to_the_end) break;
        }
        t.refused = count();
        t.is_over = true;
        return t;
    }

private:
    const limit_kind& kind_;
    const std::vector<arrival>& all_;
    const suggestion_terms& terms_;
    const std::function<bool()>& goes_on_;
};

}  // namespace

bool are_fewer(std::uint64_t refused, std::uint64_t share, std::uint64_t all) {
    if (refused == 0) return true;
    return multiply(refused, whole) < multiply(all, share);
}

suggestion suggest(const limit_kind& kind, const std::vector<arrival>& all,
                   const suggestion_terms& terms, const std::function<bool()>& goes_on) {
    suggestion s;
    s.limit = kind.name;
    const trials each(kind, all, terms, goes_on);
    // Doubled until it is enough, then halved between what is and what is not.
    std::uint64_t too_few = 0;
    std::uint64_t enough = 1;
    for (;;) {
        const trial t = each.of(enough, false);
        if (!t.is_over || !t.why.empty() || enough >= most_units) {
            s.why_not = !t.is_over       ? "interrupted"
                        : !t.why.empty() ? t.why
                                         : "no quota is large enough";
            return s;
        }
        if (t.is_enough) break;
        too_few = enough;
        enough *= 2;
    }
    while (enough - too_few > 1) {
        const std::uint64_t middle = too_few + (enough - too_few) / 2;
        const trial t = each.of(middle, false);
        if (!t.is_over) {
            s.why_not = "interrupted";
            return s;
        }
        // What cannot be tried, such as a rate that a cell cannot hold, is not enough.
        (t.is_enough && t.why.empty() ? enough : too_few) = middle;
    }
    s.enough = scaled_to(terms.like, enough);
    s.refused = each.of(enough, true).refused;
    if (too_few != 0) {
        const trial less = each.of(too_few, true);
        if (less.why.empty()) {
            s.too_small = scaled_to(terms.like, too_few);
            s.refused_by_less = less.refused;
        }
    }
    return s;
}

}  // namespace weir::command

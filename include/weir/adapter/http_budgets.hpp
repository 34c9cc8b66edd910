// SPDX-License-Identifier: MIT
// http_budgets: all budgets of one response, and what follows from what was told of each: how much
// is left, and until when.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/adapter/http_budget.hpp>
#include <weir/adapter/http_error.hpp>
#include <weir/adapter/http_scan.hpp>
#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

namespace weir::http::detail {

// What the server's clock shows: by its own Date, or else ours.
struct server_clock {
    nanoseconds now;  // since 1970
    bool is_its_own = false;

    [[nodiscard]] constexpr nanoseconds until(nanoseconds since_1970) const noexcept {
        if (since_1970 == nanoseconds::longest()) return since_1970;
        return nanoseconds(since_1970 > now ? since_1970.count() - now.count() : 0);
    }
};

class budgets {
public:
    // Of two values of one budget the stricter one is kept.
    constexpr http_error add(const entry& e) noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            if (entries_[i].is_of(e)) return entries_[i].add(e);
        }
        if (size_ == entries_.size()) return http_error::too_many_budgets;
        entries_[size_++] = e;
        return http_error::none;
    }

    // The name of the budget of X-RateLimit-Limit: what GitHub calls its resource and Discord its
    // bucket.
    constexpr http_error name(std::string_view name) noexcept { return name_.keep_first(name); }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr budget at(std::size_t i, server_clock clock) const noexcept {
        const entry& e = entries_[i];
        const entry& policy = policy_of(e);
        return {.name = name_of(e),
                .unit = unit_of(e),
                .partition = e.partition.view(),
                .limit = e.limit ? e.limit : policy.limit,
                .burst = e.burst ? e.burst : policy.burst,
                .used = e.used,
                .remaining = e.remaining,
                .window = e.window ? e.window : policy.window,
                .reset_after = reset_after(e, clock)};
    }

    // Of all that have this name or unit, that which has the fewest left; of two that have as few,
    // that which resets later.
    [[nodiscard]] constexpr std::optional<left_units>
    fewest(std::string_view name_or_unit, const quota& own, server_clock clock) const noexcept {
        std::optional<left_units> best;
        for (std::size_t i = 0; i < size_; ++i) {
            const budget b = at(i, clock);
            if (!is_same_word(name_or_unit, b.name) && !is_same_word(name_or_unit, b.unit))
                continue;
            const auto units = units_left(b, &own);
            if (!units) continue;
            const nanoseconds reset = b.reset_after ? *b.reset_after
                                      : b.window    ? *b.window
                                                    : own.period();
            if (!best || *units < best->units ||
                (*units == best->units && best->reset_after < reset))
                best = left_units{*units, reset};
        }
        return best;
    }

    // When the last one of those resets that have nothing left.
    [[nodiscard]] constexpr std::optional<nanoseconds>
    last_reset_of_empty(server_clock clock) const noexcept {
        std::optional<nanoseconds> last;
        for (std::size_t i = 0; i < size_; ++i) {
            const budget b = at(i, clock);
            if (units_left(b, nullptr) == std::uint64_t{0}) keep_higher(last, b.reset_after);
        }
        return last;
    }

private:
    [[nodiscard]] static constexpr std::optional<std::uint64_t>
    units_left(const budget& b, const quota* own) noexcept {
        std::optional<std::uint64_t> units = b.remaining;
        std::optional<std::uint64_t> limit = b.limit;
        if (!limit && own != nullptr) limit = static_cast<std::uint64_t>(own->units());
        if (b.used && limit)
            keep_lower(units, std::optional(*limit > *b.used ? *limit - *b.used : 0));
        return units;
    }

    // The policy of a budget: the one of its name for all partitions, or among nameless ones that
    // of its quota. Itself if there is none.
    [[nodiscard]] constexpr const entry& policy_of(const entry& e) const noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            const entry& p = entries_[i];
            if (e.from == origin::items && p.from == origin::items && p.partition.view().empty() &&
                p.name.view() == e.name.view())
                return p;
            if (e.from == origin::older && p.from == origin::nameless && e.name.view().empty() &&
                p.limit == e.limit)
                return p;
        }
        return e;
    }

    [[nodiscard]] constexpr std::string_view name_of(const entry& e) const noexcept {
        return e.from == origin::x && e.name.view().empty() ? name_.view() : e.name.view();
    }
    // Where nobody says what is counted, it is requests; so says the standard's draft.
    [[nodiscard]] constexpr std::string_view unit_of(const entry& e) const noexcept {
        if (!e.unit.view().empty() || e.from == origin::used) return e.unit.view();
        const std::string_view unit = policy_of(e).unit.view();
        return unit.empty() ? "requests" : unit;
    }

    [[nodiscard]] static constexpr std::optional<nanoseconds>
    reset_after(const entry& e, server_clock clock) noexcept {
        if (e.reset_in) return e.reset_in;
        if (e.reset_at) return clock.until(*e.reset_at);
        if (e.from != origin::used || !e.window) return std::nullopt;
        // What is used counts for an interval of the server's clock. Ours may be another one.
        if (!clock.is_its_own) return e.window;
        return nanoseconds(e.window->count() - clock.now.count() % e.window->count());
    }

    std::array<entry, 16> entries_{};
    std::size_t size_ = 0;
    kept_text name_;
};

}  // namespace weir::http::detail

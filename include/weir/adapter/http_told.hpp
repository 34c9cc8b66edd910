// SPDX-License-Identifier: MIT
// http_told: what a server tells in the headers of a response: how much is left of which budget,
// until when, and how long to wait.
//
//     weir::http::told told(std::chrono::system_clock::now());  // one for each response
//     for (const auto& [name, value] : response.headers) told.read(name, value);
//     if (const auto left = told.left(limit.quota()))
//         limit.set_remaining(left->units, left->reset_after);
//     if (response.status == 429) pacer.throttled(told.retry_after(weir::seconds(5)));
//
// Headers may come in any order, in any case and more than once; of two values of one budget the
// stricter one counts. A value that is not understood changes nothing and is told by `error`.
// Nothing allocates, and any bytes are harmless. What is read is kept, so the response may go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/adapter/http_budget.hpp>
#include <weir/adapter/http_budgets.hpp>
#include <weir/adapter/http_clock.hpp>
#include <weir/adapter/http_date.hpp>
#include <weir/adapter/http_error.hpp>
#include <weir/adapter/http_header.hpp>
#include <weir/adapter/http_items.hpp>
#include <weir/adapter/http_scan.hpp>
#include <weir/adapter/http_time.hpp>
#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

namespace weir::http {

class told {
public:
    // Times since 1970 are relative to the server's Date, and without one to `now`.
    constexpr explicit told(utc_time now) noexcept : now_(now) {}

    // One header. What is no rate limit's is ignored. Not [[nodiscard]]: `error` says it as well.
    constexpr http_error read(std::string_view name, std::string_view value) noexcept {
        const http_error why = take(name, detail::trimmed(value));
        if (error_ == http_error::none) error_ = why;
        return why;
    }

    // Why the first value was refused that was not understood.
    [[nodiscard]] constexpr http_error error() const noexcept { return error_; }

    // How much is left of what has this name or this unit, and until when. Of several budgets, such
    // as one a minute and one a day, that which has the fewest left. Nothing, if the server has not
    // told, or if a cache has answered. `own` is the quota of the limit that stands for it here:
    // its units count where the server tells only what is used, its period where it tells no reset.
    [[nodiscard]] constexpr std::optional<left_units>
    left(const weir::quota& own, std::string_view name_or_unit = "requests") const noexcept {
        return is_from_cache_ ? std::nullopt : budgets_.fewest(name_or_unit, own, clock());
    }

    // How long to wait after a refusal: what Retry-After says; else until the last reset of the
    // budgets that have nothing left, if that lies ahead; else `otherwise`.
    [[nodiscard]] constexpr nanoseconds
    retry_after(nanoseconds otherwise = nanoseconds{}) const noexcept {
        std::optional<nanoseconds> wait = retry_in_;
        if (retry_at_) detail::keep_higher(wait, std::optional(clock().until(*retry_at_)));
        if (wait) return *wait;
        const auto reset = is_from_cache_ ? std::nullopt : budgets_.last_reset_of_empty(clock());
        return reset > nanoseconds{} ? *reset : otherwise;
    }

    // Whose limit refused, in the server's words: Discord's are "user", "global" and "shared".
    [[nodiscard]] constexpr std::string_view scope() const noexcept {
        return is_global_ ? "global" : scope_.view();
    }

    // A cache has answered, so what is left is not what was told, and `left` says nothing.
    [[nodiscard]] constexpr bool is_from_cache() const noexcept { return is_from_cache_; }

    // All that was told, budget by budget. The texts live as long as this object.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return budgets_.size(); }
    [[nodiscard]] constexpr budget operator[](std::size_t i) const noexcept {
        return budgets_.at(i, clock());
    }

private:
    using entry = detail::entry;
    using field = detail::field;
    using origin = detail::origin;

    constexpr http_error take(std::string_view name, std::string_view value) noexcept {
        using detail::is_same_word;
        if (is_same_word(name, "ratelimit")) return take_items(value, detail::items_of::limits);
        if (is_same_word(name, "ratelimit-policy"))
            return take_items(value, detail::items_of::policies);
        if (is_same_word(name, "retry-after")) return take_wait(value);
        if (is_same_word(name, "retry-after-ms")) return take_wait_in_ms(value);
        if (is_same_word(name, "date")) return take_date(value);
        if (is_same_word(name, "age")) return take_age(value);
        const detail::header h = detail::header_of(name);
        switch (h.what) {
            case field::none: return http_error::none;
            case field::retry_after: return take_wait(value);
            case field::name: return budgets_.name(value);
            case field::scope: return scope_.keep_first(value);
            case field::is_global: return take_global(value);
            default: return take_budget(h, value);
        }
    }

    constexpr http_error take_items(std::string_view value, detail::items_of what) noexcept {
        detail::budgets next = budgets_;  // all items or none
        const http_error why =
            detail::read_items(value, what, [&next](const entry& e) { return next.add(e); });
        if (why == http_error::none) budgets_ = next;
        return why;
    }

    constexpr http_error take_budget(const detail::header& h, std::string_view value) noexcept {
        entry e(h.from);
        const http_error why = name_it(e, h);
        if (why != http_error::none) return why;
        e.window = h.window;
        if (h.what == field::reset || h.what == field::reset_after) {
            const http_error wrong = detail::read_times(value, e.reset_in, e.reset_at);
            return wrong == http_error::none ? budgets_.add(e) : wrong;
        }
        using detail::count_of;
        const count_of what = h.what == field::limit       ? count_of::limit
                              : h.what == field::remaining ? count_of::remaining
                                                           : count_of::used;
        std::uint64_t count = 0;
        const http_error wrong = detail::read_count(value, what, count, e.window);
        if (wrong != http_error::none) return wrong;
        (what == count_of::limit       ? e.limit
         : what == count_of::remaining ? e.remaining
                                       : e.used) = count;
        return budgets_.add(e);
    }

    constexpr http_error name_it(entry& e, const detail::header& h) noexcept {
        const http_error why = e.name.keep_lowered(h.budget);
        return why == http_error::none ? e.unit.keep_lowered(h.unit) : why;
    }

    constexpr http_error take_wait(std::string_view value) noexcept {
        return detail::read_times(value, retry_in_, retry_at_);
    }
    constexpr http_error take_wait_in_ms(std::string_view value) noexcept {
        detail::scan s(value);
        detail::decimal d;
        if (!s.take_decimal(d) || !s.is_over()) return http_error::not_a_time;
        detail::keep_higher(retry_in_, std::optional(detail::in_units(d, 1'000'000)));
        return http_error::none;
    }
    // Of two dates the earlier one, as it makes what is told longer.
    constexpr http_error take_date(std::string_view value) noexcept {
        const auto date = detail::date_text(value).read();
        if (!date) return date.error();
        detail::keep_lower(date_, std::optional(*date));
        return http_error::none;
    }
    constexpr http_error take_age(std::string_view value) noexcept {
        detail::scan s(value);
        const detail::digits age = s.number();
        if (age.count == 0 || !s.is_over()) return http_error::not_a_time;
        is_from_cache_ = is_from_cache_ || age.value != 0;
        return http_error::none;
    }
    constexpr http_error take_global(std::string_view value) noexcept {
        const bool is_true = detail::is_same_word(value, "true");
        if (!is_true && !detail::is_same_word(value, "false")) return http_error::not_a_truth;
        is_global_ = is_global_ || is_true;
        return http_error::none;
    }

    [[nodiscard]] constexpr detail::server_clock clock() const noexcept {
        return {date_ ? *date_ : now_.since_1970(), date_.has_value()};
    }

    detail::budgets budgets_;
    detail::kept_text scope_;
    std::optional<nanoseconds> retry_in_;
    std::optional<nanoseconds> retry_at_;  // since 1970
    std::optional<nanoseconds> date_;
    utc_time now_;
    http_error error_ = http_error::none;
    bool is_global_ = false;
    bool is_from_cache_ = false;
};

}  // namespace weir::http

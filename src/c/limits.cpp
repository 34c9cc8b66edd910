// SPDX-License-Identifier: MIT
// Limits of one cell, and what every limit is asked.

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include <weir/cell/kinds.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota_text.hpp>
#include <weir/clock/utc.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/limiter.hpp>

#include "border.hpp"
#include "cells.hpp"
#include "held.hpp"
#include "limit.hpp"

namespace weir::c {

namespace {

// The windows of a clock are those of UTC, as a provider counts; all else is the default clock's.
template <class Cell>
using clock_of = std::conditional_t<std::is_same_v<Cell, aligned_window<>>, utc_clock, clock>;

struct log_memory {
    std::unique_ptr<atomic<word>[]> places;
};
// A log with its places.
class held_log final : log_memory, public held<limiter<sliding_log<any_size>, clock>> {
    using limiter_type = limiter<sliding_log<any_size>, clock>;

public:
    held_log(std::unique_ptr<atomic<word>[]> memory, limiter_type&& its)
        : log_memory{std::move(memory)}, held(std::move(its)) {}
};

[[nodiscard]] weir_status make_log(const quota& q, const options& o, weir_limit** to) {
    const auto units = static_cast<std::size_t>(q.units());
    if (units > SIZE_MAX / sizeof(word) / 2) return WEIR_NO_MEMORY;
    std::unique_ptr<atomic<word>[]> places(new (std::nothrow) atomic<word>[units]);
    if (places == nullptr) return WEIR_NO_MEMORY;
    sliding_log<any_size> log(places.get(), units);
    auto made = limiter<sliding_log<any_size>, clock>::make(std::move(log), q, o);
    if (!made) return status_of(made.error());
    return make<held_log>(to, std::move(places), std::move(*made));
}

template <class Kind>
[[nodiscard]] weir_status make_of(Kind, const quota& q, const options& o, weir_limit** to) {
    using cell = typename Kind::template cell<any_size>;
    if constexpr (log_cell<cell>) {
        return make_log(q, o, to);
    } else {
        using limiter_type = limiter<cell, clock_of<cell>>;
        auto made = limiter_type::make(q, o);
        if (!made) return status_of(made.error());
        return make<held<limiter_type>>(to, std::move(*made));
    }
}

// What a call needs that is about a limit and n units.
[[nodiscard, gnu::always_inline]] inline bool well(const weir_limit* limit,
                                                   std::int64_t n) noexcept {
    return limit != nullptr && n >= 0;
}
[[nodiscard, gnu::cold, gnu::noinline]] bool refuse_call(const weir_limit* limit,
                                                         weir_answer* answer) noexcept {
    return refuse(answer, limit == nullptr ? WEIR_NULL : WEIR_NEGATIVE);
}

// What a server says.
template <class Tell>
[[nodiscard]] weir_status told(weir_limit* limit, std::int64_t units, std::int64_t reset_after_ns,
                               std::int64_t* obeyed_ns, Tell tell) noexcept {
    if (obeyed_ns != nullptr) *obeyed_ns = 0;
    if (limit == nullptr) return WEIR_NULL;
    if (units < 0 || reset_after_ns < 0) return WEIR_NEGATIVE;
    std::int64_t time = 0;
    const weir_status s = (limit->*tell)(as_units(units), weir::nanoseconds(reset_after_ns), time);
    if (obeyed_ns != nullptr) *obeyed_ns = time;
    return s;
}

}  // namespace

}  // namespace weir::c

using namespace weir::c;

weir_status weir_read_quota(const char* text, weir_quota* quota) {
    if (quota == nullptr) return WEIR_NULL;
    const auto read = weir::parse_quota(text);
    if (!read) return status_of(read.error());
    *quota = as_c(*read);
    return WEIR_OK;
}

weir_status weir_limit_new(weir_quota quota, const weir_options* options, weir_limit** limit) {
    if (limit == nullptr) return WEIR_NULL;
    *limit = nullptr;
    return read(quota, [&](const weir::quota& q) {
        return with_options(options, [&](const char* cell, const weir::options& o, bool refunds) {
            if (refunds) return weir_status{WEIR_NO_VALUE};  // a limit alone always refunds
            return with_cell(cell, [&](auto kind) { return make_of(kind, q, o, limit); });
        });
    });
}

weir_status weir_adjustable_new(weir_quota quota, const weir_options* options, weir_limit** limit) {
    if (limit == nullptr) return WEIR_NULL;
    *limit = nullptr;
    return read(quota, [&](const weir::quota& q) {
        return with_options(options, [&](const char* cell, const weir::options& o, bool refunds) {
            if (std::string_view(cell) != usual_cell) return weir_status{WEIR_NO_CELL};
            if (refunds) return weir_status{WEIR_NO_VALUE};
            const auto reason = weir::adjustable<weir::c::clock>::refusal(q, o);
            if (reason != weir::quota_error::none) return status_of(reason);
            return make<held<weir::adjustable<weir::c::clock>>>(limit, q, o);
        });
    });
}

void weir_limit_free(weir_limit* limit) {
    if (limit != nullptr && !limit->is_view()) delete limit;
}

bool weir_try_acquire(weir_limit* limit, std::int64_t n, weir_answer* answer) {
    if (!well(limit, n)) [[unlikely]]
        return refuse_call(limit, answer);
    return limit->try_acquire(static_cast<weir::word>(n), answer);
}

bool weir_peek(weir_limit* limit, std::int64_t n, weir_answer* answer) {
    if (!well(limit, n)) return refuse_call(limit, answer);
    return limit->peek_at(static_cast<weir::word>(n), clock::now(), answer);
}

bool weir_charge(weir_limit* limit, std::int64_t n, weir_answer* answer) {
    if (!well(limit, n)) return refuse_call(limit, answer);
    return limit->charge(static_cast<weir::word>(n), answer);
}

std::int64_t weir_acquire_up_to(weir_limit* limit, std::int64_t n, weir_answer* answer) {
    if (!well(limit, n)) return refuse_call(limit, answer) ? 1 : 0;
    return as_signed(limit->acquire_up_to(static_cast<weir::word>(n), answer));
}

bool weir_acquire(weir_limit* limit, std::int64_t n, std::int64_t patience_ns,
                  weir_answer* answer) {
    if (!well(limit, n) || patience_ns < 0) return refuse_call(limit, answer);
    bool acquired = false;
    const weir_status s = guarded([&] {
        acquired =
            limit->acquire(static_cast<weir::word>(n), weir::nanoseconds(patience_ns), answer);
        return WEIR_OK;
    });
    return s == WEIR_OK ? acquired : refuse(answer, s);
}

bool weir_reserve(weir_limit* limit, std::int64_t n, std::int64_t longest_ns, weir_permit* permit) {
    if (permit == nullptr) return false;
    *permit = {};
    if (!well(limit, n) || longest_ns < 0) {
        permit->status = limit == nullptr ? WEIR_NULL : WEIR_NEGATIVE;
        return false;
    }
    return limit->reserve_at(static_cast<weir::word>(n), weir::nanoseconds(longest_ns),
                             clock::now(), *permit);
}

weir_status weir_time_left(weir_limit* limit, const weir_permit* permit, std::int64_t* time_ns) {
    if (limit == nullptr || permit == nullptr || time_ns == nullptr) return WEIR_NULL;
    return limit->time_left(*permit, *time_ns);
}

weir_status weir_refund(weir_limit* limit, weir_permit* permit, std::int64_t units,
                        std::int64_t* back) {
    if (back != nullptr) *back = 0;
    if (limit == nullptr || permit == nullptr) return WEIR_NULL;
    if (units < 0) return WEIR_NEGATIVE;
    std::int64_t came_back = 0;
    const weir_status s = limit->refund(*permit, as_units(units), came_back);
    if (back != nullptr) *back = came_back;
    return s;
}

weir_status weir_reset(weir_limit* limit) {
    return limit == nullptr ? weir_status{WEIR_NULL} : limit->reset_at(clock::now());
}

weir_status weir_set_remaining(weir_limit* limit, std::int64_t units, std::int64_t reset_after_ns,
                               std::int64_t* obeyed_ns) {
    return told(limit, units, reset_after_ns, obeyed_ns, &weir_limit::set_remaining);
}

weir_status weir_lower_remaining(weir_limit* limit, std::int64_t units, std::int64_t reset_after_ns,
                                 std::int64_t* obeyed_ns) {
    return told(limit, units, reset_after_ns, obeyed_ns, &weir_limit::lower_remaining);
}

weir_status weir_give_back(weir_limit* limit) {
    return limit == nullptr ? weir_status{WEIR_NULL} : limit->give_back();
}

weir_status weir_set_quota(weir_limit* limit, weir_quota quota, std::int64_t over_ns) {
    if (limit == nullptr) return WEIR_NULL;
    return read(quota, [&](const weir::quota& q) {
        return limit->set_quota(q, weir::nanoseconds(over_ns));
    });
}

weir_status weir_look(weir_limit* limit, weir_state* state) {
    if (limit == nullptr) return WEIR_NULL;
    const weir_state unknown = WEIR_STATE_INIT;
    return write(state, unknown, [&](weir_state& all) { return limit->look(all); });
}

weir_status weir_save(weir_limit* limit, weir_snapshot* saved) {
    return limit == nullptr || saved == nullptr ? weir_status{WEIR_NULL} : limit->save(*saved);
}

weir_status weir_set_anchor(weir_limit* limit, std::int64_t anchor_ns) {
    return limit == nullptr ? weir_status{WEIR_NULL} : limit->set_anchor(anchor_ns);
}

weir_status weir_restore(weir_limit* limit, weir_snapshot saved) {
    return limit == nullptr ? weir_status{WEIR_NULL} : limit->restore(saved);
}

// SPDX-License-Identifier: MIT
// key_quota: which quota a key of a keyed table has: the table's only one, that of its class (see
// key_class.hpp), or one that each call says, which was made ready before.
//
// Quotas that calls say have in common how fine the table's times are, and how far ahead of now a
// key's state may lie. So a state says when its key will be idle, whichever quota left it: the fill
// is kept as time. And for how long a place must be left alone can be told from the state.
// It needs 64-bit words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/own_parts.hpp>
#include <weir/table/class_time.hpp>
#include <weir/table/key_cell.hpp>
#include <weir/table/key_class.hpp>
#include <weir/table/key_layout.hpp>
#include <weir/table/key_word.hpp>
#include <weir/table/keyed_options.hpp>

namespace weir {

// What the quotas of a table lie between: no unit comes faster than those of `fastest`, and no
// burst, with its debt, takes longer to come back than that of `longest`.
struct quota_range {
    quota fastest;
    quota longest;
};

// Of a quota, beside all others of the table.
class key_rate : public key_word::rate {
public:
    key_rate() noexcept = default;
    key_rate(const key_word::rate& own, const key_word::rate& of_table) noexcept
        : key_word::rate(own), of_table_(&of_table) {}

    [[nodiscard]] std::int64_t until_forgotten(std::uint64_t tat, tick now) const noexcept {
        return of_table_->until_forgotten(tat, now);
    }

    [[nodiscard, gnu::always_inline]] bool is_beside(const key_word::rate& table) const noexcept {
        return of_table_ == &table;
    }

private:
    const key_word::rate* of_table_ = nullptr;
};

// Copy it, but not beyond the life of the table. Nothing in it changes, so any number of threads
// may use it.
template <class Cell, clock Clock>
class key_quota {
public:
    using clock_type = Clock;
    using decision_type = typename Cell::decision_type;
    using place = typename in_clock_time<Cell, Clock>::place;
    static constexpr bool changes = false;

    class in_force : public in_clock_time<Cell, Clock> {
    public:
        template <class Cells>
        [[gnu::always_inline]] in_force(const key_quota& q, Cells, tick) noexcept
            : rate_(&q.rate_) {}

        [[nodiscard, gnu::always_inline]] const key_rate& rate() const noexcept { return *rate_; }
        [[nodiscard]] std::uint64_t until(std::uint64_t wait, tick) const noexcept {
            return ticks(wait, rate_->shift());
        }
        [[nodiscard]] static std::uint64_t first_units(const key_quota& q) noexcept {
            return q.burst();
        }
        [[nodiscard]] static word burst(const key_quota& q) noexcept { return q.burst(); }
        static void renew(const key_quota&) noexcept {}

    private:
        const key_rate* rate_;
    };

    // For keyed_limits.
    key_quota(const weir::quota& q, const key_rate& r) noexcept : rate_(r), quota_(q) {}

    [[nodiscard]] const weir::quota& quota() const noexcept { return quota_; }
    [[nodiscard]] word burst() const noexcept { return static_cast<word>(quota_.burst()); }
    [[nodiscard, gnu::always_inline]] bool is_beside(const key_word::rate& table) const noexcept {
        return rate_.is_beside(table);
    }

private:
    key_rate rate_;
    weir::quota quota_;
};

// All keys have one quota.
template <class Cell, clock Clock>
class one_quota {
public:
    using given = quota;
    using setting_type = fixed_setting<Cell, Clock>;

    one_quota(const quota& q, const keyed_options& o) noexcept
        : setting_(q, detail::as_options(o)) {}
    one_quota(const quota& q, const options& o, const typename Cell::rate& made) noexcept
        : setting_(q, o, made) {}

    [[nodiscard]] static constexpr quota_error refusal(const quota& q,
                                                       const keyed_options& o) noexcept {
        return setting_type::refusal(q, detail::as_options(o));
    }
    [[nodiscard, gnu::always_inline]] const setting_type& setting() const noexcept {
        return setting_;
    }
    [[nodiscard]] key_times<key_word::rate> times(tick now) const noexcept {
        return {now, typename setting_type::in_force(setting_, nothing_to_start{}, now).rate()};
    }

private:
    setting_type setting_;
};

// Each call says the quota.
template <class Cell, clock Clock>
class quota_of_calls {
public:
    using given = quota_range;
    using setting_type = key_quota<Cell, Clock>;

    quota_of_calls(const quota_range& all, const keyed_options& o) noexcept
        : fastest_(all.fastest), options_(detail::as_options(o)) {
        const auto made = made_for(all, options_);
        if (made) rate_ = *made;
    }

    [[nodiscard]] static quota_error refusal(const quota_range& all,
                                             const keyed_options& o) noexcept {
        return made_for(all, detail::as_options(o)).error();
    }
    [[nodiscard]] key_times<key_word::rate> times(tick now) const noexcept { return {now, rate_}; }
    [[nodiscard]] result<setting_type, quota_error> prepare(const quota& q) const noexcept {
        if (is_faster(q, fastest_)) return quota_error::faster_than_the_range;
        const auto own = rate_.beside(q, Clock::hertz(), options_);
        if (!own) return own.error();
        return setting_type(q, key_rate(*own, rate_));
    }

    [[nodiscard, gnu::always_inline]] bool prepared(const setting_type& its) const noexcept {
        return its.is_beside(rate_);
    }

private:
    [[nodiscard]] static constexpr bool is_faster(const quota& a, const quota& b) noexcept {
        const auto of = [](std::int64_t units, nanoseconds period) noexcept {
            return multiply(static_cast<std::uint64_t>(units),
                            static_cast<std::uint64_t>(period.count()));
        };
        return of(b.units(), a.period()) < of(a.units(), b.period());
    }
    [[nodiscard]] static result<key_word::rate, quota_error> made_for(const quota_range& all,
                                                                      const options& o) noexcept {
        if (is_faster(all.longest, all.fastest)) return quota_error::faster_than_the_range;
        return key_word::rate::beyond(all.fastest, all.longest, Clock::hertz(), o);
    }

    key_word::rate rate_;
    quota fastest_;
    options options_;
};

// What the keys of a table with this layout are, as cells, and their quotas.
template <keyed_layout Layout, clock Clock>
class kind_of_keys {
    static_assert(Layout.classes == 0 || !Layout.quota_per_call,
                  "a keyed table has classes, or a quota for each call, and not both");

    template <class OfCall, class OfClass, class Only>
    using by_layout = std::conditional_t<Layout.quota_per_call, OfCall,
                                         std::conditional_t<(Layout.classes > 0), OfClass, Only>>;
    using rate = by_layout<key_rate, class_rate<Layout.classes, Clock>, key_word::rate>;

public:
    using cell = std::conditional_t<Layout.exact, key_cell<atomic, exact_keys, rate>,
                                    key_cell<atomic, compact_keys, rate>>;
    using quotas = by_layout<quota_of_calls<cell, Clock>, quota_of_classes<Layout.classes, Clock>,
                             one_quota<cell, Clock>>;
};

}  // namespace weir

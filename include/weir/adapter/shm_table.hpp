// SPDX-License-Identifier: MIT
// Tables in memory that the processes of a machine share, found by their names: an array of limits
// by index, and limits by key. What shm.hpp tells of a shared limit holds for these too.
//
//     auto opened = weir::shared_keyed_limits<>::open("/per-client", 4096, weir::per_second(10),
//                                                     weir::when_full::forgive_least);
//     if (!opened) return log(describe(opened.error()));
//     if ((*opened)[address].try_acquire()) serve();
//
// In shared memory are the entries and, of a keyed table, the turns of those who enter a key. Keys
// are spread by the seed of whoever made the table.
//
// A shared table may be moved while nobody uses it. Limits that were taken from it before, such as
// `(*opened)[address]`, are of no use then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <weir/adapter/random_seed.hpp>
#include <weir/adapter/shm_error.hpp>
#include <weir/adapter/shm_head.hpp>
#include <weir/adapter/shm_opening.hpp>
#include <weir/adapter/shm_segment.hpp>
#include <weir/base/result.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/table/array.hpp>
#include <weir/table/key_word.hpp>
#include <weir/table/keyed.hpp>

namespace weir {

template <cell Cell = gcra<>, clock Clock = default_clock, array_layout Layout = array_layout{},
          class Observer = unobserved>
class shared_limiter_array : public limiter_array<elsewhere, Cell, Clock, Layout, Observer> {
    static_assert(Layout.classes == 1, "an array in shared memory has one class");
    using base = limiter_array<elsewhere, Cell, Clock, Layout, Observer>;
    using place = typename base::place;
    using opened = detail::shm_opened<typename Cell::rate>;

public:
    // Joins the array of this name, or makes it with so many entries if there is none. If it was
    // made with another number, quota or options, the answer is `another_quota`.
    [[nodiscard]] static result<shared_limiter_array, shm_error>
    open(const char* name, std::size_t entries, const quota& q, const options& o = {},
         shm_access access = {}) noexcept {
        auto terms = detail::shm_terms(q, o);
        terms.entries = entries;
        if (detail::shm_refusal<base>(q, o) != quota_error::none) return shm_error::quota_refused;
        return opened_as(name, &terms, access);
    }
    // The other processes would not know of it.
    void set_anchor(instant<Clock> begin) = delete;

    // Joins the array of this name, whatever its size and its quota are.
    [[nodiscard]] static result<shared_limiter_array, shm_error>
    join(const char* name, shm_access access = {}) noexcept {
        return opened_as(name, nullptr, access);
    }

private:
    explicit shared_limiter_array(opened& it) noexcept
        : base(static_cast<place*>(it.memory.begin()), it.size(), it.quota(), it.options(),
               it.rate),
          memory_(std::move(it.memory)) {}

    [[nodiscard]] static result<shared_limiter_array, shm_error>
    opened_as(const char* name, const detail::shm_head::terms_type* terms,
              shm_access access) noexcept {
        auto form = detail::shm_form_of_cell<Cell>(detail::shm_head::of_array);
        form.entry_bytes = sizeof(place);
        form.layout = Layout.refunds ? 1 : 0;
        opened it;
        const shm_error reason = detail::shm_open<Clock>(
            name, form, terms, 0, access, it, [](void* memory, const opened& made) noexcept {
                auto* const places = static_cast<place*>(memory);
                const instant<Clock> now = Clock::now();
                for (std::size_t i = 0; i < made.size(); ++i) {
                    const auto* const its = ::new (static_cast<void*>(places + i)) place{};
                    its->cell.fill(now, made.first_units(), made.rate);
                }
            });
        if (reason != shm_error::none) return reason;
        return shared_limiter_array(it);
    }

    shm_segment memory_;
};

template <clock Clock = default_clock, keyed_layout Layout = keyed_layout{},
          class Observer = unobserved>
class shared_keyed_limits : public keyed_limits<elsewhere, Clock, Layout, Observer> {
    static_assert(!Layout.quota_per_call && Layout.classes == 0,
                  "the keys of a table in shared memory have one quota");
    using base = keyed_limits<elsewhere, Clock, Layout, Observer>;
    using line = typename base::line;
    using turns = typename base::turns;
    using opened = detail::shm_opened<key_word::rate>;

public:
    // Joins the table of this name, or makes it if there is none, with so many places, rounded up
    // to whole lines. If it was made with another number, quota, policy or options, the answer is
    // `another_quota`.
    [[nodiscard]] static result<shared_keyed_limits, shm_error>
    open(const char* name, std::size_t places, const quota& q, when_full policy,
         const keyed_options& o = {}, shm_access access = {}) noexcept {
        auto terms = detail::shm_terms(q, detail::as_options(o));
        terms.entries = places / base::places_in_line + (places % base::places_in_line != 0);
        terms.when_full = static_cast<std::uint64_t>(policy);
        if (terms.entries > UINT32_MAX) return shm_error::size_refused;
        if (terms.when_full > last_policy) return shm_error::policy_unknown;
        if (base::refusal(q, o) != quota_error::none) return shm_error::quota_refused;
        return opened_as(name, &terms, access);
    }

    // Joins the table of this name, whatever its size, its quota and its policy are.
    [[nodiscard]] static result<shared_keyed_limits, shm_error>
    join(const char* name, shm_access access = {}) noexcept {
        return opened_as(name, nullptr, access);
    }

private:
    static constexpr std::size_t turns_bytes = base::stripes * sizeof(turns);

    shared_keyed_limits(opened& it, turns* its_turns) noexcept
        : base(its_turns, reinterpret_cast<line*>(its_turns + base::stripes), it.size(), it.quota(),
               it.options(), it.rate, static_cast<when_full>(it.head.terms.when_full),
               seed(it.head.seed)),
          memory_(std::move(it.memory)) {}

    [[nodiscard]] static result<shared_keyed_limits, shm_error>
    opened_as(const char* name, const detail::shm_head::terms_type* terms,
              shm_access access) noexcept {
        detail::shm_head::form_type form = {};
        form.what = detail::shm_head::of_keyed;
        form.word_bytes = sizeof(std::uint64_t);
        form.shared_bytes = turns_bytes;
        form.entry_bytes = sizeof(line);
        form.layout = Layout.exact ? 1 : 0;
        opened it;
        // All zeros is how lines and turns begin, and how the system gives memory.
        const shm_error reason =
            detail::shm_open<Clock>(name, form, terms, random_seed().value, access, it,
                                    [](void*, const opened&) noexcept {});
        if (reason != shm_error::none) return reason;
        if (it.size() > UINT32_MAX || it.head.terms.when_full > last_policy)
            return shm_error::corrupt;
        return shared_keyed_limits(it, static_cast<turns*>(it.memory.begin()));
    }
    static constexpr auto last_policy = static_cast<std::uint64_t>(when_full::allow);

    shm_segment memory_;
};

}  // namespace weir

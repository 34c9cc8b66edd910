// SPDX-License-Identifier: MIT
// keyed_limits: a limit for each key (an address, an account, a text), in a table of a fixed size
// that needs no cleaning up. All keys share a clock, and a quota unless there are classes or each
// call says its own. A key takes 8 bytes, or 16 in the exact layout.
//
//     weir::keyed_limits<4096> per_client{weir::per_second(10), weir::when_full::forgive_least,
//                                         weir::random_seed()};
//     if (per_client[address].try_acquire()) serve();
//
// `t[key]` is a limit. It can be asked whatever a limiter can, but for reservations and refunds. It
// refers to the key, wherever that lies, so keep it as long as you like, but no longer than the
// table. The key itself is not kept.
//
// Everything may be called from any number of threads, without locks, and allocates nothing. The
// protocol and its proof are in key_places.hpp. It is long because all that a table can be asked is
// here.
//
// A key that is idle is as good as one that was never seen, so its place may be taken by another
// key. A late clock could find it busy still. So that happens only when it has been idle for the
// `guard`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/end_program.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/basic_limiter.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/own_parts.hpp>
#include <weir/table/array_places.hpp>
#include <weir/table/key_hash.hpp>
#include <weir/table/key_places.hpp>
#include <weir/table/key_quota.hpp>
#include <weir/table/keyed_options.hpp>
#include <weir/table/when_full.hpp>

namespace weir {

#ifdef WEIR_HAS_DEFAULT_CLOCK
template <std::size_t Places, clock Clock = default_clock, keyed_layout Layout = keyed_layout{},
          class Observer = unobserved>
#else
template <std::size_t Places, clock Clock, keyed_layout Layout = keyed_layout{},
          class Observer = unobserved>
#endif
class keyed_limits {
    static_assert(sizeof(word) == 8, "a keyed table needs 64-bit words");
    using cell_type = typename kind_of_keys<Layout, Clock>::cell;
    using key_places_type = typename cell_type::places;
    using layout = typename key_places_type::layout;
    using quotas = typename kind_of_keys<Layout, Clock>::quotas;
    using setting_type = typename quotas::setting_type;
    using given = typename quotas::given;

public:
    // A key looks for its place in two lines. All zeros is an empty one.
    using line = typename key_places_type::line;
    static constexpr std::size_t places_in_line = layout::places_in_line;

    static_assert(Places == elsewhere || Places % places_in_line == 0,
                  "a keyed table has a multiple of 8 places, or of 4 in the exact layout");

    class parts;
    class entry;

    // The quota of all keys; an array of one for each class, if there are several; or a
    // `quota_range` if each call says the quota. What cannot be held throws `refused`, or without
    // exceptions prints the reason and ends the program; `refusal` tells it before.
    keyed_limits(const given& q, when_full policy, seed s,
                 const keyed_options& o = {}) requires(Places != any_size)
        : keyed_limits(unchecked{}, q, policy, s, o) {}
    // In memory that is given, which must outlive the table: an array of lines, or a std::span, a
    // std::array or a std::vector of them. It begins anew there.
    template <class Memory>
    keyed_limits(Memory&& memory, const given& q, when_full policy, seed s,
                 const keyed_options& o = {}) requires(Places == any_size &&
                                                       memory_of<Memory, line>)
        : keyed_limits(unchecked{}, q, policy, s, o, detail::first_of(memory),
                       detail::size_of(memory)) {}
#if __STDC_HOSTED__
    // In one allocation, which is rounded up to whole lines.
    keyed_limits(std::size_t places, const given& q, when_full policy, seed s,
                 const keyed_options& o = {}) requires(Places == any_size)
        : keyed_limits(unchecked{}, q, policy, s, o,
                       places / places_in_line + (places % places_in_line != 0 ? 1U : 0U)) {}
#endif
    keyed_limits(const keyed_limits&) = delete;
    keyed_limits& operator=(const keyed_limits&) = delete;
    ~keyed_limits() = default;

    // Why a quota cannot be held, or `none`.
    [[nodiscard]] static constexpr quota_error refusal(const given& q,
                                                       const keyed_options& o = {}) noexcept {
        return quotas::refusal(q, o);
    }

    // The limit of a key: an integer, an enumeration, text, a span of bytes, a `hashed`, or what
    // `hash_of` and `for_each` tell of a key. Wait-free but for the length of a text.
    template <class Key>
    [[nodiscard, gnu::always_inline]] entry operator[](const Key& key) noexcept
        requires(!Layout.quota_per_call && Layout.classes <= 1) {
        return entry(*this, hash_(key), quotas_.setting());
    }
    // With several classes: a key of this class, which is a number or an enumerator. A key that had
    // another class keeps its units. A class that there is not ends the program.
    template <class Key, class Class>
    [[nodiscard, gnu::always_inline]] entry limit(const Key& key, Class its) noexcept
        requires(Layout.classes > 1) {
        return entry(*this, hash_(key), quotas_.of(its));
    }
    // All keys of a class get this quota, at once or evenly within `over`, and each keeps its
    // units. If it is refused nothing has changed. Lock-free for up to three threads that change
    // one class at the same time, see exchanged.hpp.
    template <class Class, std::same_as<instant<Clock>>... Now>
    [[nodiscard]] quota_error set_quota(Class its, const quota& q, nanoseconds over = {},
                                        Now... now) noexcept requires(Layout.classes > 1) {
        return quotas_.of(its).set_quota(q, over, now...);
    }
    template <std::same_as<instant<Clock>>... Now>
    [[nodiscard]] quota_error set_quota(const quota& q, nanoseconds over = {}, Now... now) noexcept
        requires(Layout.classes == 1) {
        return quotas_.of(0).set_quota(q, over, now...);
    }

    // A quota that is ready for `limit`, or why it cannot be held beside the others.
    using prepared = setting_type;
    [[nodiscard]] result<prepared, quota_error> prepare(const quota& q) const noexcept
        requires(Layout.quota_per_call) {
        return quotas_.prepare(q);
    }
    // The limit of a key at this quota, which must live as long as the limit. If the key had
    // another quota in another call, it stays busy for as long as it was. A quota that another
    // table has prepared ends the program.
    template <class Key>
    [[nodiscard, gnu::always_inline]] entry limit(const Key& key, const prepared& its) noexcept
        requires(Layout.quota_per_call) {
        if (!quotas_.prepared(its)) [[unlikely]]
            detail::end_program("this quota was prepared by another keyed table");
        return entry(*this, hash_(key), its);
    }
    template <class Key>
    entry limit(const Key& key, prepared&& its) = delete;  // it would not live long enough

    [[nodiscard]] std::size_t size() const noexcept { return lines_.size() * places_in_line; }

    // Looks at every place, so it takes a while. A racy snapshot.
    [[nodiscard]] keyed_statistics statistics() noexcept { return statistics(Clock::now()); }
    [[nodiscard]] keyed_statistics statistics(instant<Clock> now) noexcept {
        const auto times = quotas_.times(now);
        keyed_statistics all{size(), 0, 0, 0, {}};
        each_place([&](auto&, std::uint64_t state) noexcept {
            all.occupied += times.until_free(state, false) > 0 ? 1U : 0U;
        });
        std::uint64_t forgiven = 0;
        for (std::size_t i = 0; i < stripes; ++i) forgiven += turns_[i].add_to(all);
        all.forgiven = to_time<Clock>(times.ticks(forgiven));
        return all;
    }

    // Calls `act` with a `kept_key`, or in the exact layout a `kept_exact_key`, for each key that
    // is not idle. A racy snapshot: a key that comes or goes meanwhile may be left out, and one
    // that goes and comes may be told twice.
    template <class Act>
    void for_each(Act act) noexcept(noexcept(act(std::declval<const kept&>()))) {
        for_each(act, Clock::now());
    }
    template <class Act>
    void for_each(Act act,
                  instant<Clock> now) noexcept(noexcept(act(std::declval<const kept&>()))) {
        const auto times = quotas_.times(now);
        each_place([&](auto& place, std::uint64_t state) {
            const std::uint64_t busy = times.busy(state);
            if (busy == 0) return;
            const kept_key its{to_time<Clock>(busy)};
            std::uint64_t hash = 0;
            if constexpr (!Layout.exact) {
                act(its);
            } else if (layout::has_hash(place, state, hash)) {
                act(kept_exact_key{its, kept_hash(hash)});
            }
        });
    }
    // Which of the kept keys this one is.
    template <class Key>
    [[nodiscard]] kept_hash hash_of(const Key& key) const noexcept requires(Layout.exact) {
        return kept_hash(hash_(key));
    }

    // Empties the places of all keys that are idle, and says how many. That is needed only where
    // keys sleep for so long that the time of their places comes round: see the table's guide.
    std::size_t clear_idle() noexcept { return clear_idle(Clock::now()); }
    std::size_t clear_idle(instant<Clock> now) noexcept {
        const auto times = quotas_.times(now);
        std::size_t cleared = 0;
        each_place([&](auto& place, std::uint64_t state) noexcept {
            if (state == 0 || times.until_free(state, false) > 0) return;
            cleared += layout::state(place).try_exchange_relaxed(state, 0) ? 1U : 0U;
        });
        return cleared;
    }

    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }

protected:
    using turns = key_turns<>;
    static constexpr std::size_t stripes = key_places_type::stripes;
    // Of turns and lines that have begun before, at a rate that was made before.
    keyed_limits(turns* own_turns, line* lines, std::size_t count, const quota& q, const options& o,
                 const typename cell_type::rate& made, when_full policy, seed s) noexcept
        : quotas_(q, o, made),
          hash_(s),
          policy_(policy),
          turns_(own_turns, stripes),
          lines_(lines, count) {}
    // While nobody uses either. Limits that were taken before are of no use then.
    keyed_limits(keyed_limits&&) noexcept = default;

private:
    using kept = std::conditional_t<Layout.exact, kept_exact_key, kept_key>;
    struct unchecked {};
    template <class... Memory>
    keyed_limits(unchecked, const given& q, when_full policy, seed s, const keyed_options& o,
                 Memory... memory)
        : quotas_(q, o), hash_(s), policy_(policy), lines_(memory...) {
        detail::refuse(refusal(q, o));
        if (lines_.size() == 0 || lines_.size() > UINT32_MAX)
            detail::end_program("a keyed table has one line at least and fewer than 2^32");
    }

    // Where only the states matter, relaxed order would do.
    template <class Act>
    void each_place(Act act) noexcept(noexcept(act(std::declval<typename layout::place&>(), 0))) {
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            for (auto& place : lines_[i].place) act(place, layout::load(place));
        }
    }

    alignas(cache_line) quotas quotas_;
    alignas(cache_line) key_hash hash_;
    when_full policy_;
    [[no_unique_address]] Observer observer_;
    places_of_table<Places, stripes, turns> turns_;
    alignas(cache_line) places_of_table<Places, Places / places_in_line, line> lines_;
};

// What a key's limiter works with: its place, which is looked for, and what all keys share.
template <std::size_t Places, clock Clock, keyed_layout Layout, class Observer>
class keyed_limits<Places, Clock, Layout, Observer>::parts {
public:
    using cell_type = keyed_limits::cell_type;
    using setting_type = keyed_limits::setting_type;
    using ledger_type = no_ledger;
    using observer_type = Observer;

    [[gnu::always_inline]] parts(keyed_limits& all, std::uint64_t hash,
                                 const setting_type& its) noexcept
        : all_(&all),
          setting_(&its),
          hash_(hash),
          cell_(key_places_type(all.lines_, all.lines_.size(), &all.turns_[0], hash), all.policy_) {
    }

    [[nodiscard, gnu::always_inline]] const setting_type& setting() const noexcept {
        return *setting_;
    }
    [[nodiscard, gnu::always_inline]] cell_type& cell() const noexcept { return cell_; }
    [[nodiscard, gnu::always_inline]] static ledger_type ledger() noexcept { return {}; }
    [[nodiscard, gnu::always_inline]] Observer& observer() const noexcept {
        return all_->observer_;
    }
    [[nodiscard, gnu::always_inline]] static nothing_to_start to_start() noexcept { return {}; }

    // A key has no address, so this is a number instead of one: odd, as no limit's address is, and
    // another one for each key and table.
    [[nodiscard]] const void* identity() const noexcept {
        const auto table = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(all_));
        const auto number = static_cast<std::uintptr_t>((hash_ + table) | 1U);
        return reinterpret_cast<const void*>(number);  // NOLINT(performance-no-int-to-ptr)
    }

private:
    keyed_limits* all_;
    const setting_type* setting_;
    std::uint64_t hash_;
    mutable cell_type cell_;
};

template <std::size_t Places, clock Clock, keyed_layout Layout, class Observer>
class keyed_limits<Places, Clock, Layout, Observer>::entry : public basic_limiter<parts> {
public:
    // Which key of which table it stands for. A copy is the same limit.
    [[nodiscard]] const void* identity() const noexcept { return this->parts().identity(); }

private:
    friend keyed_limits;
    [[gnu::always_inline]] entry(keyed_limits& all, std::uint64_t hash,
                                 const setting_type& its) noexcept
        : basic_limiter<keyed_limits::parts>(all, hash, its) {}
};

}  // namespace weir

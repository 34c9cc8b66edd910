// keyed_limits: a limit for each key (an address, an account, a text), in a table of a fixed size
// that needs no cleaning up. All keys share a quota and a clock; a key takes 8 bytes.
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
// protocol and its proof are in key_places.hpp.
//
// A key that is idle is as good as one that was never seen, so its place may be taken by another
// key. A late clock could find it busy still. So that happens only when it has been idle for the
// `guard`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/end_program.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/basic_limiter.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/own_parts.hpp>
#include <weir/table/array_places.hpp>
#include <weir/table/key_cell.hpp>
#include <weir/table/key_hash.hpp>
#include <weir/table/key_places.hpp>
#include <weir/table/when_full.hpp>

namespace weir {

struct keyed_options {
    // How many units `charge` may take beyond what is there.
    std::int64_t debt = options::whole_burst;

    // How far a given `now` may lie behind the latest one without admitting more. A key keeps its
    // place for so long after it has become idle.
    nanoseconds guard = milliseconds(10);
};

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
    return (all / places_in_line + 1) * places_in_line;
}

#ifdef WEIR_HAS_DEFAULT_CLOCK
template <std::size_t Places, clock Clock = default_clock, class Observer = unobserved>
#else
template <std::size_t Places, clock Clock, class Observer = unobserved>
#endif
class keyed_limits {
    static_assert(sizeof(word) == 8, "a keyed table needs 64-bit words");
    static_assert(Places % places_in_line == 0, "a keyed table has a multiple of 8 places");

    using setting_type = fixed_setting<key_cell<>, Clock>;

public:
    // The memory of eight places. All zeros is eight empty ones.
    using line = line_of_keys<>;

    class parts;
    class entry;

    // A quota that cannot be held throws `refused`, or without exceptions prints the reason and
    // ends the program; `refusal` tells it before.
    keyed_limits(const quota& q, when_full policy, seed s,
                 const keyed_options& o = {}) requires(Places != any_size)
        : keyed_limits(unchecked{}, q, policy, s, o) {}
    // In memory that is given, which must outlive the table: an array of lines, or a std::span, a
    // std::array or a std::vector of them. It begins anew there.
    template <class Memory>
    keyed_limits(Memory&& memory, const quota& q, when_full policy, seed s,
                 const keyed_options& o = {}) requires(Places == any_size &&
                                                       memory_of<Memory, line>)
        : keyed_limits(unchecked{}, q, policy, s, o, detail::first_of(memory),
                       detail::size_of(memory)) {}
#if __STDC_HOSTED__
    // In one allocation, which is rounded up to whole lines.
    keyed_limits(std::size_t places, const quota& q, when_full policy, seed s,
                 const keyed_options& o = {}) requires(Places == any_size)
        : keyed_limits(unchecked{}, q, policy, s, o,
                       places / places_in_line + (places % places_in_line != 0 ? 1U : 0U)) {}
#endif
    keyed_limits(const keyed_limits&) = delete;
    keyed_limits& operator=(const keyed_limits&) = delete;
    ~keyed_limits() = default;

    // Why a quota cannot be held, or `none`.
    [[nodiscard]] static constexpr quota_error refusal(const quota& q,
                                                       const keyed_options& o = {}) noexcept {
        return setting_type::refusal(q, as_options(o));
    }

    // The limit of a key: an integer, an enumeration, text, a span of bytes or a `hashed`.
    // Wait-free but for the length of a text.
    template <class Key>
    [[nodiscard, gnu::always_inline]] entry operator[](const Key& key) noexcept {
        return entry(*this, hash_(key));
    }

    [[nodiscard]] std::size_t size() const noexcept { return lines_.size() * places_in_line; }

    // Looks at every place, so it takes a while. A racy snapshot, for which relaxed order suffices.
    [[nodiscard]] keyed_statistics statistics() noexcept { return statistics(Clock::now()); }
    [[nodiscard]] keyed_statistics statistics(instant<Clock> now) noexcept {
        const in_force s(setting_, none{}, now);
        keyed_statistics all{size(), 0, 0, 0, {}};
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            for (const auto& place : lines_[i].place) {
                const bool is_free = key_word::until_free(place.load_relaxed(), now, s.rate()) <= 0;
                all.occupied += is_free ? 0U : 1U;
            }
        }
        std::uint64_t granules = 0;
        for (const turns& t : turns_) {
            all.steals += t.steals.load_relaxed();
            all.full += t.full.load_relaxed();
            granules += t.forgiven.load_relaxed();
        }
        // In ticks, of which each is 2^shift fractions.
        const wide ticks = divide_up(wide{0, granules} << key_word::tag_bits,
                                     {0, std::uint64_t{1} << s.rate().shift()});
        all.forgiven = to_time<Clock>(ticks.fits(UINT64_MAX) ? ticks.low : UINT64_MAX);
        return all;
    }

    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }

private:
    using in_force = typename setting_type::in_force;
    using turns = key_turns<>;
    struct unchecked {};
    // Places begin empty, so there is nothing to start.
    struct none {
        template <class Rate>
        static void start(tick, std::uint64_t, const Rate&) noexcept {}
    };

    [[nodiscard]] static constexpr options as_options(const keyed_options& o) noexcept {
        return {.debt = o.debt, .queue = 0, .guard = o.guard};
    }

    template <class... Memory>
    keyed_limits(unchecked, const quota& q, when_full policy, seed s, const keyed_options& o,
                 Memory... memory)
        : setting_(q, as_options(o)), hash_(s), policy_(policy), lines_(memory...) {
        detail::refuse(refusal(q, o));
        if (lines_.size() == 0 || lines_.size() > UINT32_MAX)
            detail::end_program("a keyed table has 8 places at least and 2^35 at most");
    }

    [[nodiscard, gnu::always_inline]] key_cell<> cell_of(std::uint64_t hash) noexcept {
        return {key_places<>(lines_, lines_.size(), turns_, hash), policy_};
    }

    alignas(cache_line) setting_type setting_;
    alignas(cache_line) key_hash hash_;
    when_full policy_;
    [[no_unique_address]] Observer observer_;
    turns turns_[key_places<>::stripes];
    alignas(cache_line) array_places<Places / places_in_line, line> lines_;
};

// What a key's limiter works with: its place, which is looked for, and what all keys share.
template <std::size_t Places, clock Clock, class Observer>
class keyed_limits<Places, Clock, Observer>::parts {
public:
    using cell_type = key_cell<>;
    using setting_type = keyed_limits::setting_type;
    using ledger_type = no_ledger;
    using observer_type = Observer;

    [[gnu::always_inline]] parts(keyed_limits& all, std::uint64_t hash) noexcept
        : all_(&all), hash_(hash), cell_(all.cell_of(hash)) {}

    [[nodiscard, gnu::always_inline]] const setting_type& setting() const noexcept {
        return all_->setting_;
    }
    [[nodiscard, gnu::always_inline]] key_cell<>& cell() const noexcept { return cell_; }
    [[nodiscard, gnu::always_inline]] static ledger_type ledger() noexcept { return {}; }
    [[nodiscard, gnu::always_inline]] Observer& observer() const noexcept {
        return all_->observer_;
    }
    [[nodiscard, gnu::always_inline]] static none to_start() noexcept { return {}; }

    // A key has no address, so this is a number in place of one: odd, as no limit's address is, and
    // another one for each key and table.
    [[nodiscard]] const void* identity() const noexcept {
        const auto table = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(all_));
        const auto number = static_cast<std::uintptr_t>((hash_ + table) | 1U);
        return reinterpret_cast<const void*>(number);  // NOLINT(performance-no-int-to-ptr)
    }

private:
    keyed_limits* all_;
    std::uint64_t hash_;
    mutable key_cell<> cell_;
};

template <std::size_t Places, clock Clock, class Observer>
class keyed_limits<Places, Clock, Observer>::entry : public basic_limiter<parts> {
public:
    // Which key of which table it stands for. A copy is the same limit.
    [[nodiscard]] const void* identity() const noexcept { return this->parts().identity(); }

private:
    friend keyed_limits;
    [[gnu::always_inline]] entry(keyed_limits& all, std::uint64_t hash) noexcept
        : basic_limiter<keyed_limits::parts>(all, hash) {}
};

}  // namespace weir

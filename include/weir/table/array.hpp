// SPDX-License-Identifier: MIT
// limiter_array: many limits by index (player slots, accounts, connections) that share a quota and
// a clock. An entry takes 8 bytes on 64-bit machines and 4 on 32-bit ones.
//
//     constinit weir::limiter_array<64> shots{weir::per_second(10)};
//     if (shots[player].try_acquire()) shoot(player);
//     shots[player].reset();  // the slot goes to another player
//
// `shots[i]` is a limit. It can be asked whatever a limiter can, and serves wherever a limit does.
// It is a pointer into the array, so it may be copied, and the array must outlive it. An index that
// is too large ends the program with a sentence.
//
// Everything may be called from any number of threads, without locks, but for `begin_as`, which
// needs the entry for itself. (A reset of the whole array uses all entries.) An entry
// is a cell of its own: its decisions linearise where the cell's do, and are as lock-free.
//
// The array begins with its first decision, whichever entry that is about; if it has classes, each
// class does. Most cells are full as long as nobody has used them. So if the limits begin full,
// that decision is as short as a limiter's first one. With another `options::start`, a
// token_bucket, a sliding_window or a sliding_log, it starts all entries, some nanoseconds each:
// have it made early, by a `peek`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/end_program.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/result.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/basic_limiter.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/own_parts.hpp>
#include <weir/table/array_places.hpp>

namespace weir {

struct array_layout {
    // Each entry has a cache line of its own: for a few entries that many cores hit at once. Packed
    // entries share lines, so two cores that hit neighbours slow each other down.
    bool apart = false;

    // Permits can be given back. That takes a ledger for each entry, 24 bytes.
    bool refunds = false;

    // So many quotas; each entry has one of them. If there is more than one, an entry takes a byte
    // more, rounded up to its word.
    std::size_t classes = 1;
};

#ifdef WEIR_HAS_DEFAULT_CLOCK
template <std::size_t Size, cell Cell = gcra<>, clock Clock = default_clock,
          array_layout Layout = array_layout{}, class Observer = unobserved>
#else
template <std::size_t Size, cell Cell, clock Clock, array_layout Layout = array_layout{},
          class Observer = unobserved>
#endif
class limiter_array {
    using setting_type = fixed_setting<Cell, Clock>;
    using ledger_type = std::conditional_t<Layout.refunds, ledger_of<Cell>, no_ledger>;
    static constexpr std::size_t classes = Layout.classes;

    static_assert(classes >= 1 && classes <= 256, "an array has between 1 and 256 classes");
    static_assert(!Layout.refunds || !std::is_same_v<ledger_of<Cell>, no_ledger>,
                  "this cell cannot refund, so its entries need no ledgers");

public:
    // One entry's memory.
    struct alignas(Layout.apart&& own_line > alignof(Cell) ? own_line : alignof(Cell)) place {
        mutable Cell cell{};
        [[no_unique_address]] ledger_type permits{};
        [[no_unique_address]] class_number<(classes > 1)> its_class{};
    };

    class parts;
    class entry;

    // A quota that cannot be held does not compile in a constant (`constinit`). At run time it
    // throws `refused`, or without exceptions prints the reason and ends the program; `refusal`
    // tells it before.
    constexpr explicit limiter_array(const quota& q,
                                     const options& o = {}) requires(Size != any_size &&
                                                                     classes == 1)
        : limiter_array(std::make_index_sequence<1>{}, &q, o) {}
    // A quota for each class. All entries begin in the first one.
    constexpr explicit limiter_array(const quota (&all)[classes],
                                     const options& o = {}) requires(Size != any_size)
        : limiter_array(std::make_index_sequence<classes>{}, all, o) {}

    // In memory that is given, which must outlive the array: an array of places, or a std::span, a
    // std::array or a std::vector of them. What was in it is forgotten. Or in one allocation.
    template <class Memory>
    limiter_array(Memory&& memory, const quota& q,
                  const options& o = {}) requires(Size == any_size && memory_of<Memory, place> &&
                                                  classes == 1)
        : limiter_array(std::make_index_sequence<1>{}, &q, o, detail::first_of(memory),
                        detail::size_of(memory)) {}
    template <class Memory>
    limiter_array(Memory&& memory, const quota (&all)[classes],
                  const options& o = {}) requires(Size == any_size && memory_of<Memory, place>)
        : limiter_array(std::make_index_sequence<classes>{}, all, o, detail::first_of(memory),
                        detail::size_of(memory)) {}
#if __STDC_HOSTED__
    limiter_array(std::size_t size, const quota& q,
                  const options& o = {}) requires(Size == any_size && classes == 1)
        : limiter_array(std::make_index_sequence<1>{}, &q, o, size) {}
    limiter_array(std::size_t size, const quota (&all)[classes],
                  const options& o = {}) requires(Size == any_size)
        : limiter_array(std::make_index_sequence<classes>{}, all, o, size) {}
#endif
    limiter_array(const limiter_array&) = delete;
    limiter_array& operator=(const limiter_array&) = delete;
    ~limiter_array() = default;

    [[nodiscard]] static constexpr quota_error refusal(const quota& q,
                                                       const options& o = {}) noexcept {
        return setting_type::refusal(q, o);
    }

    [[nodiscard, gnu::always_inline]] entry operator[](std::size_t i) & noexcept {
        if (i >= size()) [[unlikely]]
            end_without(i);
        return entry(*this, places_[i]);
    }
    // To look at.
    [[nodiscard]] const entry  // NOLINT(readability-const-return-type): nothing can be taken
    operator[](std::size_t i) const& noexcept {
        return const_cast<limiter_array&>(
            *this)[i];  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    }
    [[nodiscard, gnu::always_inline]] constexpr std::size_t size() const noexcept {
        return places_.size();
    }

    // All entries as at the beginning, one after the other; units that are taken meanwhile may
    // count before or after.
    void reset() noexcept { reset(Clock::now()); }
    void reset(instant<Clock> now) noexcept {
        for (std::size_t i = 0; i < size(); ++i) (*this)[i].reset(now);
    }

    // The entry goes to somebody of that class, and begins anew with that class's quota. (`reset`
    // keeps the class.) The class is a number or an enumerator. Nobody else may use the entry
    // meanwhile.
    template <class Class>
    void begin_as(std::size_t i, Class of_class) noexcept requires(classes > 1) {
        begin_as(i, of_class, Clock::now());
    }
    template <class Class>
    void begin_as(std::size_t i, Class its, instant<Clock> now) noexcept requires(classes > 1) {
        static_assert(std::is_enum_v<Class> || std::is_integral_v<Class>,
                      "a class is a number or an enumerator");
        const auto of_class = static_cast<std::size_t>(its);
        if (i >= size()) end_without(i);
        if (of_class >= classes) detail::end_program("an array of limits has no such class");
        places_[i].its_class.set(of_class);
        (*this)[i].reset(now);
    }
    [[nodiscard]] std::size_t class_of(std::size_t i) const noexcept requires(classes > 1) {
        if (i >= size()) [[unlikely]]
            end_without(i);
        return places_[i].its_class.get();
    }

    // For the windows of all entries: see `basic_limiter`.
    void set_anchor(instant<Clock> begin) noexcept
        requires(setting_type::has_anchor&& classes == 1) {
        set_anchor(begin, Clock::now());
    }
    void set_anchor(nanoseconds begin) noexcept requires(setting_type::has_anchor&& classes == 1) {
        set_anchor(instant<Clock>(window_anchor::at<Clock>(begin)));
    }
    void set_anchor(instant<Clock> begin, instant<Clock> now) noexcept
        requires(setting_type::has_anchor&& classes == 1) {
        if (size() == 0) return;
        setting_type& all = settings_[0];
        all.set_anchor(begin, typename setting_type::in_force(
                                  all, typename parts::cells{this, &places_[0]}, now));
    }

    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }

protected:
    // Of entries that have begun before, at a rate that was made before.
    limiter_array(place* begun, std::size_t size, const quota& q, const options& o,
                  const typename Cell::rate& made) noexcept
        : settings_{setting_type(q, o, made)}, places_(begun, size) {}
    // While nobody uses either. Limits that were taken before are of no use then.
    limiter_array(limiter_array&&) noexcept = default;

private:
    [[noreturn, gnu::cold, gnu::noinline]] void end_without(std::size_t i) const noexcept {
        const text sentence = text("an array of ").add(size()).add(" limits has no entry ").add(i);
        detail::end_program(sentence.c_str());
    }

    template <std::size_t... I, class... Places>
    constexpr limiter_array(std::index_sequence<I...>, const quota* all, const options& o,
                            Places... places)
        : settings_{setting_type(all[I], o)...}, places_(places...) {
        for (std::size_t i = 0; i < classes; ++i) {
            quota_error reason = setting_type::refusal(all[i], o);  // not const: see `limiter`
            if (reason != quota_error::none) detail::refuse(reason);
        }
    }

    alignas(own_line) alignas(setting_type) setting_type settings_[classes];
    alignas(own_line) alignas(array_places<Size, place>) array_places<Size, place> places_;
    [[no_unique_address]] Observer observer_;
};

// What an entry's limiter works with: its place, and what all entries share.
template <std::size_t Size, cell Cell, clock Clock, array_layout Layout, class Observer>
class limiter_array<Size, Cell, Clock, Layout, Observer>::parts {
public:
    using cell_type = Cell;
    using setting_type = limiter_array::setting_type;
    using ledger_type = limiter_array::ledger_type;
    using observer_type = Observer;

    [[gnu::always_inline]] parts(limiter_array& all, place& own) noexcept
        : all_(&all), own_(&own) {}

    [[nodiscard, gnu::always_inline]] const setting_type& setting() const noexcept {
        return all_->settings_[own_->its_class.get()];
    }
    [[nodiscard, gnu::always_inline]] Cell& cell() const noexcept { return own_->cell; }
    [[nodiscard, gnu::always_inline]] ledger_type& ledger() const noexcept { return own_->permits; }
    [[nodiscard, gnu::always_inline]] Observer& observer() const noexcept {
        return all_->observer_;
    }

    // Each thread starts its own entry at its first decision. One of the threads publishes the
    // rate, and before it does so it starts all other entries.
    struct cells {
        limiter_array* all;
        place* own;

        template <class Rate, class Word>
        void start(tick now, Word units, const Rate& r) const noexcept {
            own->cell.start(now, units, r);
        }
        template <class Rate, class Word>
        void start_others(tick now, Word units, const Rate& r) const noexcept {
            const std::size_t of_class = own->its_class.get();
            if (units == all->settings_[of_class].burst() && is_full_by_itself(now, units, r))
                return;
            for (std::size_t i = 0; i < all->size(); ++i) {
                const place& other = all->places_[i];
                if (other.its_class.get() == of_class) other.cell.start(now, units, r);
            }
        }
    };
    [[nodiscard, gnu::always_inline]] cells to_start() const noexcept { return {all_, own_}; }

private:
    // Is an unused cell as good as a full one? The word of an unused cell is 0, which most rates
    // read as a time long ago. A rate that has an `unused` of its own does not.
    template <class Rate, class Word>
    [[nodiscard]] static bool is_full_by_itself(tick now, Word all_units, const Rate& r) noexcept {
        if constexpr (
            sizeof(Cell) == sizeof(Word) && requires { r.shift(); } &&
            !requires { Rate::unused; }) {
            Cell filled;
            filled.fill(now, all_units, r);
            // Times live on a circle. 0 must stay in the past for as long as half of it takes.
            return fractions<Word>(now, r.shift()) <= largest<Word> / 2 &&
                   Cell().state(now, r) == filled.state(now, r);
        } else {
            return false;
        }
    }

    limiter_array* all_;
    place* own_;
};

template <std::size_t Size, cell Cell, clock Clock, array_layout Layout, class Observer>
class limiter_array<Size, Cell, Clock, Layout, Observer>::entry : public basic_limiter<parts> {
public:
    // Two entries with the same one are the same limit. See `limit_view`.
    [[nodiscard]] const void* identity() const noexcept { return &this->parts().cell(); }

private:
    friend limiter_array;
    [[gnu::always_inline]] entry(limiter_array& all, place& own) noexcept
        : basic_limiter<parts>(all, own) {}
};

}  // namespace weir

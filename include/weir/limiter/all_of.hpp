// SPDX-License-Identifier: MIT
// all_of: several limits at once, such as 10 a second and 500 a minute: all of them or none.
//
// It looks at all members first, so that a refusal writes nothing, and then takes from each. Only
// in a race does one refuse then; what was taken from those before is refunded, by the rule of
// refunds. At a time that was given, which may be late, it is refunded only where nobody has come
// since: then nothing can have drained that passes again. Members whose cells cannot refund come
// last. So a lost race may leave a charge: too little is admitted then, never too much.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/all_of_member.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/joint_decision.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

// Why several limits are refused.
enum class all_of_error : std::uint8_t { none, limit_given_twice };

[[nodiscard]] constexpr const char* describe(all_of_error reason) noexcept {
    switch (reason) {
        case all_of_error::none: return "no error";
        case all_of_error::limit_given_twice: return "all_of takes each limit once";
    }
    return "unknown error";
}

namespace detail {

// Not constexpr: in a constant expression the compiler stops here and shows the name.
inline void all_of_takes_each_limit_once() {}

}  // namespace detail

// For `result`: stops the compiler.
constexpr void must_not_compile(all_of_error reason) {
    if (reason != all_of_error::none) detail::all_of_takes_each_limit_once();
}

// One of the members may be an in_flight. Then an admission is a call that has begun: it takes one
// place, however many units it takes of the others, and the answer has its token.
template <class... Limits>
    requires((limit<Limits> || places<Limits>)&&...)
class all_of : public detail::common_clock<typename detail::member<Limits>::clock...> {
    using first = typename detail::first_clock<typename detail::member<Limits>::clock...>::type;
    using indices = std::index_sequence_for<Limits...>;
    using times = std::tuple<typename detail::member<Limits>::time...>;
    using time = instant<first>;  // if they have one clock
    static constexpr bool one_clock = detail::one_clock<typename detail::member<Limits>::clock...>;
    static constexpr std::size_t caps = (std::size_t{places<Limits>} + ...);

public:
    static_assert(sizeof...(Limits) >= 2 && sizeof...(Limits) <= 8, "all_of takes 2 to 8 limits");
    static_assert(caps <= 1 && !(calling<Limits> || ...),
                  "all_of takes one in_flight, and no all_of that has one");
    using decision_type = joint_decision<typename detail::member<Limits>::decision...>;
    using answer_type = std::conditional_t<caps != 0, joint_call<decision_type>, decision_type>;
    using token_type = call_token;  // with an in_flight

    // The limits must outlive it. One that is there twice is refused: it would be looked at for n
    // units and asked for twice as many. (It is not noticed if one of the two is a member of a
    // member.) That does not compile in a constant; otherwise it throws `refused`, or without
    // exceptions prints the reason and ends the program.
    constexpr explicit all_of(detail::given_limit<Limits>... limits) : all_of(members(limits...)) {
        detail::refuse(refusal(limits_, indices{}));
    }

    template <class... Others>
        requires(sizeof...(Others) == sizeof...(Limits) &&
                 (detail::not_named<Others, Limits> || ...))
    constexpr explicit all_of(Others&&... limits)
        : all_of(detail::named<Limits, Others>(limits)...) {}

    // The same with an error value.
    [[nodiscard]] static constexpr result<all_of, all_of_error>
    make(detail::given_limit<Limits>... limits) noexcept {
        const members all(limits...);
        const all_of_error reason = refusal(all, indices{});
        if (reason != all_of_error::none) return reason;
        return all_of(all);
    }

    // All n units from every member now, or none. A clock that members share is read once. Each
    // member's observer hears of what that member admits or refuses.
    [[gnu::always_inline]] answer_type try_acquire(unit_count n = 1) noexcept {
        return take_all<false>(n, read_clocks(), indices{});
    }
    [[gnu::always_inline]] answer_type try_acquire(unit_count n,
                                                   time now) noexcept requires one_clock {
        return take_all<true>(n, for_all(now), indices{});
    }

    // What try_acquire would answer. Takes nothing.
    [[nodiscard]] decision_type peek(unit_count n = 1) const noexcept {
        return look(n, read_clocks(), indices{});
    }
    [[nodiscard]] decision_type peek(unit_count n, time now) const noexcept requires one_clock {
        return look(n, for_all(now), indices{});
    }

    // What is built of it looks first and does not try after a refusal. Then the members that
    // refused have decided: their observers hear of it.
    void tell_refusals(const decision_type& d) noexcept { tell_each(d, indices{}); }

    // Whose place an admission takes.
    [[nodiscard]] in_flight& calls() const noexcept requires(caps == 1) {
        return std::get<cap>(limits_).get();
    }

private:
    using members = std::tuple<detail::kept_limit<Limits>...>;

    constexpr explicit all_of(const members& limits) noexcept : limits_(limits) {}

    template <std::size_t... I>
    [[nodiscard]] static constexpr all_of_error refusal(const members& limits,
                                                        std::index_sequence<I...>) noexcept {
        const std::array<const void*, sizeof...(Limits)> all{std::get<I>(limits).identity()...};
        for (std::size_t i = 1; i < all.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (all[i] == all[k]) return all_of_error::limit_given_twice;
            }
        }
        return all_of_error::none;
    }

    [[nodiscard, gnu::always_inline]] static times for_all(time now) noexcept {
        return {detail::member<Limits>::at(now)...};
    }
    [[nodiscard, gnu::always_inline]] static times read_clocks() noexcept {
        if constexpr (one_clock) {
            return for_all(first::now());
        } else {
            return {detail::member<Limits>::now()...};
        }
    }

    template <std::size_t I>
    [[nodiscard, gnu::always_inline]] auto look_at(word n, const times& now) const noexcept {
        using its = detail::member<std::tuple_element_t<I, std::tuple<Limits...>>>;
        return its::peek(std::get<I>(limits_).get(), n, std::get<I>(now));
    }
    template <std::size_t... I>
    [[gnu::always_inline]] decision_type look(word n, const times& now,
                                              std::index_sequence<I...>) const noexcept {
        const std::tuple<typename detail::member<Limits>::decision...> seen{look_at<I>(n, now)...};
        std::size_t refused_by = 0;
        (void)((std::get<I>(seen).admitted() && ++refused_by != 0) && ...);
        return decision_type(refused_by, std::get<I>(seen)...);
    }

    template <std::size_t... I>
    [[gnu::always_inline]] void tell_each(const decision_type& d,
                                          std::index_sequence<I...>) noexcept {
        (detail::tell_refusal(std::get<I>(limits_).get(), d.template of<I>()), ...);
    }

    template <bool TimeIsGiven, std::size_t... I>
    [[gnu::always_inline]] answer_type take_all(word n, const times& now,
                                                std::index_sequence<I...> all) noexcept {
        const decision_type seen = look(n, now, all);
        if (!seen) tell_each(seen, all);
        if constexpr (caps != 0) {
            if (!seen) return {seen, {}};
            // A place comes first, as it can be given back: by the token's end.
            call_token token = calls().try_begin();
            std::size_t refused_by = cap;
            if (token) refused_by = n == 0 ? sizeof...(I) : take<TimeIsGiven, 0>(n, now);
            if (refused_by == sizeof...(I)) [[likely]]
                return {seen, std::move(token)};
            token.end();
            return {decision_type(refused_by, look_at<I>(n, now)...), {}};
        } else {
            if (!seen || n == 0) return seen;
            const std::size_t refused_by = take<TimeIsGiven, 0>(n, now);
            if (refused_by == sizeof...(I)) [[likely]]
                return seen;
            return decision_type(refused_by, look_at<I>(n, now)...);
        }
    }

    // Takes from the members from `Place` in the order on, or gives back and says who refused.
    template <bool TimeIsGiven, std::size_t Place>
    [[gnu::always_inline]] std::size_t take(word n, const times& now) noexcept {
        if constexpr (Place == sizeof...(Limits)) {
            return Place;
        } else if constexpr (order[Place] == cap) {
            return take<TimeIsGiven, Place + 1>(n, now);  // its place is taken
        } else {
            constexpr std::size_t member = order[Place];
            auto& its = std::get<member>(limits_).get();
            if constexpr (undoing<std::remove_reference_t<decltype(its)>>) {
                auto mine = its.reserve(n, nanoseconds{}, std::get<member>(now));
                if (!mine) return member;
                const std::size_t refused_by = take<TimeIsGiven, Place + 1>(n, now);
                if (refused_by != sizeof...(Limits)) [[unlikely]]
                    give_back<TimeIsGiven>(its, std::move(mine));
                return refused_by;
            } else {
                if (!its.try_acquire(n, std::get<member>(now))) return member;
                return take<TimeIsGiven, Place + 1>(n, now);
            }
        }
    }

    // Out of the way: by value, so that what is held can stay in registers.
    template <bool TimeIsGiven, class Limit, class Permit>
    [[gnu::noinline, gnu::cold]] static void give_back(Limit& its, Permit mine) noexcept {
        if constexpr (TimeIsGiven) {
            (void)its.undo(std::move(mine));
        } else {
            // By now it is later than when the clock was read before.
            (void)its.refund(std::move(mine));
        }
    }

    // Which member is an in_flight; their number if none is.
    static constexpr std::size_t cap = [] {
        constexpr std::array is_cap{places<Limits>...};
        std::size_t i = 0;
        while (i < is_cap.size() && !is_cap[i]) ++i;
        return i;
    }();

    // Those that take back first.
    static constexpr auto order = [] {
        std::array<std::size_t, sizeof...(Limits)> members{};
        constexpr std::array undo{undoing<Limits>...};
        std::size_t place = 0;
        for (const bool can : {true, false}) {
            for (std::size_t i = 0; i < undo.size(); ++i) {
                if (undo[i] == can) members[place++] = i;
            }
        }
        return members;
    }();

    members limits_;
};

// Entries of arrays may be given by value: all_of(shots[player], whole_server).
template <class... Limits>
all_of(Limits&&...) -> all_of<std::remove_cvref_t<Limits>...>;

}  // namespace weir

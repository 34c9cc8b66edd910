// SPDX-License-Identifier: MIT
// Claims about turns, of each state that some lanes can reach. Only how far a lane's time is ahead
// of its class matters, and that has a bound; so with costs of a few units there are some thousand
// states, however long it runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/pacer/turns.hpp>

#include "claim.hpp"

namespace proof {

template <std::size_t Lanes>
struct turns {
    using rule = weir::turns<Lanes>;
    using mask = typename rule::mask;

    static constexpr unsigned classes = rule::classes;

    // The members, in their order.
    struct fields {
        struct entry {
            std::uint64_t time;
            std::uint64_t per_unit;
            std::uint8_t priority;
            std::uint8_t limit;
        };
        struct shared {
            const void* limit;
            mask lanes;
            std::int64_t owed;
        };
        entry lanes[Lanes];
        mask of[classes];
        mask elsewhere;
        std::size_t turn;
        std::size_t served;
        std::int64_t others;
        unsigned last;
        bool someone_waits;
        shared limits[Lanes + 1];
        std::uint64_t time[Lanes + 1][classes];

        // Of the last turn of that lane's class.
        [[nodiscard]] std::uint64_t since(std::size_t lane) const noexcept {
            return time[lanes[lane].limit][lanes[lane].priority];
        }
        // How far the lane is ahead of it.
        [[nodiscard]] std::uint64_t ahead(std::size_t lane) const noexcept {
            const std::uint64_t t = lanes[lane].time;
            return t > since(lane) ? t - since(lane) : 0;
        }
        [[nodiscard]] bool has_entered(std::size_t lane) const noexcept {
            return (of[lanes[lane].priority] >> lane & 1) != 0;
        }
        [[nodiscard]] bool are_alike(std::size_t a, std::size_t b) const noexcept {
            return lanes[a].limit == lanes[b].limit && lanes[a].priority == lanes[b].priority;
        }
    };
    static_assert(sizeof(fields) == sizeof(rule));
    [[nodiscard]] static fields of(const rule& t) noexcept { return __builtin_bit_cast(fields, t); }
    [[nodiscard]] static rule made_of(const fields& f) noexcept {
        return __builtin_bit_cast(rule, f);
    }
    [[nodiscard]] static bool are_same(const rule& a, const rule& b) noexcept {
        const fields f = of(a);
        const fields g = of(b);
        for (std::size_t i = 0; i < Lanes; ++i) {
            if (f.has_entered(i) != g.has_entered(i) || f.ahead(i) != g.ahead(i)) return false;
        }
        for (std::size_t i = 0; i <= Lanes; ++i) {
            if (f.limits[i].owed != g.limits[i].owed) return false;
        }
        return f.served == g.served;
    }

    // These lanes have something; the one whose turn it is has an item that costs so much, which is
    // no more than `costliest`. `costs` are those of each lane's item before.
    struct asked {
        rule state;
        unsigned costs[Lanes];
        unsigned priorities[Lanes];
        unsigned weights[Lanes];
        const void* limits[Lanes];
        unsigned one_in;  // what `lowest_gets_one_in` was told
        mask ready;
        unsigned cost;
        unsigned costliest;
    };
    using q = const asked&;

    [[nodiscard]] static std::size_t pick(const rule& state, mask ready) noexcept {
        rule t = state;
        return t.pick(ready);
    }
    [[nodiscard]] static std::size_t pick(q a) noexcept { return pick(a.state, a.ready); }
    [[nodiscard]] static bool is_ready(q a, std::size_t lane) noexcept {
        return (a.ready >> lane & 1) != 0;
    }
    [[nodiscard]] static rule served(q a) noexcept {
        rule t = a.state;
        const std::size_t lane = t.pick(a.ready);
        if (lane != rule::nobody) t.served(lane, a.cost);
        return t;
    }

    static bool somebody_has_a_turn_if_anyone_is_ready(q a) noexcept {
        const std::size_t lane = pick(a);
        return a.ready == 0 ? lane == rule::nobody : lane < Lanes && is_ready(a, lane);
    }
    static bool to_ask_again_changes_nothing(q a) noexcept {
        rule t = a.state;
        (void)t.pick(a.ready);
        for (mask other = 0; other < mask{1} << Lanes; ++other) {
            const fields f = of(a.state);
            mask some = 0;
            for (std::size_t i = 0; i < Lanes; ++i) {
                if (f.has_entered(i)) some |= other & mask{1} << i;
            }
            if (pick(t, some) != pick(a.state, some)) return false;
        }
        return are_same(t, a.state);
    }
    static bool the_first_class_goes_first(q a) noexcept {
        const std::size_t lane = pick(a);
        if (lane == rule::nobody || a.one_in >= 2) return true;
        for (std::size_t i = 0; i < Lanes; ++i) {
            if (is_ready(a, i) && a.priorities[i] < a.priorities[lane]) return false;
        }
        return true;
    }
    // With a minimum share: the first class of its limit, or the last one, whose share is due.
    static bool the_last_class_goes_only_for_its_share(q a) noexcept {
        const std::size_t lane = pick(a);
        if (lane == rule::nobody) return true;
        bool is_first = true;
        bool is_last = true;
        for (std::size_t i = 0; i < Lanes; ++i) {
            if (!is_ready(a, i) || a.limits[i] != a.limits[lane]) continue;
            if (a.priorities[i] < a.priorities[lane]) is_first = false;
            if (a.priorities[i] > a.priorities[lane]) is_last = false;
        }
        const fields f = of(a.state);
        const std::int64_t owed = f.limits[f.lanes[lane].limit].owed;
        const bool is_due = a.one_in >= 2 && owed >= static_cast<std::int64_t>(a.one_in) - 1;
        return (is_first && (is_last || !is_due)) || (is_last && is_due);
    }
    static bool the_earliest_of_its_class_goes(q a) noexcept {
        const std::size_t lane = pick(a);
        if (lane == rule::nobody) return true;
        const fields f = of(a.state);
        for (std::size_t i = 0; i < Lanes; ++i) {
            if (!is_ready(a, i) || !f.are_alike(i, lane)) continue;
            if (f.ahead(i) < f.ahead(lane) || (f.ahead(i) == f.ahead(lane) && i < lane))
                return false;
        }
        return true;
    }
    // So two that have something differ by no more than an item each, see the next claim.
    static bool none_is_further_ahead_than_by_its_own_item(q a) noexcept {
        const fields f = of(a.state);
        for (std::size_t i = 0; i < Lanes; ++i) {
            if (f.ahead(i) > a.costs[i] * f.lanes[i].per_unit) return false;
        }
        return true;
    }
    // By cost and weight; and it costs nobody else of its class anything who has something.
    static bool an_item_costs_its_cost(q a) noexcept {
        const std::size_t lane = pick(a);
        if (lane == rule::nobody) return true;
        const fields before = of(a.state);
        const fields after = of(served(a));
        for (std::size_t i = 0; i < Lanes; ++i) {
            const std::uint64_t cost =
                i == lane ? a.cost * (std::uint64_t{1} << 28) / a.weights[i] : 0;
            const bool asks = is_ready(a, i) && before.are_alike(i, lane);
            // Where times begin anew all of them do.
            if (asks && after.ahead(i) + before.ahead(lane) != before.ahead(i) + cost) return false;
        }
        return true;
    }
    static bool it_changes_nothing_on_another_limit(q a) noexcept {
        const std::size_t lane = pick(a);
        if (lane == rule::nobody) return true;
        const fields before = of(a.state);
        const fields after = of(served(a));
        for (std::size_t i = 0; i < Lanes; ++i) {
            const auto its = before.lanes[i].limit;
            if (its == before.lanes[lane].limit) continue;
            if (after.ahead(i) != before.ahead(i)) return false;
            if (after.limits[its].owed != before.limits[its].owed) return false;
        }
        return true;
    }
    // Of the units that have gone while it waited at least one in so many was its own, but for an
    // item.
    static bool the_last_class_gets_its_share(q a) noexcept {
        const fields f = of(a.state);
        const std::int64_t others = a.one_in < 2 ? 0 : static_cast<std::int64_t>(a.one_in) - 1;
        for (const auto& l : f.limits) {
            if (a.one_in < 2 && l.owed != 0) return false;
            if (l.owed > others - 1 + a.costliest || l.owed < -others * a.costliest) return false;
        }
        return true;
    }
    static bool to_leave_and_come_back_wins_nothing(q a) noexcept {
        for (std::size_t i = 0; i < Lanes; ++i) {
            if (!of(a.state).has_entered(i)) continue;
            rule t = a.state;
            t.leave(i);
            t.enter(i, a.priorities[i], a.weights[i], a.limits[i]);
            bool is_alone = a.limits[i] != nullptr;  // whose limit is forgotten with it
            for (std::size_t j = 0; j < Lanes; ++j) {
                if (j != i && a.limits[j] == a.limits[i] && of(a.state).has_entered(j))
                    is_alone = false;
            }
            if (!is_alone && !are_same(t, a.state)) return false;
        }
        return true;
    }
    // The same state, so late that times have to begin anew.
    static bool it_goes_on_when_times_begin_anew(q a) noexcept {
        const std::size_t lane = pick(a);
        if (lane == rule::nobody) return true;
        fields f = of(a.state);
        const fields was = f;
        const std::uint64_t end = (std::uint64_t{1} << 62) - f.lanes[lane].per_unit / 2;
        const std::uint64_t more = end - (f.since(lane) + f.ahead(lane));
        for (std::size_t i = 0; i < Lanes; ++i) {
            f.lanes[i].time = was.since(i) + was.ahead(i) + more;
        }
        for (auto& of_limit : f.time) {
            for (std::uint64_t& time : of_limit) time += more;
        }
        asked late = a;
        late.state = made_of(f);
        const rule then = served(late);
        return of(then).since(lane) == 0 && are_same(then, served(a));
    }
};

#define WEIR_CLAIMS_OF_TURNS(CLAIM)                                                                \
    CLAIM(somebody_has_a_turn_if_anyone_is_ready, no_x)                                            \
    CLAIM(to_ask_again_changes_nothing, no_x)                                                      \
    CLAIM(the_first_class_goes_first, no_x)                                                        \
    CLAIM(the_last_class_goes_only_for_its_share, no_x)                                            \
    CLAIM(the_earliest_of_its_class_goes, no_x)                                                    \
    CLAIM(none_is_further_ahead_than_by_its_own_item, no_x)                                        \
    CLAIM(an_item_costs_its_cost, no_x)                                                            \
    CLAIM(it_changes_nothing_on_another_limit, no_x)                                               \
    CLAIM(the_last_class_gets_its_share, no_x)                                                     \
    CLAIM(to_leave_and_come_back_wins_nothing, no_x)                                               \
    CLAIM(it_goes_on_when_times_begin_anew, no_x)

}  // namespace proof

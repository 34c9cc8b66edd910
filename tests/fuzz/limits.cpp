// SPDX-License-Identifier: MIT
// Limiters: refunds against the axis of time on paper, a quota that changes against an exact count
// of units; all else against cells alone, which fuzz/cells.cpp compares with exact models, and a
// lease against what its limit lets pass.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "../oracle/adjustable_history.hpp"
#include "../oracle/refund_history.hpp"
#include "fuzz.hpp"

namespace {

template <class Cell>
struct open_cell : oracle::showing<Cell> {
    using base = Cell;
};
struct tag;

template <class Cell, std::uint64_t Hertz>
std::optional<std::string> of_refunds(oracle::dice d) {
    oracle::refund_tally sum;
    using limiter = weir::limiter<open_cell<Cell>, weir::manual_clock<tag, Hertz>>;
    return oracle::refund_disagreement<limiter>(d, sum);
}
std::optional<std::string> of_changes(oracle::dice d) {
    return oracle::adjustable_disagreement(d, 10'000);
}

using clock = weir::manual_clock<tag, 1'000'000>;
using instant = weir::instant<clock>;

// A cell without a limiter and its clock, of so many units a second.
template <class Cell>
struct lone_cell {
    using rate = typename Cell::rate;
    using word = typename Cell::word_type;

    lone_cell(std::int64_t units, instant now)
        : held(rate::make(weir::quota{units, weir::seconds(1)}, clock::hertz()).value()) {
        fill(now);
    }
    void fill(instant now) { cell.fill(now, held.burst(), held); }

    rate held;
    Cell cell;
};

void pass_time(oracle::dice& d, instant& now) {
    now.count += d.chance(50) ? d.roll(4) : static_cast<weir::word>(d.magnitude(2'000'000));
}

template <class Limited, class Alone>
bool same(const Limited& limited, const Alone& alone) {
    return limited.verdict() == alone.verdict() && limited.remaining() == alone.remaining() &&
           limited.ticks().reset_after() == alone.reset_after() &&
           limited.ticks().retry_after() == alone.retry_after();
}

template <class Cell>
std::optional<std::string> of_limiter(oracle::dice d) {
    const auto units = 1 + static_cast<std::int64_t>(d.roll(60));
    instant now{d.next() >> 24U};
    lone_cell<Cell> alone(units, now);
    auto& cell = alone.cell;
    const auto& r = alone.held;
    weir::limiter<Cell, clock> limit{weir::quota{units, weir::seconds(1)}};
    (void)limit.peek(0, now);  // it starts with this
    while (!d.over()) {
        pass_time(d, now);
        const auto n = d.roll(static_cast<std::uint64_t>(units) + 2);
        bool good = true;
        const auto what = d.roll(16);
        if (what < 6) {
            good = same(limit.try_acquire(n, now), cell.try_acquire(now, n, r));
        } else if (what < 9) {
            const auto got = limit.acquire_up_to(n, now);
            const auto should = cell.acquire_up_to(now, n, r);
            good = got.units == should.units && same(got.after, should.after);
        } else if (what < 11) {
            good = same(limit.charge(n, now), cell.charge(now, n, r));
        } else if (what < 14) {
            good = same(limit.peek(n, now), cell.peek(now, n, r));
        } else if (what < 15) {
            good = limit.drain(now) == cell.acquire_up_to(now, r.burst(), r).units;
        } else {
            limit.reset(now);
            alone.fill(now);
        }
        if (!good) {
            return "of " + std::to_string(units) + " a second, action " + std::to_string(what) +
                   " of " + std::to_string(n) + " at " + std::to_string(now.count);
        }
    }
    return std::nullopt;
}

template <class First, class Second>
std::optional<std::string> of_several(oracle::dice d) {
    const auto some = 1 + static_cast<std::int64_t>(d.roll(60));
    const auto others = 1 + static_cast<std::int64_t>(d.roll(60));
    instant now{d.next() >> 24U};
    lone_cell<First> first(some, now);
    lone_cell<Second> second(others, now);
    weir::limiter<First, clock> one{weir::quota{some, weir::seconds(1)}};
    weir::limiter<Second, clock> other{weir::quota{others, weir::seconds(1)}};
    weir::all_of both{one, other};
    (void)both.peek(0, now);
    while (!d.over()) {
        pass_time(d, now);
        const auto n = d.roll(static_cast<std::uint64_t>(std::min(some, others)) + 2);
        const bool should = first.cell.peek(now, n, first.held).admitted() &&
                            second.cell.peek(now, n, second.held).admitted();
        const bool is = both.try_acquire(n, now).admitted();
        if (should) {
            (void)first.cell.try_acquire(now, n, first.held);
            (void)second.cell.try_acquire(now, n, second.held);
        }
        if (is != should || !same(one.peek(1, now), first.cell.peek(now, 1, first.held)) ||
            !same(other.peek(1, now), second.cell.peek(now, 1, second.held))) {
            return std::to_string(n) + " of " + std::to_string(some) + " and of " +
                   std::to_string(others) + " at " + std::to_string(now.count);
        }
    }
    return std::nullopt;
}

// All that leases and others have had, still have and could get: a burst, and a unit for each
// interval that has passed.
std::optional<std::string> of_lease(oracle::dice d) {
    constexpr weir::word interval = 1'000;  // ticks
    const auto burst = 1 + static_cast<std::int64_t>(d.roll(60));
    const instant start{d.next() >> 24U};
    weir::limiter<weir::gcra<>, clock> limit{weir::quota{1'000, weir::seconds(1), burst}};
    (void)limit.peek(0, start);
    weir::lease few(limit, 1 + d.roll(8), weir::nanoseconds(1'000 * (1 + d.next() % 8'192)));
    weir::lease many(limit, 1 + d.roll(100));
    weir::word spent = 0;
    for (instant now = start; !d.over();) {
        now.count += static_cast<weir::word>(d.magnitude(100 * interval));
        const auto n = d.roll(8);
        switch (d.roll(8)) {
            case 0: few.give_back(now); break;
            case 1: many.give_back(now); break;
            case 2: spent += limit.try_acquire(n, now) ? n : 0; break;
            case 3:
            case 4: spent += many.try_acquire(n, now) ? n : 0; break;
            default: spent += few.try_acquire(n, now) ? n : 0; break;
        }
        const weir::word all = spent + few.left() + many.left() + limit.peek(0, now).remaining();
        const weir::word most =
            static_cast<weir::word>(burst) + (now.count - start.count) / interval;
        if (all > most) return std::to_string(all) + " units instead of " + std::to_string(most);
    }
    few.give_back(start);
    many.give_back(start);
    return std::nullopt;
}

template <class... Cells>
struct histories {
    static constexpr fuzz::history all[] = {
        of_refunds<weir::gcra<>, 1'000'000'000>,
        of_refunds<weir::leaky_bucket<>, 19'200'000>,
        of_changes,
        of_limiter<Cells>...,
        of_several<weir::gcra<>, weir::sliding_log<64>>,
        of_several<weir::token_bucket<>, weir::leaky_bucket<>>,
        of_lease,
    };
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, weir::every_cell<64, weir::word>::as<histories>::all);
}

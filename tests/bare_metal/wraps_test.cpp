// SPDX-License-Identifier: MIT
// 32-bit words come round within minutes. Greedy demand gets the burst and then exactly the rate
// through several turns of the word, in steps of all sizes; and an idle cell is as new afterwards.
#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "check.hpp"

namespace {

// So that a period is a number with many zeros behind, which a token bucket, whose tokens lie in
// the low bits of its time, holds without rounding.
constexpr std::uint64_t hertz = 25'600'000;
constexpr std::uint32_t turns = 5;

// Time in 64 bits, of which a tick shows the lower half.
struct long_time {
    std::uint64_t count;
    [[nodiscard]] weir::tick now() const { return {static_cast<weir::word>(count)}; }
};

template <class Cell>
void through_several_wraps(checks& check, const char* name, const weir::quota& q) {
    const auto made = Cell::rate::make(q, hertz, {.guard = weir::microseconds(10)});
    check.is_true(name, static_cast<bool>(made));
    if (!made) return;
    const auto& rate = *made;
    const std::uint64_t period = hertz / static_cast<std::uint64_t>(q.units());
    const auto burst = static_cast<std::uint32_t>(q.burst());

    Cell cell;
    long_time time{4'294'000'000U};  // shortly before the first wrap
    cell.fill(time.now(), burst, rate);
    std::uint32_t admitted = 0;
    const std::uint64_t start = time.count;
    const std::uint64_t end = start + turns * (std::uint64_t{1} << 32U);
    std::uint32_t steps[] = {1, 2, 7, 3};  // in periods; no longer than the burst lasts
    for (unsigned i = 0; time.count < end; ++i) {
        while (cell.try_acquire(time.now(), 1, rate)) ++admitted;
        time.count += steps[i % 4] * period;
    }
    while (cell.try_acquire(time.now(), 1, rate)) ++admitted;
    const auto exact = static_cast<std::uint32_t>(burst + (time.count - start) / period);
    check.equal(name, admitted, exact);
    note(name, admitted);
}

// A pause of any length, many turns too, but one that ends near the relic of the last decision.
template <class Cell>
void is_as_new_after_a_pause(checks& check, const char* name, const weir::quota& q) {
    const auto rate = *Cell::rate::make(q, hertz, {.debt = 0, .guard = weir::microseconds(10)});
    const auto burst = static_cast<std::uint32_t>(q.burst());
    Cell cell;
    long_time time{1'000'000'000};
    cell.fill(time.now(), 0, rate);
    for (const std::uint64_t pause :
         {30'000'000ULL, 1'000'000'000ULL, 3'900'000'000ULL, 4'400'000'000ULL, 23'000'000'000ULL}) {
        time.count += pause;
        std::uint32_t admitted = 0;
        while (cell.try_acquire(time.now(), 1, rate)) ++admitted;
        check.equal(name, admitted, burst);
    }
}

// Times of a log are coarser than ticks, and must wrap together with them.
void log_through_several_wraps(checks& check, const weir::quota& q, std::uint64_t log_hertz) {
    using log_type = weir::sliding_log<16>;
    const auto rate = *log_type::rate::make(q, log_hertz);
    const auto units = static_cast<std::uint32_t>(q.units());
    const std::uint64_t ms = log_hertz / 1'000;
    log_type log;
    for (std::uint64_t turn = 1; turn <= turns; ++turn) {
        const long_time wrap{turn << 32U};
        log.fill(long_time{wrap.count - 2 * ms}.now(), units, rate);
        check.is_true("log before",
                      log.try_acquire(long_time{wrap.count - ms}.now(), units, rate).admitted());
        check.is_true("log after",
                      !log.try_acquire(long_time{wrap.count + ms}.now(), 1, rate).admitted());
    }
}

}  // namespace

int main() {
    checks check;
    const weir::quota q{1'000, weir::seconds(1), 10};
    weir::for_each_kind([&](auto kind) {
        using cell = typename decltype(kind)::template cell<1>;
        if constexpr (!weir::period_cell<cell>) {
            through_several_wraps<cell>(check, kind.name, q);
            is_as_new_after_a_pause<cell>(check, kind.name, q);
        }
    });
    log_through_several_wraps(check, {10, weir::seconds(1)}, 168'000'000);
    log_through_several_wraps(check, {10, weir::seconds(3'600)}, 1'000);
    return check.result();
}

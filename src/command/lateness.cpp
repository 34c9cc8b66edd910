// SPDX-License-Identifier: MIT
#include "command/lateness.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

#include <weir/adapter/linux_thread.hpp>
#include <weir/clock/default.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/pacer/schedule.hpp>

#include "command/figures.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

using clock_type = default_clock;

constexpr nanoseconds interval = milliseconds(1);
constexpr nanoseconds made_good = milliseconds(50);

double to_nanoseconds(word ticks) {
    return static_cast<double>(ticks) * 1e9 / static_cast<double>(clock_type::hertz());
}

// Calls `await`, which comes back when the next thing may go, and looks at the time.
template <class Await>
lateness lateness_by(waiting how, int things, instant<clock_type> begin, Await await) {
    std::vector<double> late;
    late.reserve(static_cast<std::size_t>(things));
    const nanoseconds used_before = linux_thread::used();
    const auto ticks_between = static_cast<word>(to_ticks<clock_type>(interval));
    auto due = begin;
    auto now = begin;
    auto first = begin;
    for (int i = 0; i < things; ++i) {
        due = due + ticks_between;
        await();
        now = clock_type::now();
        if (i == 0) first = now;
        late.push_back(earlier(due, now) ? to_nanoseconds(now.count - due.count) : 0);
    }
    const double time = to_nanoseconds(static_cast<word>(now.count - begin.count));
    const auto used = static_cast<double>(linux_thread::used().count() - used_before.count());
    std::sort(late.begin(), late.end());
    // From the first to the last: both are late. If the first was later, it seems too fast.
    const double gone = to_nanoseconds(static_cast<word>(now.count - first.count));
    const double share = (things - 1) * static_cast<double>(interval.count()) / gone;
    return {how,         late[late.size() / 2], late[late.size() * 99 / 100],
            late.back(), used / time,           std::min(share, 1.0)};
}

}  // namespace

lateness lateness_of(waiting how, int things) {
    schedule<clock_type> slots(quota(1, interval, 1), catch_up::within(made_good));
    detail::waiter<clock_type> me(how);
    const auto begin = clock_type::now();
    (void)slots.try_acquire(1, begin);  // from then on a slot each millisecond
    return lateness_by(how, things, begin, [&] {
        for (;;) {
            const auto now = clock_type::now();
            const auto d = slots.try_acquire(1, now);
            if (d) return;
            const auto start = now + d.ticks().retry_after();
            me.doze(
                now, start, [](nanoseconds time) { detail::nap_for(time, {}); },
                [&]() noexcept { return !earlier(clock_type::now(), start); });
        }
    });
}

lateness lateness_of_sleep_for(int things) {
    lateness l = lateness_by(waiting::sleep, things, clock_type::now(), [] {
        std::this_thread::sleep_for(std::chrono::nanoseconds(interval));
    });
    l.by_loop = true;
    return l;
}

table lateness_table(const std::vector<lateness>& all) {
    table t({"waiting", "half late by", "99 %", "longest", "of the rate", "of a core"});
    for (const lateness& l : all) {
        // Cut off: what is below 1 never reads as 1.
        const double share = std::floor(l.share_of_rate * 1e4) / 1e4;
        t.add({l.name(), brief_time(l.half), brief_time(l.most_but_1_percent),
               brief_time(l.longest), fixed(share, 4), fixed(100 * l.share_of_core, 0) + " %"});
    }
    return t;
}

void put(json& j, const lateness& l) {
    j.begin_object()
        .member("how", l.by_loop ? "sleep_for" : describe(l.how))
        .member("median_late_ns", l.half)
        .member("p99_late_ns", l.most_but_1_percent)
        .member("most_late_ns", l.longest)
        .member("share_of_rate", l.share_of_rate)
        .member("share_of_core", l.share_of_core)
        .end_object();
}

}  // namespace weir::command

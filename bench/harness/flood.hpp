// SPDX-License-Identifier: MIT
// A flood in virtual time: what becomes of a keyed table's honest keys while 200,000 keys a second
// come once each. The same in each run, on each machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/table/keyed.hpp>

namespace bench {

struct flood_outcome {
    double honest;      // the share of their requests that passes
    double once;        // the same of the keys that come once
    double abusive;     // what passes of an abusive key's requests, each second
    weir::word beyond;  // what passed of these beyond their quotas, together
    weir::keyed_statistics counted;
};

// For four seconds 1000 honest keys ask once in two seconds, and 20 abusive ones 100 times a
// second; each may do 10 a second. The table has 4096 places.
[[nodiscard]] inline flood_outcome flooded(weir::when_full policy) {
    struct flood;
    using clock = weir::manual_clock<flood>;
    constexpr int ms = 4000;
    constexpr int once_in_a_ms = 200;
    constexpr std::size_t abusive_keys = 20;
    clock::set(weir::tick{1'000'000'000'000});
    const auto all = std::make_unique<weir::keyed_limits<4096, clock>>(
        weir::per_second(10).with_burst(10), policy, weir::seed(20261120));
    std::uint64_t stranger = 1'000'000'000;
    std::array<weir::word, abusive_keys> passed{};
    double once = 0;
    double honest = 0;
    for (int t = 0; t < ms; ++t) {
        for (int i = 0; i < once_in_a_ms; ++i) {
            once += (*all)[stranger++].try_acquire() ? 1 : 0;
            clock::advance(weir::microseconds(1000 / once_in_a_ms));
            const auto who = static_cast<std::size_t>(i) / 10;
            if (i % 10 == 0 && static_cast<std::size_t>(t) % 10 == who % 10)
                passed.at(who) += (*all)[who].try_acquire() ? 1U : 0U;
        }
        if (t % 2 == 0) honest += (*all)[1000 + t / 2 % 1000].try_acquire() ? 1 : 0;
    }
    flood_outcome o{honest / (ms / 2), once / (ms * once_in_a_ms), 0, 0, all->statistics()};
    for (const weir::word p : passed) {
        constexpr weir::word fair = 10 + 10 * ms / 1000;
        o.abusive += static_cast<double>(p) / abusive_keys / (ms / 1000.0);
        o.beyond += p > fair ? p - fair : 0;
    }
    return o;
}

// As a table, for each policy. In flood.cpp.
void write_flood(std::ostream& out);

}  // namespace bench

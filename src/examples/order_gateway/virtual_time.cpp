// SPDX-License-Identifier: MIT
// A million messages in virtual time, over a network that is as unkind as its jitter lets it be.
// With the exact limits the gateway is never disconnected. With token buckets of the same rates and
// bursts it is, soon.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>

#include <weir/clock/manual.hpp>

#include "gateway.hpp"
#include "rules.hpp"

namespace {

using ns = std::int64_t;
constexpr long enough = 1'000'000;

template <class Tag>
struct simulated {
    using clock = weir::manual_clock<Tag>;

    static ns now() { return static_cast<ns>(clock::now().count); }

    // Messages keep their order, and take from 1 ms to 1 ms and the jitter. A slow stretch is
    // followed by a quick one, which brings them as close together as can be.
    struct network {
        simulated* to;
        void operator()(const rules::message& m) const { to->send(m); }
    };
    void send(const rules::message& m) {
        ++sent;
        if (m.is_cancel) ++cancels;
        if (!connected) return;
        if (dice() % 300 == 0) is_slow = !is_slow;
        const ns extra = is_slow ? jitter.count() : static_cast<ns>(dice() % 1'000'000);
        arrived = std::max(arrived, now() + 1'000'000 + extra);
        const ns its_time = arrived - arrived / 20'000;  // its clock is slow, by 50 millionths
        connected = exchange.receive(m, its_time);
        if (!connected)
            std::printf("  disconnected by message %ld, after %.2f s\n", sent, now() / 1e9);
        if (sent % 16 == 0) busiest = std::max(busiest, exchange.counted(its_time));
    }

    template <template <class> class Limits>
    bool run(const char* name) {
        std::printf("%s:\n", name);
        gateway<clock, network, Limits> g(network{this});
        std::uint32_t number = 0;
        while (connected && sent < enough) {
            // Every 10 ms a strategy wants to send up to 60 orders, or else up to 20 cancels: more
            // orders than may go, and 9 of 10 cancels that may.
            const ns event = now() + static_cast<ns>(dice() % 20'000'000);
            const auto account = static_cast<std::uint16_t>(dice() % rules::accounts);
            for (;;) {
                const auto next = g.pacer().poll();
                if (next.what != weir::polled::due || static_cast<ns>(next.at.count) > event) break;
                clock::set(next.at);
            }
            clock::set(weir::instant<clock>(event));
            const bool cancels_now = dice() % 100 < 9;
            for (unsigned n = dice() % (cancels_now ? 21 : 61); n > 0; --n) {
                if (!g.push({++number, account, cancels_now}) && cancels_now) ++lost;
            }
        }
        if (!connected) return false;
        const double seconds = now() / 1e9;
        const double most_orders = seconds * orders_of_session.units() / (window.count() / 1e9);
        share = static_cast<double>(sent - cancels) / most_orders;
        std::printf("  %ld messages in %.0f s, of which %ld are cancels; none cut off\n", sent,
                    seconds, cancels);
        std::printf("  orders: %.2f %% of what the jitter leaves; %ld were stale and dropped\n",
                    100 * share, g.dropped());
        std::printf("  the exchange counted up to %d in a window of %d\n", busiest,
                    rules::of_a_session);
        return true;
    }

    rules::session exchange;
    std::mt19937 dice{1};
    ns arrived = 0;
    bool is_slow = false;
    bool connected = true;
    long sent = 0;
    long cancels = 0;
    long lost = 0;  // cancels that found their lane full
    int busiest = 0;
    double share = 0;
};

}  // namespace

int main() {
    simulated<struct with_logs> ours;
    simulated<struct with_buckets> others;
    const bool never = ours.run<exact>("exact logs and a schedule");
    const bool always = others.run<buckets>("token buckets of the same rate and burst");
    return never && !always && ours.share > 0.99 && ours.lost == 0 ? 0 : 1;
}

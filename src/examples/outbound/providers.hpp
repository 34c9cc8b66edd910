// SPDX-License-Identifier: MIT
// The rules of some kinds of provider, as their pages tell them, written down as limits. Each class
// says when a call may begin, and hears what the provider answered. To copy and change.
//
// Two things are the same for all. A provider counts calls when they arrive, by its own clock; you
// count them when they leave. A call that took long may arrive together with the next ones. So each
// limit leaves room: windows are longer by `slack`, bursts are smaller by what comes meanwhile.
#pragma once

#include <chrono>
#include <cstdint>

#include <weir/adapter/http_told.hpp>
#include <weir/base/duration.hpp>
#include <weir/cell/fixed_window.hpp>
#include <weir/cell/sliding_log.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/given.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/limiter.hpp>

namespace outbound {

// So much longer may one call be on its way than another: measure yours. A ten-thousandth of the
// period comes on top, for clocks that run at two speeds.
inline constexpr weir::nanoseconds slack = weir::milliseconds(60);
constexpr weir::nanoseconds with_slack(weir::nanoseconds period) {
    return period + slack + weir::nanoseconds(period.count() / 10'000);
}

// An exchange's order throttle: 500 messages in any 3 seconds, or the session is cut. Nothing is
// told, so nothing may go wrong: a log is exact.
template <weir::clock Clock = weir::default_clock>
struct session {
    using log = weir::sliding_log<500>;

    weir::limiter<log, Clock> messages{weir::quota{500, with_slack(weir::seconds(3))}};
};

// A spot market: each call has a weight; 1200 of weight in each minute of its clock, 300 in any 10
// seconds, 5 calls at once. It tells what has been used of the minute, and who goes on after a 429
// is banned. A log holds for windows that begin anywhere, so its clock need not be known.
template <weir::clock Clock = weir::default_clock>
struct spot_market {
    weir::quota minute{1200, with_slack(weir::minutes(1))};
    weir::limiter<weir::fixed_window<>, Clock> in_a_minute{minute};
    weir::limiter<weir::sliding_log<300>, Clock> in_ten_seconds{
        weir::quota{300, with_slack(weir::seconds(10))}};
    weir::in_flight calls{5};
    weir::all_of<decltype(in_a_minute), decltype(in_ten_seconds), weir::in_flight> limits{
        in_a_minute, in_ten_seconds, calls};

    // Other programs use the same account: if more was used than we know of, less is left. The
    // answer does not know of the calls that are on their way.
    static constexpr std::uint64_t on_their_way = 5 * 5;
    void answered(const weir::http::told& told) {
        if (const auto left = told.left(minute, "used-weight-1m"))
            in_a_minute.lower_remaining(left->units > on_their_way ? left->units - on_their_way : 0,
                                        left->reset_after + slack);
    }
};

// A forge: 5000 calls in an hour that begins with the first one, 100 at once. It tells what is left
// and when the hour ends. Other programs use the same account.
template <weir::clock Clock = weir::default_clock>
struct forge {
    weir::limiter<weir::fixed_window<>, Clock> in_an_hour{
        weir::quota{5000, with_slack(weir::hours(1))}};
    weir::in_flight calls{100};
    weir::all_of<decltype(in_an_hour), weir::in_flight> limits{in_an_hour, calls};

    void answered(const weir::http::told& told) {
        if (const auto left = told.left(in_an_hour.quota()))
            in_an_hour.lower_remaining(left->units, left->reset_after + slack);
    }
};

// A language model: 500 requests and 200 000 tokens a minute, in buckets that fill all the time.
// How many tokens a call takes is known when it is answered. So a call takes one, its answer is
// charged the others, and the burst leaves room for the calls that are not answered yet.
template <weir::clock Clock = weir::default_clock>
struct language_model {
    static constexpr std::int64_t most_tokens = 4'000;  // of one call
    static constexpr std::int64_t most_calls = 8;

    weir::limiter<weir::gcra<>, Clock> requests{
        weir::quota{500, with_slack(weir::minutes(1)), 490}};
    weir::limiter<weir::gcra<>, Clock> tokens{
        weir::quota{200'000, with_slack(weir::minutes(1)), 200'000 - 2 * most_calls* most_tokens}};
    weir::in_flight calls{most_calls};
    weir::all_of<decltype(requests), decltype(tokens), weir::in_flight> limits{requests, tokens,
                                                                               calls};

    void answered(std::int64_t its_tokens) {
        (void)tokens.charge(static_cast<weir::word>(its_tokens - 1));
    }
};

// Of all calls at most a tenth are retries: when a provider is down, they do not make it worse. It
// is a limit whose time is the number of calls: each brings a tenth of a retry.
class retry_budget {
    using calls = weir::given_clock<struct counted_calls, 1>;

public:
    // A first try; in one thread.
    void called() { ++made_; }
    [[nodiscard]] bool may_retry() {
        return retries_.try_acquire(1, weir::instant<calls>(made_)).admitted();
    }

private:
    weir::limiter<weir::gcra<>, calls> retries_{weir::quota{1, weir::seconds(10), 10}};
    std::uint64_t made_ = 0;
};

}  // namespace outbound

// SPDX-License-Identifier: MIT
// The gateway: strategies push orders and cancels, and a pacer sends them as the exchange's rules
// allow. The exchange allows N messages in any window W, and counts them when it receives them.
//
// Two messages that left a time d apart may arrive only d - J apart, if the first one took J longer
// (J is the jitter of the way there). So what was received within W has left within W + J, and the
// limits here are N in W + J. A schedule that makes good a delay of tau lets messages go that much
// closer together. So its interval iv must satisfy
//
//     N x iv > W + tau + J
//
// With `catch_up::none()` tau is 0. The price of the jitter is that a share J / (W + J) of the
// exchange's rate is not used.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <weir/cell/sliding_log.hpp>
#include <weir/cell/token_bucket.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/table/array.hpp>

#include "rules.hpp"

// From the clock reading that a decision is made with to the exchange's: how much longer it may
// take for one message than for another. Measure it, from your thread's stalls to their switch.
inline constexpr weir::nanoseconds jitter = weir::milliseconds(20);
// The exchange's clock may run that much slower than ours in a window: 50 millionths.
inline constexpr weir::nanoseconds drift = weir::microseconds(50);
inline constexpr weir::nanoseconds window =
    weir::nanoseconds(rules::window) + jitter + drift + weir::nanoseconds(1);  // N x iv > ...

// Cancels have a fifth of all messages for themselves. So no order ever stands in their way.
inline constexpr weir::quota orders_of_session{rules::of_a_session * 4 / 5, window};
inline constexpr weir::quota cancels_of_session{rules::of_a_session / 5, window};
inline constexpr weir::quota orders_of_account{rules::of_an_account * 4 / 5, window};
inline constexpr weir::quota cancels_of_account{rules::of_an_account / 5, window};

// An order that waited for longer is stale, and is dropped.
inline constexpr weir::nanoseconds stale_after = weir::milliseconds(50);

// What holds: an account may send a burst, which an exact log counts, and the session's messages
// are evenly spaced.
template <class Clock>
struct exact {
    using account_cell = weir::sliding_log<orders_of_account.units()>;
    using session = weir::schedule<Clock>;
    static session paced(const weir::quota& q) { return session(q, weir::catch_up::none()); }
};

// What many programs have, to compare. A bucket lets its burst pass, and in the same window what
// comes back.
template <class Clock>
struct buckets {
    using account_cell = weir::token_bucket<>;
    using session = weir::limiter<weir::token_bucket<>, Clock>;
    static session paced(const weir::quota& q) { return session(q); }
};

template <class Clock, class Wire, template <class> class Limits = exact>
class gateway {
    using its = Limits<Clock>;
    using accounts = weir::limiter_array<rules::accounts, typename its::account_cell, Clock>;
    using session = typename its::session;
    using limit = weir::all_of<typename accounts::entry, session>;

    struct sink {
        gateway* whose;
        void emit(rules::message&& m) { whose->wire_(m); }
        void drop(rules::message&&, weir::dropped) { ++whose->dropped_; }
    };
    using pacer_type =
        weir::pacer<rules::message, sink, limit&, weir::lanes<std::size_t{2} * rules::accounts>>;

public:
    explicit gateway(Wire wire) : wire_(std::move(wire)) {
        for (std::size_t i = 0; i < limits_.size(); ++i) {
            const bool cancels = i % 2 == 1;
            lanes_.push_back(
                pacer_.open({.priority = cancels ? weir::priority::first : weir::priority::usual,
                             .budget = &limits_[i]}));
        }
    }
    gateway(const gateway&) = delete;
    gateway& operator=(const gateway&) = delete;

    // One thread at a time for an account. False if the lane is full, or the order is sure to be
    // stale before its turn. A cancel never is.
    bool push(const rules::message& m) {
        weir::deadline<Clock> by;
        if (!m.is_cancel) by = weir::deadline<Clock>::in(stale_after);
        auto& lane = lanes_[2U * m.account + (m.is_cancel ? 1 : 0)];
        return bool(lane.try_push(rules::message(m), 1, by));
    }
    [[nodiscard]] pacer_type& pacer() { return pacer_; }
    [[nodiscard]] long dropped() const { return dropped_; }

private:
    // Of each account: orders, cancels. A message needs a unit of its account and one of the
    // session: both or none.
    std::vector<limit> joined() {
        std::vector<limit> all;
        for (std::size_t i = 0; i < rules::accounts; ++i) {
            all.push_back(limit(account_orders_[i], session_orders_));
            all.push_back(limit(account_cancels_[i], session_cancels_));
        }
        return all;
    }

    Wire wire_;
    long dropped_ = 0;  // stale ones; the pacer's thread counts
    accounts account_orders_{orders_of_account};
    accounts account_cancels_{cancels_of_account};
    session session_orders_ = its::paced(orders_of_session);
    session session_cancels_ = its::paced(cancels_of_session);
    std::vector<limit> limits_ = joined();
    // Each lane has a limit of its own, so the pacer's is never asked.
    pacer_type pacer_{limits_[0], sink{this}};
    std::vector<typename pacer_type::producer_type> lanes_;
};

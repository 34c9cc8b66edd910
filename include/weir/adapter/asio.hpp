// SPDX-License-Identifier: MIT
// asio: async_acquire and async_acquire_for wait for units without a thread, with any completion
// token of Boost.Asio (Boost 1.74 or newer): void(boost::system::error_code). The place is reserved
// when the operation starts, so what is hopeless fails at once, and those who wait pass in the
// order in which they came, never before their permit's start by the limiter's clock. What needs no
// wait is posted, and so may overtake one that is due and waits for the event loop only.
//
// A cancellation slot (Boost 1.77), a stop_token from any thread or a lent timer's cancel() end it
// with operation_aborted, and its permit is refunded. So it is when the operation is destroyed with
// its io_context, since nobody has used it: the limiter must outlive both.
//
// Where a limit changes its quota, those who wait look every tenth of a second whether they start
// earlier now. Ten thousand of them cost what a few thousand timers a second do.
#pragma once

#include <stop_token>
#include <type_traits>
#include <utility>

#if !__has_include(<boost/asio/any_io_executor.hpp>)
#error "weir/adapter/asio.hpp needs the headers of Boost 1.74 or newer (Debian: libboost-dev)"
#endif
// Engines define a macro of this name; a header of the system's has a member of it.
#pragma push_macro("check")
#undef check
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/system/error_code.hpp>
#if __has_include(<boost/asio/cancellation_state.hpp>)
#include <boost/asio/cancellation_state.hpp>
#define WEIR_ASIO_CANCELLATION
#endif
#pragma pop_macro("check")

#include <weir/adapter/asio_timer.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

namespace detail {

using acquired_signature = void(boost::system::error_code);

// What async_compose runs: first within the initiating function, then by a post or by the timer.
template <class Limiter, class Timer>
class acquiring {
    using clock = typename Limiter::clock_type;

public:
    static_assert(
        reserving<Limiter>,
        "async_acquire waits for a place that is reserved, and this limiter's cell cannot "
        "reserve: use gcra, leaky_bucket or token_bucket");

    acquiring(kept_limit<Limiter> limit, word n, nanoseconds patience, Timer timer) noexcept
        : limit_(limit), n_(n), patience_(patience), timer_(std::move(timer)) {}
    acquiring(acquiring&&) noexcept = default;
    acquiring& operator=(acquiring&&) = delete;
    ~acquiring() { give_back(); }

    template <class Self>
    void operator()(Self& self) {
        if (begun_) return end(self, outcome_);
        begun_ = true;
        enable_cancellation(self);
        if (timer_.stopped()) {
            outcome_ = boost::asio::error::operation_aborted;
        } else {
            const auto now = detail::fresh_now<clock>();
            last_ = no_later(now, patience_);
            place_ = limit_.get().reserve(n_, patience_, now);
            if (!place_) outcome_ = ending_of(place_.verdict());
        }
        if (!outcome_ && place_.wait() > nanoseconds{}) return wait(self);
        timer_.post(self);
    }

    // The timer's nanosecond may be over before the clock's tick has come.
    template <class Self>
    void operator()(Self& self, const boost::system::error_code& cancelled) {
        const auto now = detail::fresh_now<clock>();
        const auto start = place_.start(now);
        if (cancelled || !earlier(now, start)) return end(self, cancelled);
        if (was_cancelled(self)) return end(self, boost::asio::error::operation_aborted);
        if (moving_places<Limiter> && earlier(last_, start)) return end(self, ending::too_late);
        wait(self);
    }

private:
    // By default Asio lets only the terminal kind through; `total` would promise that nothing has
    // happened, and not every permit can be refunded.
    template <class Self>
    static void enable_cancellation([[maybe_unused]] Self& self) {
#ifdef WEIR_ASIO_CANCELLATION
        self.reset_cancellation_state(boost::asio::enable_partial_cancellation());
#endif
    }

    // While the timer had nothing to cancel: it was due, and this was on its way.
    template <class Self>
    [[nodiscard]] static bool was_cancelled([[maybe_unused]] const Self& self) {
#ifdef WEIR_ASIO_CANCELLATION
        return self.get_cancellation_state().cancelled() != boost::asio::cancellation_type::none;
#else
        return false;
#endif
    }

    template <class Self>
    void wait(Self& self) {
        const auto now = detail::fresh_now<clock>();
        auto until = place_.start(now);
        if constexpr (moving_places<Limiter>) {
            const auto soon = later(now, milliseconds(100));
            if (earlier(soon, until)) until = soon;
        }
        if (timer_.wait(timer_clock<clock>::of(until), self)) return;
        outcome_ = boost::asio::error::operation_aborted;
        timer_.post(self);
    }

    // The handler finds the memory and the units free again.
    template <class Self>
    void end(Self& self, boost::system::error_code outcome) {
        if (outcome) give_back();
        place_ = {};
        timer_.release();
        self.complete(outcome);
    }

    void give_back() noexcept {
        if (place_.units() != 0) (void)limit_.get().refund(std::move(place_));
    }

    kept_limit<Limiter> limit_;
    word n_;
    nanoseconds patience_;
    Timer timer_;
    typename Limiter::permit_type place_;
    instant<clock> last_;  // by which it must start
    boost::system::error_code outcome_;
    bool begun_ = false;
};

// Not the executor by default, whose hidden threads would be a surprise to call back from.
template <class Executor>
inline constexpr bool has_context =
    !std::is_same_v<Executor, boost::asio::system_executor> &&
    boost::asio::can_query<Executor, boost::asio::execution::context_t>::value;

struct initiate_acquiring {
    template <class Handler, class Limiter>
    void operator()(Handler&& handler, kept_limit<Limiter> limit, word n, nanoseconds patience,
                    std::stop_token stop) const {
        using handler_type = std::decay_t<Handler>;
        using executor_type = boost::asio::associated_executor_t<handler_type>;
        static_assert(has_context<executor_type>,
                      "this completion token has no executor to wait on: use bind_executor, or "
                      "lend async_acquire a timer");
        const executor_type executor = boost::asio::get_associated_executor(handler);
        using timer = own_timer<timer_of<Limiter, executor_type>>;
        timer own(boost::asio::get_associated_allocator(handler), executor, std::move(stop));
        boost::asio::async_compose<handler_type, acquired_signature>(
            acquiring<Limiter, timer>(limit, n, patience, std::move(own)), handler, executor);
    }
};

}  // namespace detail

// All n units, waiting on the token's executor for no longer than `patience`. Errors: too_late and
// never, of weir::ending, and operation_aborted.
template <class Limiter, class Token>
auto async_acquire_for(Limiter& limit, unit_count n, nanoseconds patience, std::stop_token stop,
                       Token&& token) {
    return boost::asio::async_initiate<Token, detail::acquired_signature>(
        detail::initiate_acquiring{}, token, detail::kept_limit<Limiter>(limit), n, patience,
        std::move(stop));
}
template <class Limiter, class Token>
auto async_acquire_for(Limiter& limit, unit_count n, nanoseconds patience, Token&& token) {
    return async_acquire_for(limit, n, patience, std::stop_token{}, std::forward<Token>(token));
}

// The same on a timer that is lent for it, on the timer's executor if the token has none. Nobody
// else may wait on the timer meanwhile. Its cancel() ends the wait if it answers 1. If it answers 0
// the timer was just due: then the handler comes, or the operation waits on, where the limit
// changes its quota, and who still wants to cancel it calls again. Allocates nothing of its own.
template <class Executor, class Limiter, class Token>
auto async_acquire_for(timer_of<Limiter, Executor>& timer, Limiter& limit, unit_count n,
                       nanoseconds patience, Token&& token) {
    using borrowed = detail::borrowed_timer<timer_of<Limiter, Executor>>;
    return boost::asio::async_compose<Token, detail::acquired_signature>(
        detail::acquiring<Limiter, borrowed>(limit, n, patience, borrowed(timer)), token, timer);
}

// As long as it takes, or as may be reserved.
template <class Limiter, class Token>
auto async_acquire(Limiter& limit, unit_count n, std::stop_token stop, Token&& token) {
    return async_acquire_for(limit, n, nanoseconds::longest(), std::move(stop),
                             std::forward<Token>(token));
}
template <class Limiter, class Token>
auto async_acquire(Limiter& limit, unit_count n, Token&& token) {
    return async_acquire_for(limit, n, nanoseconds::longest(), std::forward<Token>(token));
}
template <class Executor, class Limiter, class Token>
auto async_acquire(timer_of<Limiter, Executor>& timer, Limiter& limit, unit_count n,
                   Token&& token) {
    return async_acquire_for(timer, limit, n, nanoseconds::longest(), std::forward<Token>(token));
}

}  // namespace weir

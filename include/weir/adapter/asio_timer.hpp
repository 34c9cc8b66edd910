// SPDX-License-Identifier: MIT
// asio_timer: the parts of adapter/asio that know nothing of an operation: how an ending is an
// error_code, and the timer, which goes by the limiter's own clock. With steady_timer two clocks
// would have to be read for each deadline, at different times, and timers would expire in another
// order than their permits start.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

// Engines define a macro of this name; a header of the system's has a member of it.
#pragma push_macro("check")
#undef check
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>
#pragma pop_macro("check")

#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/acquire.hpp>

// So that one can ask `ec == weir::ending::too_late`.
template <>
struct boost::system::is_error_code_enum<weir::ending> : std::true_type {};

namespace weir {

namespace detail {

class ending_category final : public boost::system::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "weir"; }
    [[nodiscard]] std::string message(int how) const override {
        return describe(static_cast<ending>(how));
    }
};

// As Asio wants a clock: in nanoseconds, of which several ticks may share one, and without
// wrapping, so its ticks must count from less than 292 years ago.
template <clock Clock>
struct timer_clock {
    static_assert(sizeof(word) == 8, "ticks that wrap within seconds are no deadlines");
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<timer_clock>;
    static constexpr bool is_steady = true;

    [[nodiscard]] static time_point now() noexcept { return of(detail::fresh_now<Clock>()); }
    [[nodiscard]] static time_point of(instant<Clock> t) noexcept {
        // Asked once: if it is measured again, all timers would move.
        static const std::uint64_t hertz = likely_hertz<Clock>();
        return time_point(duration(time_at(hertz, t.count)));
    }
};

// How long Asio sleeps before it reads the clock again.
template <clock Clock>
struct timer_waits : boost::asio::wait_traits<timer_clock<Clock>> {
    using base = boost::asio::wait_traits<timer_clock<Clock>>;
    using duration = typename timer_clock<Clock>::duration;
    using time_point = typename timer_clock<Clock>::time_point;

    [[nodiscard]] static duration to_wait_duration(const duration& d) {
        return may_sleep<Clock>(base::to_wait_duration(d));
    }
    [[nodiscard]] static duration to_wait_duration(const time_point& t) {
        return may_sleep<Clock>(base::to_wait_duration(t));
    }
};

}  // namespace detail

[[nodiscard]] inline const boost::system::error_category& ending_category() noexcept {
    static const detail::ending_category it;
    return it;
}

[[nodiscard]] inline boost::system::error_code make_error_code(ending how) noexcept {
    return {static_cast<int>(how), ending_category()};
}

// A timer that may wait for a limiter's units.
template <class Limiter, class Executor = boost::asio::any_io_executor>
using timer_of =
    boost::asio::basic_waitable_timer<detail::timer_clock<typename Limiter::clock_type>,
                                      detail::timer_waits<typename Limiter::clock_type>, Executor>;

namespace detail {

// Somebody else's timer, which stays where it is.
template <class Timer>
class borrowed_timer {
public:
    explicit borrowed_timer(Timer& timer) noexcept : timer_(&timer) {}

    [[nodiscard]] static bool stopped() noexcept { return false; }
    template <class Self>
    [[nodiscard]] bool wait(typename Timer::time_point until, Self& self) {
        timer_->expires_at(until);
        timer_->async_wait(std::move(self));
        return true;
    }
    // By way of the timer's executor, as if it had waited: a future's own would start threads.
    template <class Self>
    void post(Self& self) {
        boost::asio::post(timer_->get_executor(), std::move(self));
    }
    void release() noexcept {}

private:
    Timer* timer_;
};

// An operation's own timer, which a stop may cancel from any thread. With a mutex instead of a post
// to the executor: one that several threads run would not keep the cancelling and the rest apart.
// On the heap, since neither a timer that waits nor a stop's callback can move with the operation.
template <class Timer>
class own_timer {
public:
    template <class Allocator>
    own_timer(const Allocator& allocator, const typename Timer::executor_type& executor,
              std::stop_token stop)
        : parts_(std::allocate_shared<parts>(allocator, executor, std::move(stop))) {}

    [[nodiscard]] bool stopped() const noexcept { return parts_->stop.stop_requested(); }

    // False if it was stopped before.
    template <class Self>
    [[nodiscard]] bool wait(typename Timer::time_point until, Self& self) {
        const auto kept = parts_;  // the operation may end elsewhere before async_wait returns
        const std::lock_guard lock(kept->mutex);
        if (kept->stop.stop_requested()) return false;
        kept->timer.expires_at(until);
        kept->timer.async_wait(std::move(self));
        return true;
    }
    template <class Self>
    static void post(Self& self) {
        boost::asio::post(std::move(self));
    }
    void release() noexcept { parts_.reset(); }

private:
    struct parts {
        struct canceller {
            parts* whose;
            void operator()() const {
                const std::lock_guard lock(whose->mutex);
                whose->timer.cancel();
            }
        };

        parts(const typename Timer::executor_type& executor, std::stop_token token)
            : timer(executor), stop(std::move(token)), cancel(stop, canceller{this}) {}

        std::mutex mutex;
        Timer timer;
        std::stop_token stop;
        std::stop_callback<canceller> cancel;
    };

    std::shared_ptr<parts> parts_;
};

}  // namespace detail

}  // namespace weir

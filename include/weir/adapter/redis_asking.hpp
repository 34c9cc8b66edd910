// SPDX-License-Identifier: MIT
// redis_asking: what lies between a completion token of Asio and a redis_link: the handler, the
// stop and the waiting. For redis_asio.hpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

// Engines define a macro of this name; a header of the system's has a member of it.
#pragma push_macro("check")
#undef check
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#pragma pop_macro("check")

#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_link.hpp>
#include <weir/adapter/redis_request.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/adapter/remote_script.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/limiter/acquire.hpp>

namespace weir::detail {

// A handler that is completed once, by a post. It keeps its executor's run() from returning.
template <class Handler, class Answer>
class redis_completion {
public:
    redis_completion(Handler handler, const boost::asio::any_io_executor& otherwise)
        : handler_(std::move(handler)),
          otherwise_(otherwise),
          work_(boost::asio::get_associated_executor(handler_, otherwise)),
          link_work_(otherwise) {}

    // By way of the connection's executor: that of a future would start threads of its own.
    void operator()(const Answer& answer) {
        const boost::asio::any_io_executor way = otherwise_;
        boost::asio::post(way, [its = std::move(*this), answer]() mutable {
            auto executor = its.work_.get_executor();
            boost::asio::dispatch(executor, [handler = std::move(its.handler_), answer]() mutable {
                std::move(handler)(answer);
            });
        });
    }

private:
    using executor_type = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;
    Handler handler_;
    boost::asio::any_io_executor otherwise_;
    boost::asio::executor_work_guard<executor_type> work_;
    boost::asio::executor_work_guard<boost::asio::any_io_executor> link_work_;
};

// A stop from any thread cancels a request on the connection's executor.
struct redis_stop {
    std::weak_ptr<redis_link> link;
    boost::asio::any_io_executor executor;
    std::uint64_t number;
    void operator()() const {
        boost::asio::post(executor, [link = link, number = number] {
            if (const auto its = link.lock()) its->cancel(number);
        });
    }
};

// Asks for `end(decision)`, and until then listens for a stop.
template <class End>
void ask_redis(const std::shared_ptr<redis_link>& link,
               const std::shared_ptr<const remote_script>& script, std::string_view what,
               std::string key, word n, const std::stop_token& stop, End end) {
    struct asker final : redis_asker {
        explicit asker(End e) : end_(std::move(e)) {}
        void end(const remote_decision& d) override {
            stop_.reset();
            end_(d);
        }
        End end_;
        std::optional<std::stop_callback<redis_stop>> stop_;
    };
    auto whose = std::make_unique<asker>(std::move(end));
    const std::uint64_t number = link->next_number();
    if (stop.stop_requested()) return whose->end(redis_error::cancelled);
    if (stop.stop_possible())
        whose->stop_.emplace(stop, redis_stop{link, link->executor(), number});
    link->ask({std::move(whose), script, what, std::move(key), n, number});
}

// Asks again and again; see turn_after.
template <class Completion>
class redis_waiting : public std::enable_shared_from_this<redis_waiting<Completion>> {
    using clock = std::chrono::steady_clock;

public:
    redis_waiting(std::shared_ptr<redis_link> link, std::shared_ptr<const remote_script> script,
                  std::string key, word n, nanoseconds patience, std::stop_token stop,
                  Completion completion)
        : link_(std::move(link)),
          script_(std::move(script)),
          key_(std::move(key)),
          n_(n),
          patience_(patience),
          stop_(std::move(stop)),
          completion_(std::move(completion)),
          timer_(link_->executor()) {}

    void begin() {
        if (stop_.stop_possible()) {
            callback_.emplace(stop_, [weak = this->weak_from_this(), on = link_->executor()] {
                boost::asio::post(on, [weak] {
                    if (const auto self = weak.lock()) self->timer_.cancel();
                });
            });
        }
        turn();
    }

private:
    void turn() {
        if (stop_.stop_requested()) return end({ending::stopped, {}});
        ask_redis(link_, script_, "take", key_, n_, stop_,
                  [self = this->shared_from_this()](const remote_decision& d) {
                      boost::asio::post(self->link_->executor(), [self, d] { self->decided(d); });
                  });
    }
    void decided(const remote_decision& d) {
        if (!d && stop_.stop_requested()) return end({ending::stopped, {}});
        const remote_turn next =
            turn_after(d, clock::now() - begin_, patience_, link_->next_try_after());
        if (next.ends) return end(next.how);
        timer_.expires_after(std::chrono::nanoseconds(
            std::min<std::int64_t>(next.how.wait.count(), std::int64_t{1} << 60)));
        timer_.async_wait(
            [self = this->shared_from_this()](boost::system::error_code) { self->turn(); });
    }
    void end(const remote_acquisition& how) {
        callback_.reset();
        completion_(how);
    }

    std::shared_ptr<redis_link> link_;
    std::shared_ptr<const remote_script> script_;
    std::string key_;
    word n_;
    nanoseconds patience_;
    std::stop_token stop_;
    Completion completion_;
    boost::asio::steady_timer timer_;
    clock::time_point begin_ = clock::now();
    std::optional<std::stop_callback<std::function<void()>>> callback_;
};

}  // namespace weir::detail

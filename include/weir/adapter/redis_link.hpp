// SPDX-License-Identifier: MIT
// redis_link: one connection to a Redis on an executor of Asio. Decisions go out together and are
// answered in their order. For redis_asio.hpp. It is long because its states are read together.
//
// All of it runs on the executor, which runs one thing at a time. It completes nobody within a call
// of its own, but by a post. While nobody waits for a decision nothing is under way, so run()
// returns.
//
// Invariant: sent_ has a request for each command whose answer has not come, in their order. So a
// connection that misses an answer is closed, and no late answer is taken for another's.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>
#include <vector>

// Engines define a macro of this name; a header of the system's has a member of it.
#pragma push_macro("check")
#undef check
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#pragma pop_macro("check")

#include <weir/adapter/redis_back_off.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/adapter/redis_request.hpp>
#include <weir/adapter/redis_stream.hpp>
#include <weir/adapter/redis_wire.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/adapter/remote_script.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>

namespace weir::detail {

class redis_link : public std::enable_shared_from_this<redis_link> {
    using clock = std::chrono::steady_clock;
    using error_code = boost::system::error_code;
    using stream = boost::asio::generic::stream_protocol;
    using progress = redis_stream::progress;

public:
    redis_link(const boost::asio::any_io_executor& executor, redis_options o)
        : options_(std::move(o)),
          executor_(executor),
          socket_(executor),
          resolver_(executor),
          timer_(executor) {}

    [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept {
        return executor_;
    }
    [[nodiscard]] std::uint64_t next_number() noexcept { return ++number_; }
    [[nodiscard]] nanoseconds next_try_after() const noexcept {
        return state_ == state::closed ? back_off_.left() : nanoseconds{};
    }

    void ask(redis_request r) {
        if (r.key.size() > remote_script::longest_key) return r.end_with(redis_error::key_too_long);
        const clock::time_point now = clock::now();
        // As in redis_connection::connect.
        if (state_ == state::open && sent_.empty() &&
            now - used_at_ >= std::chrono::milliseconds(1) && !wire_->is_quiet())
            close();
        if (state_ == state::open) {
            put(std::move(r));
        } else if (state_ == state::connecting || back_off_.is_over(now)) {
            waiting_.push_back(std::move(r));
            if (state_ == state::closed) connect(now);
        } else {
            r.end_with(last_);
        }
    }

    // What was not sent yet is not sent. The answer to what was sent is nobody's.
    void cancel(std::uint64_t number) {
        const auto is_it = [number](const redis_request& r) { return r.number == number; };
        const auto waits = std::find_if(waiting_.begin(), waiting_.end(), is_it);
        if (waits != waiting_.end()) {
            waits->end_with(redis_error::cancelled);
            waiting_.erase(waits);
            return;
        }
        const auto sent = std::find_if(sent_.begin(), sent_.end(), is_it);
        if (sent != sent_.end()) sent->end_with(redis_error::cancelled);
    }

    void end() { lost(redis_error::cancelled); }

private:
    enum class state : std::uint8_t { closed, connecting, open };

    void close() {
        ++generation_;  // what is under way of the old one says nothing
        error_code ignored;
        wire_.reset();
        socket_.close(ignored);
        resolver_.cancel();
        timer_.cancel();
        out_.clear();
        out_sent_ = 0;
        is_flushed_later_ = is_writing_ = is_reading_ = has_timer_ = is_script_sent_ = false;
        hello_left_ = 0;
        state_ = state::closed;
    }

    void lost(redis_error reason) {
        const bool was_connecting = state_ == state::connecting;
        close();
        if (was_connecting) {
            last_ = as_of_connecting(reason);
            back_off_.failed();
        }
        for (redis_request& r : std::exchange(waiting_, {})) r.end_with(as_of_connecting(reason));
        for (redis_request& r : std::exchange(sent_, {})) r.end_with(reason);
    }

    // `what` of this object, unless the connection is another one by then.
    template <class What>
    [[nodiscard]] auto later(What what) {
        return [self = shared_from_this(), generation = generation_, what](auto... arguments) {
            if (self->generation_ == generation) what(*self, arguments...);
        };
    }

    void run_later(void (redis_link::*what)()) {
        boost::asio::post(executor_, [self = shared_from_this(), generation = generation_, what] {
            if (self->generation_ == generation) ((*self).*what)();
        });
    }

    void connect(clock::time_point now) {
        state_ = state::connecting;
        connect_end_ = now + options_.connect_within;
        endpoints_.clear();
        wait_for_the_time();
        if (options_.socket.empty()) {
            resolver_.async_resolve(options_.host, std::to_string(options_.port),
                                    later([](redis_link& l, error_code failed, const auto& found) {
                                        if (failed) return l.lost(redis_error::down);
                                        for (const auto& one : found)
                                            l.endpoints_.emplace_back(one.endpoint());
                                        l.connect_to(0);
                                    }));
        } else {
            // Nobody is completed before `ask` returns.
            run_later(&redis_link::connect_to_path);
        }
    }
    void connect_to_path() {
        const std::string& path = options_.socket;
        if (path.size() >= sizeof(sockaddr_un{}.sun_path)) return lost(redis_error::down);
        endpoints_.emplace_back(boost::asio::local::stream_protocol::endpoint(path));
        connect_to(0);
    }
    void connect_to(std::size_t which) {
        if (which == endpoints_.size()) return lost(redis_error::down);
        error_code ignored;
        socket_.close(ignored);
        socket_.async_connect(endpoints_[which], later([which](redis_link& l, error_code failed) {
                                  if (failed) return l.connect_to(which + 1);
                                  l.connected();
                              }));
    }
    void connected() {
        const int its = socket_.native_handle();
        (void)fcntl(its, F_SETFD, FD_CLOEXEC);
        const int yes = 1;  // of a Unix socket it changes nothing
        (void)setsockopt(its, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        wire_.emplace(options_, its);
        if (!wire_->is_made()) return lost(redis_error::down);
        greet();
    }
    void greet() {
        const auto step = wire_->greet();
        if (step.how == progress::failed) return lost(step.reason);
        if (step.how != progress::done) {
            socket_.async_wait(wait_of(step), later([](redis_link& l, error_code failed) {
                                   failed ? l.lost(redis_error::cut_off) : l.greet();
                               }));
            return;
        }
        out_ = redis_hello(options_);
        hello_left_ = out_.count();
        refused_ = redis_error::none;
        hello_left_ == 0 ? opened() : flush();
    }
    void opened() {
        if (refused_ != redis_error::none) return lost(refused_);
        state_ = state::open;
        back_off_.succeeded();
        for (redis_request& r : std::exchange(waiting_, {})) put(std::move(r));
        timer_.cancel();  // and so it is set anew
    }

    void put(redis_request r) {
        r.script->add(out_, r.is_whole, r.what, r.key, r.n);
        used_at_ = clock::now();
        r.end = used_at_ + options_.answer_within;
        sent_.push_back(std::move(r));
        // Those who come in the same turn of the executor go out together.
        if (std::exchange(is_flushed_later_, true)) return;
        run_later(&redis_link::flush_together);
    }
    void flush_together() {
        is_flushed_later_ = false;
        flush();
    }

    void flush() {
        if (is_writing_) return;
        std::string_view rest = out_.bytes().substr(out_sent_);
        const auto step = wire_->send(rest);
        if (step.how == progress::failed) return lost(wire_->last_word(step));
        out_sent_ = out_.bytes().size() - rest.size();
        if (step.how == progress::done) {
            out_.clear();
            out_sent_ = 0;
        } else {
            is_writing_ = true;
            socket_.async_wait(wait_of(step), later([](redis_link& l, error_code) {
                                   l.is_writing_ = false;
                                   l.flush();
                               }));
        }
        read_later(stream::socket::wait_read);
        wait_for_the_time();
    }

    void read_later(stream::socket::wait_type for_what) {
        if (sent_.empty() && hello_left_ == 0) return;
        if (std::exchange(is_reading_, true)) return;
        socket_.async_wait(for_what, later([](redis_link& l, error_code) {
                               l.is_reading_ = false;
                               l.read();
                           }));
    }
    void read() {
        bool is_nonsense = false;
        redis_stream::step step;
        do {
            step = wire_->receive([&](const redisReply& its) { is_nonsense |= !answered(its); });
        } while (step.how == progress::done && !is_nonsense);
        if (is_nonsense) return lost(redis_error::not_understood);
        if (step.how == progress::failed) return lost(step.reason);
        if (state_ == state::connecting && hello_left_ == 0) return opened();
        used_at_ = clock::now();
        if (sent_.empty() && hello_left_ == 0) {
            timer_.cancel();
            return;
        }
        read_later(wait_of(step));
    }
    // False if nobody has asked for it.
    bool answered(const redisReply& its) {
        if (hello_left_ != 0) {
            const std::size_t number = redis_hello(options_).count() - hello_left_--;
            if (refused_ == redis_error::none) refused_ = redis_refusal(options_, number, its);
            return true;
        }
        if (sent_.empty()) return false;
        redis_request r = std::move(sent_.front());
        sent_.pop_front();
        if (r.is_whole) is_script_sent_ = false;
        if (!remote_script::is_unknown(its)) {
            r.end_with(remote_script::decision_of(its));
        } else if (r.is_again) {
            r.end_with(redis_error::refused_by_server);
        } else if (r.whose != nullptr) {
            // Redis has not run it. One sends the script, and the others follow it.
            r.is_again = true;
            r.is_whole = !std::exchange(is_script_sent_, true);
            put(std::move(r));
        }
        return true;
    }

    // One timer for all: they end in their order.
    void wait_for_the_time() {
        if (has_timer_) return;
        if (state_ == state::open && sent_.empty()) return;
        has_timer_ = true;
        timer_.expires_at(state_ == state::open ? sent_.front().end : connect_end_);
        timer_.async_wait(later([](redis_link& l, error_code) {
            l.has_timer_ = false;
            const bool is_open = l.state_ == state::open;
            if (is_open && l.sent_.empty()) return;
            if (clock::now() < (is_open ? l.sent_.front().end : l.connect_end_))
                return l.wait_for_the_time();
            // A Redis without TLS says nothing to the first words of TLS.
            const bool is_greeting = !is_open && l.wire_.has_value() && l.hello_left_ == 0;
            l.lost(is_greeting ? redis_error::no_tls : redis_error::too_slow);
        }));
    }

    [[nodiscard]] static stream::socket::wait_type wait_of(const redis_stream::step& step) {
        return step.how == progress::wants_to_write ? stream::socket::wait_write
                                                    : stream::socket::wait_read;
    }

    redis_options options_;
    boost::asio::any_io_executor executor_;
    stream::socket socket_;
    boost::asio::ip::tcp::resolver resolver_;
    boost::asio::steady_timer timer_;
    std::vector<stream::endpoint> endpoints_;
    std::optional<redis_wire> wire_;
    redis_back_off back_off_;
    redis_error last_ = redis_error::none;

    std::deque<redis_request> waiting_;  // for the connection
    std::deque<redis_request> sent_;     // or in out_
    redis_commands out_;
    std::size_t out_sent_ = 0;  // bytes of it
    std::size_t hello_left_ = 0;
    redis_error refused_ = redis_error::none;
    clock::time_point connect_end_{};
    clock::time_point used_at_{};
    std::uint64_t number_ = 0;
    std::uint64_t generation_ = 0;
    state state_ = state::closed;
    bool is_flushed_later_ = false;
    bool is_writing_ = false;
    bool is_reading_ = false;
    bool has_timer_ = false;
    bool is_script_sent_ = false;
};

}  // namespace weir::detail

// SPDX-License-Identifier: MIT
// fleet_thread: what limits that lease have in common: a thread that makes a turn of a supply
// whenever it is time for one, and what it says of that. A child that is forked has a copy without
// a thread, which must not be ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <sys/types.h>
#include <unistd.h>

#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/system_thread.hpp>
#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/published.hpp>

namespace weir {

// The base of a limit's Parts, which have a `supply` with `state()`, `counts()` and `next_turn()`,
// a time of the system's monotonic clock; and `take_turn()`. They may not move.
template <class Parts, class Counts>
class fleet_thread {
public:
    fleet_thread(const fleet_thread&) = delete;
    fleet_thread& operator=(const fleet_thread&) = delete;

    // The first turn, and then the thread. Why there can be no limit, or `none`.
    [[nodiscard]] redis_error begin() {
        turn();
        const redis_error failed = its().supply.state().error;
        if (failed != redis_error::none && !detail::may_pass_later(failed)) return failed;
        runs_ = system_thread::start<&main>(thread_, this) == 0;
        return runs_ ? redis_error::none : redis_error::no_thread;
    }

    // As the thread last saw it; any thread may ask. The first makes a system call.
    [[nodiscard]] fleet_state state() const noexcept {
        fleet_state s = said_.load().state;
        if (is_forked()) s.mode = fleet_mode::forked;
        return s;
    }
    [[nodiscard]] Counts counts() const noexcept { return said_.load().counts; }

    // Of a unique_ptr: in a child nothing is closed or said on the connection, which is the
    // parent's.
    struct unless_forked {
        void operator()(Parts* parts) const {
            if (!parts->is_forked()) delete parts;
        }
    };

protected:
    explicit fleet_thread(const char* name) noexcept : name_(name) {}
    ~fleet_thread() = default;

    // After the turn under way. False if there was no thread to end.
    bool end() noexcept {
        if (!runs_) return false;
        stopping_.store_release(1);  // pairs with the acquire in `main`
        system_thread::wake(&stopping_);
        system_thread::join(thread_);
        runs_ = false;
        return true;
    }

private:
    struct alignas(sizeof(std::uint64_t)) report {
        fleet_state state;
        Counts counts;
    };

    [[nodiscard]] Parts& its() noexcept { return static_cast<Parts&>(*this); }
    [[nodiscard]] bool is_forked() const noexcept { return getpid() != process_; }

    void turn() {
        its().take_turn();
        said_.store({its().supply.state(), its().supply.counts()});
    }

    static void main(void* of) noexcept {
        auto& t = *static_cast<fleet_thread*>(of);
        (void)system_thread::set_name(t.name_);
        // Pairs with the release in `end`.
        while (t.stopping_.load_acquire() == 0) {
            system_thread::wait(&t.stopping_, 0, t.its().supply.next_turn());
            const nanoseconds now =
                std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
            if (t.its().supply.next_turn() <= now) t.turn();
        }
    }

    // The rest is the thread's alone while it runs, but for what it publishes.
    alignas(own_line) published<report> said_{report{}};
    atomic<std::uint32_t> stopping_{0};
    const char* name_;
    system_thread::handle thread_{};
    pid_t process_ = getpid();
    bool runs_ = false;
};

}  // namespace weir

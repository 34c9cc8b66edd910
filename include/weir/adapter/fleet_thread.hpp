// SPDX-License-Identifier: MIT
// fleet_thread: a thread that makes a turn whenever it is time for one, until it is ended. For
// limits that lease. A child that is forked has a copy without a thread, which must not be ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <sys/types.h>
#include <unistd.h>

#include <weir/adapter/system_thread.hpp>
#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>

namespace weir {

// A Work has `turn()` and `next_turn()`, a time of the system's monotonic clock. It may not move.
template <class Work>
class fleet_thread {
public:
    fleet_thread(Work& its, const char* name) noexcept : work_(&its), name_(name) {}
    fleet_thread(const fleet_thread&) = delete;
    fleet_thread& operator=(const fleet_thread&) = delete;
    ~fleet_thread() = default;

    // False if the system gives no thread.
    [[nodiscard]] bool start() {
        runs_ = system_thread::start<&main>(thread_, this) == 0;
        return runs_;
    }
    // After the turn under way. False if there was no thread to end.
    bool end() noexcept {
        if (!runs_) return false;
        stopping_.store_release(1);  // pairs with the acquire in `main`
        system_thread::wake(&stopping_);
        system_thread::join(thread_);
        runs_ = false;
        return true;
    }
    [[nodiscard]] bool is_forked() const noexcept { return getpid() != process_; }

private:
    static void main(void* its) noexcept {
        auto& t = *static_cast<fleet_thread*>(its);
        (void)system_thread::set_name(t.name_);
        // Pairs with the release in `end`.
        while (t.stopping_.load_acquire() == 0) {
            system_thread::wait(&t.stopping_, 0, t.work_->next_turn());
            const nanoseconds now =
                std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
            if (t.work_->next_turn() <= now) t.work_->turn();
        }
    }

    atomic<std::uint32_t> stopping_{0};
    Work* work_;
    const char* name_;
    system_thread::handle thread_{};
    pid_t process_ = getpid();
    bool runs_ = false;
};

}  // namespace weir

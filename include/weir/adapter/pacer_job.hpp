// SPDX-License-Identifier: MIT
// pacer_job: how another thread has something done by a pacer's thread, between two polls, and
// waits until it is done. It knows whether the thread runs, and nothing of pacers.
//
// Invariant: there is one job at a time, and it is done exactly once: by the thread if it runs, or
// else by whoever hands it in. A job that was handed in while the thread ran is done before the
// thread says that it has ended. Jobs are done with the mutex held, so nobody is told half a job.
//
// Any thread hands in jobs, and blocks; the pacer's thread does them. Nothing here allocates.
#pragma once

#include <condition_variable>
#include <mutex>

namespace weir {

class pacer_job {
public:
    // --- any thread but the pacer's

    // Waits until `act` is done. `alert` makes the pacer's thread look here soon; if none runs, the
    // caller does the job, in `alone(job)`.
    template <class Act, class Alert, class Alone>
    void hand_in(Act act, Alert alert, Alone alone) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return job_ == nullptr; });
        bool done = false;
        auto wanted = [&]() noexcept {
            act();
            done = true;
        };
        context_ = &wanted;
        job_ = [](void* context) noexcept { (*static_cast<decltype(wanted)*>(context))(); };
        if (running_) {
            alert();
            changed_.wait(lock, [&] { return done; });
        } else {
            alone([this] { finish(); });
        }
    }

    // Starts the thread by `start`, unless it runs already, and waits until it has begun. False if
    // it runs already, or if `start` says false.
    template <class Start>
    bool begin_by(Start start) {
        std::unique_lock lock(mutex_);
        if (running_) return false;
        begun_ = false;
        if (!start()) return false;
        changed_.wait(lock, [this] { return begun_; });
        return true;
    }

    // --- the pacer's thread

    void begin() noexcept {
        const std::unique_lock lock(mutex_);
        begun_ = running_ = true;
        changed_.notify_all();
    }
    void do_it() noexcept {
        const std::unique_lock lock(mutex_);
        finish();
    }
    // After this nobody waits for the thread. Calls `last` before anybody else can look.
    template <class Last>
    void end(Last last) noexcept {
        const std::unique_lock lock(mutex_);
        finish();
        running_ = false;
        last();
    }

private:
    // With the mutex.
    void finish() noexcept {
        if (job_ == nullptr) return;
        job_(context_);
        job_ = nullptr;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool running_ = false;
    bool begun_ = false;  // also if it has ended since then
    void (*job_)(void*) noexcept = nullptr;
    void* context_ = nullptr;
};

}  // namespace weir

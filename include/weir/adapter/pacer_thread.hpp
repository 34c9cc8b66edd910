// pacer_thread: a thread of its own for a pacer, on Linux. It sleeps until an item is due, or as
// long as there is none, and then costs nothing: a wake-up an hour, and one load to who pushes.
//
//     weir::pacer<order, my_sink> p{...};
//     weir::pacer_thread runner{p, {.name = "orders", .how = weir::waiting::hybrid}};
//     if (const auto r = runner.start(); !r.well()) log(r);
//
// Make it before the first lane is opened: producers have to know from the beginning how it wants
// to be woken. There may be one at a time for a pacer, and nobody looks after that. While it runs,
// the pacer is its own; `run` has something done in between.
//
// No wake-up is lost: it lies down (bell), looks at the lanes once more, and sleeps only if they
// are as they were. Its own futex word changes whenever it is to come back, so a wake that comes
// before it sleeps makes the system call return at once.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <type_traits>

#include <weir/adapter/awake_share.hpp>
#include <weir/adapter/linux_thread.hpp>
#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/bell.hpp>
#include <weir/pacer/sleep_guard.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

enum class waiting : unsigned char {
    sleep,   // late by what the system takes to wake a thread: tens of microseconds
    hybrid,  // sleeps until shortly before and spins for the rest. Under a real-time class it uses
             // four fifths of a core at most, and then sleeps though an item may be due
    spin,    // never sleeps: a whole core. Not under a real-time class
};

enum class scheduling : unsigned char {
    as_usual,
    fifo,
    round_robin,
};

struct thread_options {
    const char* name = "weir pacer";  // 15 characters at most
    waiting how = waiting::sleep;
    int core = -1;  // to which it is bound; negative: any
    scheduling by = scheduling::as_usual;
    int priority = 1;  // of a real-time class
};

// What became of what was asked for: 0, or the system's error number. What is refused is left out
// and the thread runs without it; only if it does not run at all `why` says why.
struct thread_report {
    const char* why = nullptr;
    int thread = 0;  // there is none then
    int name = 0;
    int core = 0;
    int scheduling = 0;
    int timer_slack = 0;
    int membarrier = 0;  // producers make a fence with each push then

    [[nodiscard]] bool runs() const noexcept { return why == nullptr; }
    [[nodiscard]] bool well() const noexcept {
        return runs() && name == 0 && core == 0 && scheduling == 0 && timer_slack == 0;
    }
};

template <class Pacer>
class pacer_thread {
public:
    using clock_type = typename Pacer::clock_type;

    explicit pacer_thread(Pacer& p, const thread_options& o = {}) noexcept
        : pacer_(p), options_(o), membarrier_(linux_thread::may_fence_all()) {
        registered_ = pacer_.wake_with(&wake, &pacer_.sleeper(), membarrier_ != 0);
    }
    pacer_thread(const pacer_thread&) = delete;
    pacer_thread& operator=(const pacer_thread&) = delete;
    // Stops. What is in the lanes then is the pacer's. Not from a callback, which would come back
    // to a thread that has nothing left.
    ~pacer_thread() {
        if (is_its_own()) std::terminate();
        stop();
    }

    // Starts, stops and joins: one thread at a time; a callback of the pacer, or what has been
    // `run`, may stop too.

    // Starts the thread and says what became of the options once it runs. Also again: when it was
    // stopped, and when its pacer was done, in which case it soon is once more.
    thread_report start() {
        thread_report report;
        report.membarrier = membarrier_;
        if (is_its_own()) {
            report.why = "a callback of its pacer cannot start it";
        } else if (!registered_) {
            report.why = "a lane was opened before the thread was made";
        } else if (options_.how == waiting::spin && options_.by != scheduling::as_usual) {
            report.why = "spinning under a real-time class: the kernel would stop the thread for "
                         "50 ms of each second";
        }
        if (!report.runs()) return report;
        std::unique_lock lock(mutex_);
        if (running_) {
            report.why = "it runs already";
            return report;
        }
        join();  // one that has ended by itself
        stopping_.store_relaxed(false);
        beginning its{this, &report};
        report.thread = linux_thread::start(thread_, &begin, &its);
        if (report.thread != 0) {
            report.why = "the system gives it no thread";
            return report;
        }
        joinable_ = true;
        changed_.wait(lock, [&] { return its.began; });
        return report;
    }

    // The thread ends when the poll under way is over, which may call the sink another 256 times;
    // items stay where they are. Comes back when it has ended, but at once from a callback.
    void stop() noexcept {
        if (!is_its_own() && !joinable_) return;
        stopping_.store_relaxed(true);
        call();
        join();
    }

    // Until all is gone: after `close`, `drain` or `discard`. From a callback it does nothing.
    void join() noexcept {
        if (is_its_own() || !joinable_) return;
        linux_thread::join(thread_);
        joinable_ = false;
    }

    // Calls f(pacer) between two polls and comes back when it is done; from the thread itself, a
    // callback for example, or while none runs, at once. It must not throw.
    template <class F>
    void run(F f) {
        if (is_its_own()) return f(pacer_);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return job_ == nullptr; });
        bool done = false;
        auto wanted = [&]() noexcept {
            f(pacer_);
            done = true;
        };
        context_ = &wanted;
        job_ = [](void* context) noexcept { (*static_cast<decltype(wanted)*>(context))(); };
        if (running_) {
            call();
            changed_.wait(lock, [&] { return done; });
        } else {
            owner_.store_relaxed(std::this_thread::get_id());
            finish_job();
            owner_.store_relaxed({});
        }
    }

    // How long before an item is due it wants to be awake, if it is `hybrid`: a guess at first,
    // then what the waits have taught.
    [[nodiscard]] nanoseconds approx_guard() const noexcept {
        return nanoseconds(static_cast<std::int64_t>(shown_guard_.load_relaxed()));
    }
    // How often it went to sleep.
    [[nodiscard]] word approx_sleeps() const noexcept { return sleeps_.load_relaxed(); }

private:
    // Knows the pacer's bell only, which is there as long as anybody may ring it.
    static void wake(void* sleeper) noexcept {
        linux_thread::wake(static_cast<bell<>*>(sleeper)->address());
    }
    void call() noexcept {
        pacer_.sleeper().call();
        wake(&pacer_.sleeper());
    }

    struct beginning {
        pacer_thread* whose;
        thread_report* report;
        bool began = false;  // running_ may be over before `start` looks
    };
    static void* begin(void* its) noexcept {
        auto& b = *static_cast<beginning*>(its);
        b.whose->main(b);
        return nullptr;
    }

    void main(beginning& its) noexcept {
        set_up(*its.report);
        share_ = awake_share(nanoseconds(steady_now()), linux_thread::used());
        owner_.store_relaxed(std::this_thread::get_id());
        {
            const std::unique_lock lock(mutex_);
            its.began = running_ = true;
            changed_.notify_all();  // `its` is gone after this
        }
        next_poll next{next_poll::why::due, {}, false};
        while (next.what != next_poll::why::done) {
            if (pacer_.sleeper().was_called()) do_job();
            if (stopping_.load_relaxed()) break;  // it called after it had said so
            next = pacer_.poll();
            wait(next);
        }
        const std::unique_lock lock(mutex_);
        finish_job();  // nobody hands in another one before it says that it has ended
        running_ = false;
        owner_.store_relaxed({});
    }

    // Is the caller within a callback of the pacer's, or in what it has `run`?
    [[nodiscard]] bool is_its_own() const noexcept {
        return owner_.load_relaxed() == std::this_thread::get_id();
    }

    void set_up(thread_report& report) noexcept {
        report.name = linux_thread::set_name(options_.name);
        report.timer_slack = linux_thread::set_timer_slack(nanoseconds(1));
        if (options_.core >= 0) report.core = linux_thread::set_core(options_.core);
        if (options_.by != scheduling::as_usual) {
            const int policy = options_.by == scheduling::fifo ? SCHED_FIFO : SCHED_RR;
            report.scheduling = linux_thread::set_class(policy, options_.priority);
        }
    }

    void do_job() noexcept {
        const std::unique_lock lock(mutex_);
        finish_job();
    }
    // With the mutex.
    void finish_job() noexcept {
        if (job_ == nullptr) return;
        job_(context_);
        job_ = nullptr;
        changed_.notify_all();
    }

    // Until the next poll makes sense. By its own look at the clocks, as the sink has taken its
    // time, and at the system's first: who is held up in between sleeps too little and not too
    // long.
    void wait(const next_poll& next) noexcept {
        const std::int64_t steady = steady_now();
        const tick now = clock_type::now();
        const nanoseconds owed = sleep_owed(nanoseconds(steady));
        const nanoseconds left = time_to(next, now);
        if (left == nanoseconds{} && owed == nanoseconds{}) return;
        [[maybe_unused]] const typename Pacer::observer_type::during resting(
            pacer_.observer(), Pacer::observer_type::work::wait);
        if (owed != nanoseconds{}) return sleep(nanoseconds(steady + owed.count()), false);
        if (options_.how == waiting::spin) return spin(next, now);
        const nanoseconds early = ahead_of(left);
        if (left <= early) return spin(next, now);
        nanoseconds until(steady + left.count() - early.count());
        if (next.wakes) {
            bool fenced = false;
            pacer_.sleeper().lie_down([&] { fenced = fence(); });
            if (pacer_.poll() != next) return pacer_.sleeper().get_up();
            if (!fenced) until = std::min(until, nanoseconds(steady + nap.count()));
        }
        sleep(until, next.wakes);
        // Next comes a poll that emits nothing, but fetches into the caches what the one after the
        // spinning needs: that is 0.05 us late instead of 0.3.
    }

    // Until then; until a push if it lies down; until it is called in any case.
    void sleep(nanoseconds until, bool lies) noexcept {
        bell<>& mine = pacer_.sleeper();
        sleeps_.store_relaxed(sleeps_.load_relaxed() + 1);
        linux_thread::wait(mine.address(), mine.unless_woken(lies), linux_thread::instant(until));
        if (lies) mine.get_up();
        const nanoseconds late(steady_now() - until.count());
        if (late < nanoseconds{}) return;
        guard_.woke(late);
        shown_guard_.store_relaxed(static_cast<word>(guard_.get().count()));
    }

    [[nodiscard]] static nanoseconds time_to(const next_poll& next, tick now) noexcept {
        using why = next_poll::why;
        if (next.what == why::done) return {};
        if (next.what != why::due) return longest_sleep;
        if (!earlier(now, next.at)) return {};
        return std::min(to_time<clock_type>(next.at.count - now.count), longest_sleep);
    }

    // Or the kernel would stop it.
    [[nodiscard]] nanoseconds sleep_owed(nanoseconds now) noexcept {
        if (!is_real_time() || !share_.is_over(now)) return {};
        return share_.owed(now, linux_thread::used());
    }

    // How long before its time it wants to be woken. Who only spins learns nothing, so now and then
    // it sleeps for half of a time that is shorter than its guard. Under a real-time class it
    // always does, as long as that is worth it.
    [[nodiscard]] nanoseconds ahead_of(nanoseconds left) noexcept {
        if (options_.how != waiting::hybrid) return {};
        const nanoseconds guard = guard_.get();
        if (left > guard) return guard;
        const bool tries = is_real_time() || ++spun_ % spins_per_try == 0;
        return tries && left >= worth_a_sleep ? nanoseconds(left.count() / 2) : left;
    }

    [[nodiscard]] bool is_real_time() const noexcept {
        return options_.how == waiting::hybrid && options_.by != scheduling::as_usual;
    }

    // Until shortly before, if that is far, so that a poll comes between and fetches what the next
    // one needs. If something may go earlier, not at all: the next poll finds it.
    void spin(const next_poll& next, tick now) noexcept {
        spin_hint();
        if (next.what != next_poll::why::due || next.wakes) return;
        const bool far = earlier({now.count + 2 * shortly_}, next.at);
        const tick until{far ? next.at.count - shortly_ : next.at.count};
        while (earlier(clock_type::now(), until) && !pacer_.sleeper().is_called()) spin_hint();
    }

    // False if the system, which has promised it, makes none: a sandbox may forbid it later. Then
    // who pushes may not see who lies there.
    [[nodiscard]] bool fence() const noexcept {
        if (membarrier_ == 0) return linux_thread::fence_all() == 0;
        machine_fences::full();
        return true;
    }

    [[nodiscard]] static std::int64_t steady_now() noexcept {
        return static_cast<std::int64_t>(steady_clock::now().count);
    }

    // Then it looks again: the pacer's clock and the system's may drift apart, and there are times
    // that the system cannot count to.
    static constexpr nanoseconds longest_sleep = seconds(3'600);

    // So late is an item at most whose push has woken nobody.
    static constexpr nanoseconds nap = milliseconds(1);

    static constexpr unsigned spins_per_try = 64;
    static constexpr nanoseconds worth_a_sleep = microseconds(20);

    Pacer& pacer_;
    thread_options options_;
    int membarrier_;
    word shortly_ = static_cast<word>(to_ticks<clock_type>(microseconds(20)));
    bool registered_ = false;
    sleep_guard guard_;
    awake_share share_{{}, {}};
    unsigned spun_ = 0;  // times in a row that it did not sleep
    atomic<word> shown_guard_{static_cast<word>(sleep_guard::at_first.count())};
    atomic<word> sleeps_{0};
    atomic<bool> stopping_{false};

    // Who may touch the pacer, for who asks whether that is he: the thread, or who does something
    // while it does not run.
    atomic<std::thread::id> owner_;

    std::mutex mutex_;  // for what is below, and held while a job is done
    std::condition_variable changed_;
    bool running_ = false;
    void (*job_)(void*) noexcept = nullptr;
    void* context_ = nullptr;

    pthread_t thread_{};
    bool joinable_ = false;
};

}  // namespace weir

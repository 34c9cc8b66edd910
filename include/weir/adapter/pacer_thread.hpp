// SPDX-License-Identifier: MIT
// pacer_thread: a thread of its own for a pacer, on Linux and Windows. It sleeps until an item is
// due, or as long as there is none, and then costs nothing: a wake-up an hour, and one load to who
// pushes.
//
//     weir::pacer<order, my_sink> p{...};
//     weir::pacer_thread runner{p, {.name = "orders", .how = weir::waiting::hybrid}};
//     if (const auto r = runner.start(); !r.runs()) fail(r.why);
//
// `r.well()` asks more: it runs and was refused nothing that its options ask for. << tells what
// was.
//
// It may be made and started when lanes are open and have items already. There may be one at a time
// for a pacer, and nobody looks after that. While it runs, the pacer is its own; `run` has
// something done in between.
//
// A push makes no fence where the system makes one for all threads (membarrier). Where the system
// makes none, pushes do; but not into lanes that were opened before the thread was made, and then
// the thread looks at its lanes once in a millisecond.
#pragma once

#include <exception>
#include <thread>
#include <type_traits>

#include <weir/adapter/pacer_job.hpp>
#include <weir/adapter/pacer_rest.hpp>
#include <weir/adapter/system_thread.hpp>
#include <weir/adapter/thread_terms.hpp>
#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/pacer/bell.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

template <class Pacer>
class pacer_thread {
public:
    using clock_type = typename Pacer::clock_type;

    explicit pacer_thread(Pacer& p, const thread_options& o = {}) noexcept
        : pacer_(p),
          options_(o),
          membarrier_(system_thread::may_fence_all()),
          rest_(p, o, wakes(membarrier_ != 0)) {}
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
            report.why = "its pacer has open lanes and is woken for something else (wake_with)";
        } else if (options_.how == waiting::spin && options_.by != scheduling::as_usual) {
            report.why = "spinning under a real-time class: the kernel would stop the thread for "
                         "50 ms of each second";
        }
        if (!report.runs()) return report;
        report.why = "it runs already";
        beginning its{this, &report};
        (void)job_.begin_by([&] {
            join();  // one that has ended by itself
            stopping_.store_relaxed(false);
            report.why = nullptr;
            report.thread = system_thread::start<&begin>(thread_, &its);
            joinable_ = report.thread == 0;
            if (!joinable_) report.why = "the system gives it no thread";
            return joinable_;
        });
        return report;
    }

    // The thread ends when the poll under way is over, which may call the sink another 256 times;
    // items stay where they are. Comes back when it has ended, but at once from a callback.
    void stop() noexcept {
        if (!is_its_own() && !joinable_) return;
        stopping_.store_relaxed(true);
        alert();
        join();
    }

    // Until all is gone: after `close`, `drain` or `discard`. From a callback it does nothing.
    void join() noexcept {
        if (is_its_own() || !joinable_) return;
        system_thread::join(thread_);
        joinable_ = false;
    }

    // Calls f(pacer) between two polls and comes back when it is done; from the thread itself, a
    // callback for example, or while none runs, at once. It must not throw.
    template <class F>
    void run(F f) {
        if (is_its_own()) return f(pacer_);
        job_.hand_in([&] { f(pacer_); }, [this] { alert(); },
                     [this](auto job) {
                         owner_.store_relaxed(std::this_thread::get_id());
                         job();
                         owner_.store_relaxed({});
                     });
    }

    // How long before an item is due it wants to be awake, if it is `hybrid`: a guess at first,
    // then what the waits have taught.
    [[nodiscard]] nanoseconds approx_guard() const noexcept { return rest_.approx_guard(); }
    // How often it went to sleep.
    [[nodiscard]] word approx_sleeps() const noexcept { return rest_.approx_sleeps(); }

private:
    // Has the pacer wake it. True if pushes make fences for that.
    [[nodiscard]] bool wakes(bool needs_fences) noexcept {
        bell<>& its = pacer_.sleeper();
        const bool fences = needs_fences && pacer_.wake_with(&wake, &its, true);
        registered_ = fences || pacer_.wake_with(&wake, &its, false);
        return fences;
    }

    // Knows the pacer's bell only, which is there as long as anybody may ring it.
    static void wake(void* sleeper) noexcept {
        system_thread::wake(static_cast<bell<>*>(sleeper)->address());
    }
    void alert() noexcept {
        if (pacer_.sleeper().alert()) wake(&pacer_.sleeper());
    }

    struct beginning {
        pacer_thread* whose;
        thread_report* report;
    };
    static void begin(void* its) noexcept {
        auto& b = *static_cast<beginning*>(its);
        b.whose->main(b);
    }

    void main(beginning& its) noexcept {
        const system_thread::precise_timers timers;
        its.report->timer_slack = timers.error;
        set_up(*its.report);
        rest_.begin();
        owner_.store_relaxed(std::this_thread::get_id());
        job_.begin();  // `its` is gone after this
        typename Pacer::next_poll next{polled::due, typename Pacer::instant(), false};
        while (next.what != polled::done) {
            if (pacer_.sleeper().was_alerted()) job_.do_it();
            if (stopping_.load_relaxed()) break;  // it alerted after it had said so
            next = pacer_.poll();
            rest_.until(next);
        }
        job_.end([this] { owner_.store_relaxed({}); });
    }

    // Is the caller within a callback of the pacer's, or in what it has `run`?
    [[nodiscard]] bool is_its_own() const noexcept {
        return owner_.load_relaxed() == std::this_thread::get_id();
    }

    void set_up(thread_report& report) noexcept {
        report.name = system_thread::set_name(options_.name);
        if (options_.core >= 0) report.core = system_thread::set_core(options_.core);
        if (options_.by != scheduling::as_usual) {
            report.scheduling = system_thread::set_class(options_.by, options_.priority);
        }
    }

    Pacer& pacer_;
    thread_options options_;
    int membarrier_;
    bool registered_ = false;
    pacer_rest<Pacer> rest_;
    // Relaxed, because the bell's alert comes after it is set and is heard before it is read.
    atomic<bool> stopping_{false};

    // Who may touch the pacer, for who asks whether that is he: the thread, or who does something
    // while it does not run. Relaxed, because no thread finds its own name here that has not
    // written it itself.
    atomic<std::thread::id> owner_;

    pacer_job job_;

    system_thread::handle thread_{};
    bool joinable_ = false;
};

}  // namespace weir

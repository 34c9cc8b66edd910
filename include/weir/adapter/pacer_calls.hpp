// SPDX-License-Identifier: MIT
// pacer_calls: how the end of a call wakes a pacer that sleeps, if the pacer's limit has an
// in_flight. Before it sleeps its thread joins the queue of those who wait for a place, and then
// polls once more; so the end of a call comes before that poll, or it alerts the pacer.
//
// The thread that polls uses it; any thread ends calls. It ends before the pacer, and takes the
// queue's mutex for a moment.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/place_queue.hpp>
#include <weir/pacer/bell.hpp>

namespace weir {

// Of a limit without an in_flight: nothing.
template <class Pacer, class Queue = detail::places_waited_for,
          bool Calls = calling<typename Pacer::limit_type>>
class pacer_calls {
public:
    explicit pacer_calls(Pacer&) noexcept {}
    // What it sleeps by, after a poll.
    template <class Next>
    [[nodiscard]] Next told(const Next& next) const noexcept {
        return next;
    }
    void join() noexcept {}
    void leave() noexcept {}
};

template <class Pacer, class Queue>
class pacer_calls<Pacer, Queue, true> {
public:
    explicit pacer_calls(Pacer& p) noexcept : pacer_(p) {}
    pacer_calls(const pacer_calls&) = delete;
    pacer_calls& operator=(const pacer_calls&) = delete;
    ~pacer_calls() { leave(); }

    [[nodiscard]] auto told(const typename Pacer::next_poll&) const noexcept {
        return pacer_.told();
    }

    // If anything waits for the end of a call.
    void join() noexcept {
        if (!pacer_.told().held) return;
        pacer_.each_in_flight([this](std::size_t i, in_flight& calls) {
            waiters_[i].bell = &pacer_.sleeper();
            waiters_[i].calls = &calls;
            Queue::join(calls, waiters_[i], false);
        });
    }
    void leave() noexcept {
        for (waiter& w : waiters_) {
            if (w.calls == nullptr) continue;
            (void)Queue::leave(*std::exchange(w.calls, nullptr), w);
        }
    }

private:
    // It promises nothing: a pacer may find that something else holds its items up.
    struct waiter : detail::place_waiter {
        waiter() noexcept : place_waiter(&alert, false) {}

        static void alert(place_waiter& who) noexcept {
            auto& its = *static_cast<waiter&>(who).bell;
            if (its.alert()) its.wake();
        }

        weir::bell<>* bell = nullptr;
        in_flight* calls = nullptr;  // in whose queue it may be
    };

    Pacer& pacer_;
    std::array<waiter, Pacer::lane_count + 1> waiters_{};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// A pacer and a limiter, with observers that hear nothing, or with those for Tracy, which is off.
#include <weir/adapter/tracy.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

namespace {

#if defined(TRACED)
using pacer_observer = weir::pacer_trace<"orders">;
using limiter_observer = weir::limiter_trace<"api">;
#elif defined(TRACED_BY_HAND)
struct pacer_observer {
    static void on_emit(weir::tick, weir::word, weir::word, weir::word) noexcept {}
    static void on_emitted(bool) noexcept {}
    static void on_dropped(weir::dropped) noexcept {}
    static void on_event(weir::pacer_event) noexcept {}
    static void on_lost(weir::word, bool) noexcept {}
    void on_polled(weir::tick, auto items) noexcept { waiting = items(); }
    using during = weir::unmeasured;

    std::size_t waiting = 0;
};
using limiter_observer = weir::unobserved;
#else
using pacer_observer = weir::unwatched;
using limiter_observer = weir::unobserved;
#endif

struct sink {
    void emit(int&& item);
    void drop(int&& item, weir::dropped reason);
};

using pacer = weir::pacer<int, sink, weir::schedule<>, weir::lanes<4>, pacer_observer>;
using limiter = weir::limiter<weir::gcra<>, weir::default_clock, limiter_observer>;

}  // namespace

int received;

void sink::emit(int&& item) { received = item; }
void sink::drop(int&& item, weir::dropped /*reason*/) { received = -item; }

pacer::next_poll poll(void* p) { return static_cast<pacer*>(p)->poll(); }
weir::pushing push(void* producer, int item) {
    return static_cast<pacer::producer_type*>(producer)->try_push(int(item)).how();
}
bool acquire(void* l) { return static_cast<limiter*>(l)->try_acquire().admitted(); }

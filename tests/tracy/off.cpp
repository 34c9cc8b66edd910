// A pacer and a limiter, with observers that hear nothing, or with those for Tracy, which is off.
#include <weir/adapter/tracy.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

namespace {

#if defined(TRACED)
using pacer_observer = weir::pacer_trace<"orders">;
using limiter_observer = weir::limiter_trace<"api">;
#elif defined(TRACED_BY_HAND)
struct pacer_observer : weir::unwatched {
    void on_polled(weir::tick, auto items) noexcept { waiting = items(); }
    std::size_t waiting = 0;
};
using limiter_observer = weir::unobserved;
#else
using pacer_observer = weir::unwatched;
using limiter_observer = weir::unobserved;
#endif

struct sink {
    void emit(int&& item);
    void drop(int&& item, weir::dropped why);
};

using pacer = weir::pacer<int, sink, weir::schedule<>, weir::lanes<4>, pacer_observer>;
using limiter = weir::limiter<weir::gcra<>, weir::default_clock, limiter_observer>;

}  // namespace

int received;

void sink::emit(int&& item) { received = item; }
void sink::drop(int&& item, weir::dropped /*why*/) { received = -item; }

pacer::next_poll poll(void* p) { return static_cast<pacer*>(p)->poll(); }
weir::pushing push(void* producer, int item) {
    return static_cast<pacer::producer_type*>(producer)->try_push(int(item)).how();
}
bool acquire(void* l) { return static_cast<limiter*>(l)->try_acquire().admitted(); }

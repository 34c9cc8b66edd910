// The tasks that no limiter can be faster than: what it does less its arithmetic. Other rows take
// them as their reference.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/weir.hpp>

#include "harness/task.hpp"

namespace bench {

// The fastest clock there is.
#if defined(__x86_64__) || defined(__aarch64__)
using core_clock = weir::cycle_clock;
#else
using core_clock = weir::default_clock;
#endif

struct alignas(weir::cache_line) shared_word {
    std::atomic<weir::word> value{0};
};

// One operation on one word, as a cell would make it.
enum class operation : unsigned char {
    nothing,
    load,
    cas,              // load + compare-exchange until it succeeds
    cas_of_the_time,  // the same, of a value that depends on the clock
    fetch_add,
};

struct no_clock {};

// Reads Clock, if there is one, and does the operation. An observer hears of lost exchanges.
template <class Clock, operation Operation, class Observer = weir::unobserved>
class floor_task {
public:
    void prepare() {}

    auto worker(unsigned) { return one_operation{&word_}; }

private:
    struct one_operation {
        shared_word* word;

        void operator()() {
            weir::word now = 0;
            if constexpr (requires { Clock::now(); }) now = Clock::now().count;
            if constexpr (Operation != operation::nothing) act(word->value, now);
            keep(now);
        }
    };

    static void act(std::atomic<weir::word>& shared, [[maybe_unused]] weir::word now) {
        constexpr auto relaxed = std::memory_order_relaxed;
        if constexpr (Operation == operation::fetch_add) {
            weir::word seen = shared.fetch_add(1, relaxed);
            keep(seen);
            return;
        }
        weir::word seen = shared.load(relaxed);
        if constexpr (Operation == operation::load) {
            keep(seen);
        } else {
            for (;;) {
                const weir::word next =
                    Operation == operation::cas_of_the_time ? now + seen % 2 : seen + 1;
                if (shared.compare_exchange_weak(seen, next, relaxed, relaxed)) return;
                Observer().on_retry();
            }
        }
    }

    shared_word word_;
};

}  // namespace bench

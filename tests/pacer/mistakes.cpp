// SPDX-License-Identifier: MIT
// Compiled once for each mistake, which the compiler must refuse.
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

namespace {

struct order {};

#ifdef A_QUOTA_FOR_A_LIMIT
using limit = weir::quota;
#else
using limit = weir::schedule<>;
#endif

[[maybe_unused]] void use() {
    const auto emit = [](order&&) {};
#ifdef A_SINK_WITHOUT_THE_TOKEN
    limit rate{weir::per_second(100)};
    weir::in_flight calls{5};
    auto p = weir::make_pacer<order>(weir::all_of{rate, calls},
                                     weir::sink{emit, [](order&&, weir::dropped) {}});
#elif defined(A_SINK_THAT_CANNOT_DROP)
    auto p = weir::make_pacer<order>(limit{weir::per_second(100)}, weir::sink{emit});
#else
    const auto drop = [](order&&, weir::dropped) {};
    auto p = weir::make_pacer<order>(limit{weir::per_second(100)}, weir::sink{emit, drop});
#endif
    (void)p.poll();
}

}  // namespace

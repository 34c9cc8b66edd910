// SPDX-License-Identifier: MIT
// Compiled once for each mistake, which the compiler must refuse.
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/pacer/keyed_pacer.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/steered_lane.hpp>
#include <weir/weir.hpp>

namespace {

struct order {
    const char* name;
};

[[maybe_unused]] int number_of(const order&) { return 1; }

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
#ifdef A_KEY_THAT_IS_A_POINTER
    auto by_name = weir::make_pacer<order, weir::steered<weir::lanes<8>, &order::name>>(
        limit{weir::per_second(100)}, weir::sink{emit, drop});
    (void)by_name.poll();
#endif
#ifdef TWO_QUOTAS_WITHOUT_A_CLASS
    auto each = weir::make_keyed_pacer<order, weir::each<number_of, weir::gcra<>, nullptr, 2>>(
        {weir::per_second(1), weir::per_second(2)}, weir::sink{emit, drop});
    (void)each.poll();
#endif
#ifdef A_KEYED_PACER_WITHOUT_A_KEY
    auto each = weir::make_keyed_pacer<order>(weir::per_second(1), weir::sink{emit, drop});
#endif
#ifdef A_QUOTA_FOR_THE_OVERALL_LIMIT
    auto each = weir::make_keyed_pacer<order, weir::each<number_of>>(
        weir::per_second(1), weir::per_second(9), weir::sink{emit, drop});
#endif
#ifdef A_KEY_WITHOUT_EACH
    auto each =
        weir::make_keyed_pacer<order, number_of>(weir::per_second(1), weir::sink{emit, drop});
#endif
#ifdef A_NUMBER_OF_LANES
    auto eight = weir::make_pacer<order, 8>(limit{weir::per_second(100)}, weir::sink{emit, drop});
#endif
#ifdef AN_ITEM_WITHOUT_A_KEY
    auto each = weir::make_keyed_pacer<order, weir::each<nullptr>>(weir::per_second(1),
                                                                   weir::sink{emit, drop});
    (void)each.poll();
#endif
#endif
    (void)p.poll();
}

}  // namespace

// Each cell with a clock. Where an admission conforms at the time that it was given (gcra, leaky
// buckets and logs), nothing hangs on how far the clocks of two cores are apart; the others have
// the system's clock, which is one for all.
#include <weir/clock/coarse.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/steady.hpp>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {

void soak_gcra(round& r) { soak_meter<gcra<>, default_clock>(r); }
void soak_leaky_bucket(round& r) { soak_meter<leaky_bucket<>, coarse_clock>(r); }
void soak_token_bucket(round& r) { soak_meter<token_bucket<>, steady_clock>(r); }

void soak_fixed_window(round& r) {
    soak_window<fixed_window<>, steady_clock>(r, [](auto&&...) {});
}
void soak_aligned_window(round& r) {
    soak_window<aligned_window<>, steady_clock>(r, [](auto&&... all) { promise_aligned(all...); });
}
void soak_sliding_window(round& r) {
    soak_window<sliding_window<>, steady_clock>(r, [](auto&&... all) { promise_sliding(all...); });
}

void soak_sliding_log(round& r) {
    constexpr std::size_t places = 256;
    soak_log<sliding_log<places>, default_clock>(r, places);
}

}  // namespace weir::soak

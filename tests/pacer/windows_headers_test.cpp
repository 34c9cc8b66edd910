// SPDX-License-Identifier: MIT
// Windows' headers, with all of their macros, before weir's. (weir's alone are in the other files.)
#ifdef _WIN32
#include <windows.h>
// Windows' own come from several headers.
#include <mmsystem.h>
#endif

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/adapter/random_seed.hpp>
#include <weir/clock/coarse.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/table/array.hpp>
#include <weir/table/keyed.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#ifdef _WIN32
#include <synchapi.h>
#endif

#include "on_a_thread.hpp"

namespace {

TEST(windows_headers, get_on_with_ours) {
    counting sink;
    weir::pacer<int, counting&, schedule> p(a_second(1'000), sink);
    weir::pacer_thread runner(p);
    ASSERT_TRUE(runner.start().runs());
    auto mine = p.open();
    ASSERT_TRUE(mine.try_push(1));
    wait_until("it is emitted", [&] { return sink.emitted == 1; });
    EXPECT_GT(weir::coarse_clock::facts().granularity, weir::nanoseconds{});
}

}  // namespace

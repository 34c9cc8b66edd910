// SPDX-License-Identifier: MIT
// weir in one include: clocks, quotas, cells and limiters. No Boost, no OS thread, no heap.
#pragma once

#include <weir/cell/catalogue.hpp>  // each cell
#include <weir/cell/quota.hpp>
#include <weir/clock/cached.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/given.hpp>
#include <weir/clock/instant.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limiter.hpp>

#if __STDC_HOSTED__
#include <weir/clock/coarse.hpp>
#include <weir/clock/cycle.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/utc.hpp>
#endif

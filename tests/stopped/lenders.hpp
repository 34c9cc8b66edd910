// SPDX-License-Identifier: MIT
// Whatever takes units from a limit by leases: each of its deeds is stopped before each access, and
// another one is done then.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/limiter.hpp>

namespace stopped {

template <class Clock>
struct by {
    template <class Cell>
    using limiter = weir::limiter<Cell, Clock>;
};

// A limiter with each cell, a log with so many places, and a limit whose quota changes.
template <class Clock, std::size_t Places>
using lenders = weir::joined<
    typename weir::every_cell<Places, weir::word>::template each<by<Clock>::template limiter>,
    weir::cell_list<weir::adjustable<Clock>>>;

template <class Scene>
struct deed {
    const char* name;
    std::function<void(Scene&)> act;
    bool refunds = false;
};

// Calls check(scene, one, other, what) after each, until one fails.
template <class Scene, class Check>
void stop_each(const std::vector<deed<Scene>>& firsts, const std::vector<deed<Scene>>& seconds,
               Check check) {
    for (const auto& one : firsts) {
        for (const auto& other : seconds) {
            for (int when = 0;; ++when) {
                Scene s;
                const auto act = [&] { one.act(s); };
                if (!stop(when, act, [&] { other.act(s); })) break;
                check(s, one, other,
                      std::string(one.name) + ", and before its access " + std::to_string(when) +
                          " " + other.name);
                if (testing::Test::HasFatalFailure()) return;
            }
        }
    }
}

}  // namespace stopped

// SPDX-License-Identifier: MIT
// Numbers of threads: each living thread has its own, and a dead thread's number is given again.
#include <barrier>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/thread_slot.hpp>

namespace {

using weir::thread_slot;

TEST(thread_slot, is_not_known_before_it_was_found) {
    std::thread([] {
        EXPECT_GE(thread_slot::known(), thread_slot::most);
        const std::size_t mine = thread_slot::find();
        EXPECT_LT(mine, thread_slot::most);
        EXPECT_EQ(thread_slot::known(), mine);
        EXPECT_EQ(thread_slot::find(), mine);
    }).join();
}

TEST(thread_slot, is_another_for_each_living_thread) {
    constexpr std::size_t threads = 20;
    std::vector<std::size_t> found(threads);
    std::barrier all_live(threads);
    std::vector<std::jthread> members;
    members.reserve(threads);
    for (std::size_t& mine : found) {
        members.emplace_back([&] {
            mine = thread_slot::find();
            all_live.arrive_and_wait();
        });
    }
    members.clear();
    EXPECT_EQ(std::set<std::size_t>(found.begin(), found.end()).size(), threads);
}

#ifndef __MINGW32__  // frees a thread's memory before the end of what is in it: see the page on
                     // targets
// Many more than there are numbers.
TEST(thread_slot, comes_back_with_a_threads_end) {
    std::set<std::size_t> found;
    for (std::size_t i = 0; i < thread_slot::most + 100; ++i) {
        std::thread([&] { found.insert(thread_slot::find()); }).join();
    }
    EXPECT_EQ(found.size(), 1U);
    EXPECT_LT(*found.begin(), thread_slot::most);
}

TEST(thread_slot, is_gone_after_a_threads_end) {
    static std::size_t afterwards = 0;
    struct late {
        ~late() { afterwards = thread_slot::find(); }
    };
    std::thread([] {
        static thread_local const late outlives_the_number;
        EXPECT_LT(thread_slot::find(), thread_slot::most);
    }).join();
    EXPECT_GE(afterwards, thread_slot::most);
}
#endif

}  // namespace

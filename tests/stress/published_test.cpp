// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/published.hpp>

#include "crowd.hpp"

namespace {

using weir::word;

TEST(published, is_read_whole_while_it_is_replaced_again_and_again) {
    using value = std::array<word, 14>;
    const auto of = [](word n) {
        value v;
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = n * (i + 1);
        return v;
    };
    weir::published<value> shared{of(0)};
    std::atomic<word> torn{0};
    std::atomic<word> backwards{0};
    {
        std::vector<std::jthread> readers(3);
        for (auto& reader : readers) {
            reader = std::jthread([&](const std::stop_token& stop) {
                word last = 0;
                while (!stop.stop_requested()) {
                    const value v = shared.load();
                    torn += v == of(v[0]) ? 0U : 1U;
                    backwards += v[0] < last ? 1U : 0U;
                    last = v[0];
                }
            });
        }
        const int times = repetitions(20'000'000);
        for (int i = 1; i <= times; ++i) shared.store(of(static_cast<word>(i)));
    }
    EXPECT_EQ(torn, 0U);
    EXPECT_EQ(backwards, 0U);
}

}  // namespace

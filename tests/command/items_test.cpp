// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "command/pace/items.hpp"

namespace {

using weir::command::count_of;
using weir::command::item_buffer;

TEST(count_of, counts_texts_of_all_lengths) {
    std::mt19937 random(1);
    for (std::size_t length = 0; length < 20'000; length = length * 5 / 4 + 1) {
        std::string text(length, '\n');
        EXPECT_EQ(count_of('\n', text), length);
        for (char& c : text) c = static_cast<char>(random() % 4);
        for (const char c : {'\0', '\3', '\n'}) {
            EXPECT_EQ(count_of(c, text),
                      static_cast<std::uint64_t>(std::count(text.begin(), text.end(), c)));
        }
    }
}

// Beside a text that is simply kept whole.
TEST(item_buffer, says_the_same_as_the_text_that_it_holds) {
    std::mt19937 random(2);
    item_buffer items('.', 64);
    std::string held;
    const auto whole = [&] {
        return static_cast<std::size_t>(std::count(held.begin(), held.end(), '.'));
    };
    const auto first = [&](std::size_t n) {
        std::size_t end = 0;
        for (; n != 0; --n) end = held.find('.', end) + 1;
        return held.substr(0, end);
    };
    for (int round = 0; round < 100'000; ++round) {
        switch (random() % 4) {
            case 0: {
                const std::size_t bytes = std::min<std::size_t>(items.make_room(), random() % 20);
                std::string some(bytes, '.');
                for (char& c : some) c = random() % 4 == 0 ? '.' : 'x';
                if (bytes != 0) std::memcpy(items.room(), some.data(), bytes);
                items.add(bytes);
                held += some;
                break;
            }
            case 1: {
                const std::size_t n = random() % (whole() + 1);
                ASSERT_EQ(items.first(n), first(n));
                items.remove_first(n, items.first(n).size());
                held.erase(0, first(n).size());
                break;
            }
            case 2: {
                const std::size_t n = random() % (whole() + 1);
                held = first(n) + held.substr(first(whole()).size());
                items.keep_first(n);
                break;
            }
            default:
                if (random() % 16 == 0 && items.capacity() < 1024) items.grow();
                if (whole() == 0 && random() % 4 == 0) {  // as of an item that has no end yet
                    items.remove_first(0, items.all().size());
                    held.clear();
                }
        }
        ASSERT_EQ(items.whole(), whole());
        ASSERT_EQ(items.all(), held);
    }
    items.end();
    EXPECT_EQ(items.whole(), whole() + (held.empty() || held.back() == '.' ? 0 : 1));
    EXPECT_EQ(items.first(items.whole()), held);
}

}  // namespace

// SPDX-License-Identifier: MIT
// A value that any thread exchanges: readers and writers who are stopped at any word, while others
// exchange it and are stopped too, see whole values, lose no exchange and hold up nobody.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/exchanged.hpp>

#include "../oracle/dice.hpp"

namespace {

using value = std::array<std::uint64_t, 3>;
using shared = weir::exchanged<value>;

// Words of which some are what they were before.
value whole(std::uint64_t n) { return {n, n % 2, n % 3}; }

// Adds one, as often as it takes; without others once.
bool add(shared& s, int tries) {
    while (tries-- != 0) {
        const auto seen = s.look();
        EXPECT_EQ(seen.value, whole(seen.value[0]));
        if (s.try_exchange(seen, whole(seen.value[0] + 1))) return true;
    }
    return false;
}
void add_alone(shared& s, std::uint64_t times) {
    for (std::uint64_t n = 0; n < times; ++n) ASSERT_TRUE(add(s, 1)) << "somebody is in the way";
}

TEST(stopped_exchanged, is_read_whole_and_no_older_than_when_the_reader_came) {
    for (std::uint64_t before = 0; before < 5; ++before) {
        for (std::uint64_t times = 1; times < 10; ++times) {
            for (int when = 0;; ++when) {
                shared s(whole(0));
                add_alone(s, before);
                value read{};
                if (!stopped::stop(
                        when, [&] { read = s.load(); }, [&] { add_alone(s, times); }))
                    break;
                ASSERT_EQ(read, whole(read[0])) << "stopped at " << when;
                ASSERT_GE(read[0], before);
                ASSERT_LE(read[0], before + times);
            }
        }
    }
}

// A thread that adds one, and is stopped at some access until it may go on. Only one of all threads
// runs at a time.
class late_writer {
public:
    late_writer(shared& s, int when)
        : thread_([this, &s, when] {
              stopped::left = when;
              stopped::others = [this] {
                  stops_.release();
                  goes_on_.acquire();
              };
              added_ = add(s, 3);
              stopped::others = nullptr;
              stops_.release();
          }) {
        stops_.acquire();
    }
    // To its end.
    void go_on() {
        goes_on_.release();
        thread_.join();
        EXPECT_TRUE(added_);
    }

private:
    std::binary_semaphore stops_{0};
    std::binary_semaphore goes_on_{0};
    bool added_ = false;
    std::thread thread_;
};

// Some are late, and go on in any order. Whoever has not gone on yet may as well have died.
TEST(stopped_exchanged, is_whole_and_loses_nothing_whichever_writer_is_late) {
    for (std::uint64_t seed = 1; seed <= 1'000 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        oracle::dice d(seed);
        shared s(whole(0));
        std::uint64_t alone = 0;
        const auto add_some = [&] {
            const std::uint64_t times = d.one_in(2) ? 0 : d.roll(6);
            add_alone(s, times);
            alone += times;
            const value now = s.load();
            EXPECT_EQ(now, whole(now[0]));
        };
        add_some();
        std::vector<std::unique_ptr<late_writer>> late;
        for (std::uint64_t i = d.roll(6); i != 0; --i) {
            late.push_back(std::make_unique<late_writer>(s, static_cast<int>(d.roll(16))));
            add_some();
        }
        const std::uint64_t writers = late.size();
        while (!late.empty()) {
            const auto next = late.begin() + static_cast<std::ptrdiff_t>(d.index(late.size()));
            (*next)->go_on();
            late.erase(next);
            add_some();
        }
        EXPECT_EQ(s.load(), whole(writers + alone));
    }
}

// The fourth number after that of a writer has the same copy.
TEST(stopped_exchanged, is_whole_if_a_late_writer_meets_another_in_its_copy) {
    constexpr int with_a_number = 7;  // accesses
    for (int first = 0; first < 20 && !HasFailure(); ++first) {
        for (int last = 0; last < 20; ++last) {
            SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(last));
            shared s(whole(0));
            late_writer one(s, first);
            late_writer two(s, with_a_number);
            late_writer three(s, with_a_number);
            late_writer four(s, last);
            for (late_writer* late : {&one, &four, &three, &two}) {
                late->go_on();
                const value now = s.load();
                EXPECT_EQ(now, whole(now[0]));
            }
            EXPECT_EQ(s.load(), whole(4));
        }
    }
}

// What a late writer knew is as good as gone: its exchange fails, and changes nothing.
TEST(stopped_exchanged, is_exchanged_only_for_the_value_that_was_seen) {
    for (std::uint64_t times = 1; times < 10; ++times) {
        for (int when = 0;; ++when) {
            shared s(whole(0));
            const auto seen = s.look();
            bool exchanged = false;
            const bool was_stopped = stopped::stop(
                when, [&] { exchanged = s.try_exchange(seen, whole(100)); },
                [&] { add_alone(s, times); });
            if (!was_stopped) break;
            ASSERT_FALSE(exchanged) << "stopped at " << when;
            ASSERT_EQ(s.load(), whole(times));
        }
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// A published value alone: readers who are stopped at any word while it is replaced, and others
// who read while its writer is stopped, get a whole one.
#include <array>

#include <gtest/gtest.h>

#include <weir/base/published.hpp>

namespace {

using weir::word;
using value = std::array<word, 4>;

value whole(word n) { return {n, n, n, n}; }

TEST(stopped_published, is_read_whole_and_no_older_than_when_the_reader_came) {
    for (word before = 0; before < 3; ++before) {
        for (word writes = 1; writes < 5; ++writes) {
            for (int when = 0;; ++when) {
                weir::published<value> p(whole(0));
                for (word n = 1; n <= before; ++n) p.store(whole(n));
                value read{};
                const auto others = [&] {
                    for (word n = 1; n <= writes; ++n) p.store(whole(before + n));
                };
                if (!stopped::stop(
                        when, [&] { read = p.load(); }, others))
                    break;
                ASSERT_EQ(read, whole(read[0])) << "stopped at " << when;
                ASSERT_GE(read[0], before);
                ASSERT_LE(read[0], before + writes);
            }
        }
    }
}

TEST(stopped_published, is_the_value_before_as_long_as_its_writer_is_stopped) {
    for (word before = 0; before < 3; ++before) {
        for (int when = 0;; ++when) {
            weir::published<value> p(whole(0));
            for (word n = 1; n <= before; ++n) p.store(whole(n));
            value read{};
            const auto write = [&] { p.store(whole(before + 1)); };
            if (!stopped::stop(when, write, [&] { read = p.load(); })) break;
            ASSERT_EQ(read, whole(before)) << "stopped at " << when;
            ASSERT_EQ(p.load(), whole(before + 1)) << "stopped at " << when;
        }
    }
}

}  // namespace

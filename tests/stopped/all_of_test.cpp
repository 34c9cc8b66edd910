// SPDX-License-Identifier: MIT
// Several limits at once, stopped between one member and the next, and in each of them, while
// others take from members and time may pass. No member lets more pass than its quota allows, and
// what was taken for a request that a later member refused comes back as far as it is still to
// come, unless the caller's own time could not tell.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/cell/token_bucket.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/limiter.hpp>

#include "exact_limit.hpp"

namespace {

using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct stopped_members, 1'024>;
using instant = weir::instant<clock>;
using exact = stopped::exact_limit<clock>;

constexpr word unit = clock::hertz();
constexpr word begin = 1'000'000 * unit;
constexpr word burst = 5;
constexpr word asked = 3;

// What others take meanwhile from each member, or from both if both have it; a unit is a second.
struct deed {
    word time;
    word first;
    word last;
    bool both = false;
};
const deed deeds[] = {
    {0, 0, 0}, {0, 1, 0}, {0, 3, 0}, {0, 5, 0}, {0, 0, 1}, {0, 0, 3},       {0, 0, 5},
    {0, 2, 3}, {0, 4, 4}, {1, 0, 5}, {1, 2, 4}, {1, 4, 4}, {2, 3, 4},       {3, 0, 5},
    {3, 2, 4}, {3, 4, 4}, {9, 2, 4}, {9, 5, 5}, {0, 3, 3}, {0, 3, 3, true}, {1, 4, 4, true},
};

// What each of the two members lost and has.
struct member {
    word got;
    std::int64_t there;

    [[nodiscard]] std::int64_t total() const {
        return there + static_cast<std::int64_t>(got * unit);
    }
    friend bool operator==(const member&, const member&) = default;
};
using outcome = std::array<member, 2>;

template <class Limit>
std::int64_t there(Limit& limit) {
    if constexpr (std::is_same_v<Limit, exact>) {
        return limit.there();
    } else {
        const auto ahead = static_cast<std::int64_t>(limit.peek(0).ticks().reset_after());
        return static_cast<std::int64_t>(burst * unit) - ahead;
    }
}

template <class First, class Last>
struct scene {
    // With `used` units gone.
    explicit scene(word used) {
        (void)first.try_acquire(used);
        (void)last.try_acquire(used);
    }

    // For the others, after the time that passes.
    template <class Both>
    void act(const deed& d, Both both) {
        clock::set({clock::now().count + d.time * unit});
        if (d.both) {
            if (both(d.first)) got[0] += d.first, got[1] += d.last;
        } else {
            if (first.try_acquire(d.first)) got[0] += d.first;
            if (last.try_acquire(d.last)) got[1] += d.last;
        }
    }
    void take(bool admitted) {
        for (word& g : got) g += admitted ? asked : 0;
    }
    [[nodiscard]] outcome end() {
        return {member{got[0], there(first)}, member{got[1], there(last)}};
    }

    struct at_begin {
        at_begin() { clock::set({begin}); }
    } time;
    First first{quota{1, seconds(1), burst}, {.start = burst}};
    Last last{quota{1, seconds(1), burst}, {.start = burst}};
    word got[2] = {};
};

// What can come of it for each member if all is done at one instant: before the others, after them,
// after them with a time from before; or not at all, which a race may come to.
std::vector<outcome> orders(word used, const deed& d) {
    std::vector<outcome> all;
    enum { first, last, late, never };
    for (const int order : {first, last, late, never}) {
        scene<exact, exact> s(used);
        const instant before = clock::now();
        const auto take_both = [&](word n) {
            const auto enough = static_cast<std::int64_t>(n * unit);
            return s.first.there() >= enough && s.last.there() >= enough &&
                   s.first.try_acquire(n) && s.last.try_acquire(n);
        };
        const auto take_each = [&] {
            s.got[0] += s.first.try_acquire(asked) ? asked : 0;
            s.got[1] += s.last.try_acquire(asked) ? asked : 0;
        };
        if (order == first) take_each();
        s.act(d, take_both);
        const instant after = clock::now();
        if (order == late) clock::set(before);
        if (order == last || order == late) take_each();
        clock::set(after);
        all.push_back(s.end());
    }
    return all;
}

template <class First, class Last>
void expect_the_quotas_kept(bool time_is_given) {
    for (const word used : {word{0}, word{1}, word{2}}) {
        for (const deed& d : deeds) {
            const auto may_be = orders(used, d);
            for (int when = 0;; ++when) {
                scene<First, Last> s(used);
                weir::all_of both(s.first, s.last);
                const auto act = [&] {
                    const instant now = clock::now();
                    s.take(time_is_given ? both.try_acquire(asked, now).admitted()
                                         : both.try_acquire(asked).admitted());
                };
                const auto others = [&] {
                    s.act(d, [&](word n) { return both.try_acquire(n).admitted(); });
                };
                if (!stopped::stop(when, act, others)) break;
                const outcome o = s.end();
                // Others may have been refused for what came back later, and where both gave back
                // they may have given less.
                const outcome& never = may_be.back();
                const bool refused = o[0].got < never[0].got || o[1].got < never[1].got;
                for (std::size_t i = 0; i < 2; ++i) {
                    const auto among = [&](auto holds) {
                        return std::any_of(may_be.begin(), may_be.end(),
                                           [&](const outcome& m) { return holds(m[i]); });
                    };
                    EXPECT_TRUE(among([&](const member& m) { return o[i].total() <= m.total(); }));
                    if (time_is_given || d.both) continue;
                    if (d.time == 0) {
                        EXPECT_EQ(o[i].total(), never[i].total());
                    } else if (!refused) {
                        EXPECT_TRUE(among([&](const member& m) { return m == o[i]; }));
                    }
                    if (!testing::Test::HasFailure()) continue;
                    FAIL() << "member " << i << " has " << o[i].there << " after " << o[i].got
                           << ": before access " << when << " " << d.first << " and " << d.last
                           << " are taken, " << d.time << " s later";
                }
            }
        }
    }
}

using meter = weir::limiter<weir::gcra<>, clock>;
using bucket = weir::limiter<weir::token_bucket<>, clock>;
using changing = weir::adjustable<clock>;

template <class Limits>
class stopped_all_of : public testing::Test {};
using pairs = testing::Types<std::pair<meter, meter>, std::pair<meter, bucket>,
                             std::pair<bucket, meter>, std::pair<changing, meter>>;
TYPED_TEST_SUITE(stopped_all_of, pairs);

TYPED_TEST(stopped_all_of, keeps_each_quota_and_what_is_refused_comes_back) {
    expect_the_quotas_kept<typename TypeParam::first_type, typename TypeParam::second_type>(false);
}

TYPED_TEST(stopped_all_of, keeps_each_quota_at_a_time_that_is_given) {
    expect_the_quotas_kept<typename TypeParam::first_type, typename TypeParam::second_type>(true);
}

}  // namespace

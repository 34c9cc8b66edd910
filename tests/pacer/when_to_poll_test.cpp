// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/when_to_poll.hpp>

namespace {

using clock = weir::manual_clock<struct answers>;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;
using weir::polled;

struct standing {
    [[nodiscard]] next_poll answer(bool sooner = false) const {
        return weir::when_to_poll(due, sooner, pause, drain);
    }

    weir::due_time<clock> due;
    weir::pause_state<clock> pause;
    weir::drain_state<clock> drain;
};

TEST(when_to_poll, is_when_the_first_of_what_waits_may_go) {
    standing s;
    EXPECT_EQ(s.answer(), (next_poll{polled::idle, instant(), true}));
    s.due.at_latest(instant{30});
    s.due.at_latest(instant{40});
    EXPECT_EQ(s.answer(), (next_poll{polled::due, instant{30}, false}));
    s.due.at_latest(instant{20});
    EXPECT_EQ(s.answer(true), (next_poll{polled::due, instant{20}, true})) << "or a push before";
}

TEST(when_to_poll, is_the_end_of_a_pause_whatever_is_due_or_pushed) {
    standing s;
    s.due.at_latest(instant{30});
    s.pause.begin();
    EXPECT_EQ(s.answer(true), (next_poll{polled::paused, instant(), false}));
    s.pause.begin(instant{90});
    EXPECT_EQ(s.answer(true), (next_poll{polled::due, instant{90}, false}));
}

TEST(when_to_poll, is_no_later_than_the_end_of_a_drain) {
    standing s;
    s.drain.begin(instant{60});
    EXPECT_EQ(s.answer(), (next_poll{polled::due, instant{60}, true}));
    s.due.at_latest(instant{70});
    EXPECT_EQ(s.answer().at, instant{60});
    s.due.at_latest(instant{30});
    EXPECT_EQ(s.answer().at, instant{30});
    s.pause.begin();
    EXPECT_EQ(s.answer(), (next_poll{polled::due, instant{60}, false}));
}

}  // namespace

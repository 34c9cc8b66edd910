// SPDX-License-Identifier: MIT
// Callbacks that take their time, push, or control their own pacer.
#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/pacer.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {
namespace {

class callbacks_test : public run {};

struct meddler {
    using pacer = weir::pacer<int, meddler&, schedule, lanes<2, 16>>;

    void emit(int&& i) {
        seen.push_back(i);
        switch (i) {
            case 1: EXPECT_EQ(p->poll(), (next_poll{polled::due, clock::now(), false})); break;
            case 2: EXPECT_TRUE(mine->try_push(100)); break;
            case 3: p->pause(); break;
            case 4: EXPECT_EQ(p->set_rate(quota{1, seconds(1), 1}), weir::pacer_error::none); break;
            case 5: *mine = p->open(); break;
            case 6: p->discard(); break;
            default: break;
        }
    }
    void drop(int&& i, dropped) {
        drops.push_back(i);
        (void)p->poll();
        p->discard();
    }
    pacer* p = nullptr;
    pacer::producer_type* mine = nullptr;
    std::vector<int> seen;
    std::vector<int> drops;
};

TEST_F(callbacks_test, may_be_called_by_its_own_callbacks) {
    meddler sink;
    meddler::pacer p(ten_a_second(), sink);
    auto mine = p.open();
    auto helper = p.open();
    sink.p = &p;
    sink.mine = &helper;
    for (const int i : {1, 2, 3, 4, 5, 6, 7}) (void)mine.try_push(int(i));
    EXPECT_EQ(poll_until(p, 9'999).what, polled::paused);
    EXPECT_EQ(sink.seen, (std::vector<int>{1, 2, 100, 3}));
    p.resume();
    EXPECT_EQ(poll_until(p, 99'999).what, polled::done);
    EXPECT_EQ(sink.seen, (std::vector<int>{1, 2, 100, 3, 4, 5, 6}));
    EXPECT_EQ(sink.drops, (std::vector<int>{7}));
    EXPECT_EQ(clock::now(), instant{1'400 + 2'000});
}

TEST_F(callbacks_test, is_done_if_its_last_callback_has_closed_it) {
    obliging sink;
    weir::pacer<int, obliging&, schedule, lanes<2, 16>> p(ten_a_second(), sink);
    sink.does = [&](int) { p.close(); };
    auto mine = p.open();
    (void)mine.try_push(1);
    EXPECT_EQ(p.poll().what, polled::done);
}

TEST_F(callbacks_test, is_done_if_its_last_callback_has_closed_and_paused_it) {
    obliging sink;
    weir::pacer<int, obliging&, schedule, lanes<2, 16>> p(ten_a_second(), sink);
    sink.does = [&](int) {
        p.close();
        p.pause();
    };
    auto mine = p.open();
    (void)mine.try_push(1);
    EXPECT_EQ(p.poll().what, polled::done);
}

// When the next poll is due, after an urgent item went on a budget of its own while others wait for
// a quarter of an hour, and its callback did this.
template <class Deed>
instant due_after(Deed deed) {
    std::vector<int> seen;
    obliging sink;
    schedule budget = ten_a_second();
    weir::pacer<int, obliging&, schedule, lanes<2, 16>> p(schedule(quota{1, seconds(1'000)}), sink);
    auto slow = p.open({.priority = 0});
    auto urgent = p.open({.priority = 1, .budget = &budget});
    (void)slow.try_push(1);
    (void)slow.try_push(2);
    (void)urgent.try_push(3);
    sink.does = [&](int i) {
        seen.push_back(i);
        if (i == 3) deed(p, urgent);
    };
    const next_poll next = p.poll();
    EXPECT_EQ(seen, (std::vector<int>{1, 3}));
    return next.at;
}

TEST_F(callbacks_test, asks_again_if_a_callback_has_changed_the_rate) {
    const auto change = [](auto& p, auto&) {
        EXPECT_EQ(p.set_rate(quota{1, seconds(1)}), weir::pacer_error::none);
    };
    EXPECT_EQ(due_after(change), instant{2'000}) << "and not a quarter of an hour later";
}

TEST_F(callbacks_test, looks_again_for_what_a_callback_has_pushed_while_others_wait) {
    const auto push = [](auto&, auto& urgent) { EXPECT_TRUE(urgent.try_push(4)); };
    EXPECT_EQ(due_after(push), instant{1'100}) << "when the urgent one may go";
}

TEST_F(callbacks_test, emits_nothing_while_it_ends) {
    obliging sink;
    std::vector<int> seen;
    {
        weir::pacer<int, obliging&, schedule, lanes<1, 16>> p(ten_a_second(), sink);
        sink.does = [&](int i) {
            seen.push_back(i);
            EXPECT_EQ(p.poll(), (next_poll{polled::due, clock::now(), false}));
        };
        auto mine = p.open();
        for (const int i : {1, 2, 3}) (void)mine.try_push(int(i));
    }
    EXPECT_EQ(seen, (std::vector<int>{-1, -2, -3}));
}

TEST_F(callbacks_test, refuses_what_its_last_callbacks_push) {
    struct stubborn {
        static void emit(int&&) {}
        void drop(int&& i, dropped) {
            ++drops;
            EXPECT_EQ(mine->try_push(int(i)).how(), pushing::closed);
        }
        weir::producer<int, schedule, lanes<1, 4>>* mine = nullptr;
        int drops = 0;
    };
    stubborn sink;
    weir::producer<int, schedule, lanes<1, 4>> mine;
    sink.mine = &mine;
    {
        weir::pacer<int, stubborn&, schedule, lanes<1, 4>> p(ten_a_second(), sink);
        mine = p.open();
        (void)mine.try_push(1);
        (void)mine.try_push(2);
        p.discard();
        EXPECT_EQ(sink.drops, 2);
        mine.close();
    }
}

TEST_F(callbacks_test, emits_nothing_after_its_deadline_however_long_callbacks_take) {
    struct slow {
        void emit(word&& by) const {
            EXPECT_LE(clock::now().count, by);
            clock::advance(weir::milliseconds(30));
        }
        void drop(word&&, dropped reason) {
            EXPECT_EQ(reason, dropped::expired);
            ++drops;
        }
        int drops = 0;
    } sink;
    weir::pacer<word, slow&, schedule, lanes<2, 64>> p(ten_a_second(catch_up::items(50)), sink);
    auto mine = p.open();
    (void)mine.try_push(2'000);
    (void)p.poll();
    clock::set({61'000});
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(mine.try_push(61'100, 1, deadline(instant{61'100})));
    }
    EXPECT_EQ(poll_until(p, 99'999).what, polled::idle);
    EXPECT_EQ(sink.drops, 16) << "at 0, 30, 60 and 90 ms one went";
}

struct slow_together {
    static constexpr std::size_t most_at_once = 4;

    void emit(std::span<word> all) {
        for (const word by : all) EXPECT_LE(clock::now().count, by);
        sizes.push_back(all.size());
        clock::advance(weir::milliseconds(30));
    }
    static void drop(word&&, dropped) {}
    std::vector<std::size_t> sizes;
};

TEST_F(callbacks_test, emits_no_batch_after_a_deadline_in_it) {
    slow_together sink;
    weir::pacer<word, slow_together&, schedule, lanes<2, 64>> p(ten_a_second(catch_up::items(50)),
                                                                sink);
    auto mine = p.open();
    (void)mine.try_push(2'000);
    (void)p.poll();
    clock::set({61'000});
    for (int i = 0; i < 20; ++i) (void)mine.try_push(61'050, 1, deadline(instant{61'050}));
    EXPECT_EQ(poll_until(p, 99'999).what, polled::idle);
    EXPECT_EQ(sink.sizes, (std::vector<std::size_t>{1, 4, 4}));
}

TEST_F(callbacks_test, keeps_its_interval_however_long_callbacks_of_other_lanes_take) {
    std::vector<word> times;
    auto to = weir::sink{[&](int&& i) {
                             if (i == 0) clock::advance(weir::milliseconds(70));
                             if (i == 1) times.push_back(clock::now().count);
                         },
                         [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), schedule, lanes<2, 16>> p(ten_a_second(catch_up::none()),
                                                             decltype(to)(to));
    schedule own = ten_a_second(catch_up::none());
    auto slow = p.open({.priority = 0});
    auto mine = p.open({.priority = 1, .budget = &own});
    (void)slow.try_push(0);
    for (int i = 0; i < 5; ++i) (void)mine.try_push(1);
    (void)poll_until(p, 9'999);
    ASSERT_EQ(times.size(), 5U);
    for (std::size_t i = 1; i < 5; ++i) EXPECT_GE(times[i] - times[i - 1], 100U);
}

TEST_F(callbacks_test, is_not_late_for_what_waits_by_the_time_that_callbacks_take) {
    auto to = weir::sink{[](int&& i) {
                             if (i == 1) clock::advance(weir::milliseconds(70));
                         },
                         [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), schedule, lanes<2, 16>> p(ten_a_second(), decltype(to)(to));
    schedule own(quota{1, seconds(1), 1});
    auto first = p.open({.priority = 0});
    auto slow = p.open({.priority = 1, .budget = &own});
    (void)first.try_push(0);
    (void)first.try_push(0);
    (void)slow.try_push(1);
    EXPECT_EQ(p.poll().at, instant{1'100});
    EXPECT_EQ(clock::now(), instant{1'070});
}

TEST_F(callbacks_test, lets_all_go_by_the_time_that_it_is_given) {
    std::vector<int> seen;
    auto to = weir::sink{[&](int&& i) {
                             seen.push_back(i);
                             clock::advance(seconds(60));
                         },
                         [&](int&& i, dropped) { seen.push_back(-i); }};
    weir::pacer<int, decltype(to), schedule, lanes<2, 16>> p(ten_a_second(catch_up::items(5)),
                                                             decltype(to)(to));
    auto mine = p.open();
    for (const int i : {1, 2, 3}) (void)mine.try_push(int(i), 1, deadline(instant{2'000}));
    (void)p.poll(instant{1'000});
    EXPECT_EQ(p.poll(instant{2'000}).what, polled::idle);
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace in_virtual_time

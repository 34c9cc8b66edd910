// SPDX-License-Identifier: MIT
// A log stopped at each access: in a decision, between taking its places and recording its time in
// them, in its start and in a fill.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/sliding_log.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::word;

constexpr word units = 3;
constexpr word period = 1'000;
constexpr word begin = 1'000'000'000;

using log_type = weir::sliding_log<units>;
const log_type::rate rate =
    log_type::rate::make(quota{units, seconds(1), units}, period, {.debt = 0}).value();

// A log that has passed so many units, one a period; then `recent` more, half a period ago.
struct scene {
    scene() = default;
    scene(word passed, word recent) {
        log.fill({now}, units, rate);
        for (; passed > 0; --passed, now += period) take(1);
        now += period;
        take(recent);
        now += period / 2;
    }

    void take(word n) {
        if (n != 0 && log.try_acquire({now}, n, rate)) add(n);
    }
    void take_up_to(word n) { add(log.acquire_up_to({now}, n, rate).units); }
    void add(word n) { times.insert(times.end(), static_cast<std::size_t>(n), now); }
    [[nodiscard]] word room() const { return log.room({now}, rate); }

    word now = begin;
    log_type log;
    std::vector<word> times;  // of all that passed
};

struct deed {
    const char* name;
    std::function<void(scene&)> act;
};
const deed deeds[] = {
    {"take one", [](scene& s) { s.take(1); }},
    {"take two", [](scene& s) { s.take(2); }},
    {"take three", [](scene& s) { s.take(3); }},
    {"take up to two", [](scene& s) { s.take_up_to(2); }},
    {"take up to three", [](scene& s) { s.take_up_to(3); }},
    {"take one by one", [](scene& s) { s.take(1), s.take(1), s.take(1); }},
    {"look", [](scene& s) { (void)s.room(); }},
};

// Calls act(passed, recent) for each beginning.
template <class Act>
void for_each_beginning(Act act) {
    for (word passed = 0; passed < 3 * units; ++passed) {
        for (word recent = 0; recent <= units; ++recent) act(passed, recent);
    }
}

TEST(stopped_log, gives_all_together_what_there_was) {
    for_each_beginning([](word passed, word recent) {
        for (const deed& one : deeds) {
            for (const deed& other : deeds) {
                for (int when = 0;; ++when) {
                    scene s(passed, recent);
                    const std::size_t before = s.times.size();
                    const word there = s.room();
                    const auto act = [&] { one.act(s); };
                    if (!stopped::stop(when, act, [&] { other.act(s); })) break;
                    ASSERT_EQ(s.times.size() - before + s.room(), there)
                        << one.name << ", and before its access " << when << " " << other.name;
                }
            }
        }
    });
}

// A place that others have recorded anew tells that they have moved the head on.
TEST(stopped_log, refuses_nobody_what_others_have_left) {
    for_each_beginning([](word passed, word recent) {
        for (const deed& other : deeds) {
            for (int when = 0;; ++when) {
                scene s(passed, recent);
                bool admitted = false;
                word left = 0;
                const auto act = [&] { admitted = s.log.try_acquire({s.now}, 1, rate).admitted(); };
                const auto others = [&] {
                    other.act(s);
                    left = s.room();
                };
                if (!stopped::stop(when, act, others)) break;
                ASSERT_TRUE(admitted || left == 0)
                    << "before its access " << when << " " << other.name;
            }
        }
    });
}

// Whoever is stopped has asked at a time that is late by then.
TEST(stopped_log, lets_no_more_pass_in_any_period_and_holds_up_nobody_for_longer) {
    for_each_beginning([](word passed, word recent) {
        for (const deed& one : deeds) {
            for (const deed& other : deeds) {
                for (const word steps : {word{1}, word{2}, word{5}, word{12}}) {
                    for (const word step : {period / 2, period, 2 * period}) {
                        for (int when = 0;; ++when) {
                            scene s(passed, recent);
                            scene* const all = &s;
                            const auto act = [&] { one.act(s); };
                            const bool was_stopped = stopped::stop(when, act, [=] {
                                // The one who is stopped goes on to ask at its own time.
                                const word then = all->now;
                                for (word i = 0; i < steps; ++i) {
                                    all->now += step;
                                    other.act(*all);
                                }
                                all->now = then;
                            });
                            if (!was_stopped) break;
                            const std::string what = std::string(one.name) +
                                                     ", and before its access " +
                                                     std::to_string(when) + " " + other.name;
                            std::sort(s.times.begin(), s.times.end());
                            for (std::size_t i = units; i < s.times.size(); ++i) {
                                ASSERT_GE(s.times[i] - s.times[i - units], period) << what;
                            }
                            s.now += (steps * step) + period;
                            ASSERT_EQ(s.room(), units) << what;
                        }
                    }
                }
            }
        }
    });
}

// Until a fill ends others are let pass by what was there before, and after it by what is there
// then.
TEST(stopped_log, that_is_filled_is_the_old_one_until_it_is_the_new_one) {
    for_each_beginning([](word passed, word recent) {
        for (word wanted = 0; wanted <= units; ++wanted) {
            for (const bool restore : {false, true}) {
                const weir::cell_state<word> state{units - wanted, wanted == units ? 0 : period};
                for (const deed& other : deeds) {
                    for (int when = 0;; ++when) {
                        scene s(passed, recent);
                        const std::size_t before = s.times.size();
                        const word there = s.room();
                        const auto fill = [&] {
                            if (restore) {
                                (void)s.log.restore({s.now}, state, rate);
                            } else {
                                s.log.fill({s.now}, wanted, rate);
                            }
                        };
                        if (!stopped::stop(when, fill, [&] { other.act(s); })) break;
                        std::string what = std::to_string(wanted);
                        what.append(" are to be there, and before access ")
                            .append(std::to_string(when))
                            .append(" ")
                            .append(other.name);
                        ASSERT_LE(s.times.size() - before, there) << what;
                        ASSERT_LE(s.room(), wanted) << what;
                        s.now += period;
                        ASSERT_EQ(s.room(), units) << what;
                    }
                }
            }
        }
    });
}

// And who is stopped while the log is filled is let pass by the one or the other.
TEST(stopped_log, lets_nobody_pass_by_a_mixture_of_old_and_new) {
    for_each_beginning([](word passed, word recent) {
        for (word wanted = 0; wanted <= units; ++wanted) {
            for (const deed& one : deeds) {
                for (int when = 0;; ++when) {
                    scene s(passed, recent);
                    const std::size_t before = s.times.size();
                    const word there = s.room();
                    const auto act = [&] { one.act(s); };
                    const auto fill = [&] { s.log.fill({s.now}, wanted, rate); };
                    if (!stopped::stop(when, act, fill)) break;
                    const std::string what = std::string(one.name) + ", and before its access " +
                                             std::to_string(when) + " filled with " +
                                             std::to_string(wanted);
                    ASSERT_LE(s.times.size() - before + s.room(), there + wanted) << what;
                    ASSERT_LE(s.room(), wanted) << what;
                    s.now += period;
                    ASSERT_EQ(s.room(), units) << what;
                }
            }
        }
    });
}

TEST(stopped_log, starts_once_whoever_is_first) {
    for (word there = 0; there <= units; ++there) {
        for (const deed& one : deeds) {
            for (const deed& other : deeds) {
                for (int when = 0;; ++when) {
                    scene s;
                    const auto begin_and = [&](const deed& d) {
                        s.log.start({s.now}, there, rate);
                        d.act(s);
                    };
                    const auto act = [&] { begin_and(one); };
                    if (!stopped::stop(when, act, [&] { begin_and(other); })) break;
                    const std::string what = std::string(one.name) + ", and before access " +
                                             std::to_string(when) + " " + other.name;
                    ASSERT_EQ(s.times.size() + s.room(), there) << what;
                    s.now += period;
                    ASSERT_EQ(s.room(), units) << what;
                }
            }
        }
    }
}

}  // namespace

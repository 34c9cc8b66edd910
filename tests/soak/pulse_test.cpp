// SPDX-License-Identifier: MIT
// The watchdog: what it counts, and what it says of a planted thread that is stuck.
#include <chrono>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "../command/program.hpp"
#include "pulse.hpp"
#include "soak.hpp"

namespace {

using namespace weir::soak;

TEST(pulses, count_looks_since_the_last_beat) {
    pulses all;
    pulse& one = all.add("one");
    EXPECT_EQ(all.look().looks, 0U) << "that it was added is a beat";
    EXPECT_EQ(all.look().looks, 1U);
    EXPECT_EQ(all.look().looks, 2U);
    one.beat();
    EXPECT_EQ(all.look().looks, 0U);
    EXPECT_EQ(all.look().looks, 1U);
    one.end();
    EXPECT_EQ(all.look().looks, 0U) << "who has ended is not stuck";
}

TEST(pulses, name_who_has_made_the_longest_pause_and_of_equals_the_last) {
    pulses all;
    pulse& maker = all.add("maker");
    pulse& member = all.add("member");
    (void)all.look();
    maker.beat();
    EXPECT_EQ(all.look().whose, "member");
    member.beat();
    (void)all.look();
    EXPECT_EQ(all.look().whose, "maker") << "of 2 and 1";
    maker.beat();
    member.beat();
    (void)all.look();
    EXPECT_EQ(all.look().whose, "member") << "the maker waits for it";
}

TEST(pulses, beat_when_a_thread_asks_whether_to_go_on) {
    pulses all;
    const stop_asked asked({}, all.add("one"));
    (void)all.look();
    EXPECT_FALSE(asked.stop_requested());
    EXPECT_EQ(all.look().looks, 0U);
    EXPECT_EQ(all.look().looks, 1U);
}

TEST(pulses, know_the_threads_that_are_at_work) {
    pulses all;
    all.add("one").begin();
    all.add("two").end();
    const auto at_work = all.threads();
    ASSERT_EQ(at_work.size(), 1U);
    EXPECT_EQ(at_work[0].number, number_of_this_thread());
    EXPECT_EQ(at_work[0].whose, "one");
}

[[noreturn]] void sleep_for_ever() {
    for (;;) std::this_thread::sleep_for(std::chrono::minutes(1));
}

// The second of three threads is stuck, and the one that waits for it.
void stick(round& r) {
    r.about("2 per day");
    r.crowd(3, [](const stop_asked& stop, unsigned number, dice) {
        if (number == 1) sleep_for_ever();
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
}
constexpr part stuck[] = {{"planted", stick}};

// What a soak of that part says, in a process of its own.
outcome said(const std::vector<std::string_view>& arguments) {
    constexpr unsigned patience = 5;
    const auto soak = [&] { ::_exit(run_soak_of(stuck, arguments, patience)); };
    return run(scratch_folder(), {}, {.prepare = soak});
}

// Which thread it finds first depends on how long the others are kept waiting by the machine. The
// stuck one is always among those that it names.
TEST(watchdog, ends_the_soak_and_names_part_and_thread_and_seed_and_stacks) {
    const outcome o = said({"--minutes", "60", "--seed", "7"});
    EXPECT_EQ(o.status, 1) << o.error;
    EXPECT_NE(o.out.find("planted, seed "), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("(2 per day): "), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("has made no progress while"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("\nBroken: "), std::string::npos) << o.out;
    EXPECT_NE(o.error.find("thread 2 of 3):\n"), std::string::npos) << o.error;
}

TEST(watchdog, tells_programs_too) {
    const outcome o = said({"--json"});
    EXPECT_EQ(o.status, 1) << o.error;
    EXPECT_NE(o.out.find("\"kept\":false"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("has made no progress"), std::string::npos) << o.out;
}

}  // namespace

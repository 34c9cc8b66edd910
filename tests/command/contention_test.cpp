// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command/demo/contention.hpp"
#include "command/demo/report.hpp"
#include "command/style.hpp"
#include "program.hpp"

namespace {

using namespace weir::command;

TEST(contend, admits_something_and_never_more_than_is_exact) {
    std::vector<weir::quota> quotas = contended_quotas();
    quotas.insert(
        quotas.end(),
        {weir::per_hour(1), weir::per_minute(300).with_burst(20), {1, weir::nanoseconds(7'777)}});
    for (const weir::quota& q : quotas) {
        for (const unsigned threads : {1U, 3U}) {
            const contention c = contend(q, threads, std::chrono::milliseconds(20));
            EXPECT_EQ(c.threads, threads);
            EXPECT_GT(c.admitted, 0U);
            EXPECT_LE(c.admitted, c.exact);
            EXPECT_EQ(c.started_with, static_cast<std::uint64_t>((q.burst() + 1) / 2));
            EXPECT_GE(c.exact, c.started_with);
        }
    }
}

contention with(std::uint64_t admitted, std::uint64_t denied) {
    return {.asked = weir::per_second(1'000),
            .threads = 2,
            .seconds = 1,
            .started_with = 500,
            .exact = 1'500,
            .admitted = admitted,
            .denied = denied,
            .nanoseconds_per_decision = 50};
}

TEST(contention, that_asks_for_less_than_is_there_has_no_ratio) {
    const style out{.width = 200};
    const std::string text = contention_text({with(100, 0)}, out);
    EXPECT_NE(text.find("not saturated"), std::string::npos) << text;
    EXPECT_NE(text.find("nothing was denied"), std::string::npos) << text;
    EXPECT_EQ(text.find("0.066666"), std::string::npos) << text;
    findings f{};
    f.where = this_machine();
    f.contended = {with(100, 0), with(1'500, 7)};
    const std::string json = json_text(f);
    EXPECT_NE(json.find("\"saturated\":false,\"ratio\":null,\"denied\":0"), std::string::npos);
    EXPECT_NE(json.find("\"saturated\":true,\"ratio\":1,\"denied\":7"), std::string::npos);
}

TEST(contention, that_asks_for_more_has_a_ratio) {
    const style out{.width = 200};
    const std::string text = contention_text({with(1'500, 7)}, out);
    EXPECT_EQ(text.find("aturated"), std::string::npos) << text;
    EXPECT_NE(text.find("1.000000"), std::string::npos) << text;
}

findings measured() {
    findings f{};
    f.where = this_machine();
    f.where.cores = 2;
    f.where.processor = "Intel(R) Xeon(R) Platinum 8480CL CPU @ 2.00GHz  ";
    f.quick = true;
    f.rivals = {{"floor_two_threads", "floor", 34, 300, 20},
                {"mutex_bucket_two_threads", "mutex and a double", 91.13, 12'345, 21},
                {"admit_two_threads", "weir::limiter", 39.5, 612, 22},
                {"striped_two_threads", "weir::striped", 4.5, 210, 23}};
    f.contended = {with(100, 0), with(1'234'567'890'123, 456'789'012)};
    f.paced = {{weir::waiting::sleep, 12e6, 24e6, 25e6, 0.01, 0.9412, true},
               {weir::waiting::sleep, 60e3, 100e3, 200e3, 0.01, 0.99999},
               {weir::waiting::hybrid, 100, 300, 500, 0.1, 1},
               {weir::waiting::spin, 50, 80, 100, 1, 1}};
    return f;
}

std::string first_screen(const findings& f, const style& out) {
    return machine_text(f, out) + rivals_text(f, out) + contention_text(f.contended, out) +
           pacing_text(f, out) + more_text(out);
}

void expect_room(const findings& f, const style& out) {
    std::istringstream text(first_screen(f, out));
    std::size_t lines = 0;
    for (std::string line; std::getline(text, line); ++lines) {
        EXPECT_LE(columns_of(line), out.width) << line;
    }
    if (out.width >= 80) {
        EXPECT_LE(lines, 24U) << text.str();
    }
}

// Whatever a busy machine has kept it from measuring.
TEST(first_screen, has_no_more_than_24_lines_of_80_columns) {
    for (const std::size_t width : {40U, 64U, 80U, 200U}) {
        const style out{.width = width};
        for (const std::uint64_t denied : {0U, 7U}) {
            findings f = measured();
            f.contended = {with(100, denied), with(1'200, 7)};
            expect_room(f, out);
            f.rivals[2].slices = 0;
            expect_room(f, out);
            for (rival& r : f.rivals) r.slices = 0;
            expect_room(f, out);
            f.where.cores = 1;
            f.rivals.clear();
            expect_room(f, out);
        }
        expect_room(measured(), out);
    }
}

TEST(first_screen, tells_what_was_measured) {
    const std::string text = first_screen(measured(), {});
    for (const char* words : {"  mutex and a double     91.1 ns         12.3 us\n",
                              "  weir::limiter          39.5 ns          612 ns\n",
                              "  weir::striped           4.5 ns          210 ns\n",
                              "  sleep_for loop         12 ms", "0.9412", "0.9999"}) {
        EXPECT_NE(text.find(words), std::string::npos) << words << text;
    }
    EXPECT_EQ(text.find("floor"), std::string::npos) << text;
}

// Figures of threads that took turns would be those of one thread.
TEST(first_screen, says_so_where_two_threads_never_met) {
    findings f = measured();
    EXPECT_EQ(rivals_text(f, {}).find("never ran"), std::string::npos);
    f.rivals[1].slices = 0;
    EXPECT_NE(rivals_text(f, {}).find("-: they never ran at the same time"), std::string::npos);
    EXPECT_NE(rivals_text(f, {}).find("39.5"), std::string::npos);
    EXPECT_EQ(rivals_text(f, {}).find("91.1"), std::string::npos);
    f.rivals[2].slices = f.rivals[3].slices = 0;
    EXPECT_NE(rivals_text(f, {}).find("\nThey never ran at the same time"), std::string::npos);
    EXPECT_EQ(rivals_text(f, {}).find("decision"), std::string::npos);
    f.rivals = measured().rivals;
    f.rivals[1].slices = 0;
    std::vector<cost> costs;
    add_pairs(costs, f.rivals);
    ASSERT_EQ(costs.size(), 3U);
    EXPECT_EQ(costs[1].name, "admit_two_threads");
    EXPECT_EQ(costs[1].floors, 39.5 / 34);
    EXPECT_NE(
        json_text(f).find("\"name\":\"mutex_bucket_two_threads\",\"ns\":null,\"p9999_ns\":null"),
        std::string::npos);
    costs.clear();
    f.rivals[0].slices = 0;
    add_pairs(costs, f.rivals);
    EXPECT_TRUE(costs.empty());
    f.where.cores = 1;
    f.rivals.clear();
    EXPECT_NE(rivals_text(f, {}).find("one core"), std::string::npos);
    add_pairs(costs, f.rivals);
    EXPECT_TRUE(costs.empty());
}

TEST(rivals, are_measured_where_there_are_two_cores) {
    const std::vector<rival> all = measure_rivals(std::chrono::milliseconds(50));
    if (this_machine().cores < 2) {
        EXPECT_TRUE(all.empty());
        return;
    }
    ASSERT_EQ(all.size(), 4U);
    for (const rival& r : all) {
        EXPECT_EQ(r.nanoseconds > 0, r.slices != 0) << r.name;
        EXPECT_EQ(r.tail > 0, r.slices != 0) << r.name;
    }
    EXPECT_EQ(all.front().name, "floor_two_threads");
}

TEST(lateness, is_told_of_each_way_of_waiting) {
    for (const weir::waiting how :
         {weir::waiting::sleep, weir::waiting::hybrid, weir::waiting::spin}) {
        const lateness l = lateness_of(how, 20);
        EXPECT_EQ(l.how, how);
        EXPECT_FALSE(l.by_loop);
        EXPECT_LE(l.half, l.most_but_1_percent);
        EXPECT_LE(l.most_but_1_percent, l.longest);
        EXPECT_GT(l.share_of_rate, 0);
        EXPECT_LE(l.share_of_rate, 1);
    }
    // Each of its sleeps is late, and none is made good.
    const lateness loop = lateness_of_sleep_for(20);
    EXPECT_TRUE(loop.by_loop);
    EXPECT_GT(loop.half, 0);
    EXPECT_LT(loop.share_of_rate, 1);
}

}  // namespace

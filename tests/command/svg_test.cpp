// SPDX-License-Identifier: MIT
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "command/demo/svg.hpp"
#include "command/drawing.hpp"
#include "command/panel.hpp"

namespace {

using namespace weir::command;

// As much of XML as the images use: elements, attributes, text and the named entities. Empty if
// well-formed, else what is wrong.
class reader {
public:
    explicit reader(std::string_view text) : rest_(text) {}

    std::string problem() {
        do {
            if (!skip_text()) return "a stray & before " + context();
            if (rest_.starts_with("</")) {
                rest_.remove_prefix(2);
                if (open_.empty() || name() != open_.back()) return "unmatched before " + context();
                open_.pop_back();
                if (!skip(">")) return "no > at " + context();
            } else if (skip("<")) {
                std::string reason = element();
                if (!reason.empty()) return reason;
            }
        } while (!open_.empty() && !rest_.empty());
        return open_.empty() && rest_ == "\n" ? "" : "ends wrongly at " + context();
    }

private:
    std::string element() {
        open_.push_back(name());
        if (open_.back().empty()) return "no name at " + context();
        while (skip(" ")) {
            if (name().empty() || !skip("=\"")) return "no attribute at " + context();
            const std::size_t end = rest_.find_first_of("\"<&");
            if (end == rest_.npos || rest_[end] != '"') return "no value at " + context();
            rest_.remove_prefix(end + 1);
        }
        if (skip("/>")) {
            open_.pop_back();
            return "";
        }
        return skip(">") ? "" : "no > at " + context();
    }

    bool skip_text() {
        for (;;) {
            const std::size_t end = rest_.find_first_of("<&");
            rest_.remove_prefix(end == rest_.npos ? rest_.size() : end);
            if (!rest_.starts_with('&')) return true;
            if (!skip("&amp;") && !skip("&lt;") && !skip("&gt;") && !skip("&quot;")) return false;
        }
    }

    bool skip(std::string_view what) {
        if (!rest_.starts_with(what)) return false;
        rest_.remove_prefix(what.size());
        return true;
    }

    std::string name() {
        std::size_t length = 0;
        while (length < rest_.size() &&
               (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 ||
                rest_[length] == '-')) {
            ++length;
        }
        std::string result(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return result;
    }

    [[nodiscard]] std::string context() const { return std::string(rest_.substr(0, 40)); }

    std::string_view rest_;
    std::vector<std::string> open_;
};

std::string problem_of(std::string_view text) { return reader(text).problem(); }

TEST(reader, finds_what_is_wrong) {
    EXPECT_EQ(problem_of("<a b=\"c\">d &amp; e<f/></a>\n"), "");
    for (const char* wrong :
         {"<a><b></a></b>\n", "<a>\n", "<a b=c></a>\n", "<a>&</a>\n", "<a b=\"<\"/>\n",
          "<a/><b/>\n", "", "</a>\n", "<a b=\"c\"d=\"e\"/>\n"}) {
        EXPECT_NE(problem_of(wrong), "") << wrong;
    }
}

TEST(svg, is_well_formed) {
    for (const weir::quota& q :
         {weir::per_second(usual_rate), weir::per_minute(1'234'567), {3, weir::milliseconds(20)}}) {
        const scene t = scene_for(q);
        EXPECT_EQ(problem_of(svg_of(t, shapes_of(t))), "");
    }
}

TEST(svg, escapes_text) {
    const scene t = scene_for(weir::per_second(usual_rate));
    std::vector<shape> shapes = shapes_of(t);
    shapes.front().algorithm = "a < b & \"c\"";
    const std::string svg = svg_of(t, shapes);
    EXPECT_EQ(problem_of(svg), "");
    EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
}

TEST(svg, has_a_panel_for_each_algorithm) {
    const scene t = scene_for(weir::per_second(usual_rate));
    const std::vector<shape> shapes = shapes_of(t);
    const std::string svg = svg_of(t, shapes);
    for (const shape& s : shapes) {
        // A longer name has two lines.
        EXPECT_NE(svg.find("class=\"name\">" + s.algorithm.substr(0, 30)), std::string::npos)
            << s.algorithm;
    }
    EXPECT_EQ(problem_of(svg_of(t, {})), "");
}

TEST(svg, tells_the_units_of_its_quota) {
    const scene t = scene_for(weir::per_minute(3'000'000));
    const std::string svg = svg_of(t, shapes_of(t));
    EXPECT_NE(svg.find("in bins of 12 s"), std::string::npos);
    EXPECT_NE(svg.find("in one minute; quota 3M"), std::string::npos);
    EXPECT_NE(svg.find(">20 min</text>"), std::string::npos);
    EXPECT_NE(svg.find(">50k</text>"), std::string::npos);  // the quota, a second
}

// --- panels

std::size_t count(std::string_view what, std::string_view in) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = in.find(what, at)) != in.npos; ++at) ++times;
    return times;
}

panel panel_of(std::uint64_t worst) {
    panel p{
        "a limit", "its character", weir::per_second(100), 3, 7, worst, false, {1, 2}, {1, 1}, {},
        {}};
    p.recent = {50, static_cast<double>(worst), 20};
    return p;
}

TEST(panels, colour_what_is_above_the_quota_and_nothing_else) {
    for (const auto& [worst, above] : {std::pair(100U, 0U), std::pair(101U, 1U)}) {
        panels p;
        p.all = {panel_of(worst)};
        const std::string svg = svg_of(p);
        EXPECT_EQ(problem_of(svg), "");
        EXPECT_EQ(count("<path d=", svg), 3 + above);
        // The legend has a box of it.
        EXPECT_EQ(count("class=\"above\"", svg), 1 + above);
        EXPECT_EQ(count("class=\"figure-above\"", svg), above);
        EXPECT_NE(
            svg.find(">" + std::to_string(worst) + "</tspan> in one second; quota 100</text>"),
            std::string::npos);
        EXPECT_NE(svg.find("<desc>a limit, 100/s, burst 100: 3 of 7 passed, at most " +
                           std::to_string(worst) + " in one second.</desc>"),
                  std::string::npos);
    }
}

TEST(panels, show_only_what_is_known) {
    panels p;
    p.title = "many & <more>";
    p.notes = {std::string(300, 'x'), "\x01\x7f\xc3\xa4 \"'"};
    p.all = {panel_of(5), panel_of(4'000'000'000'000)};
    p.all[0].recent.clear();
    p.all[0].is_least = true;
    p.all[0].came = p.all[0].passed = {0, 0, 0};
    p.all[1].waiting = {0, 3, 1};
    const std::string svg = svg_of(p);
    EXPECT_EQ(problem_of(svg), "");
    EXPECT_EQ(count("<path d=", svg), 2U + 5U);
    EXPECT_NE(svg.find(">&gt;= 5</tspan>"), std::string::npos);
    EXPECT_NE(svg.find(">4T</tspan>"), std::string::npos);
    EXPECT_EQ(svg.find(std::string(60, 'x')), std::string::npos) << "a line that is too long";
}

// --- pieces

TEST(drawing, rounds_alike_on_machines_whose_last_bits_differ) {
    for (int tenths = -50; tenths < 4'000; ++tenths) {
        const double half = tenths / 10.0 + 0.05;
        EXPECT_EQ(drawing::number(half), drawing::number(half * (1 - 1e-15)));
        EXPECT_EQ(drawing::number(half), drawing::number(half * (1 + 1e-15)));
    }
    EXPECT_EQ(drawing::number(12), "12");
    EXPECT_EQ(drawing::number(12.05), "12.1");
    EXPECT_EQ(drawing::number(-0.25), "-0.2");
}

TEST(drawing, makes_one_step_of_equal_ones) {
    const drawing::stairs s = {0, 40, 10, 10, 5};
    EXPECT_EQ(drawing::area(s, {0, 0, 5, 5}, "x"),
              "<path d=\"M0 10V10H20V0H40V10Z\" class=\"x\"/>\n");
}

}  // namespace

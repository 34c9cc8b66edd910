// SPDX-License-Identifier: MIT
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "command/demo/svg.hpp"

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
    const arrivals all = bursty_arrivals();
    EXPECT_EQ(problem_of(svg_of(all, shapes_of(all))), "");
}

TEST(svg, escapes_text) {
    const arrivals all = bursty_arrivals();
    std::vector<shape> shapes = shapes_of(all);
    shapes.front().algorithm = "a < b & \"c\"";
    const std::string svg = svg_of(all, shapes);
    EXPECT_EQ(problem_of(svg), "");
    EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
}

TEST(svg, has_a_panel_for_each_algorithm) {
    const arrivals all = bursty_arrivals();
    const std::vector<shape> shapes = shapes_of(all);
    const std::string svg = svg_of(all, shapes);
    for (const shape& s : shapes) {
        EXPECT_NE(svg.find(">" + s.algorithm + "</text>"), std::string::npos) << s.algorithm;
    }
    std::size_t areas = 0;
    for (std::size_t at = 0; (at = svg.find("<path", at)) != svg.npos; ++at) ++areas;
    EXPECT_EQ(areas, 2 * shapes.size());
    EXPECT_NE(svg_of(all, {}).find("</svg>"), std::string::npos);
}

}  // namespace

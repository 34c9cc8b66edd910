// SPDX-License-Identifier: MIT
#include "command/panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "command/drawing.hpp"
#include "command/figures.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

using namespace drawing;

// Pixels. As wide as a telephone shows it, with letters that are as large as those of a page.
constexpr double width = 400;
constexpr double left = 50;
constexpr double right = 14;
constexpr double plot_width = width - left - right;
constexpr double rates_height = 72;
constexpr double recent_height = 84;
constexpr double waiting_height = 44;
constexpr double row = 18;                   // of text
constexpr double figure_row = 44;            // of large figures
constexpr double below_axis = 22;            // for the times
constexpr double between = 34;               // of panels
constexpr std::size_t columns = 56;          // of text, in the widest of usual fonts
constexpr std::size_t columns_of_name = 40;  // which is bold
constexpr std::size_t columns_of_note = 48;  // which may have no small letters

// Lines no longer than that: what has no spaces is cut.
std::vector<std::string> lines_of(const std::string& text, std::size_t most) {
    std::vector<std::string> lines;
    const std::string all = wrapped(text, most);
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = all.find('\n', begin);
        const std::string line = all.substr(begin, end - begin);
        lines.push_back(harmless(line, line.size() > most ? most - 3 : most));
        begin = end + 1;
    }
    return lines;
}

// 99,970, or 7.1M where there is no room for more.
std::string short_figure(std::uint64_t value) {
    return value < 100'000 ? grouped(value) : brief(static_cast<double>(value));
}

// Of s, min, h and d; else nothing.
std::string word_of(std::string_view unit) {
    for (const auto& [name, word] : {std::pair("s", "second"), std::pair("min", "minute"),
                                     std::pair("h", "hour"), std::pair("d", "day")}) {
        if (unit == name) return word;
    }
    return "";
}

std::string one_period(const quota& q) {
    const std::string text = detail::text_of_period(q.period()).c_str();
    const std::string word = word_of(text);
    return word.empty() ? text : "one " + word;
}

std::string last_period(const quota& q) {
    const std::string text = detail::text_of_period(q.period()).c_str();
    const std::string word = word_of(text);
    return word.empty() ? "last " + text : word + " before";
}

double rate_of(const quota& q) {
    return static_cast<double>(q.units()) * 1e9 / static_cast<double>(q.period().count());
}

double highest_of(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// The same for all panels, so that they can be compared.
struct scales {
    double rate;   // per second
    double units;  // in a period
    rate_unit unit;
};

scales scales_of(const panels& p) {
    double rate = 0;
    double units = 0;
    for (const panel& one : p.all) {
        rate = std::max({rate, highest_of(one.came), highest_of(one.passed)});
        // Twice the quota at least: most limits pass no more, so their pictures have one scale.
        units =
            std::max({units, highest_of(one.recent), 2 * static_cast<double>(one.asked.units())});
    }
    if (rate == 0) rate = p.all.empty() ? 1 : rate_of(p.all.front().asked);
    return {rate, units, unit_of_rate(rate)};
}

// Draws from the top downwards.
class writer {
public:
    void skip(double height) { y_ += height; }
    void text(const std::string& line, std::string_view looks_as) {
        y_ += row;
        svg_ += label(margin, y_, line, looks_as);
    }
    void lines(const std::string& text_of_them, std::size_t most, std::string_view looks_as) {
        for (const std::string& line : lines_of(text_of_them, most)) text(line, looks_as);
    }
    void figure(const std::string& value, std::string_view looks_as, const std::string& what) {
        y_ += figure_row;
        svg_ += label_with_figure(margin, y_ - 4, value, looks_as, what);
        y_ += 10;
    }

    // A plot of such a height, whose base the next calls draw over.
    void plot(double height, double highest) {
        y_ += height;
        height_ = height;
        highest_ = highest;
        svg_ += drawing::line(left, y_ - height, width - right, y_ - height, "grid");
    }
    void fill(const std::vector<double>& heights, std::string_view looks_as) {
        svg_ += area({left, plot_width, y_, height_, highest_}, heights, looks_as);
    }
    // The value at the top, and another one if there is room for both.
    void values(const std::string& top, double other, const std::string& text_of_other) {
        constexpr double letters = 13;
        const double at = height_ * other / highest_;
        if (other > 0 && at <= height_ + 0.5) {
            svg_ += drawing::line(left, y_ - at, width - right, y_ - at, "quota");
            if (at > letters)
                svg_ += label(left - 6, y_ - at + 4, text_of_other, "quota-text", anchor::end);
        }
        if (other <= 0 || at < height_ - letters || at > height_ + 0.5)
            svg_ += label(left - 6, y_ - height_ + 4, top, "quiet", anchor::end);
        svg_ += label(left - 6, y_ + 4, "0", "quiet", anchor::end);
    }
    void axis() { svg_ += drawing::line(left, y_, width - right, y_, "axis"); }
    void times(const std::vector<std::pair<double, std::string>>& all) {
        for (const auto& [share, text_of_it] : all) {
            const double x = left + plot_width * share;
            svg_ += drawing::line(x, y_, x, y_ + 4, "axis");
            constexpr std::size_t fits_beside_the_axis = 8;
            const bool is_long = text_of_it.size() > fits_beside_the_axis;
            const anchor at = share == 1              ? anchor::end
                              : share == 0 && is_long ? anchor::start
                                                      : anchor::middle;
            svg_ += label(x, y_ + row, text_of_it, "quiet", at);
        }
        y_ += below_axis;
    }
    void legend(bool has_quota) {
        y_ += row + 4;
        double x = margin;
        const auto entry = [&](std::string_view looks_as, std::string_view name, double room) {
            svg_ += box(x, y_ - 11, 12, 12, looks_as) + label(x + 18, y_, name);
            x += room;
        };
        entry("came", "arrives", 82);
        entry("passed", "passes", 80);
        if (!has_quota) return;
        entry("above", "above quota", 116);
        svg_ += drawing::line(x, y_ - 4, x + 22, y_ - 4, "quota") +
                label(x + 28, y_, "quota", "quota-text");
    }

    [[nodiscard]] double y() const { return y_; }
    [[nodiscard]] std::string take() { return std::move(svg_); }

private:
    static constexpr double margin = 14;

    std::string svg_;
    double y_ = 8;
    double height_ = 0;
    double highest_ = 1;
};

std::vector<double> no_more_than(double most, std::vector<double> values) {
    for (double& v : values) v = std::min(v, most);
    return values;
}

std::string summary(const panel& one) {
    return in_words(one.asked) + ": " + grouped(one.admitted) + " of " + grouped(one.requests) +
           " passed";
}

void draw(writer& to, const panels& p, const panel& one, const scales& s) {
    const auto units = static_cast<double>(one.asked.units());
    to.lines(one.name, columns_of_name, "name");
    to.lines(one.character, columns, "quiet");
    to.lines(summary(one), columns, "");

    to.skip(16);
    to.plot(rates_height, s.rate);
    to.fill(one.came, "came");
    to.fill(one.passed, "passed");
    const double rate = p.has_rate ? rate_of(one.asked) : 0;
    to.values(brief(s.rate * s.unit.seconds), rate, brief(rate * s.unit.seconds));
    to.axis();
    if (one.recent.empty()) to.times(p.times);

    const bool is_above = one.worst > static_cast<std::uint64_t>(one.asked.units());
    to.figure((one.is_least ? ">= " : "") + short_figure(one.worst),
              is_above ? "figure-above" : "figure",
              "in " + one_period(one.asked) + "; quota " +
                  short_figure(static_cast<std::uint64_t>(one.asked.units())));
    if (!one.recent.empty()) {
        to.plot(recent_height, s.units);
        if (is_above) to.fill(one.recent, "above");
        to.fill(no_more_than(units, one.recent), "passed");
        to.values(brief(s.units), units, brief(units));
        to.axis();
        to.times(p.times);
    }

    if (one.waiting.empty()) return;
    const double most = highest_of(one.waiting);
    to.skip(14);
    to.plot(waiting_height, std::max(1.0, most));
    to.fill(one.waiting, "passed");
    to.values(brief(std::max(1.0, most)), 0, "");
    to.axis();
    to.text("requests that wait", "quiet");
    to.skip(4);
}

// What the plots of a panel are.
std::string how_to_read(const panels& p, const scales& s) {
    if (p.all.empty()) return "";
    const std::string unit = s.unit.name;
    std::string text =
        "Above: units per " + word_of(unit.substr(1)) + ", in bins of " + p.bin + ".";
    if (!p.all.front().recent.empty())
        text += " Below: units that passed in the " + last_period(p.all.front().asked) +
                ", at each time.";
    return text;
}

// What the picture shows, for those who cannot see it.
std::string description_of(const panels& p) {
    std::string text;
    for (const panel& one : p.all) {
        text += (text.empty() ? "" : " ") + one.name + ", " + summary(one) + ", at most " +
                (one.is_least ? "or more than " : "") + grouped(one.worst) + " in " +
                one_period(one.asked) + ".";
    }
    return text;
}

}  // namespace

std::string svg_of(const panels& p) {
    const scales s = scales_of(p);
    writer to;
    if (!p.title.empty()) {
        to.skip(8);
        to.text(p.title, "title");
        to.skip(4);
    }
    for (const std::string& note : p.notes) to.lines(note, columns_of_note, "quiet");
    to.lines(how_to_read(p, s), columns, "");
    to.legend(p.has_rate);
    for (const panel& one : p.all) {
        to.skip(&one == &p.all.front() ? between / 2 : between);
        draw(to, p, one, s);
    }
    const std::string title =
        !p.title.empty() || p.all.empty() ? p.title : "What passes through " + p.all.front().name;
    const double height = std::ceil(to.y()) + 12;
    return image(width, height, title, to.take(), description_of(p));
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "command/text.hpp"

#include <cstdio>

#include <weir/base/wide.hpp>

namespace weir::command {

std::string grouped(std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
    return text;
}

std::string plural(std::uint64_t count, std::string_view what) {
    return grouped(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string fixed(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string scaled(std::uint64_t value) {
    const char* prefix = "";
    for (const char* next : {" k", " M", " G"}) {
        if (value == 0 || value % 1000 != 0) break;
        value /= 1000;
        prefix = next;
    }
    return std::to_string(value) + prefix;
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
    constexpr std::uint64_t one = 1'000'000;
    if (whole == 0) return "-";
    const std::uint64_t parts = divide(multiply(part, one), {0, whole}).quotient.low;
    const std::string digits = std::to_string(one + parts % one);
    return std::to_string(parts / one) + "." + digits.substr(1);
}

std::string in_words(const quota& q) {
    const std::string units = scaled(static_cast<std::uint64_t>(q.units()));
    return units + "/" + detail::text_of_period(q.period()).c_str() + ", burst " +
           scaled(static_cast<std::uint64_t>(q.burst()));
}

std::string rounded_up(nanoseconds time) {
    if (time == nanoseconds::longest()) return to_text(time).c_str();
    const std::int64_t grain = time < seconds(1)     ? milliseconds(1).count()
                               : time < seconds(100) ? milliseconds(100).count()
                                                     : seconds(1).count();
    const std::int64_t grains = time.count() / grain + (time.count() % grain != 0 ? 1 : 0);
    return to_text(nanoseconds(grains * grain)).c_str();
}

std::size_t length_of_character(std::string_view text) {
    const auto byte = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xC2 && lead <= 0xDF ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    const bool too_large = lead == 0xF4 && byte(1) >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = length_of_character(text);
        const auto first = static_cast<unsigned char>(text.front());
        // U+0080 to U+009F control a terminal as well.
        const bool controls = (length == 1 && (first < ' ' || first == 0x7F)) ||
                              (first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
        if (length == 0 || controls) {
            result += '?';
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

std::string wrapped(std::string_view text, std::size_t width) {
    std::string lines;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t length = text.find(' ') == text.npos ? text.size() : text.find(' ');
        if (column != 0 && column + 1 + length > width) {
            lines += '\n';
            column = 0;
        }
        if (column != 0) {
            lines += ' ';
            ++column;
        }
        lines += text.substr(0, length);
        column += length;
        text.remove_prefix(length < text.size() ? length + 1 : length);
    }
    return lines + "\n";
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// A second reader of quotas, of decimal digits on paper: a regular expression for the form, and
// numbers as strings that never become binary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <weir/cell/quota_text.hpp>

#include "dice.hpp"

namespace oracle {

struct quota_on_paper {
    std::string units;
    std::string period;
    std::string burst;
};

// digits * factor, for a factor below 1000.
[[nodiscard]] inline std::string times(std::string digits, unsigned factor) {
    unsigned carried = 0;
    for (std::size_t i = digits.size(); i-- > 0;) {
        const unsigned sum = static_cast<unsigned>(digits[i] - '0') * factor + carried;
        digits[i] = static_cast<char>('0' + sum % 10);
        carried = sum / 10;
    }
    return std::to_string(carried) + digits;
}

// whole.fraction * all factors * 10^zeros, if that is a whole number that fits into 63 bits.
[[nodiscard]] inline std::optional<std::string> on_paper(const std::string& whole,
                                                         const std::string& fraction,
                                                         const std::vector<unsigned>& factors,
                                                         std::size_t zeros) {
    // More digits than nineteen are not read.
    if (fraction.find_last_not_of('0') + 1 > 19) return {};
    std::string digits = whole + fraction;
    for (const unsigned factor : factors) digits = times(digits, factor);
    digits += std::string(zeros, '0');
    const std::size_t point = digits.size() - fraction.size();
    if (digits.find_first_not_of('0', point) != digits.npos) return {};
    digits.resize(point);
    digits.erase(0, std::min(digits.find_first_not_of('0'), point - 1));
    const std::string most = "9223372036854775807";
    if (digits.size() > most.size() || (digits.size() == most.size() && digits > most)) return {};
    return digits;
}

[[nodiscard]] inline std::optional<quota_on_paper> read_on_paper(const std::string& text) {
    static const std::regex form(
        "[ \t]*([0-9]+)(?:\\.([0-9]+))?[ \t]*([kMG]?|[KMG]i)[ \t]*/"
        "[ \t]*(?:([0-9]+)(?:\\.([0-9]+))?)?[ \t]*(ns|us|ms|s|min|h|d)"
        "[ \t]*"
        "(?:,[ \t]*burst[ \t]*([0-9]+)(?:\\.([0-9]+))?[ \t]*([kMG]?|[KMG]i)[ \t]*)?"
        "[ \t\r\n]*");
    std::smatch part;
    if (!std::regex_match(text, part, form)) return {};
    const auto amount = [&](std::size_t i) {
        const std::string prefix = part.str(i + 2);
        const std::size_t place = std::string_view("kKMG").find(prefix.substr(0, 1));
        const std::size_t thousands = prefix.empty() ? 0 : place < 2 ? 1 : place;
        if (prefix.size() == 2)
            return on_paper(part.str(i), part.str(i + 1), std::vector<unsigned>(10 * thousands, 2),
                            0);
        return on_paper(part.str(i), part.str(i + 1), {}, 3 * thousands);
    };
    const std::string unit = part.str(6);
    const std::string one = part[4].matched ? part.str(4) : "1";
    const auto units = amount(1);
    const auto burst = part[7].matched ? amount(7) : units;
    const auto period = unit == "d"     ? on_paper(one, part.str(5), {864}, 11)
                        : unit == "h"   ? on_paper(one, part.str(5), {36}, 11)
                        : unit == "min" ? on_paper(one, part.str(5), {6}, 10)
                        : unit == "s"   ? on_paper(one, part.str(5), {}, 9)
                        : unit == "ms"  ? on_paper(one, part.str(5), {}, 6)
                        : unit == "us"  ? on_paper(one, part.str(5), {}, 3)
                                        : on_paper(one, part.str(5), {}, 0);
    if (!units || !burst || !period) return {};
    // What `quota` refuses.
    if (*units == "0" || *burst == "0" || *period == "0") return {};
    if (*period == "9223372036854775807") return {};
    return quota_on_paper{*units, *period, *burst};
}

[[nodiscard]] inline std::string shown(const std::string& units, const std::string& period,
                                       const std::string& burst) {
    return units + " per " + period + " ns, burst " + burst;
}

// What `parse` and the reader on paper make of a text, if that is not the same.
template <class Parse>
[[nodiscard]] std::optional<std::string> disagreement_on(const std::string& text, Parse parse) {
    const auto paper = read_on_paper(text);
    const std::string expected =
        paper ? shown(paper->units, paper->period, paper->burst) : "no quota";
    const weir::result<weir::quota, weir::quota_error> q = parse(text);
    const std::string got =
        q ? shown(std::to_string(q->units()), std::to_string(q->period().count()),
                  std::to_string(q->burst()))
          : "no quota";
    if (got == expected) return {};
    return "\"" + text + "\": " + got + " instead of " + expected;
}

// Quotas as people write them, some of them wrong.
class quota_writer {
public:
    explicit quota_writer(dice& d) : dice_(d) {}

    [[nodiscard]] std::string text() {
        std::string t = number() +
                        one_of({"", "", "k", "M", "G", "Ki", "Mi", "Gi", "m", "K", "ki"}) +
                        one_of({"/", "/", "/", " per "});
        if (dice_.chance(50)) t += number();
        t += one_of({"s", "s", "min", "h", "d", "ms", "us", "ns", "sec", "m", "mins", "S"});
        if (dice_.chance(40))
            t += one_of({",", ", ", " "}) + ("burst" + number()) + one_of({"", "k", "Mi"});
        if (dice_.chance(10)) t += one_of({"\n", "\r\n", "\r", " \r\n\t"});
        if (dice_.chance(20)) t.erase(place_in(t.size()), 1);
        if (dice_.chance(20)) t.insert(place_in(t.size() + 1), 1, dice_.one_of(likely));
        return t;
    }

private:
    static constexpr char likely[] = {' ', '\t', '0', '9', '.',  ',',  '/',
                                      '-', '+',  'e', 's', '\r', '\n', '\0'};

    [[nodiscard]] std::size_t place_in(std::size_t size) {
        return static_cast<std::size_t>(dice_.roll(size));
    }
    [[nodiscard]] std::string number() {
        std::string n = space() + digits();
        if (dice_.chance(30)) n += "." + digits();
        return n + space();
    }
    [[nodiscard]] std::string digits() {
        if (dice_.chance(5))
            return one_of({"9223372036854775807", "9223372036854775808", "9223372036.854775807"});
        if (dice_.chance(10)) return one_of({"0", "1", "00", "000000000000000000000000000001"});
        std::string d;
        for (auto left = 1 + dice_.roll(dice_.chance(10) ? 40 : 4); left > 0; --left) {
            d += static_cast<char>('0' + (dice_.chance(30) ? 0 : dice_.roll(10)));
        }
        return d;
    }
    [[nodiscard]] std::string space() { return dice_.chance(80) ? "" : one_of({" ", "  ", "\t"}); }

    template <std::size_t Size>
    [[nodiscard]] const char* one_of(const char* const (&all)[Size]) {
        return dice_.one_of(all);
    }

    dice& dice_;
};

}  // namespace oracle

// SPDX-License-Identifier: MIT
// What is wrong with what a reader of logs makes of any text: what is read of a line lies in the
// line, times and costs are within their bounds, and what comes of it goes on in the order of its
// times.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "command/sim/line_order.hpp"
#include "command/sim/log_line.hpp"

namespace fuzz {

inline bool is_within(std::string_view part, std::string_view whole) {
    const std::less_equal<> no_later;
    return part.empty() || (no_later(whole.data(), part.data()) &&
                            no_later(part.data() + part.size(), whole.data() + whole.size()));
}

template <class Reader>
std::optional<std::string> log_disagreement(std::string_view text, weir::command::log_format format,
                                            weir::command::apart_by by) {
    using namespace weir::command;
    Reader reader(format, by);
    line_order order;
    std::uint64_t latest = 0;
    bool goes_back = false;
    const auto pass = [&](const arrival& a) {
        goes_back = goes_back || a.time < latest;
        latest = a.time;
    };
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        logged found{};
        if (reader.read(line, found) != log_lines::found::request) continue;
        if (!is_within(found.key, line)) return "a key that is not in its line";
        if (found.cost == 0) return "a request that costs nothing";
        if (found.time.nanoseconds > INT64_MAX) return "a time that is no time";
        order.take({found.time.nanoseconds, 0, found.cost}, pass);
    }
    order.end(pass);
    if (goes_back) return "a time that goes back";
    return {};
}

}  // namespace fuzz

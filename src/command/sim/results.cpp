// SPDX-License-Identifier: MIT
#include "command/sim/results.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "command/figures.hpp"

namespace weir::command {
namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t day = 86'400 * second;
constexpr std::uint64_t year = 365 * day;

}  // namespace

std::uint64_t sim_results::shown_end() const {
    std::uint64_t last = end;
    for (const simulated_limit& l : limits) {
        if (l.limit) last = std::max(last, l.found().last);
    }
    const std::uint64_t length = end - begin;
    last = std::min(last, end + std::min(length, UINT64_MAX - end));
    // All at one instant is shown with the time around it that a limit counts by.
    std::uint64_t least = 1;
    if (!limits.empty() && limits.front().limit) {
        least = static_cast<std::uint64_t>(limits.front().limit->asked().period().count());
    }
    return std::max(last + (log ? 1 : 0), begin + least);
}

std::vector<std::uint32_t> worst_keys(const tally& of, std::size_t most) {
    const auto& refused = of.refused_by_key;
    std::vector<std::uint32_t> all;
    for (std::uint32_t k = 0; k < refused.size(); ++k) {
        if (refused[k] != 0) all.push_back(k);
    }
    const std::size_t count = std::min(most, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                          return refused[a] != refused[b] ? refused[a] > refused[b] : a < b;
                      });
    all.resize(count);
    return all;
}

std::string time_text(const sim_results& r, std::uint64_t time) {
    char text[64];
    if (r.log && r.begin > year) {
        const auto seconds = static_cast<std::time_t>(time / second);
        std::tm parts{};
        ::gmtime_r(&seconds, &parts);
        std::snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900,
                      parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    } else {
        std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(time) / 1e9);
    }
    return text;
}

std::string axis_text(const sim_results& r, std::uint64_t after) {
    const std::uint64_t length = r.shown_end() - r.begin;
    const std::string date = time_text(r, r.begin + after);
    const bool is_date = date.size() == 19;  // 2026-05-01 00:00:00
    if (!is_date || length < 20 * second) return brief_time(static_cast<double>(after));
    if (length < 2 * day) return date.substr(11, 8);
    return date.substr(5, length < 20 * day ? 11 : 5);
}

std::string period_text(const quota& q) {
    const std::string text = detail::text_of_period(q.period()).c_str();
    return text.front() >= '0' && text.front() <= '9' ? text : "1" + text;
}

}  // namespace weir::command

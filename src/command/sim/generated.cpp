// SPDX-License-Identifier: MIT
#include "command/sim/generated.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <weir/base/wide.hpp>
#include <weir/cell/quota_text.hpp>

#include "command/option.hpp"
#include "command/subcommand.hpp"

namespace weir::command {
namespace {

constexpr std::uint64_t never = UINT64_MAX;
constexpr double latest = 9e18;  // nanoseconds: beyond any simulation

quota rate_in(std::string_view text, std::string_view whole) {
    const auto rate = parse_quota(text);
    if (!rate || text.find(',') != text.npos) {
        throw usage_error("--arrivals " + std::string(whole) + ": " + std::string(text) +
                          " is no rate such as 50/s or 1.5M/min");
    }
    return *rate;
}

std::uint64_t count_in(std::string_view text, std::string_view whole) {
    const auto count = amount_of(text);
    if (!count) {
        throw usage_error("--arrivals " + std::string(whole) + ": " + std::string(text) +
                          " is no number of requests such as 100");
    }
    return static_cast<std::uint64_t>(*count);
}

nanoseconds time_in(std::string_view text, std::string_view whole) {
    const auto time = time_of(text);
    if (!time) {
        throw usage_error("--arrivals " + std::string(whole) + ": " +
                          (text.empty() ? "nothing" : std::string(text)) +
                          " is no time such as 500ms, 2s or 1.5h");
    }
    return *time;
}

// What lies before the sign, which is taken away with it.
std::string_view cut(std::string_view& text, char sign) {
    const std::string_view part = text.substr(0, text.find(sign));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

// How long after the first one it comes: exactly, so the same on every machine.
std::uint64_t evenly(const quota& rate, std::uint64_t count) {
    const auto period = static_cast<std::uint64_t>(rate.period().count());
    const auto units = static_cast<std::uint64_t>(rate.units());
    const wide after = divide(multiply(count, period), {0, units}).quotient;
    return after.high == 0 ? after.low : never;
}

// So long after the rule has begun; never, if the rule has ended by then.
std::uint64_t time_of(const pattern& rule, std::uint64_t after) {
    if (after >= static_cast<std::uint64_t>(rule.lasts.count())) return never;
    return static_cast<std::uint64_t>(rule.at.count()) + after;
}

}  // namespace

pattern parse_pattern(std::string_view text) {
    std::string_view rest = text;
    const std::string_view name = cut(rest, ':');
    pattern p{};
    if (name == "even" || name == "poisson") {
        p.how = name == "even" ? pattern::kind::even : pattern::kind::poisson;
        p.rate = rate_in(cut(rest, '@'), text);
        if (text.find('@') != text.npos) {
            const bool ends = rest.find('+') != rest.npos;
            p.at = time_in(cut(rest, '+'), text);
            if (ends) p.lasts = time_in(rest, text);
            if (p.lasts == nanoseconds{}) {
                throw usage_error("--arrivals " + std::string(text) + ": it must last for a time");
            }
        }
    } else if (name == "onoff") {
        p.how = pattern::kind::on_off;
        p.rate = rate_in(cut(rest, ','), text);
        p.on = time_in(cut(rest, ','), text);
        p.off = time_in(rest, text);
        if (p.on == nanoseconds{}) {
            throw usage_error("--arrivals " + std::string(text) + ": it must be on for a time");
        }
    } else if (name == "burst") {
        p.how = pattern::kind::burst;
        p.count = count_in(cut(rest, '@'), text);
        p.at = time_in(rest.empty() ? "0" : rest, text);
    } else {
        throw usage_error("--arrivals " + std::string(text) +
                          ": write poisson:50/s, even:50/s, burst:100@2s, onoff:200/s,1s,4s or "
                          "trace:FILE");
    }
    return p;
}

generated::generated(const std::vector<pattern>& all, nanoseconds length, std::uint64_t seed)
    : end_(static_cast<std::uint64_t>(length.count())) {
    for (const pattern& p : all) {
        // Each has numbers of its own, so one more does not change those before it.
        std::seed_seq numbers{static_cast<std::uint32_t>(seed),
                              static_cast<std::uint32_t>(seed >> 32U),
                              static_cast<std::uint32_t>(streams_.size())};
        stream s{p, std::mt19937_64(numbers),
                 static_cast<double>(p.rate.period().count()) /
                     static_cast<double>(p.rate.units())};
        if (p.how == pattern::kind::burst || p.how == pattern::kind::even) {
            s.next = static_cast<std::uint64_t>(p.at.count());
        } else {
            advance(s);
        }
        streams_.push_back(s);
    }
}

void generated::advance(stream& s) {
    ++s.count;
    const auto uniform = [&s] { return static_cast<double>((s.chance() >> 11U) + 1) * 0x1p-53; };
    switch (s.how.how) {
        case pattern::kind::burst:
            if (s.count == s.how.count) s.next = never;
            return;
        case pattern::kind::even: s.next = time_of(s.how, evenly(s.how.rate, s.count)); return;
        case pattern::kind::poisson:
        case pattern::kind::on_off: s.on_time -= s.gap * std::log(uniform()); break;
    }
    double time = s.on_time;
    if (s.how.how == pattern::kind::on_off) {
        const auto on = static_cast<double>(s.how.on.count());
        time += std::floor(s.on_time / on) * static_cast<double>(s.how.off.count());
    }
    s.next = time_of(s.how, time < latest ? static_cast<std::uint64_t>(time) : never);
}

void generated::read(std::vector<arrival>& batch) {
    batch.clear();
    while (batch.size() < batch_size && !is_over()) {
        stream& first =
            *std::min_element(streams_.begin(), streams_.end(),
                              [](const stream& a, const stream& b) { return a.next < b.next; });
        batch.push_back({first.next, 0, 1});
        advance(first);
    }
}

bool generated::is_over() const {
    return std::all_of(streams_.begin(), streams_.end(),
                       [this](const stream& s) { return s.next >= end_; });
}

}  // namespace weir::command

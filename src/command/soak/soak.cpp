#include "command/soak/soak.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "command/interruption.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "command/soak/parts.hpp"
#include "command/soak/report.hpp"

namespace weir::command {
namespace {

constexpr std::string_view help =
    "usage: weir soak [--minutes N] [--seed S] [--json]\n"
    "\n"
    "Uses all parts of the library at once, with random quotas and several threads\n"
    "each, and checks all along that they keep what they promise: never more than\n"
    "the quota in any span of time, nothing lost, nobody early.\n"
    "\n"
    "  --minutes N  how long; parts of a minute too. Half a minute if not given\n"
    "  --seed S     the quotas of the run that told this seed\n"
    "  --json       one JSON object instead of text\n"
    "  --help       this text\n"
    "\n"
    "A progress line is for terminals only. ^C ends it with a report on what was done,\n"
    "and then by the signal. The exit status is 0, 1 if a promise was broken or\n"
    "something could not be done or written, or 2 for a wrong command line.\n";

struct soak_options {
    bool help = false;
    bool json = false;
    double minutes = 0.5;
    std::optional<std::uint64_t> seed;
};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number n{};
    const char* const end = text.data() + text.size();
    const auto [stopped, wrong] = std::from_chars(text.data(), end, n);
    if (wrong != std::errc() || stopped != end) return {};
    return n;
}

double minutes_in(std::string_view text) {
    constexpr double year = 365 * 24 * 60;
    const auto n = number_in<double>(text);
    if (!n || !(*n >= 0.001) || *n > year) {  // nor is not a number
        throw usage_error("--minutes needs a number from 0.001 on, as in --minutes 0.5");
    }
    return *n;
}

std::uint64_t seed_in(std::string_view text) {
    const auto n = number_in<std::uint64_t>(text);
    if (!n) throw usage_error("--seed needs a whole number, as in --seed 7");
    return *n;
}

// The value of `--name value` or `--name=value`, if that is what comes next.
std::optional<std::string_view> value_of(std::string_view name, arguments& rest) {
    const std::string_view first = rest.front();
    if (first == name) {
        rest = rest.subspan(rest.size() > 1 ? 1 : 0);
        return rest.front() == name ? std::string_view() : rest.front();
    }
    if (first.starts_with(name) && first[name.size()] == '=') return first.substr(name.size() + 1);
    return {};
}

soak_options parse(arguments rest) {
    soak_options o;
    for (; !rest.empty(); rest = rest.subspan(1)) {
        if (const auto minutes = value_of("--minutes", rest)) {
            o.minutes = minutes_in(*minutes);
        } else if (const auto seed = value_of("--seed", rest)) {
            o.seed = seed_in(*seed);
        } else if (rest.front() == "--help") {
            o.help = true;
            return o;
        } else if (rest.front() == "--json") {
            o.json = true;
        } else if (rest.front().starts_with('-')) {
            throw usage_error("unknown option " + std::string(rest.front()));
        } else {
            throw usage_error("unexpected argument " + std::string(rest.front()));
        }
    }
    return o;
}

soak::plan plan_of(const soak_options& o, std::span<const soak::part> parts) {
    // 32 bits, which are enough to be different each time and short enough to be typed.
    return {o.seed ? *o.seed : std::random_device()(),
            std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::duration<double, std::ratio<60>>(o.minutes)),
            std::max(2U, std::thread::hardware_concurrency()), parts};
}

}  // namespace

int run_soak(arguments all) { return run_soak_of(soak::all_parts(), all); }

int run_soak_of(std::span<const soak::part> parts, arguments all) {
    const soak_options o = parse(all);
    if (o.help) {
        write_out(help);
        return 0;
    }
    const style out = style_of_output();
    const soak::plan p = plan_of(o, parts);
    if (!o.json) write_out(plan_text(p, out));

    progress line;
    interruption asked;
    const soak::results r = soak::run(p, [&](const soak::results& so_far) {
        line.show(progress_text(p, so_far));
        return !asked;
    });
    line.erase();
    write_out(o.json ? json_text(p, r, bool(asked)) : results_text(p, r, bool(asked), out));
    if (!r.broken.empty()) return 1;
    asked.end_by_it();
    return 0;
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// Every text that is parsed: a command line, if the first line is the name of a command and each
// other one an argument, or else a quota.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/weir.hpp>

#include "../oracle/quota_text_model.hpp"
#include "../soak/options.hpp"
#include "command/demo/options.hpp"
#include "command/pace/options.hpp"
#include "command/run/options.hpp"
#include "fuzz.hpp"

namespace {

using weir::command::arguments;
using weir::command::demo_options;
using weir::command::pace_options;
using weir::command::run_options;
using weir::soak::soak_options;
using story = std::optional<std::string>;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t end = 0; end != text.npos; text.remove_prefix(end + 1)) {
        end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        lines.push_back(line.substr(0, line.find('\0')));  // no argument holds one
        if (end == text.npos) break;
    }
    return lines;
}

// A command line that says the same.
std::vector<std::string> said_again(const soak_options& o) {
    char minutes[64];
    std::snprintf(minutes, sizeof minutes, "--minutes=%.17g", o.minutes);
    std::vector<std::string> line = {minutes};
    if (o.seed) line.insert(line.end(), {"--seed", std::to_string(*o.seed)});
    if (o.json) line.emplace_back("--json");
    if (o.help) line.emplace_back("--help");
    return line;
}

std::vector<std::string> said_again(const demo_options& o) {
    if (o.help) return {"--help"};
    std::vector<std::string> line;
    if (o.asked) line.emplace_back(to_text(*o.asked).c_str());
    if (o.svg) line.push_back("--svg=" + *o.svg);
    if (o.all) line.emplace_back("--all");
    if (o.quick) line.emplace_back("--quick");
    if (o.json) line.emplace_back("--json");
    return line;
}

std::string in_nanoseconds(weir::nanoseconds time) { return std::to_string(time.count()) + "ns"; }

std::vector<std::string> said_again(const pace_options& o) {
    if (o.help) return {"--help"};
    const auto rate = *weir::quota::make(o.rate.units(), o.rate.period(), o.rate.units());
    constexpr const char* units[] = {"--unit=lines", "--unit=bytes", "--unit=items0"};
    std::vector<std::string> line = {to_text(rate).c_str(), units[static_cast<int>(o.unit)]};
    if (o.has_burst) {
        line.insert(line.end(), {"--burst", std::to_string(o.rate.burst())});
    }
    if (o.deadline) line.insert(line.end(), {"--deadline", in_nanoseconds(*o.deadline)});
    if (o.stats) line.emplace_back("--stats");
    if (o.json) line.emplace_back("--json");
    if (o.quiet) line.emplace_back("--quiet");
    return line;
}

std::vector<std::string> said_again(const run_options& o) {
    if (o.help) return {"--help"};
    char permissions[32];
    std::snprintf(permissions, sizeof permissions, "--permissions=%o", o.access.permissions);
    std::vector<std::string> line = {"--name=" + o.name, permissions};
    if (o.quota) line.push_back(std::string("--quota=") + to_text(*o.quota).c_str());
    if (o.wait != weir::nanoseconds::longest()) line.push_back("--wait=" + in_nanoseconds(o.wait));
    line.emplace_back("--");
    line.insert(line.end(), o.command.begin(), o.command.end());
    return line;
}

bool is_usable(const pace_options& o) {
    return !o.deadline ||
           (*o.deadline >= weir::nanoseconds{} && o.unit != pace_options::unit_type::bytes);
}
bool is_usable(const run_options& o) {
    return o.help || (!o.name.empty() && !o.command.empty() && o.wait >= weir::nanoseconds{});
}
bool is_usable(const soak_options& o) {
    return o.minutes >= 0.001 && o.minutes <= 365 * 24 * 60;  // and so a number
}
bool is_usable(const demo_options& o) {
    return o.help || ((!o.svg || !o.svg->empty()) && (!o.asked || weir::limiter<>::make(*o.asked)));
}

// What is accepted can be used, and means what it says; what is not has its sentence.
template <class Options>
story of_command_line(Options (&parse)(arguments), arguments line) {
    Options o;
    try {
        o = parse(line);
    } catch (const weir::command::usage_error& e) {
        if (std::string_view(e.what()).size() < 10) return "a refusal without a sentence";
        return {};
    }
    if (!is_usable(o)) return "accepted what cannot be used";
    const std::vector<std::string> again = said_again(o);
    const std::vector<std::string_view> views(again.begin(), again.end());
    if (said_again(parse(views)) != again) return "understood something else";
    return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    const std::vector<std::string_view> lines = lines_of(text);
    const arguments rest = arguments(lines).subspan(1);
    if (lines.front() == "demo") {
        return fuzz::judge(of_command_line(weir::command::parse_demo, rest));
    }
    if (lines.front() == "pace") {
        return fuzz::judge(of_command_line(weir::command::parse_pace, rest));
    }
    if (lines.front() == "run") {
        return fuzz::judge(of_command_line(weir::command::parse_run, rest));
    }
    if (lines.front() == "soak") {
        return fuzz::judge(of_command_line(weir::soak::parse_soak, rest));
    }
    return fuzz::judge(
        oracle::disagreement_on(text, [](const std::string& t) { return weir::parse_quota(t); }));
}

// SPDX-License-Identifier: MIT
#include "command/sim/options.hpp"

#include <algorithm>

#include "command/option.hpp"
#include "command/sim/subject.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

constexpr std::size_t most_keys = 200'000'000;

constexpr std::string_view help_before_limits =
    "usage: weir sim --quota QUOTA --arrivals WHAT [--limit NAMES] [options]\n"
    "\n"
    "Shows what limits make of arrivals, in virtual time: made by a rule, or read\n"
    "from a log. What would this limit have done to last night's traffic?\n"
    "\n"
    "  weir sim --quota 100/s --arrivals poisson:120/s --limit gcra,sliding_log\n"
    "  weir sim --quota '10/s, burst 20' --arrivals trace:access.log\n"
    "  zcat access.log.*.gz | weir sim --quota 5/s --arrivals trace:- --suggest 0.1%\n"
    "\n"
    "  --quota QUOTA    as in 100/s, 500/min or '1.5M/s, burst 20k'\n";
constexpr std::string_view help_after_limits =
    "  --arrivals WHAT  poisson:50/s       at random, 50 per second on average\n"
    "                   even:50/s          at equal distances\n"
    "                   even:50/s@2s+1s    the same from 2 s on, for 1 s\n"
    "                   onoff:200/s,1s,4s  at random for 1 s, then none for 4 s\n"
    "                   burst:100@2s       100 at once\n"
    "                   trace:FILE         of a log; - is standard input\n"
    "                   Given more than once, rules add up.\n"
    "\n"
    "for rules:\n"
    "  --for TIME       so long; 1min if not given\n"
    "  --seed N         the same arrivals again\n"
    "\n"
    "for logs:\n"
    "  --format NAME    nginx, apache, haproxy or times; found out if not given\n"
    "                   (times: time, and if wanted key and cost, a line each)\n"
    "  --per NAME       a limit for each key (the client's address in access logs),\n"
    "                   for each path, or one for all; key if not given\n"
    "  --keys N         no more than so many keys; 1000000 if not given\n"
    "  --as-logged      requests of one second all at its beginning, if the log has\n"
    "                   whole seconds; else they are spread evenly over it\n"
    "\n"
    "  --suggest SHARE  the smallest quota that refuses fewer of what came, as in\n"
    "                   0.1%; of the period and burst of --quota, or of 1 s\n"
    "  --wait TIME      what waits is refused after so long; 1h if not given\n"
    "  --top N          so many of the keys that are refused most often; 10\n"
    "  --svg FILE       a picture\n"
    "  --csv FILE       the numbers of the picture\n"
    "  --json           one JSON object instead of text\n"
    "\n"
    "^C ends it with what there is so far. The exit status is 0, 1 if something could\n"
    "not be read or written, or 2 for a wrong command line.\n";

// The lines of the option that names limits.
std::string help_of_limits() {
    constexpr std::size_t gutter = 19;
    std::string names;
    for (const limit_kind& k : limit_kinds()) {
        names += (names.empty() ? "" : ", ") + std::string(k.name);
    }
    const std::string text = wrapped("gcra unless told: " + names +
                                         " (the last two let requests wait); or all that can hold "
                                         "the quota",
                                     80 - gutter);
    std::string lines = "  --limit NAMES    ";
    for (const char c : text) {
        lines += c;
        if (c == '\n') lines += std::string(gutter, ' ');
    }
    return lines.substr(0, lines.size() - gutter);
}

std::vector<offer> names_of_limits() {
    std::vector<offer> names = {{"all"}};
    for (const limit_kind& k : limit_kinds()) names.push_back({std::string(k.name)});
    return names;
}

std::vector<offer> beginnings_of_arrivals() {
    return {{"poisson:"}, {"even:"}, {"onoff:"}, {"burst:"}, {"trace:", true}};
}

bool read_limits(std::string_view text, sim_options& o) {
    std::vector<std::string>& limits = o.limits;
    limits.clear();
    o.all_limits = text == "all";
    if (o.all_limits) {
        for (const limit_kind& k : limit_kinds()) limits.emplace_back(k.name);
        return true;
    }
    for (;;) {
        const std::string_view name = text.substr(0, text.find(','));
        if (find_limit(name) == nullptr) {
            throw usage_error("--limit: there is no limit " +
                              (name.empty() ? "without a name" : std::string(name)));
        }
        if (std::find(limits.begin(), limits.end(), name) != limits.end())
            throw usage_error("--limit: " + std::string(name) + " is there twice");
        limits.emplace_back(name);
        if (name.size() == text.size()) return true;
        text.remove_prefix(name.size() + 1);
    }
}

void read_arrivals(std::string_view text, sim_options& o) {
    constexpr std::string_view trace = "trace:";
    if (!text.starts_with(trace)) {
        o.patterns.push_back(parse_pattern(text));
        return;
    }
    if (o.log) throw usage_error("--arrivals: one log at a time; cat puts several into one");
    text.remove_prefix(trace.size());
    if (text.empty()) throw usage_error("--arrivals trace: needs a file, as in trace:access.log");
    o.log = trace_terms{std::string(text), {}, apart_by::key, false};
}

// 0.1% as 100'000 of 100'000'000: in millionths of a percent, exactly.
bool read_share(std::string_view text, std::optional<std::uint64_t>& share) {
    constexpr std::uint64_t percent = 1'000'000;
    if (!text.ends_with('%')) return false;
    text.remove_suffix(1);
    const std::string_view whole = text.substr(0, text.find('.'));
    std::string_view rest = text.substr(std::min(text.size(), whole.size() + 1));
    std::uint64_t value = 0;
    if (whole.empty() || !into(value)(whole) || value > 100) return false;
    value *= percent;
    std::uint64_t one = percent;
    if (whole.size() < text.size() && rest.empty()) return false;
    for (; !rest.empty(); rest.remove_prefix(1)) {
        if (rest.front() < '0' || rest.front() > '9' || one == 1) return false;
        one /= 10;
        value += static_cast<std::uint64_t>(rest.front() - '0') * one;
    }
    if (value > 100 * percent) return false;
    share = value;
    return true;
}

void look_at(const sim_options& o, bool has_rules_only, bool has_log_only) {
    if (o.patterns.empty() && !o.log)
        throw usage_error("--arrivals is missing, as in --arrivals poisson:50/s");
    if (!o.patterns.empty() && o.log)
        throw usage_error("--arrivals: either rules or a log, not both");
    if (!o.asked && !o.suggest) throw usage_error("--quota is missing, as in --quota 100/s");
    if (o.svg && o.svg == o.csv) throw usage_error("--svg and --csv are both " + *o.svg);
    if (o.log && has_rules_only)
        throw usage_error("--for and --seed are for arrivals that a rule makes, not for a log");
    if (!o.log && has_log_only)
        throw usage_error("--format, --per, --keys and --as-logged are for a log, as in "
                          "--arrivals trace:access.log");
}

}  // namespace

std::string sim_help() {
    return std::string(help_before_limits) + help_of_limits() + std::string(help_after_limits);
}

sim_options parse_sim(arguments all) {
    sim_options o;
    std::optional<log_format> format;
    std::optional<apart_by> by;
    std::optional<std::size_t> keys;
    std::optional<nanoseconds> length;
    bool as_logged = false;
    o.help = read_options(
        all,
        {
            value("--quota", "a quota, as in 100/s, 500/min or '1.5M/s, burst 20k'",
                  [&](std::string_view text) { return read_quota("--quota", text, o.asked); }),
            offering_list(names_of_limits,
                          value("--limit", "names of limits, as in gcra,sliding_log",
                                [&](std::string_view text) { return read_limits(text, o); })),
            offering(beginnings_of_arrivals,
                     value("--arrivals", "arrivals, as in poisson:50/s or trace:access.log",
                           [&](std::string_view text) {
                               read_arrivals(text, o);
                               return true;
                           })),
            value("--for", "a time, as in 90s",
                  [&](std::string_view text) {
                      length = time_of(text);
                      return length && *length > nanoseconds{};
                  }),
            value("--seed", "a whole number, as in --seed 7", into(o.seed)),
            choice("--format",
                   {{"nginx", log_format::access},
                    {"apache", log_format::access},
                    {"haproxy", log_format::haproxy},
                    {"times", log_format::times}},
                   format),
            choice("--per",
                   {{"key", apart_by::key}, {"path", apart_by::path}, {"all", apart_by::nothing}},
                   by),
            value("--keys", "a number from 1 to 200000000",
                  [&](std::string_view text) {
                      return into(keys)(text) && *keys >= 1 && *keys <= most_keys;
                  }),
            flag("--as-logged", as_logged),
            value("--suggest", "a share from 0% to 100%, as in 0.1%",
                  [&](std::string_view text) { return read_share(text, o.suggest); }),
            value("--wait", "a time up to 1h, as in 2s",
                  [&](std::string_view text) {
                      return into(o.longest_wait)(text) && o.longest_wait <= seconds(3'600);
                  }),
            value("--top", "a number from 0 to 1000",
                  [&](std::string_view text) { return into(o.top)(text) && o.top <= 1'000; }),
            of_a_file(value("--svg", "a path, as in --svg=sim.svg", into(o.svg))),
            of_a_file(value("--csv", "a path, as in --csv=sim.csv", into(o.csv))),
            flag("--json", o.json),
        });
    if (o.help) return o;
    look_at(o, length || o.seed, format || by || keys || as_logged);
    if (length) o.length = *length;
    if (keys) o.most_keys = *keys;
    if (o.log) {
        o.log->format = format;
        o.log->by = by.value_or(apart_by::key);
        o.log->as_logged = as_logged;
    }
    if (o.limits.empty()) o.limits = {"gcra"};
    return o;
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <charconv>
#include <string>
#include <system_error>

namespace weir::soak {
namespace {

using command::arguments;
using command::usage_error;

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
    if (!n || !(*n >= 0.001 && *n <= year)) {  // nor is not a number
        throw usage_error("--minutes needs a number from 0.001 to 525600, as in --minutes 0.5");
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

}  // namespace

soak_options parse_soak(command::arguments rest) {
    soak_options o;
    for (; !rest.empty(); rest = rest.subspan(1)) {
        if (const auto minutes = value_of("--minutes", rest)) {
            o.minutes = minutes_in(*minutes);
        } else if (const auto seed = value_of("--seed", rest)) {
            o.seed = seed_in(*seed);
        } else if (command::asks_for_help(rest.front())) {
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

}  // namespace weir::soak

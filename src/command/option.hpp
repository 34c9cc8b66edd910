// SPDX-License-Identifier: MIT
// What the line of a command may hold, told as a list and read from left to right, for all commands
// alike:
//
//     const bool helps = read_options(all, {
//         flag("--json", o.json),
//         value("--seed", "a whole number, as in --seed 7", into(o.seed)),
//         argument("RATE", "a rate, as in 5/s", [&](std::string_view text) { ... }),
//     });
//
// `--seed 7` and `--seed=7` are the same, and of an option that is given twice the last counts.
// Behind `--` all words are arguments. A value that begins with `--` is given by `=`.
#pragma once

#include <charconv>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <weir/base/duration.hpp>

#include "command/subcommand.hpp"

namespace weir::command {

struct option {
    enum class kind : unsigned char { flag, value, word, words, command };

    kind what;
    std::string_view name;
    std::string_view needs;                      // of its value, for the message; "" if it may miss
    std::function<bool(std::string_view)> take;  // false: it is not what is needed
};

// --name
[[nodiscard]] option flag(std::string_view name, bool& given);
// --name VALUE
[[nodiscard]] option value(std::string_view name, std::string_view needs,
                           std::function<bool(std::string_view)> take);
// The next word that is no option. It must be there, unless `needs` is empty.
[[nodiscard]] option argument(std::string_view name, std::string_view needs,
                              std::function<bool(std::string_view)> take);
// All words that are no options; there may be none.
[[nodiscard]] option arguments_of(std::string_view name, std::vector<std::string>& all);
// The first word that is no option and whatever is behind it: another program and its options.
[[nodiscard]] option command_of(std::string_view name, std::string_view needs,
                                std::vector<std::string>& words);

// True if the help is asked for; what is behind that is not read. Throws usage_error, with the word
// that is wrong.
[[nodiscard]] bool read_options(arguments all, std::initializer_list<option> options);

// A length of time, as in 500ms, 1.5s or 2min; or 0.
[[nodiscard]] std::optional<nanoseconds> time_of(std::string_view text);

namespace detail {

inline bool read_into(std::string_view text, std::string& to) {
    to = text;
    return !text.empty();
}
inline bool read_into(std::string_view text, nanoseconds& to) {
    const auto time = time_of(text);
    if (time) to = *time;
    return time.has_value();
}
template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
bool read_into(std::string_view text, Number& to) {
    const char* const end = text.data() + text.size();
    const auto [stopped, wrong] = std::from_chars(text.data(), end, to);
    return wrong == std::errc() && stopped == end;
}
template <class Value>
bool read_into(std::string_view text, std::optional<Value>& to) {
    return read_into(text, to.emplace());
}

}  // namespace detail

// Takes a value that is text, a whole number, a number or a length of time, as `to` is.
template <class Value>
[[nodiscard]] auto into(Value& to) {
    return [&to](std::string_view text) { return detail::read_into(text, to); };
}

}  // namespace weir::command

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
//
// The same list answers a shell that completes a line: see `candidates_of`.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

#include "command/subcommand.hpp"

namespace weir::command {

// A word that a shell may put in, or the beginning of one.
struct offer {
    std::string word;
    bool then_a_file = false;  // it is not whole without one behind it
};

struct option {
    enum class kind : unsigned char { flag, value, word, words, command };

    kind what;
    std::string_view name;
    std::string needs;                           // of its value, for the message
    std::function<bool(std::string_view)> take;  // false: it is not what is needed
    bool may_miss = false;                       // an argument

    // For shells that complete a line.
    std::function<std::vector<offer>()> offers = {};  // nothing: not known
    bool is_list = false;                             // of offers, with commas between them
    bool is_file = false;
};

// --name
[[nodiscard]] option flag(std::string_view name, bool& given);
// --name VALUE
[[nodiscard]] option value(std::string_view name, std::string needs,
                           std::function<bool(std::string_view)> take);
// The next word that is no option, which must be there; and one that may miss.
[[nodiscard]] option argument(std::string_view name, std::string needs,
                              std::function<bool(std::string_view)> take);
[[nodiscard]] option argument_if_there(std::string_view name, std::string needs,
                                       std::function<bool(std::string_view)> take);
// All words that are no options; there may be none.
[[nodiscard]] option arguments_of(std::string_view name, std::vector<std::string>& all);
// The first word that is no option and whatever is behind it: another program and its options.
[[nodiscard]] option command_of(std::string_view name, std::string needs,
                                std::vector<std::string>& words);

// An option or an argument that names a file.
[[nodiscard]] option of_a_file(option o);
// One whose value is often one of these words; or a list of them, with commas between them.
[[nodiscard]] option offering(std::function<std::vector<offer>()> words, option o);
[[nodiscard]] option offering_list(std::function<std::vector<offer>()> words, option o);

// True if the help is asked for; what is behind that is not read. Throws usage_error, with the word
// that is wrong.
[[nodiscard]] bool read_options(arguments all, std::initializer_list<option> options);

// What may stand in place of the last of these words, of which there is one at least.
struct candidates {
    enum class kind : unsigned char { words, files, command };

    kind what = kind::words;
    // Of files: how many characters of the word stand before the name. Of a command, which is
    // another program with its own options: how many words stand before it.
    std::size_t before = 0;
    std::vector<std::string> words = {};  // each with a tab and an explanation, if there is one
};
[[nodiscard]] candidates candidates_of(const subcommand& s, arguments words);

// A length of time, as in 500ms, 1.5s or 2min; or 0.
[[nodiscard]] std::optional<nanoseconds> time_of(std::string_view text);

// A number of units, as a quota has them: 20, 1.5k or 4Mi.
[[nodiscard]] std::optional<std::int64_t> amount_of(std::string_view text);

// The quota that is the value of `name`. False if the text is none; what is one, and impossible, is
// a usage_error with the reason.
[[nodiscard]] bool read_quota(std::string_view name, std::string_view text,
                              std::optional<quota>& to);

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

// "lines, bytes or items0"
[[nodiscard]] std::string one_of_these(const std::vector<offer>& words);

}  // namespace detail

// Takes a value that is text, a whole number, a number or a length of time, as `to` is.
template <class Value>
[[nodiscard]] auto into(Value& to) {
    return [&to](std::string_view text) { return detail::read_into(text, to); };
}

// --name VALUE, which is one of these words.
template <class Value>
[[nodiscard]] option choice(std::string_view name,
                            std::vector<std::pair<std::string_view, Value>> all,
                            std::optional<Value>& to) {
    std::vector<offer> words;
    words.reserve(all.size());
    for (const auto& [word, meant] : all) words.push_back({std::string(word)});
    const auto take = [all = std::move(all), &to](std::string_view text) {
        for (const auto& [word, meant] : all) {
            if (word == text) to = meant;
            if (word == text) return true;
        }
        return false;
    };
    return offering([words] { return words; }, value(name, detail::one_of_these(words), take));
}

}  // namespace weir::command

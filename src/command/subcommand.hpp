// SPDX-License-Identifier: MIT
// A subcommand of the program: a name, a line for the help, and a function. To add one, write its
// function in a folder of its own, list it in main.cpp, and have option.hpp read its options. Its
// function prints its own help, with examples and exit statuses, if it is asked for.
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

namespace weir::command {

using arguments = std::span<const std::string_view>;

// The command line is wrong: main prints what() with a pointer to the help and exits with
// `misused`. Any other exception is printed as it is, with status `failed`.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

[[nodiscard]] constexpr bool asks_for_help(std::string_view argument) {
    return argument == "--help" || argument == "-h";
}

struct subcommand {
    std::string_view name;
    std::string_view summary;
    int (*run)(arguments);  // the exit status
    // The statuses of what throws: others for a command that ends with the status of another
    // program, so that the two can be told apart.
    int failed = 1;
    int misused = 2;
};

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// weir completion: the script by which a shell completes lines. The scripts know no option: they
// ask `weir __complete WORD...`, with the words behind `weir` up to the cursor, the last one as far
// as it is typed. It answers with a line of
//     words       the words that may stand there are the lines that follow, each with a tab and an
//                 explanation if there is one; behind one that ends in a colon more is to come
//     files N     the name of a file, which begins behind N characters
//     command N   another program, N words behind `weir`, with its own arguments
#pragma once

#include <span>

#include "command/subcommand.hpp"

namespace weir::command {

int run_completion(arguments all);

// `weir __complete`, by the lists of options that these commands read.
int complete_line(std::span<const subcommand> all, arguments words);

extern const char* const bash_completion;
extern const char* const zsh_completion;
extern const char* const fish_completion;

}  // namespace weir::command

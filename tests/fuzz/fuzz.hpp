// SPDX-License-Identifier: MIT
// What fuzz targets have in common: a disagreement ends the program with its story. In most, the
// input's first byte says what is asked, and the others throw the dice of a history (tests/oracle).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "../oracle/dice.hpp"

namespace fuzz {

inline int judge(const std::optional<std::string>& story) {
    if (!story) return 0;
    std::fprintf(stderr, "disagreement: %s\n", story->c_str());
    std::abort();
}

using history = std::optional<std::string> (*)(oracle::dice);

template <std::size_t Size>
int play(const std::uint8_t* data, std::size_t size, const history (&all)[Size]) {
    if (size == 0) return 0;
    return judge(all[data[0] % Size](oracle::dice(std::span(data + 1, size - 1))));
}

}  // namespace fuzz

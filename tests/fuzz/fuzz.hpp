// What fuzz targets have in common: the input's first byte says what is asked, the others throw the
// dice of a history (tests/oracle), and a disagreement ends the program with its story.
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

using history = std::optional<std::string> (*)(oracle::dice);

template <std::size_t Size>
int play(const std::uint8_t* data, std::size_t size, const history (&all)[Size]) {
    if (size == 0) return 0;
    const auto story = all[data[0] % Size](oracle::dice(std::span(data + 1, size - 1)));
    if (!story) return 0;
    std::fprintf(stderr, "disagreement: %s\n", story->c_str());
    std::abort();
}

}  // namespace fuzz

// SPDX-License-Identifier: MIT
// Headers of any bytes, a line each, as a client of an API reads them; and what a server writes, of
// a name, a quota and a decision that the same bytes throw.
#include <cstddef>
#include <cstdint>
#include <string>

#include "../oracle/http_story.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    const oracle::dice thrown{std::span(data, size)};
    return fuzz::judge(oracle::http_disagreement<weir::http::told>(text, thrown));
}

// SPDX-License-Identifier: MIT
// Each cell against its exact model.
#include "../oracle/cells.hpp"

#include <cstddef>
#include <cstdint>

#include "../oracle/history.hpp"
#include "../oracle/log_history.hpp"
#include "fuzz.hpp"

namespace {

template <class Cell>
std::optional<std::string> of_cell(oracle::dice d) {
    oracle::tally sum;
    if constexpr (weir::log_cell<Cell>) {
        return oracle::log_disagreement<Cell>(d, sum);
    } else {
        return oracle::disagreement<Cell>(d, sum);
    }
}

template <class... Cells>
struct histories {
    static constexpr fuzz::history all[] = {of_cell<Cells>...};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, oracle::every_cell<4'096>::as<histories>::all);
}

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
    return oracle::disagreement<Cell>(d, sum);
}
template <class Log>
std::optional<std::string> of_log(oracle::dice d) {
    oracle::tally sum;
    return oracle::log_disagreement<Log>(d, sum);
}

constexpr fuzz::history all[] = {
    of_cell<weir::gcra<std::uint64_t>>,
    of_cell<weir::gcra<std::uint32_t>>,
    of_cell<weir::leaky_bucket<std::uint64_t>>,
    of_cell<weir::leaky_bucket<std::uint32_t>>,
    of_cell<weir::token_bucket<std::uint64_t>>,
    of_cell<weir::token_bucket<std::uint32_t>>,
    of_cell<weir::fixed_window<std::uint64_t>>,
    of_cell<weir::fixed_window<std::uint32_t>>,
    of_cell<weir::aligned_window<std::uint64_t>>,
    of_cell<weir::sliding_window<std::uint64_t>>,
    of_log<weir::sliding_log<4'096, std::uint64_t>>,
    of_log<weir::sliding_log<4'096, std::uint32_t>>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, all);
}

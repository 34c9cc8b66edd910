// Limiters: refunds against the axis of time on paper, and a quota that changes against an exact
// count of units.
#include <cstddef>
#include <cstdint>

#include <weir/weir.hpp>

#include "../oracle/adjustable_history.hpp"
#include "../oracle/refund_history.hpp"
#include "fuzz.hpp"

namespace {

template <class Cell>
struct open_cell : oracle::seen<Cell> {
    using base = Cell;
};
struct tag;

template <class Cell, std::uint64_t Hertz>
std::optional<std::string> of_refunds(oracle::dice d) {
    oracle::refund_tally sum;
    using limiter = weir::limiter<open_cell<Cell>, weir::manual_clock<tag, Hertz>>;
    return oracle::refund_disagreement<limiter>(d, sum);
}
std::optional<std::string> of_changes(oracle::dice d) {
    return oracle::adjustable_disagreement(d, 10'000);
}

constexpr fuzz::history all[] = {
    of_refunds<weir::gcra<>, 1'000'000'000>,
    of_refunds<weir::leaky_bucket<>, 19'200'000>,
    of_changes,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, all);
}

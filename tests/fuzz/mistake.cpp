// A planted bug, for the check that fuzzing finds it: a gcra that gives a unit more to who asks for
// just what is left of a large burst.
#include <cstddef>
#include <cstdint>

#include "../oracle/cells.hpp"
#include "../oracle/history.hpp"
#include "../oracle/mistakes.hpp"
#include "fuzz.hpp"

namespace {

std::optional<std::string> of_generous(oracle::dice d) {
    oracle::tally sum;
    return oracle::disagreement<oracle::generous_gcra<65>>(d, sum);
}

constexpr fuzz::history all[] = {of_generous};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, all);
}

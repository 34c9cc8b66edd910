// SPDX-License-Identifier: MIT
// Pacers in virtual time: what happens to them comes from the bytes, from outside and out of their
// own callbacks.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../pacer/history.hpp"
#include "fuzz.hpp"

namespace {

template <class Subject>
std::optional<std::string> of_pacer(oracle::dice d) {
    pacing::tally sum;
    return pacing::disagreement<Subject>(d, sum);
}

constexpr fuzz::history all[] = {
    of_pacer<pacing::scheduled>,
    of_pacer<pacing::scheduled_together>,
    of_pacer<pacing::scheduled_alone>,
    of_pacer<pacing::adjusted>,
    of_pacer<pacing::adjusted_together>,
    of_pacer<pacing::limited_twice>,
    of_pacer<pacing::limited_twice_together>,
    of_pacer<pacing::steered>,
    of_pacer<pacing::steered_together>,
    of_pacer<pacing::steered_alone>,
    of_pacer<pacing::steered_adjusted>,
    of_pacer<pacing::steered_twice>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, all);
}

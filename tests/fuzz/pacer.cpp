// SPDX-License-Identifier: MIT
// Pacers in virtual time: what happens to them comes from the bytes, from outside and out of their
// own callbacks.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "../pacer/history.hpp"
#include "../pacer/keyed_history.hpp"
#include "fuzz.hpp"

namespace {

template <class Subject>
std::optional<std::string> of_pacer(oracle::dice d) {
    pacing::tally sum;
    return pacing::disagreement<Subject>(d, sum);
}

template <class Subject>
std::optional<std::string> of_keyed_pacer(oracle::dice d) {
    keyed::tally sum;
    std::string trouble = std::make_unique<keyed::world<Subject>>(d, sum)->play();
    if (trouble.empty()) return std::nullopt;
    return trouble;
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
    of_keyed_pacer<keyed::free_of_all>,
    of_keyed_pacer<keyed::all_together>,
    of_keyed_pacer<keyed::in_batches>,
    of_keyed_pacer<keyed::replacing>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, all);
}

// SPDX-License-Identifier: MIT
// How much to try, and what: settings from the environment.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace oracle {

[[nodiscard]] inline std::optional<std::uint64_t> setting(const char* name) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    if (text == nullptr) return std::nullopt;
    return std::strtoull(text, nullptr, 0);
}

// WEIR_TEST_EFFORT: percent of the normal run, for builds that are slower.
[[nodiscard]] inline std::uint64_t scaled(std::uint64_t normal) {
    return normal * setting("WEIR_TEST_EFFORT").value_or(100) / 100 + 1;
}

// WEIR_TEST_SEED: this history and no other.
[[nodiscard]] inline std::optional<std::uint64_t> only_seed() { return setting("WEIR_TEST_SEED"); }

// WEIR_TEST_SERIES: other histories than everybody's, for a long night.
[[nodiscard]] inline std::uint64_t series() { return setting("WEIR_TEST_SERIES").value_or(1); }

}  // namespace oracle

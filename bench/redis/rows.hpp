// SPDX-License-Identifier: MIT
// What a decision costs in the process, as rows that take turns, so that all of them meet the same
// weather. Each figure is the lowest of all rounds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct timed_row {
    std::string name;
    std::optional<std::size_t> beside;                 // the row of the last column's ratio
    std::function<std::uint64_t(std::size_t)> decide;  // so often; how many were admitted
    std::function<void()> prepare = [] {};
    double least = 1e300;  // ns a decision
};

// decide(i) makes the i-th decision and says whether it was admitted.
template <class Decide>
[[nodiscard]] timed_row row_of(std::string name, std::optional<std::size_t> beside, Decide decide) {
    return {std::move(name), beside, [decide](std::size_t count) {
                std::uint64_t admitted = 0;
                for (std::size_t i = 0; i < count; ++i) admitted += decide(i) ? 1U : 0U;
                return admitted;
            }};
}

// Measures and prints them: `of_last` is the heading of the last column. False, and a sentence, if
// more than one in a thousand was refused: then the figures say little.
[[nodiscard]] inline bool print_costs_of(std::vector<timed_row>& rows, const char* of_last) {
    constexpr int rounds = 60;
    constexpr std::size_t calls = 100'000;
    std::uint64_t refused = 0;
    for (int round = 0; round < rounds; ++round) {
        for (timed_row& r : rows) {
            r.prepare();
            const auto begin = std::chrono::steady_clock::now();
            const std::uint64_t admitted = r.decide(calls);
            const std::chrono::duration<double, std::nano> took =
                std::chrono::steady_clock::now() - begin;
            r.least = std::min(r.least, took.count() / static_cast<double>(calls));
            refused += calls - admitted;
        }
    }
    std::printf("| a decision, admitted | ns | x %s | x %s |\n", rows[0].name.c_str(), of_last);
    std::puts("| --- | ---: | ---: | ---: |");
    for (const timed_row& r : rows) {
        std::printf("| %s | %.2f | %.2f | ", r.name.c_str(), r.least, r.least / rows[0].least);
        if (r.beside) std::printf("%.2f ", r.least / rows[*r.beside].least);
        std::puts("|");
    }
    const double part =
        static_cast<double>(refused) / (static_cast<double>(rounds * calls * rows.size()));
    if (part <= 0.001) return true;
    std::printf("%.2f %% were refused, so this says little\n", 100 * part);
    return false;
}

}  // namespace bench

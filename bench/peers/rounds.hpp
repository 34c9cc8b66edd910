// SPDX-License-Identifier: MIT
// rounds: all rows take turns, so that whatever the machine does at the time happens to all of
// them.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker.hpp"

namespace bench {

struct effort {
    std::size_t least_kept;  // samples of each figure
    std::size_t most_rounds;
    unsigned alone;     // decisions of a sample of one thread
    unsigned together;  // of two threads, for each; longer ones are disturbed more often
    unsigned tail;      // for a p99.99, of one thread or for each of two
    unsigned keyed;     // of a table, for each of one thread or two
    unsigned warm_up;   // of a table before each sample, for other rows have been at the caches
};

struct taken {
    answer told;
    double probe = 0;  // ns for a line to come over from the other core; 0: one thread
    bool kept = true;
};

struct measure {
    bool tail;  // the p99.99, not the average
    std::string demand;
    unsigned threads;

    auto operator<=>(const measure&) const = default;
};

struct row {
    worker* by;
    worker_row what;
    std::map<measure, std::vector<taken>> samples{};  // one of each round

    [[nodiscard]] bool has(const std::string& demand) const;
    [[nodiscard]] bool is_empty_loop() const { return what.name.rfind("empty", 0) == 0; }
};

// Two threads are in lockstep only if no core was taken away and their distance stayed the same.
// Calls `after_round` after each round.
void take_samples(std::vector<row>& rows, const effort& e,
                  const std::function<void()>& after_round);

struct figure {
    // Per decision, less the loop: the least of one thread, the median of two. Of a p99.99 the
    // median, with all that it takes to know the time of each decision.
    double ns = 0;
    double spread = 0;    // ns, between the quartiles
    double x = 0;         // of the first row that has this demand; 0: they were never kept together
    double probe = 0;     // ns, the median
    double admitted = 0;  // per cent
    std::size_t kept = 0;
    std::size_t dropped = 0;
    bool as_told = true;  // did it admit what the demand says?
};

// None if no sample was kept.
[[nodiscard]] std::optional<figure> figure_of(const std::vector<row>& rows, const row& r,
                                              const measure& m);

}  // namespace bench

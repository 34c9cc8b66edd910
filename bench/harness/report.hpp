// SPDX-License-Identifier: MIT
// report: listens to Google Benchmark, keeps one figure per row, and prints each as a multiple of
// the floor that was measured in the same run.
#pragma once

#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "rows.hpp"

namespace bench {

struct figure {
    double ns = 0;
    double ratio = 0;      // a duel's; of a row alone, see report::ratio
    double reference = 0;  // ns, a duel's
    double probe = 0;      // ns, a duel's
};

[[nodiscard]] const std::vector<row>& enlisted();

// Of one thread the fastest repetition counts, of two the median.
class report : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override {}

    [[nodiscard]] const figure* find(const std::string& name) const;
    [[nodiscard]] bool empty() const { return figures_.empty(); }

    // To a duel's reference, or else to the floor; none if that was not measured.
    [[nodiscard]] std::optional<double> ratio(const row& r) const;
    [[nodiscard]] std::optional<double> ratio(const std::string& name,
                                              const std::string& reference) const;

    // As Markdown that reads well in a terminal too.
    void write_headlines(std::ostream& out) const;
    void write_all(std::ostream& out) const;

    // What Google Benchmark writes as JSON, less the names of host and program; ends the report.
    [[nodiscard]] std::string json();

private:
    void write_table(std::ostream& out, bool duels) const;

    std::map<std::string, figure> figures_;
    std::ostringstream json_text_;
    benchmark::JSONReporter json_;
    bool has_context_ = false;
};

}  // namespace bench

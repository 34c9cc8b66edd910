// SPDX-License-Identifier: MIT
// trace: the arrivals that a log tells of.
//
// A log that has no parts of seconds does not say when in its second a request came. The requests
// of a second are then spread evenly over it, in the order of their lines, unless that is not
// wanted: all at once would be a burst that never was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/sim/arrival.hpp"
#include "command/sim/keys.hpp"
#include "command/sim/line_order.hpp"
#include "command/sim/lines.hpp"
#include "command/sim/log_line.hpp"

namespace weir::command {

struct trace_terms {
    std::string path;
    std::optional<log_format> format;
    apart_by by = apart_by::key;
    bool as_logged = false;  // whole seconds are not spread
};

// What a report tells of a log.
struct trace_facts {
    std::uint64_t lines = 0;
    std::uint64_t empty = 0;  // or comments
    std::uint64_t not_understood = 0;
    std::uint64_t first_line = 0;     // that was not understood: its number,
    std::string first_text;           // its beginning,
    std::string first_reason;         // and why
    std::uint64_t without_place = 0;  // lines of keys that were too many
    std::uint64_t late = 0;
    std::uint64_t most_late = 0;  // nanoseconds
    std::uint64_t strays = 0;
    std::uint64_t moved_back = 0;
    bool cut_off = false;
    bool spread = false;  // seconds were
};

class trace final : public source {
public:
    // The keys get their numbers in `known`.
    trace(const trace_terms& terms, keys& known);

    void read(std::vector<arrival>& batch) override;
    [[nodiscard]] bool is_over() const override { return over_; }

    [[nodiscard]] trace_facts facts() const;
    [[nodiscard]] std::optional<log_format> format() const noexcept {
        return reader_ ? std::optional(reader_->format()) : std::nullopt;
    }
    [[nodiscard]] std::uint64_t lines_so_far() const noexcept { return facts_.lines; }
    // How much of the file has been read; nothing if its size is not known.
    [[nodiscard]] std::optional<double> share_so_far() const noexcept;

private:
    // More of one second than this come at its end.
    static constexpr std::size_t most_in_second = std::size_t{1} << 22U;

    // A log without a format is what most of so many lines are.
    static constexpr std::size_t most_undecided = 64;

    void take(std::string_view line);
    void decide();
    void parse(std::string_view line);
    void refuse(std::string_view line, const char* why);
    void pass(const arrival& a, bool whole_second);
    void let_go();
    void end();

    lines lines_;
    apart_by by_;
    std::optional<log_lines> reader_;     // none until the format is known
    std::vector<std::string> undecided_;  // lines until then
    keys& keys_;
    bool as_logged_;
    bool over_ = false;
    line_order order_;
    bool whole_second_ = false;    // of the line that was read last
    std::vector<arrival> second_;  // those of the present second
    std::vector<arrival> ready_;
    std::size_t given_ = 0;  // of those that are ready
    trace_facts facts_;
};

}  // namespace weir::command

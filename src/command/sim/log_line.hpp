// SPDX-License-Identifier: MIT
// log_lines: what a line of a log tells: when a request came, whose it was, and what it asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/sim/log_time.hpp"

namespace weir::command {

enum class log_format {
    access,   // nginx and Apache: common, combined, and with the virtual host before the client
    haproxy,  // over HTTP or TCP, with or without what syslog puts before
    times,    // time, and if wanted key and cost, by spaces, tabs, commas or semicolons
};
[[nodiscard]] std::string_view describe(log_format format) noexcept;

// Requests are told apart by this.
enum class apart_by { key, path, nothing };

// A view of the line.
struct logged {
    log_time time;
    std::string_view key;
    std::uint32_t cost;
};

class log_lines {
public:
    log_lines(log_format format, apart_by by) noexcept : format_(format), by_(by) {}

    enum class found { request, nothing, not_understood };  // nothing: an empty line, a comment

    [[nodiscard]] found read(std::string_view line, logged& to) noexcept;

    // Why the last line was not understood.
    [[nodiscard]] const char* why() const noexcept { return why_; }
    [[nodiscard]] log_format format() const noexcept { return format_; }

private:
    [[nodiscard]] bool read_request(std::string_view line, logged& to) noexcept;
    [[nodiscard]] bool read_access(std::string_view line, logged& to) noexcept;
    [[nodiscard]] bool read_haproxy(std::string_view line, logged& to) noexcept;
    [[nodiscard]] bool read_times(std::string_view line, logged& to) noexcept;
    [[nodiscard]] std::string_view key_of(std::string_view client,
                                          std::string_view request) const noexcept;
    bool refuse(const char* why) noexcept {
        why_ = why;
        return false;
    }

    log_format format_;
    apart_by by_;
    access_time time_;
    const char* why_ = "";
};

// Which of the formats understands most of these lines; nothing if none does.
[[nodiscard]] std::optional<log_format> likely_format(const std::vector<std::string>& lines);

}  // namespace weir::command

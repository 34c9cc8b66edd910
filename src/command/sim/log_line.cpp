// SPDX-License-Identifier: MIT
#include "command/sim/log_line.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace weir::command {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr int most_brackets = 8;  // in which a time is looked for

[[nodiscard]] bool is_separator(char c) noexcept {
    return c == ' ' || c == '\t' || c == ',' || c == ';';
}

[[nodiscard]] std::string_view first_word(std::string_view text) noexcept {
    return text.substr(0, text.find(' '));
}

// Without ":port"; nothing if there is none.
[[nodiscard]] std::string_view without_port(std::string_view text) noexcept {
    const std::size_t colon = text.rfind(':');
    if (colon == npos || colon + 1 == text.size()) return {};
    for (const char c : text.substr(colon + 1)) {
        if (c < '0' || c > '9') return {};
    }
    return text.substr(0, colon);
}

// In `vhost:port client - user [`, as Debian's Apache writes it, the client is the second word.
[[nodiscard]] std::string_view client_of(std::string_view before) noexcept {
    const std::string_view first = first_word(before);
    if (first.size() == before.size() || without_port(first).empty()) return first;
    const std::string_view rest = before.substr(first.size() + 1);
    const std::string_view second = first_word(rest);
    if (second == "-" || second.size() == rest.size()) return first;
    return first_word(rest.substr(second.size() + 1)) == "-" ? second : first;
}

// Of `"GET /path?query HTTP/1.1"`, from its quotation mark on: the path.
[[nodiscard]] std::string_view path_of(std::string_view request) noexcept {
    const std::size_t space = request.find(' ');
    if (space == npos) return {};
    request.remove_prefix(space + 1);
    return request.substr(0, request.find_first_of(" ?\""));
}

// The next field and what comes after it. One comma or semicolon lies between two fields, or any
// number of spaces.
[[nodiscard]] std::string_view next_field(std::string_view& rest) noexcept {
    std::size_t i = 0;
    bool comma = false;
    for (; i < rest.size() && is_separator(rest[i]); ++i) {
        const bool is_comma = rest[i] == ',' || rest[i] == ';';
        if (is_comma && comma) break;
        comma = comma || is_comma;
    }
    rest.remove_prefix(i);
    std::size_t length = 0;
    while (length < rest.size() && !is_separator(rest[length])) ++length;
    const std::string_view field = rest.substr(0, length);
    rest.remove_prefix(length);
    return field;
}

// The first time in brackets behind a space, by `read`, and what is before and behind it.
struct bracketed {
    std::string_view before;
    log_time time;
    std::string_view rest;
};
template <class Read>
std::optional<bracketed> in_brackets(std::string_view line, Read read) noexcept {
    std::size_t at = line.find('[');
    for (int i = 0; i < most_brackets && at != npos; ++i, at = line.find('[', at + 1)) {
        if (at < 2 || line[at - 1] != ' ') continue;
        const std::string_view text = line.substr(at + 1);
        const std::optional<log_time> time = read(text);
        if (!time || time->length == text.size() || text[time->length] != ']') continue;
        return bracketed{line.substr(0, at - 1), *time, text.substr(time->length)};
    }
    return std::nullopt;
}

}  // namespace

std::string_view describe(log_format format) noexcept {
    switch (format) {
        case log_format::access: return "access log of nginx or Apache";
        case log_format::haproxy: return "log of HAProxy";
        case log_format::times: return "times";
    }
    return "unknown";
}

std::string_view log_lines::key_of(std::string_view client,
                                   std::string_view request) const noexcept {
    switch (by_) {
        case apart_by::key: return client;
        case apart_by::path: return path_of(request);
        case apart_by::nothing: break;
    }
    return {};
}

log_lines::found log_lines::read(std::string_view line, logged& to) noexcept {
    if (line.empty() || line.front() == '#') return found::nothing;
    return read_request(line, to) ? found::request : found::not_understood;
}

bool log_lines::read_request(std::string_view line, logged& to) noexcept {
    switch (format_) {
        case log_format::access: return read_access(line, to);
        case log_format::haproxy: return read_haproxy(line, to);
        case log_format::times: return read_times(line, to);
    }
    return false;
}

bool log_lines::read_access(std::string_view line, logged& to) noexcept {
    const auto its = in_brackets(line, [&](std::string_view t) { return time_.with_offset(t); });
    const std::string_view client = its ? client_of(its->before) : std::string_view();
    if (client.empty())
        return refuse("no client and time such as 10.0.0.1 - - [10/Oct/2000:13:55:36 -0700]");
    std::string_view request;
    if (by_ == apart_by::path) {
        const std::size_t quote = its->rest.find('"');
        if (quote != npos) request = its->rest.substr(quote);
    }
    to = {its->time, key_of(client, request), 1};
    return true;
}

bool log_lines::read_haproxy(std::string_view line, logged& to) noexcept {
    const auto its = in_brackets(line, [&](std::string_view t) { return time_.with_fraction(t); });
    std::string_view client = its ? its->before : std::string_view();
    client = without_port(client.substr(client.rfind(' ') + 1));
    if (client.empty())
        return refuse("no client and time such as 10.0.0.1:33317 [06/Feb/2009:12:14:14.655]");
    std::string_view request;
    if (by_ == apart_by::path) {
        const std::size_t quote = its->rest.rfind(" \"");
        if (quote != npos) request = its->rest.substr(quote + 1);
    }
    to = {its->time, key_of(client, request), 1};
    return true;
}

bool log_lines::read_times(std::string_view line, logged& to) noexcept {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    const auto ends = [line](const std::optional<log_time>& t) {
        return t && (t->length == line.size() || is_separator(line[t->length]));
    };
    std::optional<log_time> time = number_time(line);
    if (!ends(time)) time = iso_time(line);
    if (!ends(time))
        return refuse("no time from 1970 to 2261, as in 1714560000.25 or 2024-05-01T12:00:00Z");
    std::string_view rest = line.substr(time->length);
    const std::string_view key = next_field(rest);
    const std::string_view text = next_field(rest);
    std::uint32_t cost = 1;
    if (!text.empty()) {
        const char* const end = text.data() + text.size();
        const auto [stopped, wrong] = std::from_chars(text.data(), end, cost);
        if (wrong != std::errc() || stopped != end || cost == 0)
            return refuse("the cost, its third column, is no whole number from 1 to 4294967295");
    }
    to = {*time, by_ == apart_by::key ? key : std::string_view(), cost};
    return true;
}

std::optional<log_format> likely_format(const std::vector<std::string>& lines) {
    std::optional<log_format> best;
    std::size_t most = 0;
    for (const log_format f : {log_format::access, log_format::haproxy, log_format::times}) {
        log_lines reader(f, apart_by::nothing);
        std::size_t understood = 0;
        for (const std::string& line : lines) {
            logged found{};
            if (reader.read(line, found) == log_lines::found::request) ++understood;
        }
        if (understood <= most) continue;
        best = f;
        most = understood;
    }
    return best;
}

}  // namespace weir::command

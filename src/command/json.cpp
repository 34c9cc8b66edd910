// SPDX-License-Identifier: MIT
#include "command/json.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include "command/text.hpp"

namespace weir::command {
namespace {

std::string escaped(char c) {
    switch (c) {
        case '"': return "\\\"";
        case '\\': return "\\\\";
        case '\n': return "\\n";
        case '\t': return "\\t";
        default: break;
    }
    if (static_cast<unsigned char>(c) >= ' ') return {c};
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c));
    return text;
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    while (!text.empty()) {
        const std::size_t length = length_of_character(text);
        if (length == 0) {
            result += "\\ufffd";
        } else if (length == 1) {
            result += escaped(text.front());
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result + "\"";
}

template <class Number>
std::string printed(Number number) {
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace

json& json::item(std::string_view text) {
    if (!first_) text_ += ',';
    text_ += text;
    first_ = false;
    return *this;
}

json& json::open(char bracket) {
    item({&bracket, 1});
    first_ = true;
    return *this;
}

json& json::close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
}

json& json::key(std::string_view name) {
    item(quoted(name));
    text_ += ':';
    first_ = true;
    return *this;
}

json& json::value(std::string_view text) { return item(quoted(text)); }
json& json::value(bool truth) { return item(truth ? "true" : "false"); }
json& json::value(std::uint64_t number) { return item(printed(number)); }
json& json::value(double number) { return std::isfinite(number) ? item(printed(number)) : null(); }
json& json::value(const quota& q) {
    return begin_object()
        .member("units", static_cast<std::uint64_t>(q.units()))
        .member("period_ns", static_cast<std::uint64_t>(q.period().count()))
        .member("burst", static_cast<std::uint64_t>(q.burst()))
        .end_object();
}
json& json::value(const std::vector<double>& numbers) {
    begin_array();
    for (const double n : numbers) value(n);
    return end_array();
}
json& json::null() { return item("null"); }

}  // namespace weir::command

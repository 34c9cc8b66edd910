// SPDX-License-Identifier: MIT
// json: one JSON text (RFC 8259), written from front to back. It keeps commas and escapes right;
// that begin and end match is the caller's affair.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weir/cell/quota.hpp>

namespace weir::command {

class json {
public:
    json& begin_object() { return open('{'); }
    json& end_object() { return close('}'); }
    json& begin_array() { return open('['); }
    json& end_array() { return close(']'); }

    json& key(std::string_view name);

    json& value(std::string_view text);  // bytes that are not UTF-8 become U+FFFD
    json& value(const char* text) { return value(std::string_view(text)); }
    json& value(bool truth);
    json& value(double number);  // null if it is no number; else the shortest that reads back
    json& value(std::uint64_t number);
    json& value(const quota& q);  // its units, period_ns and burst
    json& value(const std::vector<double>& numbers);
    json& null();

    template <class Value>
    json& member(std::string_view name, const Value& v) {
        return key(name).value(v);
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    json& open(char bracket);
    json& close(char bracket);
    json& item(std::string_view text);

    std::string text_;
    bool first_ = true;  // nothing stands before the next item in its object or array
};

}  // namespace weir::command

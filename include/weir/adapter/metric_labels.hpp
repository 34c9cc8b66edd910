// SPDX-License-Identifier: MIT
// metric_labels: the names by which a monitoring system tells one limit, table or pacer from
// another; and why metrics may be refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weir {

// Nothing is written if a label is wrong. What does not fit is told, and never cut off.
enum class metrics_error : std::uint8_t {
    none,
    buffer_full,
    too_many_labels,
    label_repeated,
    label_not_utf8,
    same_labels_twice,
};
[[nodiscard]] constexpr const char* describe(metrics_error reason) noexcept {
    switch (reason) {
        case metrics_error::none: return "no error";
        case metrics_error::buffer_full: return "the buffer is too small for all metrics";
        case metrics_error::too_many_labels:
            return "one limit, table or pacer has more than four labels beside its name";
        case metrics_error::label_repeated: return "one label has two values";
        case metrics_error::label_not_utf8: return "the value of a label is not UTF-8";
        case metrics_error::same_labels_twice:
            return "two limits, tables or pacers have the same labels";
    }
    return "unknown reason";
}

namespace detail {

inline void a_label_is_made_of_letters_digits_and_underscores() noexcept {}
inline void this_label_is_one_of_weirs_own() noexcept {}
inline void the_labels_of_a_metric_are_right() noexcept {}

// As Unicode says: no overlong form, no surrogate, nothing beyond U+10FFFF.
[[nodiscard]] constexpr bool is_utf8(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t k) {
            return i + k < text.size() ? static_cast<unsigned char>(text[i + k])
                                       : static_cast<unsigned char>(0);
        };
        const unsigned first = byte(0);
        const std::size_t more = first < 0x80   ? 0
                                 : first < 0xC2 ? 4  // of another one, or overlong
                                 : first < 0xE0 ? 1
                                 : first < 0xF0 ? 2
                                 : first < 0xF5 ? 3
                                                : 4;
        if (more == 4) return false;
        for (std::size_t k = 1; k <= more; ++k) {
            if ((byte(k) & 0xC0U) != 0x80) return false;
        }
        const unsigned second = byte(1);
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
            (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
            return false;
        i += more + 1;
    }
    return true;
}

}  // namespace detail

constexpr void must_not_compile(metrics_error reason) noexcept {
    if (reason != metrics_error::none) detail::the_labels_of_a_metric_are_right();
}

// The name of a label of yours: a literal, which the compiler looks at.
class label_name {
public:
    template <std::size_t Size>
    consteval label_name(const char (&name)[Size]) noexcept  // NOLINT(google-explicit-constructor)
        : text_(name, Size - 1) {
        const auto is_letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        };
        if (text_.empty() || !is_letter(text_[0]))
            detail::a_label_is_made_of_letters_digits_and_underscores();
        for (const char c : text_) {
            if (!is_letter(c) && !(c >= '0' && c <= '9'))
                detail::a_label_is_made_of_letters_digits_and_underscores();
        }
        for (const std::string_view own : {"name", "verdict", "reason", "delay", "le"}) {
            if (text_ == own) detail::this_label_is_one_of_weirs_own();
        }
        if (text_.starts_with("__")) detail::this_label_is_one_of_weirs_own();
    }

    [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

private:
    std::string_view text_;
};

// The value of a label: a text that is referred to, and lives until the metrics are told.
class label_value {
public:
    template <class Text>
        requires(std::is_convertible_v<const std::remove_reference_t<Text>&, std::string_view>)
    // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
    constexpr label_value(Text&& text) noexcept : text_(text) {
        static_assert(std::is_lvalue_reference_v<Text> || std::is_trivially_destructible_v<Text>,
                      "a label refers to its text, and this one is gone too early: give it a name");
    }

    [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

private:
    std::string_view text_;
};

struct metric_label {
    std::string_view name;
    std::string_view value;

    friend constexpr bool operator==(const metric_label&, const metric_label&) = default;
};

// The label `name`, and up to four more: metric_labels("uploads").with("zone", zone).
class metric_labels {
public:
    static constexpr std::size_t most = 4;  // beside the name

    // Of whatever a label_value is made of.
    template <class Name>
        requires(std::is_convertible_v<Name, label_value>)
    // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
    constexpr metric_labels(Name&& name) noexcept
        : labels_{{"name", label_value(std::forward<Name>(name)).text()}} {}

    [[nodiscard]] constexpr metric_labels with(label_name name, label_value value) const noexcept {
        metric_labels more = *this;
        for (const metric_label& l : all()) {
            if (l.name == name.text()) more.error_ = metrics_error::label_repeated;
        }
        if (size_ == most + 1)
            more.error_ = metrics_error::too_many_labels;
        else
            more.labels_[more.size_++] = {name.text(), value.text()};
        return more;
    }

    [[nodiscard]] constexpr std::span<const metric_label> all() const noexcept {
        return {labels_, size_};
    }

    // Why these labels cannot be told, or `none`.
    [[nodiscard]] constexpr metrics_error error() const noexcept {
        if (error_ != metrics_error::none) return error_;
        for (const metric_label& l : all()) {
            if (!detail::is_utf8(l.value)) return metrics_error::label_not_utf8;
        }
        return metrics_error::none;
    }

    // As Prometheus sees it: in any order, and a label without a value is none.
    friend constexpr bool operator==(const metric_labels& a, const metric_labels& b) noexcept {
        return a.are_among(b) && b.are_among(a);
    }

private:
    [[nodiscard]] constexpr bool are_among(const metric_labels& others) const noexcept {
        for (const metric_label& l : all()) {
            bool found = l.value.empty();
            for (const metric_label& other : others.all()) found = found || l == other;
            if (!found) return false;
        }
        return true;
    }

    metric_label labels_[most + 1]{};
    std::size_t size_ = 1;
    metrics_error error_ = metrics_error::none;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// Texts of what weir answers, for logs and for people. `describe(x)` is the text of an
// enumeration's value and stands beside it. `to_text(x)` is also that of what has several parts,
// such as a length of time ("100 ms"): a short text in place, so without heap, <string> or locale,
// for printf as well. Whatever has one can be written by << to a std::ostream, or to what else
// takes texts by <<. std::format needs <weir/adapter/std.hpp>.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/duration.hpp>

namespace weir {

class text {
public:
    constexpr text() noexcept = default;
    constexpr explicit text(const char* words) noexcept { add(words); }

    // They live as long as the text: use those of `to_text(x).c_str()` within the expression only.
    [[nodiscard]] constexpr const char* c_str() const noexcept
#ifdef __clang__
        [[clang::lifetimebound]]
#endif
    {
        return characters_;
    }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

    // What does not fit is left out; no text of weir's own is that long.
    constexpr text& add(const char* words) noexcept {
        for (; *words != '\0' && size_ < capacity; ++words) characters_[size_++] = *words;
        return *this;
    }
    constexpr text& add(std::uint64_t number) noexcept {
        char digits[21] = {};
        std::size_t first = 20;
        do {
            digits[--first] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return add(digits + first);
    }

private:
    static constexpr std::size_t capacity = 191;

    char characters_[capacity + 1] = {};  // with a zero behind the last
    std::size_t size_ = 0;
};

// Exactly, in the largest unit of which it is at least one: 100 ms, 1.5 s, 0 ns.
[[nodiscard]] constexpr text to_text(nanoseconds time) noexcept {
    struct unit {
        const char* name;
        std::uint64_t size;
    };
    constexpr unit units[] = {
        {" s", 1'000'000'000}, {" ms", 1'000'000}, {" us", 1'000}, {" ns", 1}};
    if (time == nanoseconds::longest()) return text("for ever");
    const auto count = static_cast<std::uint64_t>(time.count());
    const std::uint64_t size = time.count() < 0 ? 0 - count : count;
    const unit* u = units;
    while (size < u->size && u->size > 1) ++u;
    text t(time.count() < 0 ? "-" : "");
    t.add(size / u->size);
    std::uint64_t rest = size % u->size;
    if (rest != 0) t.add(".");
    for (std::uint64_t digit = u->size / 10; rest != 0; digit /= 10) {
        t.add(rest / digit);
        rest %= digit;
    }
    return t.add(u->name);
}

namespace detail {

// Hides those of weir here, so that only those of the type's own namespace are found: else
// std::chrono's durations, which convert to weir's, would be printed by weir, too.
void describe() = delete;
void to_text() = delete;

template <class T>
concept described = std::is_enum_v<T> && requires(const T& value) {
    { describe(value) } -> std::same_as<const char*>;
};
template <class T>
concept has_text = requires(const T& value) {
    { to_text(value) } -> std::same_as<weir::text>;
};
template <class Stream>
concept takes_text = requires(Stream& to, const char* words) {
    to << words;
};
// A logger that takes anything hands it on to a stream itself; two operators would be ambiguous.
template <class Stream, class T>
concept takes_anything = requires(Stream& to, const T& value) {
    to.operator<<(value);
};

}  // namespace detail

template <detail::described Value>
[[nodiscard]] constexpr text to_text(Value value) noexcept {
    return text(describe(value));
}

template <class Stream, class T>
    requires(detail::has_text<T>&& detail::takes_text<Stream> && !detail::takes_anything<Stream, T>)
constexpr decltype(auto) operator<<(Stream& to, const T& value) {
    return to << to_text(value).c_str();
}

}  // namespace weir

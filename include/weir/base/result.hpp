// SPDX-License-Identifier: MIT
// A value, or the reason why there is none: std::expected (C++23) in small, for set-up functions
// that report at run time. In a constant expression the same mistake is a compile error. Who wants
// no error value gets a thrown `refused`, or without exceptions a program that prints the reason
// and ends.
//
// Each layer has its own errors, an enumeration beside what they are about. Three things belong to
// one, and are found by its type:
//
//     none                      its value that is no error
//     describe(reason)          one sentence for people
//     must_not_compile(reason)  calls a function that is not constexpr, whose name is the sentence:
//                               in a constant expression the compiler stops there and shows it
#pragma once

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#include <weir/base/end_program.hpp>

#ifdef __cpp_exceptions
#include <exception>
#endif

namespace weir {

template <class E>
concept error_code = std::is_enum_v<E> && requires(E reason) {
    E::none;
    { describe(reason) } -> std::same_as<const char*>;
    must_not_compile(reason);
};

#ifdef __cpp_exceptions
// Says the sentence of the error. A program that has to tell errors apart asks `make` for them.
class refused : public std::exception {
public:
    explicit refused(const char* sentence) noexcept : sentence_(sentence) {}
    [[nodiscard]] const char* what() const noexcept override { return sentence_; }

private:
    const char* sentence_;  // of the program, so never gone
};
#endif

namespace detail {

// Does not compile in a constant expression; elsewhere throws, or ends the program.
template <error_code Error>
constexpr void refuse(Error reason) {
    if (reason == Error::none) return;
    if (std::is_constant_evaluated()) must_not_compile(reason);
#ifdef __cpp_exceptions
    throw refused(describe(reason));
#else
    end_program(describe(reason));
#endif
}

// Does not compile in a constant expression, and elsewhere ends the program.
template <error_code Error>
[[noreturn, gnu::cold]] constexpr void end_without_value(Error reason) noexcept {
    if (std::is_constant_evaluated()) {
        must_not_compile(reason);
        __builtin_unreachable();
    } else {
        end_program("the value of a result was used that has none", describe(reason));
    }
}

// Not constexpr, so it does the same.
[[noreturn, gnu::cold]] inline void a_result_is_a_value_or_an_error_and_none_is_neither() noexcept {
    end_program("a result is a value or an error, and the error none is neither");
}

}  // namespace detail

namespace detail {

// What a result keeps. Two classes, as only a value that nobody has to destroy can be in a constant
// expression.
template <class T, class Error, bool IsDestroyed = !std::is_trivially_destructible_v<T>>
class value_or_error {
protected:
    constexpr explicit value_or_error(T&& value) noexcept : value_(std::move(value)) {}
    constexpr explicit value_or_error(Error reason) noexcept : nothing_{}, reason_(reason) {}

    union {
        char nothing_;
        T value_;
    };
    Error reason_ = Error::none;
};
template <class T, class Error>
class value_or_error<T, Error, true> {
protected:
    explicit value_or_error(T&& value) noexcept : value_(std::move(value)) {}
    explicit value_or_error(Error reason) noexcept : nothing_{}, reason_(reason) {}
    value_or_error(value_or_error&& other) noexcept : nothing_{}, reason_(other.reason_) {
        if (reason_ == Error::none) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    }
    ~value_or_error() {
        if (reason_ == Error::none) value_.~T();
    }

    union {
        char nothing_;
        T value_;
    };
    Error reason_ = Error::none;
};

}  // namespace detail

template <class T, error_code Error>
class [[nodiscard]] result : detail::value_or_error<T, Error> {
    using kept = detail::value_or_error<T, Error>;
    using kept::reason_;
    using kept::value_;

public:
    // NOLINTBEGIN(google-explicit-constructor)
    constexpr result(T value) noexcept : kept(std::move(value)) {}
    // `none` is no reason: it ends the program; in a constant expression it does not compile.
    constexpr result(Error reason) noexcept : kept(reason) {
        if (reason == Error::none) [[unlikely]]
            detail::a_result_is_a_value_or_an_error_and_none_is_neither();
    }
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] constexpr explicit operator bool() const noexcept {
        return reason_ == Error::none;
    }
    [[nodiscard]] constexpr Error error() const noexcept { return reason_; }

    // Only what succeeded has a value. To ask an error for one ends the program, which prints the
    // reason; in a constant expression it does not compile.
    [[nodiscard]] constexpr const T& operator*() const& noexcept { return *known(); }
    [[nodiscard]] constexpr T& operator*() & noexcept { return *known(); }
    [[nodiscard]] constexpr T&& operator*() && noexcept { return std::move(*known()); }
    [[nodiscard]] constexpr const T* operator->() const noexcept { return known(); }
    [[nodiscard]] constexpr T* operator->() noexcept { return known(); }

    // The value. Without one: a compile error in a constant expression; otherwise the reason is
    // thrown, or without exceptions printed, and the program ends.
    [[nodiscard]] constexpr T value() && {
        if (!*this) detail::refuse(reason_);
        return std::move(value_);
    }

private:
    [[nodiscard]] constexpr const T* known() const noexcept {
        if (!*this) [[unlikely]]
            detail::end_without_value(reason_);
        return &value_;
    }
    [[nodiscard]] constexpr T* known() noexcept {
        if (!*this) [[unlikely]]
            detail::end_without_value(reason_);
        return &value_;
    }
};

}  // namespace weir

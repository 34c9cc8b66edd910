// SPDX-License-Identifier: MIT
// Mutations that a running program chooses from. `run` writes them all into a copy of the headers,
// each as the old expression and the new one; the environment's WEIR_MUTATION says which is new. So
// a test is compiled once for a thousand mutations, and says which of them it comes past.
//
// A mutation of `a < b` is written as `a <= changed<17, less, less_or_equal> <= b`: the operators
// beside the switch bind as the old one does, so nothing has to know where a and b begin and end.
// What the compiler evaluates stays as it is; `run` compiles such mutations one by one.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace weir_mutations {

inline constexpr int most = 16384;

inline const int chosen = [] {
    const char* number = std::getenv("WEIR_MUTATION");
    return number ? std::atoi(number) : -1;
}();

// Says at the end of the program which have been passed, and which have no meaning for their types.
struct record {
    char passed[most] = {};

    ~record() {
        const char* path = std::getenv("WEIR_MUTATIONS_PASSED");
        if (!path) return;
        std::FILE* file = std::fopen(path, "a");
        if (!file) std::abort();
        for (int i = 0; i < most; ++i) {
            if (passed[i] != 0) std::fprintf(file, "%d %d\n", i, passed[i]);
        }
        std::fclose(file);
    }
};
inline record all;

template <int Number>
constexpr bool on(char how = 1) {
    if (std::is_constant_evaluated()) return false;
    if (all.passed[Number] < how) all.passed[Number] = how;
    return Number == chosen;
}

#define WEIR_BINARY(name, op)                                                                      \
    struct name {                                                                                  \
        template <class A, class B>                                                                \
        static constexpr auto of(A&& a, B&& b)                                                     \
            -> decltype(std::forward<A>(a) op std::forward<B>(b)) {                                \
            return std::forward<A>(a) op std::forward<B>(b);                                       \
        }                                                                                          \
    };
WEIR_BINARY(less, <)
WEIR_BINARY(less_or_equal, <=)
WEIR_BINARY(greater, >)
WEIR_BINARY(greater_or_equal, >=)
WEIR_BINARY(equal, ==)
WEIR_BINARY(unequal, !=)
WEIR_BINARY(plus, +)
WEIR_BINARY(minus, -)
WEIR_BINARY(times, *)
WEIR_BINARY(divided_by, /)
WEIR_BINARY(modulo, %)
WEIR_BINARY(bit_and, &)
WEIR_BINARY(bit_or, |)
WEIR_BINARY(shifted_left, <<)
WEIR_BINARY(shifted_right, >>)
WEIR_BINARY(add, +=)
WEIR_BINARY(subtract, -=)
#undef WEIR_BINARY

template <int Number, class Old, class New>
struct change {};
template <int Number, class Old, class New>
inline constexpr change<Number, Old, New> changed;

template <int Number, class Old, class New, class A, class B>
constexpr decltype(auto) either_of(A&& a, B&& b) {
    using old_type = decltype(Old::of(std::forward<A>(a), std::forward<B>(b)));
    if constexpr (requires {
                      static_cast<old_type>(New::of(std::forward<A>(a), std::forward<B>(b)));
                  }) {
        if (on<Number>())
            return static_cast<old_type>(New::of(std::forward<A>(a), std::forward<B>(b)));
    } else {
        on<Number>(2);
    }
    return Old::of(std::forward<A>(a), std::forward<B>(b));
}

// The left side with its switch.
template <int Number, class Old, class New, class A>
struct begun {
    A&& left;
};

#define WEIR_LEVEL(op)                                                                             \
    template <class A, int Number, class Old, class New>                                           \
    constexpr begun<Number, Old, New, A> operator op(A&& a, change<Number, Old, New>) {            \
        return {std::forward<A>(a)};                                                               \
    }                                                                                              \
    template <int Number, class Old, class New, class A, class B>                                  \
    constexpr decltype(auto) operator op(begun<Number, Old, New, A> a, B&& b) {                    \
        return either_of<Number, Old, New>(std::forward<A>(a.left), std::forward<B>(b));           \
    }
WEIR_LEVEL(<=)
WEIR_LEVEL(==)
WEIR_LEVEL(+)
WEIR_LEVEL(*)
WEIR_LEVEL(<<)
WEIR_LEVEL(&)
WEIR_LEVEL(|)
#undef WEIR_LEVEL

// Assignments bind from the right.
template <int Number, class Old, class New, class B>
struct ended {
    B&& right;
};
template <int Number, class Old, class New, class B>
constexpr ended<Number, Old, New, B> operator+=(change<Number, Old, New>, B&& b) {
    return {std::forward<B>(b)};
}
template <class A, int Number, class Old, class New, class B>
constexpr decltype(auto) operator+=(A& a, ended<Number, Old, New, B> b) {
    return either_of<Number, Old, New>(a, std::forward<B>(b.right));
}

// A side of && or of || that is not asked: && goes on as if it were true, || as if it were false.
template <int Number>
struct ignored {};
template <int Number>
inline constexpr ignored<Number> ignore;
template <class A, int Number>
constexpr bool operator|(A&& a, ignored<Number>) {
    return on<Number>() || static_cast<bool>(a);
}
template <class A, int Number>
constexpr bool operator|(ignored<Number>, A&& a) {
    return on<Number>() || static_cast<bool>(a);
}
template <class A, int Number>
constexpr bool operator&(A&& a, ignored<Number>) {
    return !on<Number>() && static_cast<bool>(a);
}
template <class A, int Number>
constexpr bool operator&(ignored<Number>, A&& a) {
    return !on<Number>() && static_cast<bool>(a);
}

// What stands before its operand binds more tightly than all that has two.
template <int Number>
struct negation {};
template <int Number>
inline constexpr negation<Number> negated;
template <int Number, class A>
constexpr bool operator->*(negation<Number>, A&& a) {
    return on<Number>() ? static_cast<bool>(a) : !static_cast<bool>(a);
}

template <int Number, bool Up>
struct counting {};
template <int Number>
inline constexpr counting<Number, true> count_up;
template <int Number>
inline constexpr counting<Number, false> count_down;
template <int Number, bool Up, class A>
constexpr A& operator->*(counting<Number, Up>, A& a) {
    if (on<Number>() == Up) {
        if constexpr (requires { --a; }) {
            --a;
        } else {
            on<Number>(2);
        }
    } else {
        if constexpr (requires { ++a; }) {
            ++a;
        } else {
            on<Number>(2);
        }
    }
    return a;
}

template <int Number, class A>
constexpr A either(A old_value, A new_value) {
    return on<Number>() ? new_value : old_value;
}

template <int Number, class A>
constexpr const A& smallest(const A& a, const A& b) {
    return on<Number>() ? std::max(a, b) : std::min(a, b);
}
template <int Number, class A>
constexpr const A& largest(const A& a, const A& b) {
    return on<Number>() ? std::min(a, b) : std::max(a, b);
}

}  // namespace weir_mutations

// SPDX-License-Identifier: MIT
// sink: what a pacer hands its items to, on the thread that polls: an object with
//
//     void emit(Item&&);
//     void drop(Item&&, weir::dropped);
//
// or, to be given up to k items that are due at one poll together, with
//
//     static constexpr std::size_t most_at_once = k;
//     void emit(std::span<Item>);
//
// or, if the pacer's limit has an in_flight, with the token of the call that begins:
//
//     void emit(Item&&, weir::call_token);
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <weir/pacer/terms.hpp>

namespace weir {

// Made of two functions: sink{[](order&& o) {...}, [](order&& o, weir::dropped reason) {...}}.
template <class Emit, class Drop>
struct sink {
    Emit emit;
    Drop drop;
};
template <class Emit, class Drop>
sink(Emit, Drop) -> sink<Emit, Drop>;

// An item that may not be sent any more would be gone without a word.
template <class Emit>
struct sink<Emit, void> {
    static_assert(sizeof(Emit) == 0, "a sink has two functions: sink{[](order&& o) {...}, "
                                     "[](order&& o, weir::dropped reason) {...}}");
    Emit emit;
};
template <class Emit>
sink(Emit) -> sink<Emit, void>;

template <class Sink, class Item>
concept sink_of = requires(Sink& to, Item&& item, std::span<Item> all, dropped reason) {
    to.drop(std::move(item), reason);
    requires requires { to.emit(std::move(item)); } || requires {
        to.emit(all);
        Sink::most_at_once;
    };
};

template <class Sink, class Item, class Token>
concept sink_of_calls = requires(Sink& to, Item&& item, Token&& token, dropped reason) {
    to.drop(std::move(item), reason);
    to.emit(std::move(item), std::move(token));
};

// How many items it takes together; 0: one by one. It may be a reference.
template <class Sink>
inline constexpr std::size_t most_at_once = [] {
    if constexpr (requires { std::remove_reference_t<Sink>::most_at_once; }) {
        return std::remove_reference_t<Sink>::most_at_once;
    } else {
        return std::size_t{0};
    }
}();

}  // namespace weir

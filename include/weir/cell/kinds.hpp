// SPDX-License-Identifier: MIT
// The catalogue as types, for programs that take every cell. A kind is one line of catalogue.hpp. A
// kind, a word, an atomic and a number of places make a cell. A list leaves cells out only by a
// concept, so a new cell comes in by itself. All of this happens at compile time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/catalogue.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/quota.hpp>

namespace weir {

// --- what a cell's type tells of it: these, `reserving_cell` and `refunding_cell` of cell.hpp, and
// --- `told_cell` of obeyed.hpp

// It remembers each unit in a place of its own.
template <class Cell>
concept log_cell = requires(const Cell c) {
    c.places();
};

// Its quota is so many units in each period, and the burst can only be these units.
template <class Cell>
concept period_cell = (Cell::rate::make(quota{2, seconds(1), 1}, 1'000'000'000).error() ==
                       quota_error::burst_not_the_window);

// The same for `only`.
struct are_logs {
    template <class Cell>
    static constexpr bool has = log_cell<Cell>;
};
struct are_one_word {
    template <class Cell>
    static constexpr bool has = !log_cell<Cell>;
};
struct are_windows {
    template <class Cell>
    static constexpr bool has = period_cell<Cell> && !log_cell<Cell>;
};
struct are_meters {
    template <class Cell>
    static constexpr bool has = !period_cell<Cell>;
};
struct reserve_units {
    template <class Cell>
    static constexpr bool has = reserving_cell<Cell>;
};
struct refund_units {
    template <class Cell>
    static constexpr bool has = refunding_cell<Cell>;
};

struct are_told {
    template <class Cell>
    static constexpr bool has = told_cell<Cell>;
};

// --- lists of cells

template <class... Cells>
struct cell_list {
    // In another template, such as testing::Types.
    template <template <class...> class List>
    using as = List<Cells...>;

    template <template <class> class Of>
    using each = cell_list<Of<Cells>...>;

    // Calls act.operator()<Cell>() for each.
    template <class Act>
    static constexpr void for_each(Act&& act) {
        (act.template operator()<Cells>(), ...);
    }
};

namespace detail {

template <class... Lists>
struct joined;
template <class... Cells>
struct joined<cell_list<Cells...>> {
    using type = cell_list<Cells...>;
};
template <class... First, class... Second, class... Lists>
struct joined<cell_list<First...>, cell_list<Second...>, Lists...>
    : joined<cell_list<First..., Second...>, Lists...> {};

template <class Which, class List>
struct filtered;
template <class Which, class... Cells>
struct filtered<Which, cell_list<Cells...>>
    : joined<cell_list<>,
             std::conditional_t<Which::template has<Cells>, cell_list<Cells>, cell_list<>>...> {};

}  // namespace detail

template <class... Lists>
using joined = typename detail::joined<cell_list<>, Lists...>::type;

// only<are_windows, every_cell<0, word>>
template <class Which, class List>
using only = typename detail::filtered<Which, List>::type;

// --- kinds

namespace detail {

// A cell takes a word and an atomic, and a log a number of places before them.
template <template <class, template <class> class> class Cell, std::size_t, class Word,
          template <class> class Atomic>
std::type_identity<Cell<Word, Atomic>> of_kind();
template <template <std::size_t, class, template <class> class> class Cell, std::size_t Places,
          class Word, template <class> class Atomic>
std::type_identity<Cell<Places, Word, Atomic>> of_kind();

}  // namespace detail

namespace kinds {

#define WEIR_KIND(kind, bits, admit, deny, refill, idle, text)                                     \
    struct kind {                                                                                  \
        static constexpr const char* name = #kind;                                                 \
        static constexpr const char* character = text;                                             \
                                                                                                   \
        template <class Word>                                                                      \
        static constexpr bool fits = (bits) <= bits_of<Word>;                                      \
                                                                                                   \
        template <std::size_t Places, class Word = word, template <class> class Atomic = atomic>   \
        using cell =                                                                               \
            typename decltype(detail::of_kind<::weir::kind, Places, Word, Atomic>())::type;        \
    };
WEIR_CELLS(WEIR_KIND)
#undef WEIR_KIND

}  // namespace kinds

// Calls act(kind) for each kind that a word of this type holds.
template <class Word = word, class Act>
constexpr void for_each_kind(Act&& act) {
#define WEIR_ACT(kind, ...)                                                                        \
    if constexpr (kinds::kind::fits<Word>) act(kinds::kind{});
    WEIR_CELLS(WEIR_ACT)
#undef WEIR_ACT
}

namespace detail {

template <class Kind, std::size_t Places, class Word, template <class> class Atomic>
using if_it_fits =
    std::conditional_t<Kind::template fits<Word>,
                       cell_list<typename Kind::template cell<Places, Word, Atomic>>, cell_list<>>;

}  // namespace detail

// Each cell of these words, a log with so many places: every_cell<16, word, std::uint32_t>.
#define WEIR_OF_EACH_WORD(kind, ...) , detail::if_it_fits<kinds::kind, Places, Words, Atomic>...
template <template <class> class Atomic, std::size_t Places, class... Words>
using every_cell_by = joined<cell_list<> WEIR_CELLS(WEIR_OF_EACH_WORD)>;
#undef WEIR_OF_EACH_WORD
template <std::size_t Places, class... Words>
using every_cell = every_cell_by<atomic, Places, Words...>;

}  // namespace weir

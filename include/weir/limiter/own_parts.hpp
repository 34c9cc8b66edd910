// SPDX-License-Identifier: MIT
// own_parts: the parts of a limiter that owns them, and where they lie. The cell's word lies on one
// cache line and what decisions only read lies on another, so an admission on one core does not
// take the rate away from the others (bench/layout measures both ways). A setting begins with what
// decisions read, as many bytes as it says.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/refund_ledger.hpp>

namespace weir {

// Of cells that do not refund.
struct no_ledger {
    struct mark {};
    [[nodiscard]] static mark now() noexcept { return {}; }
    static void begin_reset() noexcept {}
    static void end_reset() noexcept {}
};

// The ledger that a cell's refunds need.
template <class Cell>
using ledger_of =
    std::conditional_t<refunding_cell<Cell>, refund_ledger<typename Cell::word_type>, no_ledger>;

// Of cells that have begun before their setting asks for it, or begin by themselves.
struct nothing_to_start {
    template <class Word, class Rate>
    static void start(tick, Word, const Rate&) noexcept {}
};

template <cell Cell, class Setting, class Observer>
class own_parts {
public:
    using cell_type = Cell;
    using setting_type = Setting;
    using ledger_type = ledger_of<Cell>;
    using observer_type = Observer;

    template <class... Terms>
    constexpr explicit own_parts(const Terms&... terms) noexcept(!Setting::changes)
        : setting_(terms...) {}
    // Of a cell that was made before, such as a log in given places.
    template <class... Terms>
    own_parts(Cell&& cell, const Terms&... terms) noexcept
        : setting_(terms...), cell_(std::move(cell)) {}

    // Movable as long as nobody else uses either of the two. What was moved from may only be
    // destroyed or assigned to. Permits from before the move give nothing back.
    own_parts(own_parts&& other) noexcept
        : setting_(std::move(other.setting_)),
          cell_(std::move(other.cell_)),
          observer_(std::move(other.observer_)) {}
    own_parts& operator=(own_parts&& other) noexcept requires std::is_move_assignable_v<Observer> {
        ledger_.begin_reset();
        cell_ = std::move(other.cell_);
        ledger_.end_reset();
        setting_ = std::move(other.setting_);
        observer_ = std::move(other.observer_);
        return *this;
    }
    ~own_parts() = default;

    [[nodiscard, gnu::always_inline]] const Setting& setting() const noexcept { return setting_; }
    [[nodiscard, gnu::always_inline]] Setting& setting() noexcept { return setting_; }
    [[nodiscard, gnu::always_inline]] Cell& cell() const noexcept { return cell_; }
    [[nodiscard, gnu::always_inline]] const ledger_type& ledger() const noexcept { return ledger_; }
    [[nodiscard, gnu::always_inline]] ledger_type& ledger() noexcept { return ledger_; }
    [[nodiscard, gnu::always_inline]] const Observer& observer() const noexcept {
        return observer_;
    }
    [[nodiscard, gnu::always_inline]] Observer& observer() noexcept { return observer_; }

    // What a setting starts when it becomes ready. By value, as what has no address can live in a
    // register.
    struct cells {
        Cell* only;

        template <class Rate, class Word>
        void start(tick now, Word units, const Rate& r) const noexcept {
            only->start(now, units, r);
        }
    };
    [[nodiscard, gnu::always_inline]] cells to_start() const noexcept { return {&cell_}; }

private:
    // True if nothing that decisions read lies on the last line of the setting. Then the cell can
    // lie there too.
    static constexpr bool is_apart =
        !has_lines || (Setting::read_bytes - 1) / own_line < sizeof(Setting) / own_line;

    alignas(own_line) alignas(Setting) Setting setting_;
    alignas(is_apart ? alignof(Cell) : own_line) alignas(Cell) mutable Cell cell_;
    [[no_unique_address]] ledger_type ledger_;
    [[no_unique_address]] Observer observer_;
};

}  // namespace weir

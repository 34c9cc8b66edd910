// SPDX-License-Identifier: MIT
// shared_limiter: a limit in memory that the processes of a machine share, found by its name.
//
//     auto opened = weir::shared_limiter<>::open("/my-service-api", weir::per_second(100));
//     if (!opened) return log(describe(opened.error()));
//     opened->try_acquire();  // all processes together: 100 a second
//
// It is a limit as any other, can be asked whatever a limiter can, and costs what a limiter costs:
// a decision is one exchange of a word, which happens to lie in shared memory. No process waits for
// another one, whether that one was stopped or killed, and nothing needs repair.
//
// The quota, the options and the rate are in memory of the process's own. They are those of whoever
// made the limit; shm_segment.hpp and shm_opening.hpp tell why. In shared memory are the cell's
// word and, if the cell refunds, the sums of its ledger.
//
// An observer hears of this process's decisions only.
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include <weir/adapter/shm_error.hpp>
#include <weir/adapter/shm_head.hpp>
#include <weir/adapter/shm_opening.hpp>
#include <weir/adapter/shm_segment.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/result.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/limiter/basic_limiter.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/own_parts.hpp>

namespace weir {

// What a shared limiter works with: its place in shared memory, and what each process has.
template <cell Cell, clock Clock, class Observer>
class shared_parts {
public:
    using cell_type = Cell;
    using setting_type = fixed_setting<Cell, Clock>;
    using ledger_type = ledger_of<Cell>;
    using observer_type = Observer;

    struct alignas(own_line) alignas(Cell) place {
        Cell cell{};
        [[no_unique_address]] ledger_type permits{};
    };

    shared_parts(shm_segment&& memory, setting_type&& s) noexcept
        : setting_(std::move(s)),
          place_(static_cast<place*>(memory.begin())),
          memory_(std::move(memory)) {}

    [[nodiscard, gnu::always_inline]] const setting_type& setting() const noexcept {
        return setting_;
    }
    [[nodiscard, gnu::always_inline]] Cell& cell() const noexcept { return place_->cell; }
    [[nodiscard, gnu::always_inline]] ledger_type& ledger() const noexcept {
        return place_->permits;
    }
    [[nodiscard, gnu::always_inline]] const Observer& observer() const noexcept {
        return observer_;
    }
    [[nodiscard, gnu::always_inline]] Observer& observer() noexcept { return observer_; }
    [[nodiscard, gnu::always_inline]] static nothing_to_start to_start() noexcept { return {}; }

private:
    alignas(own_line) alignas(setting_type) setting_type setting_;
    place* place_;
    shm_segment memory_;
    [[no_unique_address]] Observer observer_;
};

template <cell Cell = gcra<>, clock Clock = default_clock, class Observer = unobserved>
class shared_limiter : public basic_limiter<shared_parts<Cell, Clock, Observer>> {
    using parts_type = shared_parts<Cell, Clock, Observer>;
    using base = basic_limiter<parts_type>;
    using setting_type = typename parts_type::setting_type;
    using place = typename parts_type::place;
    using opened = detail::shm_opened<typename Cell::rate>;

public:
    // Joins the limit of this name, or makes it if there is none. Whoever else opens it at the same
    // time gets the same one. If it was made with another quota or other options, the answer is
    // `another_quota`. Makes system calls, and measures the clock's frequency if nobody has yet.
    [[nodiscard]] static result<shared_limiter, shm_error> open(const char* name,
                                                                const weir::quota& q,
                                                                const options& o = {},
                                                                shm_access access = {}) noexcept {
        auto terms = detail::shm_terms(q, o);
        terms.entries = 1;
        if (refusal(q, o) != quota_error::none) return shm_error::quota_refused;
        return opened_as(name, &terms, access);
    }

    // Joins the limit of this name, whatever its quota is: `quota()` tells it.
    [[nodiscard]] static result<shared_limiter, shm_error> join(const char* name,
                                                                shm_access access = {}) noexcept {
        return opened_as(name, nullptr, access);
    }

    // Why a quota cannot be held, or `none`.
    [[nodiscard]] static quota_error refusal(const weir::quota& q, const options& o = {}) noexcept {
        return detail::shm_refusal<setting_type>(q, o);
    }

private:
    explicit shared_limiter(opened& it) noexcept
        : base(std::move(it.memory), setting_type(it.quota(), it.options(), it.rate)) {}

    [[nodiscard]] static result<shared_limiter, shm_error>
    opened_as(const char* name, const detail::shm_head::terms_type* terms,
              shm_access access) noexcept {
        auto form = detail::shm_form_of_cell<Cell>(detail::shm_head::of_limiter);
        form.entry_bytes = sizeof(place);
        opened it;
        const shm_error reason = detail::shm_open<Clock>(
            name, form, terms, 0, access, it, [](void* memory, const opened& made) noexcept {
                auto* const its = ::new (memory) place{};
                its->cell.fill(Clock::now(), made.first_units(), made.rate);
            });
        if (reason != shm_error::none) return reason;
        return shared_limiter(it);
    }
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// Rounds of a soak: of each part, and of parts with a planted mistake, which must be found.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "../oracle/mistakes.hpp"
#include "cells.hpp"
#include "keyed.hpp"
#ifdef WEIR_HAS_PACER
#include "pacing.hpp"
#include "priorities.hpp"
#endif
#include "parts.hpp"
#include "tables.hpp"
#include "turning.hpp"

namespace {

using namespace std::chrono_literals;
using namespace weir::soak;
using weir::word;

// What is broken in a round; empty if nothing is.
std::string broken_in(std::uint64_t seed, void (*run)(round&)) {
    round r(seed, 30ms, {});
    run(r);
    return r.broken().empty() ? "" : r.broken() + " (" + r.about() + ")";
}

// Were the mistake never found, this would not end.
void expect_found(void (*run)(round&)) {
    std::string found;
    for (std::uint64_t seed = 0; found.empty(); ++seed) found = broken_in(seed, run);
    std::cout << found << "\n";
}

TEST(soak_parts, keep_what_they_promise) {
    for (const part& p : all_parts()) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            EXPECT_EQ(broken_in(seed, p.run), "") << p.name;
        }
    }
}

TEST(soak_parts, draw_the_same_from_the_same_seed_and_end_when_they_are_to) {
    for (const part& p : all_parts()) {
        std::stop_source over;
        over.request_stop();
        round once(7, 1h, over.get_token());
        round again(7, 1h, over.get_token());
        p.run(once);
        p.run(again);
        EXPECT_EQ(once.about(), again.about()) << p.name;
        EXPECT_NE(once.about(), "") << p.name;
        EXPECT_EQ(once.broken() + again.broken(), "") << p.name;
    }
}

TEST(soak_parts, find_a_cell_that_gives_a_unit_too_much) {
    expect_found(soak_meter<oracle::generous_gcra<1>, weir::default_clock>);
}

// Before it stores, others get their turn now and then, also where there is one core.
template <class T>
class polite : public weir::atomic<T> {
public:
    using weir::atomic<T>::atomic;
    void store_relaxed(T value) noexcept {
        static thread_local unsigned stores = 0;
        if (++stores % 16 == 0) std::this_thread::yield();
        weir::atomic<T>::store_relaxed(value);
    }
};
template <class T>
using careless = oracle::in_two_steps<T, polite>;

TEST(soak_parts, find_a_cell_that_loses_races) {
    using careless_gcra = weir::gcra<word, careless>;
    expect_found(soak_meter<careless_gcra, weir::default_clock>);
    using careless_window = weir::aligned_window<word, careless>;
    expect_found(soak_window<careless_window, weir::steady_clock>);
    using careless_gcra_of_32_bits = weir::gcra<std::uint32_t, careless>;
    expect_found(soak_meter<careless_gcra_of_32_bits, turning_clock<1'000'000>>);
}

// Takes times for numbers, of which the larger one is later.
class straight_rate : public weir::gcra<>::rate {
public:
    using base = weir::gcra<>::rate;

    straight_rate() = default;
    constexpr straight_rate(const base& b) : base(b) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] static constexpr weir::result<straight_rate, weir::quota_error>
    make(const weir::quota& q, std::uint64_t hertz, const weir::options& o = {}) noexcept {
        const auto made = base::make(q, hertz, o);
        if (!made) return made.error();
        return straight_rate(*made);
    }

    [[nodiscard]] weir::step<word> take(word tat, weir::tick now, word n) const noexcept {
        return base::take(std::max(tat, at(now)), now, n);
    }
    // As it is; but GCC takes a pointer to the base's member for a breach of aliasing.
    [[nodiscard]] weir::step<word> charge(word tat, weir::tick now, word n) const noexcept {
        return base::charge(tat, now, n);
    }
};
class straight_gcra : public weir::one_word<straight_rate, weir::atomic> {};

TEST(soak_parts, find_a_cell_for_which_time_ends_where_it_comes_round) {
    expect_found(soak_meter<straight_gcra, turning_clock<>>);
}

TEST(soak_parts, find_tables_that_let_too_much_pass) {
    expect_found(soak_array_of<oracle::generous_gcra<1>>);
    expect_found([](round& r) { soak_keyed_by<weir::keyed_layout{}>(r, weir::when_full::allow); });
    expect_found([](round& r) {
        soak_keyed_by<weir::keyed_layout{}>(r, weir::when_full::deny, weir::when_full::allow);
    });
    expect_found(soak_striped_of<weir::stripe_of_thread, true>);
}

TEST(soak_parts, find_threads_that_share_no_memory) {
    expect_found([](round& r) { soak_shared_memory_of(r, true); });
}

#ifdef WEIR_HAS_PACER

// Every hundredth item is lost or comes twice, or each second one overtakes the one before.
class forgetful : public ledger {
public:
    using ledger::ledger;
    void emit(const parcel& p) {
        if (++items_ % 100 != 0) ledger::emit(p);
    }

private:
    int items_ = 0;
};

class stammering : public ledger {
public:
    using ledger::ledger;
    void emit(const parcel& p) {
        if (++items_ % 100 == 0) ledger::emit(p);
        ledger::emit(p);
    }

private:
    int items_ = 0;
};

class hasty : public ledger {
public:
    using ledger::ledger;
    void emit(const parcel& p) {
        if (holds_) {
            ledger::emit(p);
            ledger::emit(held_);
        } else {
            held_ = p;
        }
        holds_ = !holds_;
    }

private:
    bool holds_ = false;
    parcel held_{};
};

TEST(soak_parts, find_a_pacer_that_forgets_or_doubles_or_reorders_its_items) {
    expect_found(soak_pacing<forgetful>);
    expect_found(soak_pacing<stammering>);
    expect_found(soak_pacing<hasty>);
}

TEST(soak_parts, find_a_class_that_goes_before_an_earlier_one) {
    expect_found([](round& r) { soak_priorities_of(r, 4); });
}

#endif

}  // namespace

// SPDX-License-Identifier: MIT
// Runs the hot functions where neither an allocation nor a system call goes unnoticed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/limiter/in_flight.hpp>

#include "hot.hpp"
#include "quiet.hpp"

namespace {

std::uint64_t all_allocations = 0;

}  // namespace

std::uint64_t quiet::allocations() { return all_allocations; }

// Not in line: GCC would take a free() beside a new for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++all_allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr int times = 1'000;

template <class Cell>
bool exercise_cell() {
    static Cell cell;
    const weir::options debt{.debt = 10};
    const auto usual = Cell::rate::make(weir::quota{1'000, weir::seconds(1), 100}, 100'000, debt);
    const auto window = Cell::rate::make(weir::quota{100, weir::seconds(1)}, 100'000, debt);
    const auto& rate = usual ? usual : window;
    if (!rate) return false;
    weir::tick now{1};
    cell.fill(now, 100, *rate);
    int admitted = 0;
    for (int i = 0; i < times; ++i) {
        now.count += 50;
        admitted += hot<Cell>::try_one(cell, now, *rate) ? 1 : 0;
        admitted += hot<Cell>::try_many(cell, now, 2, *rate) ? 1 : 0;
        admitted += hot<Cell>::charge(cell, now, 1, *rate) ? 1 : 0;
        admitted += hot<Cell>::wait(cell, now, 1, *rate) > 0 ? 1 : 0;
        admitted += hot<Cell>::peek(cell, now, 1, *rate) ? 1 : 0;
        admitted += cell.acquire_up_to(now, 3, *rate) ? 1 : 0;
    }
    for (int i = 0; i < times; ++i) admitted += hot<Cell>::try_now(cell, *rate) ? 1 : 0;
    return admitted > 0;
}

// The only one of its type.
template <class Limiter>
Limiter& limit() {
    static Limiter only{weir::per_second(1'000)};
    return only;
}

template <class Limiter>
bool exercise_limiter() {
    using hot = hot_limiter<Limiter>;
    auto& one = limit<Limiter>();
    one.reset();
    const auto now = Limiter::clock_type::now();
    int admitted = 0;
    for (int i = 0; i < times; ++i) {
        admitted += hot::try_one(one) ? 1 : 0;
        admitted += hot::try_given(one, now) ? 1 : 0;
        admitted += hot::charge(one, 1) ? 1 : 0;
        admitted += hot::peek(one) ? 1 : 0;
    }
    return admitted > 0;
}

// Takes more than there is, so that it also looks for more in vain.
template <class Limiter>
bool exercise_lease() {
    auto& source = limit<Limiter>();
    source.reset();
    weir::lease units(source, 64);
    int admitted = 0;
    for (int i = 0; i < 2 * times; ++i) {
        admitted += hot_lease<Limiter>::spend(units, 1) ? 1 : 0;
    }
    return admitted > 0;
}

// The same.
template <class Limiter>
bool exercise_stripes() {
    auto& source = limit<Limiter>();
    source.reset();
    weir::striped all(source);
    int admitted = 0;
    for (int i = 0; i < 2 * times; ++i) {
        admitted += hot_stripes<Limiter>::try_one(all) ? 1 : 0;
    }
    return admitted > 0;
}

template <class... Limiters>
bool exercise_several() {
    (limit<Limiters>().reset(), ...);
    weir::all_of all{limit<Limiters>()...};
    using hot = hot_several<Limiters...>;
    const auto now = weir::default_clock::now();
    int admitted = 0;
    for (int i = 0; i < times; ++i) {
        admitted += hot::try_one(all) ? 1 : 0;
        admitted += hot::try_given(all, now) ? 1 : 0;
    }
    return admitted > 0;
}

// Calls that begin and end, alone and beside a quota, while nobody waits.
bool exercise_calls() {
    static weir::in_flight calls{2};
    auto& rate = limit<weir::limiter<>>();
    rate.reset();
    weir::all_of both{rate, calls};
    bool all = true;
    for (int i = 0; i < times; ++i) {
        const auto first = calls.try_begin();
        const auto second = both.try_acquire();
        const auto third = calls.try_begin();
        all = all && first && !third && calls.peek().remaining() == 0;
    }
    return all;
}

bool exercise_everything() {
    using weir::limiter;
    bool each = true;
    weir::every_cell<places, std::uint64_t, std::uint32_t>::for_each(
        [&]<class Cell>() { each = each && exercise_cell<Cell>(); });
    weir::for_each_kind(
        [&](auto kind) { each = each && exercise_limiter<hot_limiter_of<decltype(kind)>>(); });
    return each && exercise_limiter<counted>() && exercise_limiter<counted_log>() &&
           exercise_limiter<weir::adjustable<>>() && exercise_lease<limiter<>>() &&
           exercise_lease<limiter<weir::token_bucket<>>>() && exercise_stripes<limiter<>>() &&
           exercise_stripes<limiter<weir::token_bucket<>>>() &&
           exercise_several<limiter<>, limiter<weir::leaky_bucket<>>>() &&
           exercise_several<limiter<>, limiter<small_log>>() && exercise_calls() &&
           exercise_several<limiter<weir::token_bucket<>>, counted>();
}

TEST(hot_path, allocates_nothing) {
    ASSERT_TRUE(exercise_everything());  // the limiters get ready
    const std::uint64_t before = quiet::allocations();
    EXPECT_TRUE(exercise_everything());
    EXPECT_EQ(quiet::allocations(), before);
    ::operator delete(::operator new(1));
    EXPECT_GT(quiet::allocations(), before) << "the counter does not count";
}

TEST(hot_path, makes_no_system_call) {
    ASSERT_TRUE(exercise_everything());
    const int status = quiet::status_without_system_calls(exercise_everything);
    EXPECT_TRUE(quiet::well(status)) << "status " << status;
    EXPECT_TRUE(WIFSIGNALED(quiet::status_without_system_calls([] { return getppid() > 0; })))
        << "the filter does not filter";
}

}  // namespace

// SPDX-License-Identifier: MIT
// Memory that processes share, with any bytes: it is refused, or what is joined answers whatever it
// is asked, reads nothing outside and gives nobody more than was asked for.
#include "segment.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <weir/adapter/shm.hpp>
#include <weir/adapter/shm_table.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "fuzz.hpp"

namespace {

using weir::word;

struct counter {
    static constexpr std::uint64_t lowest_hertz = 1'000'000;
    static constexpr std::uint64_t highest_hertz = 10'000'000'000;
    static constexpr bool is_of_machine = true;
    static constexpr word begin = word{1} << 40U;
    static inline word ticks_ = begin;

    static weir::instant<counter> now() noexcept { return weir::instant<counter>(ticks_); }
    static constexpr std::uint64_t hertz() noexcept { return 2'596'000'000; }
    static constexpr weir::clock_facts facts() noexcept {
        return {"a counter", hertz(), weir::nanoseconds(1), true};
    }
};

constexpr weir::quota some{50, weir::milliseconds(1)};

template <class Limiter>
struct one {
    using type = Limiter;
    static auto open(const char* name) { return type::open(name, some); }
    static auto& limit(type& all, oracle::dice&) { return all; }
};
template <class Array>
struct one_of_array {
    using type = Array;
    static auto open(const char* name) { return type::open(name, 5, some); }
    static auto limit(type& all, oracle::dice& d) { return all[d.roll(all.size())]; }
};
template <class Table>
struct one_of_keys {
    using type = Table;
    static auto open(const char* name) {
        return type::open(name, 16, some, weir::when_full::forgive_least);
    }
    static auto limit(type& all, oracle::dice& d) { return all[d.roll(200)]; }
};

// False if more was given than was asked for.
template <class Limit>
bool ask(Limit&& limit, oracle::dice& d) {
    const word n = d.roll(100);
    switch (d.roll(10)) {
        case 0: return limit.acquire_up_to(n).units <= n;
        case 1: (void)limit.charge(n).retry_after(); return true;
        case 2: (void)limit.peek(n).reset_after(); return true;
        case 3: (void)limit.debt(); return true;
        case 4: return limit.drain() <= limit.burst();
        case 5: (void)limit.restore(limit.save()); return true;
        case 6: return limit.take(1, n, counter::now()).units() <= n;
        case 7:
            if constexpr (requires { limit.reserve(n); }) {
                auto place = limit.reserve(n);
                (void)place.wait();
                (void)limit.refundable(place).units();
                (void)limit.refund(std::move(place), d.roll(50));
            }
            return true;
        case 8: limit.reset(); return true;
        default: (void)limit.try_acquire(n).remaining(); return true;
    }
}

template <class Subject>
std::optional<std::string> of(fuzz::input data) {
    counter::ticks_ = counter::begin;
    static fuzz::changed_segment segment(Subject::open);
    oracle::dice d = segment.change(data);
    auto opened = Subject::type::join(segment.name());
    if (!opened) return std::nullopt;
    for (int i = 0; i < 30; ++i) {
        if (d.chance(30)) counter::ticks_ += d.next() >> d.roll(64);
        if (!ask(Subject::limit(*opened, d), d)) return "more than was asked for";
    }
    if constexpr (requires { opened->statistics(); }) {
        (void)opened->statistics();
        opened->for_each([](const weir::kept_key&) {});
        (void)opened->clear_idle();
    }
    return std::nullopt;
}

constexpr weir::array_layout with_refunds{.refunds = true};
constexpr weir::keyed_layout with_keys{.exact = true};

template <class... Cells>
struct segments {
    static constexpr std::optional<std::string> (*all[])(fuzz::input) = {
        of<one<weir::shared_limiter<Cells, counter>>>...,
        of<one_of_array<weir::shared_limiter_array<weir::gcra<>, counter>>>,
        of<one_of_array<weir::shared_limiter_array<weir::gcra<>, counter, with_refunds>>>,
        of<one_of_keys<weir::shared_keyed_limits<counter>>>,
        of<one_of_keys<weir::shared_keyed_limits<counter, with_keys>>>,
    };
};
struct is_one_word {
    template <class Cell>
    static constexpr bool has = sizeof(Cell) == sizeof(typename Cell::word_type);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using kinds = weir::only<is_one_word, weir::every_cell<1, word>>::as<segments>;
    if (size == 0) return 0;
    return fuzz::judge(kinds::all[data[0] % std::size(kinds::all)]({data + 1, size - 1}));
}

// SPDX-License-Identifier: MIT
// budget <cell> <case>: makes one kind of decision a thousand times, for callgrind to count.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "hot.hpp"

namespace {

constexpr int times = 1'000;

// What callgrind collects. The loop is the same for every case.
template <class Cell>
[[gnu::noinline]] int measured(Cell& cell, weir::tick now, weir::word step,
                               const typename Cell::rate& rate) {
    int admitted = 0;
    for (int i = 0; i < times; ++i) {
        now.count += step;
        admitted += hot<Cell>::try_one(cell, now, rate) ? 1 : 0;
    }
    return admitted;
}

struct scenario {
    const char* name;
    std::int64_t units;  // what is there at the beginning
    weir::word step;     // ticks between two decisions; a unit comes every 1000
    int admitted;
};

constexpr scenario scenarios[] = {
    {"admit", 100'000, 1, times},
    {"deny", 0, 0, 0},
    {"refill", 0, 1'000, times},
    {"idle", 100'000, 100'000'000, times},
};

template <class Cell>
int run(const scenario& s) {
    const auto usual =
        Cell::rate::make(weir::quota{1'000'000, weir::seconds(1), 100'000}, 1'000'000'000);
    const auto window =
        Cell::rate::make(weir::quota{100'000, weir::milliseconds(100)}, 1'000'000'000);
    const auto& rate = usual ? usual : window;
    if (!rate) return 1;
    static Cell cell;  // a log is too large for the stack
    constexpr weir::tick start{1'000'000'000'000};
    cell.fill(start, static_cast<typename Cell::word_type>(s.units), *rate);
    const int admitted = measured(cell, start, s.step, *rate);
    std::printf("%d admitted\n", admitted);
    return admitted == s.admitted ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    for (const scenario& s : scenarios) {
        if (argc != 3 || std::strcmp(argv[2], s.name) != 0) continue;
        int status = 2;
        weir::for_each_kind([&](auto kind) {
            if (std::strcmp(argv[1], kind.name) != 0) return;
            status = run<hot_cell<decltype(kind), weir::word>>(s);
        });
        if (status != 2) return status;
    }
    std::fputs("usage: budget <cell> admit|deny|refill|idle\n", stderr);
    return 2;
}

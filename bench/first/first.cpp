// SPDX-License-Identifier: MIT
// bench_first: what the first decision of a process costs, and how right the clock's frequency is
// then. It starts itself anew for each figure: `bench_first [processes]`, 1000 if it is not said.
// The frequency is compared with that of the whole run, which is known to a billionth or so.
//
// "at once" decides when main begins, "after 5 ms" when the program has been loaded for 5 ms.
// Beside busy threads a process may have waited so long before main that the two are the same;
// "anew" is a whole measurement in any case.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

constinit weir::limiter<> limit{weir::per_second(1'000'000)};

[[nodiscard]] double own_microseconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

void sleep_for(long nanoseconds) {
    const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    nanosleep(&time, nullptr);
}

constexpr std::array<const char*, 3> ways{"at once", "after 5 ms", "anew"};

int decide(const std::string& way) {
    if (way == ways[1]) sleep_for(5'000'000);
    const double begin = own_microseconds();
    const bool admitted =
        way == ways[2] ? weir::cycle_clock::calibrate() != 0 : limit.try_acquire().admitted();
    const double taken = own_microseconds() - begin;
    using clock = weir::default_clock;
    std::printf("%.3f %llu %llu %s\n", taken, static_cast<unsigned long long>(clock::hertz()),
                static_cast<unsigned long long>(clock::least_hertz()), clock::facts().source);
    return admitted ? EXIT_SUCCESS : EXIT_FAILURE;
}

struct first {
    double microseconds;
    double most;  // hertz
    double least;
    bool by_counter;
};

[[nodiscard]] bool start(const char* program, const char* way, std::vector<first>& into) {
    const std::string command = std::string("'") + program + "' '" + way + "'";
    FILE* child = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): it starts itself
    if (child == nullptr) return false;
    first f{};
    std::array<char, 32> source{};
    const int fields =
        std::fscanf(child, "%lf %lf %lf %31s", &f.microseconds, &f.most, &f.least, source.data());
    f.by_counter = std::strcmp(source.data(), weir::cycle_clock::facts().source) == 0;
    into.push_back(f);
    return pclose(child) == 0 && fields == 4;
}

// The narrowest of many brackets.
struct instant {
    double ticks;
    double nanoseconds;

    instant() : ticks(0), nanoseconds(0) {
        weir::word width = UINT64_MAX;
        for (int i = 0; i < 10'000; ++i) {
            const auto before = weir::cycle_clock::now().count;
            const auto time = weir::steady_clock::now().count;
            const auto after = weir::cycle_clock::now().count;
            if (after - before >= width) continue;
            width = after - before;
            ticks = static_cast<double>(before) + static_cast<double>(width) / 2;
            nanoseconds = static_cast<double>(time);
        }
    }
};

struct row {
    unsigned busy;
    const char* way;
    std::vector<first> all;
};

template <class Value>
void print_median_and_worst(const row& r, int digits, Value value) {
    std::vector<double> values;
    for (const first& f : r.all) values.push_back(value(f));
    std::sort(values.begin(), values.end());
    std::printf(" %.*f / %.*f |", digits, values[values.size() / 2], digits, values.back());
}

void print(const row& r, double hertz) {
    std::printf("| %u | %s |", r.busy, r.way);
    print_median_and_worst(r, 0, [](const first& f) { return f.microseconds; });
    const auto off = [=](double f) { return (f / hertz - 1) * 1e6; };
    print_median_and_worst(r, 2,
                           [&](const first& f) { return std::abs(off((f.most + f.least) / 2)); });
    const auto count = [&](auto holds) {
        std::printf(" %td of %zu |", std::count_if(r.all.begin(), r.all.end(), holds),
                    r.all.size());
    };
    count([](const first& f) { return f.microseconds <= 500; });
    count([&](const first& f) { return std::abs(off(f.most)) <= 20; });
    count([&](const first& f) { return f.least <= hertz && hertz <= f.most; });
    count([](const first& f) { return f.by_counter; });
    std::printf("\n");
}

int measure(const char* program, int processes) {
    const instant begin;
    std::vector<row> rows;
    for (const unsigned busy : {0U, 2U, 3U}) {
        std::atomic<bool> over{false};
        std::vector<std::jthread> spinning;
        for (unsigned i = 0; i < busy; ++i) {
            spinning.emplace_back([&] {
                while (!over) weir::spin_hint();
            });
        }
        for (const char* way : ways) {
            row r{busy, way, {}};
            for (int i = 0; i < processes; ++i) {
                if (start(program, way, r.all)) continue;
                std::fprintf(stderr, "bench_first: a process failed\n");
                over = true;
                return EXIT_FAILURE;
            }
            rows.push_back(std::move(r));
        }
        over = true;
    }
    sleep_for(1'000'000'000);
    const instant end;
    const double hertz = (end.ticks - begin.ticks) / (end.nanoseconds - begin.nanoseconds) * 1e9;
    std::printf("the counter runs at %.0f Hz\n\n"
                "| busy threads | first decision | its CPU time, us | error, ppm | <= 500 us "
                "| hertz within 20 ppm | between least_hertz and hertz | by the counter |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
                hertz);
    for (const row& r : rows) print(r, hertz);
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string argument = argc > 1 ? argv[1] : "1000";
    if (std::find(ways.begin(), ways.end(), argument) != ways.end()) return decide(argument);
    const int processes = std::atoi(argument.c_str());  // NOLINT(cert-err34-c)
    if (processes < 1) {
        std::fprintf(stderr, "usage: bench_first [processes]\n");
        return EXIT_FAILURE;
    }
    return measure(argv[0], processes);
}

#else
int main() { std::puts("no frequency is measured on this machine"); }
#endif

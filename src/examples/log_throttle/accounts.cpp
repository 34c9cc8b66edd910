// SPDX-License-Identifier: MIT
// What the header promises, asserted: each line is written or counted, by however many threads, and
// one that is suppressed allocates nothing and evaluates nothing.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "log_throttle.hpp"

namespace {

std::atomic<long> allocations{0};
int failures = 0;

void expect(bool it, const char* what) {
    if (it) return;
    std::printf("not so: %s\n", what);
    ++failures;
}

// Lines of the file, and the sum of the numbers of suppressed ones that they tell.
struct told {
    long lines = 0;
    long suppressed = 0;
};
told read(std::FILE* file) {
    told all;
    std::rewind(file);
    for (char line[200]; std::fgets(line, sizeof line, file) != nullptr; ++all.lines) {
        long number = 0;
        for (const char* c = line; line[0] == '[' && *c != ']'; ++c) {
            if (*c >= '0' && *c <= '9') number = 10 * number + (*c - '0');
        }
        all.suppressed += number;
    }
    return all;
}

}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
    expect(std::string(suppressed(0).text()).empty(), "a first line says nothing more");
    expect(suppressed(7).text() == std::string("[… 7 suppressed] "), "7");
    expect(suppressed(1'204).text() == std::string("[… 1 204 suppressed] "), "1 204");
    expect(suppressed(UINT64_MAX).text() ==
               std::string("[… 18 446 744 073 709 551 615 suppressed] "),
           "the largest number has its place");

    std::FILE* const file = std::tmpfile();
    constexpr int threads = 4;
    constexpr long of_each = 1'000'000;
    std::atomic<long> calls{0};
    const auto log = [&] {
        ++calls;
        FPRINTF_AT_MOST(file, weir::per_second(1'000).with_burst(10), "line %d\n", 1);
    };
    {
        std::latch all_here(threads);
        std::vector<std::jthread> all;
        all.reserve(threads);
        for (int t = 0; t < threads; ++t) {
            all.emplace_back([&] {
                all_here.arrive_and_wait();
                for (long i = 0; i < of_each; ++i) log();
            });
        }
    }
    // The last one that passes tells of all that are left.
    for (const long before = read(file).lines; read(file).lines == before;) log();
    const told t = read(file);
    std::printf("%ld calls: %ld lines, which tell of %ld suppressed ones\n", calls.load(), t.lines,
                t.suppressed);
    expect(t.lines + t.suppressed == calls, "each line is written or counted");
    std::fclose(file);

    int evaluated = 0;
    const auto once_an_hour = [&] {
        PRINTF_AT_MOST(weir::per_hour(1), "once an hour: %d\n", ++evaluated);
    };
    once_an_hour();
    const long before = allocations;
    for (int i = 0; i < 100'000; ++i) once_an_hour();
    expect(allocations == before, "a suppressed line allocates nothing");
    expect(evaluated == 1, "a suppressed line evaluates nothing");
    return failures == 0 ? 0 : 1;
}

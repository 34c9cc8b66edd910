// SPDX-License-Identifier: MIT
// sanitizer_mistakes <mistake>: makes it.
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>

namespace {

// Nobody knows what is in here, the compiler neither.
volatile int one = 1;

int heap_overflow() {
    const auto places = std::make_unique<int[]>(4);
    return places[static_cast<std::size_t>(3 + one)];
}

int* escaped = nullptr;
[[gnu::noinline]] void let_escape() {
    int local = one;
    escaped = &local;
    asm volatile("" : : "r"(escaped) : "memory");
}
int use_after_return() {
    let_escape();
    return *escaped;
}

int signed_overflow() {
    const int sum = std::numeric_limits<int>::max() + one;
    return sum < 0 ? 1 : 0;
}

int data_race() {
    int plain = 0;
    const auto count = [&plain] {
        for (int i = 0; i < 10'000; ++i) plain += one;
    };
    std::jthread other(count);
    count();
    return plain;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto asked_for = [&](const char* mistake) { return std::strcmp(argv[1], mistake) == 0; };
    if (asked_for("heap_overflow")) return heap_overflow();
    if (asked_for("use_after_return")) return use_after_return();
    if (asked_for("signed_overflow")) return signed_overflow();
    if (asked_for("data_race")) return data_race();
    return 2;
}

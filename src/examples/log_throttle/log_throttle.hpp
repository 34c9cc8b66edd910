// SPDX-License-Identifier: MIT
// At most so many lines per second from each place in the code, in one line:
//
//     PRINTF_AT_MOST(weir::per_second(5), "disk %d is slow\n", disk);
//     FPRINTF_AT_MOST(stderr, weir::per_minute(1), "no answer from %s\n", host);
//
// The next line that passes says how many did not: [… 1 204 suppressed] disk 3 is slow
//
// Any number of threads may come by. A line that is suppressed costs a look at the clock and a
// count: no lock, no allocation, no system call, and its arguments are not evaluated. A line that
// never comes again tells nothing: what was suppressed since the last one is only counted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <weir/weir.hpp>

// What the line says before its text: nothing, or how many were suppressed.
class suppressed {
public:
    constexpr suppressed() = default;
    explicit suppressed(std::uint64_t lines) : passes_(true) {
        if (lines == 0) return;
        put("] ", " suppressed");
        for (int digits = 0; lines != 0; lines /= 10, ++digits) {
            if (digits != 0 && digits % 3 == 0) put(" ");
            text_[--begin_] = static_cast<char>('0' + lines % 10);
        }
        put("… ", "[");
    }
    explicit operator bool() const { return passes_; }
    [[nodiscard]] const char* text() const { return text_.data() + begin_; }

private:
    // From the end to the beginning.
    void put(const char* word, const char* before = "") {
        for (const char* const its : {word, before}) {
            const std::size_t size = std::strlen(its);
            begin_ -= size;
            std::memcpy(text_.data() + begin_, its, size);
        }
    }

    bool passes_ = false;
    std::array<char, 56> text_{};  // the longest number with its words, and a 0
    std::size_t begin_ = text_.size() - 1;
};

// One place in the code.
template <class Clock = weir::default_clock>
class log_site {
public:
    constexpr explicit log_site(const weir::quota& q) : limit_(q) {}

    // False if the line is suppressed. Then it is counted, until a line passes and tells. Each is
    // told once: the exchange takes all that were counted, relaxed, as nothing else hangs on it.
    suppressed next() {
        if (limit_.try_acquire()) return suppressed(count_.exchange(0, std::memory_order_relaxed));
        count_.fetch_add(1, std::memory_order_relaxed);
        return {};
    }

private:
    weir::limiter<weir::gcra<>, Clock> limit_;
    std::atomic<std::uint64_t> count_{0};
};

// `write` may use `log_site_line.text()`. The quota is a constant, which the compiler checks. The
// names are long, as the arguments of the line are looked up among them.
#define LOG_AT_MOST(quota, write)                                                                  \
    do {                                                                                           \
        static constinit log_site<> log_site_here{quota};                                          \
        if (const suppressed log_site_line = log_site_here.next()) {                               \
            write;                                                                                 \
        }                                                                                          \
    } while (false)

#define FPRINTF_AT_MOST(file, quota, format, ...)                                                  \
    LOG_AT_MOST(quota,                                                                             \
                std::fprintf(file, "%s" format, log_site_line.text() __VA_OPT__(, ) __VA_ARGS__))
#define PRINTF_AT_MOST(quota, format, ...)                                                         \
    FPRINTF_AT_MOST(stdout, quota, format __VA_OPT__(, ) __VA_ARGS__)

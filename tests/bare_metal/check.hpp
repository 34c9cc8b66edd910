// SPDX-License-Identifier: MIT
// Tests without a framework: what is found is written through the debugger, and a program that
// found a mistake ends with exit code 1.
#pragma once

#include <cstdint>
#include <semihosting.hpp>

class checks {
public:
    void equal(const char* what, std::uint32_t is, std::uint32_t should) {
        if (is == should) return;
        report(what, is, should);
    }
    void is_true(const char* what, bool holds) { equal(what, holds ? 1 : 0, 1); }

    [[nodiscard]] int result() const { return mistakes_ == 0 ? 0 : 1; }

private:
    void report(const char* what, std::uint32_t is, std::uint32_t should) {
        if (++mistakes_ > 20) return;
        semihosting::write(what);
        semihosting::write(": ");
        semihosting::write(is);
        semihosting::write(", should be ");
        semihosting::write(should);
        semihosting::write("\n");
    }

    std::uint32_t mistakes_ = 0;
};

inline void note(const char* what, std::uint32_t number) {
    semihosting::write(what);
    semihosting::write(" ");
    semihosting::write(number);
    semihosting::write("\n");
}

// SPDX-License-Identifier: MIT
// task: what is measured is an object with `prepare()`, called once before each measurement, and
// `worker(thread)`, a callable that does one operation per call.
#pragma once

#include <utility>

namespace bench {

// Makes the compiler compute a value that nobody uses, for "lived in a register": Google
// Benchmark's DoNotOptimize may spill to memory, which costs as much as the cheapest rows.
template <class T>
inline void keep(T& value) {
    asm volatile("" : "+r"(value) : : "memory");
}

// A worker may have `held()`: false if its operations were not what the row says.
template <class Worker>
[[nodiscard]] bool held(const Worker& w) {
    if constexpr (requires { w.held(); }) {
        return w.held();
    } else {
        return true;
    }
}

// Calls `act` and remembers whether it always did what it should.
template <class Act>
class doing {
public:
    explicit doing(Act act) : act_(std::move(act)) {}
    void operator()() {
        done_ = act_() && done_;
        // Not `keep`, which lets nothing live in a register: a loop of a user's may.
        asm volatile("" : "+r"(done_));
    }
    [[nodiscard]] bool held() const { return done_; }

private:
    Act act_;
    bool done_ = true;
};

}  // namespace bench

// task: what is measured is an object with `prepare()`, called once before each measurement, and
// `worker(thread)`, a callable that does one operation per call.
#pragma once

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

}  // namespace bench

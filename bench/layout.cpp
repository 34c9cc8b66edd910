// SPDX-License-Identifier: MIT
// Why the limiter is as it is: its word and its rate on one line or on two, and what it costs or
// saves to ask for the line before the clock is read.

#include <memory>
#include <string>

#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"
#include "harness/rows.hpp"
#include "subjects.hpp"

namespace bench {

namespace {

// A gcra cell with its rate on the same line: the smaller object.
class one_line {
public:
    explicit one_line(const weir::quota& q)
        : rate_(weir::gcra<>::rate::make(q, core_clock::hertz()).value()) {}

    [[nodiscard]] static auto now() noexcept { return core_clock::now(); }
    bool take(weir::word n) noexcept { return cell_.try_acquire(now(), n, rate_).admitted(); }
    void fill(weir::word units) noexcept { cell_.fill(now(), units, rate_); }

private:
    alignas(weir::cache_line) weir::gcra<> cell_;
    weir::gcra<>::rate rate_;
};
static_assert(sizeof(one_line) == weir::cache_line);

using two_lines = cell_subject<weir::gcra<>>;
static_assert(sizeof(two_lines) == 2 * weir::cache_line);

// The cell is on the second one.
using plain = weir::limiter<weir::gcra<>, core_clock>;
static_assert(sizeof(plain) == 2 * weir::cache_line);

// Fetches the line that holds `address` for writing. Free when the line is ours; it takes the line
// away from every other core, so it only pays where the write is likely to follow.
inline void prefetch_for_write(const void* address) noexcept {
#if defined(__x86_64__)
    // The builtin asks for a shared line (prefetcht0) unless -mprfchw is given, and x86-64 has
    // executed the instruction, at worst as a no-op, since its beginning.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
    __builtin_prefetch(address, 1);
#endif
}

class prefetching {
public:
    explicit prefetching(const weir::quota& q) : limiter_(q) {}

    [[nodiscard]] static auto now() noexcept { return core_clock::now(); }
    bool take(weir::word n) noexcept {
        prefetch_for_write(reinterpret_cast<const char*>(&limiter_) + weir::cache_line);
        return limiter_.try_acquire(n).admitted();
    }
    void fill(weir::word units) noexcept {
        limiter_.reset();
        (void)limiter_.acquire_up_to(static_cast<weir::word>(limiter_.quota().burst()) - units);
    }

private:
    plain limiter_;
};

template <class Measured, class Reference, demand Demand>
void compare(const std::string& name, const std::string& title, const std::string& reference) {
    using task = demand_task<Measured, Demand>;
    const std::string floor = Demand == demand::deny ? "clock_load" : "clock_load_cas";
    one_thread({.name = name, .title = title, .floor = "floor/" + floor}, std::make_shared<task>());
    two_threads({.name = name + "/two_threads", .title = title, .reference = reference},
                std::make_shared<task>(), std::make_shared<demand_task<Reference, Demand>>(), 2);
}

template <demand Demand>
void compare_all(const std::string& name, const std::string& words) {
    compare<one_line, two_lines, Demand>("layout/one_line/" + name,
                                         "word and rate on one line: " + words, "on two lines");
    compare<prefetching, limiter_subject<plain>, Demand>(
        "prefetch/" + name, "prefetch before the clock: " + words, "without");
}

}  // namespace

void add_layout_rows() {
    compare_all<demand::admit>("admit", "admit");
    compare_all<demand::deny>("deny", "deny");
    compare_all<demand::mixed>("mixed", "admit or deny at random");
}

}  // namespace bench

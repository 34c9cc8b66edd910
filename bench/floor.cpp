// SPDX-License-Identifier: MIT
// The floor: what this machine can do at best, which every other row is a multiple of.

#include <memory>
#include <string>

#include <weir/weir.hpp>

#include "floors.hpp"
#include "harness/rows.hpp"

namespace bench {

namespace {

template <class Clock, operation Operation>
void alone(const std::string& name, const std::string& title, bool headline = false) {
    one_thread({.name = "floor/" + name, .title = title, .headline = headline},
               std::make_shared<floor_task<Clock, Operation>>());
}

// Beside one thread at the same on a line of its own.
template <class Clock, operation Operation>
void together(const std::string& name, const std::string& title, bool headline = false) {
    two_threads({.name = "floor/" + name + "/two_threads",
                 .title = title,
                 .reference = "one thread",
                 .headline = headline},
                std::make_shared<floor_task<Clock, Operation>>(),
                std::make_shared<floor_task<Clock, Operation>>(), 1);
}

}  // namespace

void add_floor_rows() {
    alone<core_clock, operation::nothing>("cycle_clock", "cycle clock read", true);
    alone<weir::default_clock, operation::nothing>("default_clock", "default clock read");
    alone<weir::steady_clock, operation::nothing>("steady_clock", "steady clock read", true);
    alone<weir::coarse_clock, operation::nothing>("coarse_clock", "coarse clock read");
    alone<no_clock, operation::load>("load", "load");
    alone<no_clock, operation::cas>("load_cas", "load + CAS", true);
    alone<no_clock, operation::fetch_add>("fetch_add", "fetch_add");
    alone<core_clock, operation::load>("clock_load", "clock read + load");
    alone<core_clock, operation::cas>("clock_load_cas", "clock read + load + CAS", true);
    alone<core_clock, operation::cas_of_the_time>("clock_into_cas",
                                                  "clock read + load + CAS of the time");

    together<no_clock, operation::load>("load", "load");
    together<no_clock, operation::cas>("load_cas", "load + CAS loop");
    together<no_clock, operation::fetch_add>("fetch_add", "fetch_add");
    together<core_clock, operation::load>("clock_load", "clock read + load");
    together<core_clock, operation::cas>("clock_load_cas", "clock read + CAS loop", true);
    together<core_clock, operation::cas_of_the_time>("clock_into_cas",
                                                     "clock read + CAS loop of the time");
}

}  // namespace bench

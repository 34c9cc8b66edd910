// SPDX-License-Identifier: MIT
// Each cell, the limiter and a mutex bucket: every kind of answer, with one and with two threads,
// the clock read inside and the time given.

#include <memory>
#include <string>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"
#include "harness/rows.hpp"
#include "subjects.hpp"

namespace bench {

namespace {

constexpr const char* word_for(demand d) {
    switch (d) {
        case demand::admit: return "admit";
        case demand::idle: return "admit_idle";
        case demand::deny: return "deny";
        case demand::mixed: break;
    }
    return "mixed";
}

constexpr const char* words_for(demand d) {
    switch (d) {
        case demand::admit: return "admit";
        case demand::idle: return "admit, idle each time";
        case demand::deny: return "deny";
        case demand::mixed: break;
    }
    return "admit or deny at random";
}

template <class Subject, demand Demand, time Time>
void alone(const std::string& subject) {
    const bool read = Time == time::read;
    one_thread({.name = subject + "/" + word_for(Demand) + (read ? "" : "/now_given"),
                .title = subject + ": " + words_for(Demand) + (read ? "" : ", now given"),
                .floor = std::string("floor/") + (read ? "clock_" : "") +
                         (Demand == demand::deny ? "load" : "load_cas"),
                .headline = read && (Demand == demand::admit || Demand == demand::deny)},
               std::make_shared<demand_task<Subject, Demand, Time>>());
}

// Who only reads is compared with one thread, who writes with two that exchange one word.
template <class Subject, demand Demand, time Time>
void together(const std::string& subject) {
    using task = demand_task<Subject, Demand, Time>;
    const bool read = Time == time::read;
    const row r{.name =
                    subject + "/" + word_for(Demand) + (read ? "" : "/now_given") + "/two_threads",
                .title = subject + ": " + words_for(Demand) + (read ? "" : ", now given"),
                .reference = Demand == demand::deny ? "one thread"
                             : read                 ? "clock read + CAS loop"
                                                    : "load + CAS loop",
                .headline = read && (Demand == demand::admit || Demand == demand::deny)};
    if constexpr (Demand == demand::deny) {
        two_threads(r, std::make_shared<task>(), std::make_shared<task>(), 1);
    } else {
        using clock = std::conditional_t<Time == time::read, core_clock, no_clock>;
        two_threads(r, std::make_shared<task>(),
                    std::make_shared<floor_task<clock, operation::cas>>(), 2);
    }
}

template <class Subject, demand Demand>
void ask(const std::string& subject) {
    alone<Subject, Demand, time::read>(subject);
    alone<Subject, Demand, time::given>(subject);
    together<Subject, Demand, time::read>(subject);
    // Two threads that are given times of their own do not find the cell idle, nor room in a log,
    // whose places free themselves by the latest time that it has seen.
    constexpr bool by_latest =
        Demand == demand::idle || (Subject::is_log && Demand == demand::admit);
    if constexpr (!by_latest) together<Subject, Demand, time::given>(subject);
}

template <class Subject>
void ask_all(const std::string& subject) {
    ask<Subject, demand::admit>(subject);
    ask<Subject, demand::idle>(subject);
    ask<Subject, demand::deny>(subject);
    ask<Subject, demand::mixed>(subject);
}

}  // namespace

void add_cell_rows() {
    weir::for_each_kind(
        [](auto kind) { ask_all<cell_subject<cell_of<decltype(kind)>>>(kind.name); });
    ask_all<limiter_subject<weir::limiter<>>>("limiter");
    ask_all<limiter_subject<weir::adjustable<>>>("adjustable");
    ask_all<mutex_bucket>("mutex_bucket");
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// Rows take turns in slices of a millisecond, while Redis answers, stands still and is killed, and
// then again, in many rounds. So all of them meet the same weather, and a round's slices are
// compared with each other only. A slice is dropped if the system took its core away, or if its
// calls were not what the row says.
#include "outage.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <weir/adapter/fleet_keyed.hpp>
#include <weir/adapter/fleet_limiter.hpp>
#include <weir/weir.hpp>

#include "../../tests/redis/redis_process.hpp"
#include "../floors.hpp"
#include "../harness/slice.hpp"
#include "../harness/task.hpp"
#include "../harness/told.hpp"

namespace bench {

namespace {

constexpr int rounds = 25;
constexpr int turns = 3;  // of each row, in a visit
constexpr double most_ratio = 2;
constexpr slicing how = {1, pace::hammering, 20'000, weir::largest<weir::word>};
constexpr std::size_t p999 = 2;  // of told_parts

enum redis_state : std::size_t { quiet, stands_still, killed };
using by_state = std::array<std::vector<double>, 3>;

// Whatever is asked. `act` makes one decision, and says whether it was what the row says.
template <class Act>
struct asking {
    Act act;
    void prepare() {}
    auto worker(unsigned) { return doing(act); }
};

struct tail_row {
    std::string name;
    std::function<slice()> run;
    std::function<weir::fleet_mode()> mode;  // none: it knows no Redis
    by_state here{};                         // ns, in this round
    std::vector<double> ns{};                // while Redis answers, a median of each round
    by_state ratio{};                        // to those
    int slices = 0;
    int dropped = 0;
};

template <class Act>
[[nodiscard]] std::function<slice()> slices_of(Act act) {
    return [its = asking<Act>{act}]() mutable { return slicer(how).run(its); };
}

class tails {
public:
    explicit tails(const char* program) : server_(program) {}

    [[nodiscard]] bool begin() {
        if (server_.start()) return true;
        std::puts("there is no such redis-server, or it does not start");
        return false;
    }

    // `limit` answers try_acquire() and state().
    template <class Limit, class Act>
    void add(const std::string& name, Limit& limit, Act act) {
        rows_.push_back({name, slices_of(act), [&limit] { return limit.state().mode; }});
    }
    void add_clock_read() {
        rows_.push_back({"clock read",
                         [task = std::make_shared<floor_task<core_clock, operation::nothing>>()] {
                             return slicer(how).run(*task);
                         },
                         nullptr});
    }
    [[nodiscard]] weir::redis_options options() const {
        weir::redis_options to;
        to.socket = server_.socket();
        to.answer_within = weir::milliseconds(50);
        return to;
    }

    // False if a limit did not see that Redis went or came.
    [[nodiscard]] bool run() {
        for (int round = 0; round < rounds; ++round) {
            if (!all_are(weir::fleet_mode::leased)) return false;
            visit(quiet);
            server_.hold_up();
            visit(stands_still);  // the calls under way have not timed out yet
            if (!all_are(weir::fleet_mode::degraded)) return false;
            visit(stands_still);
            server_.go_on();
            if (!all_are(weir::fleet_mode::leased)) return false;
            visit(quiet);
            server_.kill();
            visit(killed);
            if (!all_are(weir::fleet_mode::degraded)) return false;
            visit(killed);
            if (!server_.start()) return false;
            for (tail_row& r : rows_) end_round(r);
        }
        return true;
    }

    void print_all() const {
        std::puts("| the slowest but one in a thousand | Redis answers, ns | it stands still, x | "
                  "it is killed, x | slices | dropped |");
        std::puts("| --- | ---: | ---: | ---: | ---: | ---: |");
        for (const tail_row& r : rows_) {
            const told still = told_of(r.ratio[stands_still]);
            const told gone = told_of(r.ratio[killed]);
            std::printf("| %s | %.0f | %.2f (%.2f) | %.2f (%.2f) | %d | %d |\n", r.name.c_str(),
                        told_of(r.ns).median, still.median, still.spread, gone.median, gone.spread,
                        r.slices, r.dropped);
        }
        std::puts("");
        for (const tail_row& r : rows_) {
            if (!r.mode) continue;
            const double worse =
                std::max(told_of(r.ratio[stands_still]).median, told_of(r.ratio[killed]).median);
            write_bar(std::cout, r.name + ", p99.9 in an outage", worse, most_ratio, 2,
                      " x that while Redis answers");
        }
        std::cout.flush();
    }

private:
    [[nodiscard]] bool all_are(weir::fleet_mode mode) const {
        constexpr int patience = 20'000;  // looks
        for (int i = 0; i < patience; ++i) {
            const bool are = std::all_of(rows_.begin(), rows_.end(), [&](const tail_row& r) {
                return !r.mode || r.mode() == mode;
            });
            if (are) return true;
            usleep(500);
        }
        std::printf("a limit did not become \"%s\" within ten seconds\n", describe(mode));
        return false;
    }
    void visit(redis_state state) {
        for (int turn = 0; turn < turns; ++turn) {
            for (std::size_t k = 0; k < rows_.size(); ++k) {
                tail_row& r = rows_[turn % 2 == 0 ? k : rows_.size() - 1 - k];
                const slice s = r.run();
                ++r.slices;
                if (counts(s))
                    r.here[state].push_back(to_ns(s.at[p999]));
                else
                    ++r.dropped;
            }
        }
    }
    static void end_round(tail_row& r) {
        const by_state here = std::exchange(r.here, {});
        if (here[quiet].empty()) return;
        const double usual = told_of(here[quiet]).median;
        r.ns.push_back(usual);
        for (const redis_state state : {stands_still, killed}) {
            if (!here[state].empty()) r.ratio[state].push_back(told_of(here[state]).median / usual);
        }
    }

    redis_process server_;
    std::vector<tail_row> rows_;
};

// Each key in its turn.
template <class Act>
[[nodiscard]] auto of_each(const std::vector<std::string>& keys, Act act) {
    return [&keys, act, i = std::size_t{0}]() mutable {
        i = i + 1 < keys.size() ? i + 1 : 0;
        return act(keys[i]);
    };
}

}  // namespace

int print_tails(const char* redis_server) {
    tails all(redis_server);
    if (!all.begin()) return 1;
    const weir::redis_options to = all.options();
    // What is in stock never ends, or is always used up, whether Redis is there or not.
    const weir::quota endless = weir::per_second(1'000'000'000).with_burst(1'000'000'000);
    const weir::quota few = weir::per_second(1'000).with_burst(100);
    weir::fleet_limiter stock(to, "stock", endless, {.processes = 1});
    weir::fleet_limiter used(to, "used", few, {.processes = 1});
    weir::fleet_limiter open(to, "open", few, {.processes = 1, .away = weir::when_away::open});
    weir::fleet_keyed_limits keyed_stock(to, "keyed stock", endless, 1'000,
                                         {.processes = 1, .least_lease = 1'000'000});
    weir::fleet_keyed_limits keyed_used(to, "keyed used", few, 1'000, {.processes = 1});
    std::vector<std::string> keys;
    keys.reserve(200);
    for (int i = 0; i < 200; ++i) keys.push_back("user:" + std::to_string(i));
    all.add_clock_read();
    all.add("fleet_limiter, units in stock", stock, [&] { return stock.try_acquire().admitted(); });
    all.add("fleet_limiter, used up, local_share", used, [&] {
        (void)used.try_acquire();
        return true;
    });
    all.add("fleet_limiter, used up, open", open, [&] {
        (void)open.try_acquire();
        return true;
    });
    all.add("fleet_keyed_limits, units in stock", keyed_stock,
            of_each(keys, [&](const std::string& key) {
                return keyed_stock.try_acquire(key).admitted();
            }));
    all.add("fleet_keyed_limits, used up, local_share", keyed_used,
            of_each(keys, [&](const std::string& key) {
                (void)keyed_used.try_acquire(key);
                return true;
            }));
    if (!all.run()) return 1;
    all.print_all();
    return 0;
}

}  // namespace bench

// SPDX-License-Identifier: MIT
#include "command/demo/rivals.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#include "bench/demands.hpp"
#include "bench/floors.hpp"
#include "bench/harness/cores.hpp"
#include "bench/harness/slice.hpp"
#include "bench/subjects.hpp"
#include "command/demo/machine.hpp"

namespace weir::command {
namespace {

using real_time = std::chrono::steady_clock;

// A burst that no slice exhausts, in stripes.
class striped_subject {
    using shared = limiter<>;
    using stripes = striped<shared>;

public:
    explicit striped_subject(const quota& q)
        : shared_(stripes::shared_quota(q)), stripes_(shared_) {}

    [[nodiscard]] static auto now() noexcept { return shared::clock_type::now(); }
    bool take(word n) noexcept { return stripes_.try_acquire(n).admitted(); }
    bool take(word n, instant<shared::clock_type> at) noexcept {
        return stripes_.try_acquire(n, at).admitted();
    }
    void fill(word /*units*/) noexcept { stripes_.reset(); }

private:
    shared shared_;
    stripes stripes_;
};

template <class Subject>
using admitting = bench::demand_task<Subject, bench::demand::admit>;

struct contestant {
    const char* name;
    const char* what;
    std::function<bench::slice(const bench::slicing&)> run;
    std::vector<double> averages = {};
    std::vector<double> tails = {};
};

template <class Task>
contestant taking_part(const char* name, const char* what) {
    return {name, what, [task = std::make_shared<Task>()](const bench::slicing& how) {
                return bench::slicer(how).run(*task);
            }};
}

double median(std::vector<double>& all) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return *middle;
}

double to_ns(word ticks) {
    return static_cast<double>(ticks) * 1e9 / static_cast<double>(bench::core_clock::hertz());
}

}  // namespace

std::vector<rival> measure_rivals(std::chrono::milliseconds duration) {
    if (this_machine().cores < 2) return {};
    using mutex_bucket = bench::mutex_bucket_by<default_clock>;
    using floor = bench::floor_task<default_clock, bench::operation::cas>;
    std::vector<contestant> all = {
        taking_part<floor>("floor_two_threads", "floor: clock, load, CAS"),
        taking_part<admitting<mutex_bucket>>("mutex_bucket_two_threads", "mutex and a double"),
        taking_part<admitting<bench::limiter_subject<limiter<>>>>("admit_two_threads",
                                                                  "weir::limiter"),
        taking_part<admitting<striped_subject>>("striped_two_threads", "weir::striped"),
    };

    // Where the only two are siblings of one core, they are left to the system.
    const bool pinned = bench::cores().size() == 2;
    // Short, so that on a busy machine both threads may keep their cores for all of one. The median
    // of the longest of twice 5000 is what 99.99 % of all do not exceed.
    const bench::slicing untimed = {2, bench::pace::untimed, 2'500, 0, pinned, false};
    const bench::slicing timed = {2, bench::pace::hammering, 5'000, largest<word>, pinned, false};
    const auto measure = [&](contestant& c) {
        const bench::slice calm = c.run(untimed);
        if (!calm.disturbed && calm.held) c.averages.push_back(calm.average);
        const bench::slice each = c.run(timed);
        if (!each.disturbed && each.held) c.tails.push_back(to_ns(each.at.back()));
    };
    const auto end = real_time::now() + duration;
    for (bool reversed = false; real_time::now() < end; reversed = !reversed) {
        for (std::size_t i = 0; i < all.size() && real_time::now() < end + duration; ++i)
            measure(all[reversed ? all.size() - 1 - i : i]);
    }
    // Whoever has had no luck tries again, for as long once more.
    const auto has_nothing = [](const contestant& c) {
        return c.averages.empty() || c.tails.empty();
    };
    for (contestant& c : all) {
        while (has_nothing(c) && real_time::now() < end + duration) measure(c);
    }

    std::vector<rival> told;
    for (contestant& c : all) {
        rival r = {c.name, c.what};
        r.slices = static_cast<unsigned>(std::min(c.averages.size(), c.tails.size()));
        if (r.slices != 0) {
            r.nanoseconds = median(c.averages);
            r.tail = median(c.tails);
        }
        told.push_back(std::move(r));
    }
    return told;
}

}  // namespace weir::command

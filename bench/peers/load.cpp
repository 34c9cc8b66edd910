// SPDX-License-Identifier: MIT
#include "load.hpp"

#include <fstream>
#include <ostream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/table.hpp"

namespace bench {

namespace {

[[nodiscard]] double seconds(const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

[[nodiscard]] double seconds_of(int who) {
    rusage usage{};
    getrusage(who, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

load::load() : start_(now()) {}

load::ticks load::now() {
    std::ifstream file("/proc/stat");
    std::string cpu;
    double user = 0;
    double nice = 0;
    double system = 0;
    double idle = 0;
    double waiting = 0;
    double interrupts = 0;
    double soft_interrupts = 0;
    double stolen = 0;
    file >> cpu >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >>
        stolen;
    const double busy = user + nice + system + interrupts + soft_interrupts;
    const auto a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
    return {busy + idle + waiting + stolen, busy, stolen,
            (seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN)) * a_second};
}

void load::write(std::ostream& out) const {
    const ticks end = now();
    const double all = end.all - start_.all;
    if (all <= 0) return;
    const double others = 100 * (end.busy - start_.busy - (end.ours - start_.ours)) / all;
    constexpr double quiet = 5;
    out << "- load: " << (others > quiet ? "NOT QUIET, see the p99.99 and tables: " : "")
        << "other programs had " << text("%.1f", others) << " % of the processors, the hypervisor "
        << text("%.1f", 100 * (end.stolen - start_.stolen) / all) << " %\n";
}

}  // namespace bench

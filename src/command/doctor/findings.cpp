// SPDX-License-Identifier: MIT
#include "command/doctor/findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "command/figures.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

// A thread that is woken later than this by the system's sleep loses much of a pacer's rate.
constexpr double late_sleep = 200e3;  // nanoseconds
constexpr double long_gap = 1e6;
constexpr double slow_clock = 200;

std::string time(double nanoseconds) { return brief_time(nanoseconds); }

const cost* cost_of(const doctor_facts& f, std::string_view name) {
    const auto found = std::find_if(f.costs.begin(), f.costs.end(),
                                    [name](const cost& c) { return c.name == name; });
    return found == f.costs.end() ? nullptr : &*found;
}

const lateness* lateness_by(const doctor_facts& f, waiting how) {
    const auto found = std::find_if(f.waits.begin(), f.waits.end(),
                                    [how](const lateness& l) { return l.how == how; });
    return found == f.waits.end() ? nullptr : &*found;
}

std::string error_text(int number) {
    char text[128];
    return ::strerror_r(number, text, sizeof text);
}

finding clock_finding(const doctor_facts& f) {
    const clock_facts& c = f.where.clock;
    const std::string rate = fixed(static_cast<double>(c.hertz) / 1e6, 3) + " MHz";
    const bool counter = std::strcmp(c.source, "CLOCK_MONOTONIC") != 0;
    if (counter) {
        return {"clock", grade::good, std::string(c.source) + " at " + rate + ", invariant",
                "limits read the core's counter, which is the same on all cores and at all speeds",
                ""};
    }
    const std::string why =
        c.note[0] == '\0' ? "this machine has no counter that is trusted" : std::string(c.note);
    return {"clock", grade::warning, std::string(c.source) + ": " + why,
            "a decision asks the system for the time and costs more",
            "where denials are many, use coarse_clock or cached_clock"};
}

finding step_finding(const doctor_facts& f) {
    const bool coarse = f.clock_step > 1e3;
    return {"clock_step", coarse ? grade::remark : grade::good,
            "the clock's smallest step is " + time(f.clock_step),
            coarse ? "units come in portions of that time" : "it is finer than any limit needs",
            coarse ? "choose bursts that last longer than a step" : ""};
}

finding system_clock_finding(const doctor_facts& f) {
    const std::string source = f.system.clock_source
                                   ? "the kernel's clock source is " + *f.system.clock_source
                                   : "the kernel's clock source is not told here";
    const bool slow = f.system_clock_read > slow_clock;
    return {"system_clock", slow ? grade::warning : grade::good,
            source + ", a reading takes " + time(f.system_clock_read),
            slow ? "each reading is a system call: steady_clock and utc_clock are slow here"
                 : "steady_clock and utc_clock are read without a system call",
            slow ? "boot with clocksource=tsc if the machine's counter can be trusted" : ""};
}

finding skew_finding(const doctor_facts& f) {
    if (!f.skew) {
        return {"skew", grade::remark, "the counters of the cores were not compared",
                "there is one core, or a thread may not choose its core", ""};
    }
    const core_skew& s = *f.skew;
    if (s.at_least > 0) {
        return {"skew", grade::warning,
                "the counters of two cores are at least " + time(s.at_least) + " apart",
                "a limit denies for that long when its callers change the core; it never admits "
                "more",
                "use steady_clock if that is long beside the time of one unit"};
    }
    return {"skew", grade::good,
            "no skew between " + plural(s.cores + 1, "core") + "; at most " + time(s.at_most),
            "one time on all cores, as far as messages between them can tell", ""};
}

finding gap_finding(const doctor_facts& f) {
    const bool is_long = f.longest_gap > long_gap;
    return {"interruptions", is_long ? grade::remark : grade::good,
            "a busy thread was kept from running for up to " + time(f.longest_gap),
            is_long
                ? "other programs, or a hypervisor, take the core: what is timed is late by that"
                : "nothing takes the core for long",
            is_long ? "measure on a quiet machine; give a pacer a core of its own (isolcpus)" : ""};
}

finding decision_finding(const doctor_facts& f) {
    const cost* const admit = cost_of(f, "admit");
    const cost* const floor = cost_of(f, "floor");
    if (admit == nullptr || floor == nullptr)
        return {"decision", grade::remark, "a decision was not measured", "", ""};
    return {"decision", grade::good,
            "a decision takes " + fixed(admit->nanoseconds, 1) + " ns, clock and atomic alone " +
                fixed(floor->nanoseconds, 1) + " ns",
            "one thread can decide " + brief(1e9 / admit->nanoseconds) + " times per second",
            admit->nanoseconds > 100 ? "take leases, or cached_clock" : ""};
}

finding contention_finding(const doctor_facts& f) {
    const cost* const one = cost_of(f, "admit");
    const cost* const two = cost_of(f, "admit_two_threads");
    if (one == nullptr || two == nullptr) {
        return {"two_threads", grade::remark, "two threads never ran together",
                "what they cost each other is not known", ""};
    }
    const double times = two->nanoseconds / one->nanoseconds;
    return {"two_threads", times > 3 ? grade::remark : grade::good,
            "with a second thread on the same limit a decision takes " +
                fixed(two->nanoseconds, 1) + " ns, " + fixed(times, 1) + " times as long",
            "the cores pass one cache line to and fro",
            times > 3 ? "if threads ask one limit all the time, take leases or a striped limit"
                      : ""};
}

finding sleep_finding(const doctor_facts& f) {
    const lateness* const sleep = lateness_by(f, waiting::sleep);
    if (sleep == nullptr) return {"sleep", grade::remark, "waiting was not measured", "", ""};
    const bool late = sleep->half > late_sleep;
    return {"sleep", late ? grade::warning : grade::good,
            "a thread that sleeps wakes " + time(sleep->half) + " late; 1 % later than " +
                time(sleep->most_but_1_percent),
            "a pacer that only sleeps is later than half an interval above " +
                brief(1e9 / (2 * std::max(1.0, sleep->half))) + "/s",
            late ? "use waiting::hybrid, or a kernel with high-resolution timers" : ""};
}

finding hybrid_finding(const doctor_facts& f) {
    const lateness* const sleep = lateness_by(f, waiting::sleep);
    const lateness* const hybrid = lateness_by(f, waiting::hybrid);
    if (sleep == nullptr || hybrid == nullptr)
        return {"hybrid", grade::remark, "waiting was not measured", "", ""};
    const bool better = hybrid->half * 2 < sleep->half;
    return {"hybrid", better ? grade::good : grade::remark,
            "hybrid waiting is " + time(hybrid->half) + " late and takes " +
                fixed(100 * hybrid->share_of_core, 0) + " % of a core for 1000 waits a second",
            better ? "it spins for the last part of each wait"
                   : "it gains little here: the core is taken from a thread that spins",
            better ? "" : "use waiting::sleep where processor time is scarce"};
}

finding slack_finding(const doctor_facts& f) {
    if (!f.timer_slack)
        return {"timer_slack", grade::remark, "the timer slack is not told here", "", ""};
    const auto slack = static_cast<double>(*f.timer_slack);
    return {"timer_slack", grade::good, "the timer slack is " + time(slack),
            slack <= 1e3 ? "wake-ups are not delayed to join others"
                         : "the system may delay a wake-up by that; a pacer's thread sets its own "
                           "to 1 ns, and other threads may by prctl(PR_SET_TIMERSLACK, 1)",
            ""};
}

finding realtime_finding(const doctor_facts& f) {
    if (f.realtime_refused != 0) {
        return {"realtime", grade::remark,
                "a real-time class is refused: " + error_text(f.realtime_refused),
                "a pacer's thread competes with all others",
                f.system.in_container ? "start the container with --cap-add=SYS_NICE "
                                        "--ulimit rtprio=99, if you need one"
                                      : "ulimit -r 99, or setcap cap_sys_nice+ep, if you need one"};
    }
    std::string means = "a pacer can go before other programs (scheduling::fifo)";
    if (f.system.realtime_share) {
        const auto share = static_cast<double>(*f.system.realtime_share);
        means += share < 0 ? ", and nothing bounds that"
                           : ", for " + fixed(share / 1e4, 0) + " % of each second";
    }
    return {"realtime", grade::good, "a real-time class is allowed", means, ""};
}

finding governor_finding(const doctor_facts& f) {
    if (!f.system.governor) {
        return {"governor", grade::good, "no frequency governor is told here",
                "the machine, or its hypervisor, chooses the speed of the cores", ""};
    }
    const bool saves = *f.system.governor == "powersave" || *f.system.governor == "conservative";
    return {"governor", saves ? grade::warning : grade::good,
            "the frequency governor is " + *f.system.governor,
            saves ? "a core that sleeps between two items wakes slowly and runs slowly"
                  : "cores run as fast as their work asks for",
            saves ? "cpupower frequency-set -g performance, for steady waits" : ""};
}

finding hypervisor_finding(const doctor_facts& f) {
    if (f.hypervisor.empty()) {
        return {"virtualisation", grade::good, "no hypervisor is seen",
                "nobody but the kernel takes a core away", ""};
    }
    std::string what = "a virtual machine under " + f.hypervisor;
    const double stolen = f.stolen_share.value_or(0);
    if (f.stolen_share) what += ", which took " + fixed(100 * stolen, 1) + " % of the time";
    const bool much = stolen > 0.01;
    return {"virtualisation", much ? grade::warning : grade::remark, what,
            "a core may stand still for milliseconds without its kernel knowing",
            much ? "dedicated cores, if waits have to be short"
                 : "look at the worst waits, not at the average"};
}

finding share_finding(const doctor_facts& f) {
    if (!f.system.cores_allowed || *f.system.cores_allowed >= f.where.cores) {
        return {"cores", grade::good, plural(f.where.cores, "core") + " of " + f.where.processor,
                "no control group is seen that bounds their use", ""};
    }
    return {"cores", grade::warning,
            plural(f.where.cores, "core") + " are seen, and " + fixed(*f.system.cores_allowed, 2) +
                " may be used at once",
            "when that is used up, all threads stand still until the next period, often for 100 ms",
            "do not spin; start no more threads than that, or raise the share (--cpus)"};
}

finding fence_finding(const doctor_facts& f) {
    if (f.fence_refused == 0) {
        return {"membarrier", grade::good, "membarrier is there",
                "a push into a pacer's lane needs no fence", ""};
    }
    return {"membarrier", grade::remark, "membarrier is refused: " + error_text(f.fence_refused),
            "each push into a pacer's lane makes a fence",
            "let the container's filter of system calls pass membarrier"};
}

finding sections_finding(const doctor_facts& f) {
    return {"restartable_sections", f.has_sections ? grade::good : grade::remark, f.sections,
            f.has_sections ? "a striped limit takes units without a locked instruction"
                           : "a striped limit uses compare-and-swap",
            f.has_sections ? "" : "glibc 2.35 or newer and Linux 5.10 or newer have them"};
}

finding shared_finding(const doctor_facts& f) {
    if (f.shared_memory.value_or(false)) {
        return {"shared_memory", grade::good, "/dev/shm can be written",
                "processes of this machine can share limits", ""};
    }
    return {"shared_memory", grade::remark,
            f.shared_memory ? "/dev/shm cannot be written" : "there is no /dev/shm",
            "shared_limiter and weir run cannot share a limit by name",
            "mount a tmpfs there, or share the one of the host"};
}

}  // namespace

std::string_view describe(grade g) noexcept {
    switch (g) {
        case grade::good: return "ok";
        case grade::remark: return "note";
        case grade::warning: return "warning";
    }
    return "unknown";
}

std::vector<finding> judge(const doctor_facts& f) {
    return {share_finding(f),      clock_finding(f),        step_finding(f),
            skew_finding(f),       system_clock_finding(f), gap_finding(f),
            hypervisor_finding(f), governor_finding(f),     decision_finding(f),
            contention_finding(f), sleep_finding(f),        hybrid_finding(f),
            slack_finding(f),      realtime_finding(f),     fence_finding(f),
            sections_finding(f),   shared_finding(f)};
}

std::vector<setting_advice> advise(const doctor_facts& f) {
    std::vector<setting_advice> all;
    const bool counter = std::strcmp(f.where.clock.source, "CLOCK_MONOTONIC") != 0;
    all.push_back(counter ? setting_advice{"weir::default_clock", "it is the core's counter here"}
                          : setting_advice{"weir::coarse_clock",
                                           "where some milliseconds do not matter: the default "
                                           "clock asks the system"});
    const lateness* const sleep = lateness_by(f, waiting::sleep);
    const lateness* const hybrid = lateness_by(f, waiting::hybrid);
    const bool scarce =
        f.where.cores == 1 || (f.system.cores_allowed && *f.system.cores_allowed < f.where.cores);
    const bool better = sleep != nullptr && hybrid != nullptr && hybrid->half * 2 < sleep->half;
    all.push_back(
        scarce || !better
            ? setting_advice{"weir::waiting::sleep",
                             scarce ? "there is no core to spin on" : "spinning gains little here"}
            : setting_advice{"weir::waiting::hybrid", "it is late by " + time(hybrid->half) +
                                                          " instead of " + time(sleep->half)});
    if (sleep != nullptr) {
        const double most = std::max(sleep->most_but_1_percent, 1e3);
        all.push_back({"weir::catch_up::within(" +
                           std::to_string(static_cast<long long>(std::ceil(most / 1e6))) + "ms)",
                       "a pacer that sleeps keeps its rate then: 1 wait in 100 is later than " +
                           time(sleep->most_but_1_percent)});
    }
    if (f.realtime_refused == 0 && f.where.cores > 1 && f.longest_gap > long_gap) {
        all.push_back({"weir::scheduling::fifo",
                       "other programs take the core for up to " + time(f.longest_gap)});
    }
    const cost* const two = cost_of(f, "admit_two_threads");
    const cost* const one = cost_of(f, "admit");
    if (one != nullptr && two != nullptr && two->nanoseconds > 3 * one->nanoseconds) {
        all.push_back(
            {f.has_sections ? "weir::striped with weir::stripe_of_core" : "weir::lease of 64",
             "for one limit that several cores ask all the time"});
    }
    return all;
}

}  // namespace weir::command

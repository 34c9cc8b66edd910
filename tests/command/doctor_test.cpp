// SPDX-License-Identifier: MIT
// weir doctor: what it concludes of facts, what it reads of a system's files, and a run of it.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command/doctor/doctor.hpp"
#include "program.hpp"

namespace {

using namespace weir::command;

// A machine on which nothing is to be said against anything.
doctor_facts good_machine() {
    doctor_facts f;
    f.where = {8, "a processor", {"TSC", 2'000'000'000, weir::nanoseconds(1), true}};
    f.system.clock_source = "tsc";
    f.system.governor = "performance";
    f.clock_step = 0.5;
    f.system_clock_read = 20;
    f.longest_gap = 20e3;
    f.skew = core_skew{7, 0, 80};
    f.costs = {{"floor", "floor", 8, 1},
               {"admit", "admitted", 8.5, 1.06},
               {"admit_two_threads", "two", 20, 1}};
    f.waits = {{weir::waiting::sleep, 60e3, 100e3, 200e3, 0.01},
               {weir::waiting::hybrid, 100, 300, 500, 0.1},
               {weir::waiting::spin, 50, 80, 100, 1}};
    f.timer_slack = 50'000;
    f.has_sections = true;
    f.sections = "units are taken in restartable sections";
    f.shared_memory = true;
    return f;
}

const finding& find(const std::vector<finding>& all, const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const finding& f) { return f.name == name; });
    EXPECT_NE(found, all.end()) << name;
    return *found;
}

TEST(findings, are_all_good_on_a_good_machine) {
    for (const finding& f : judge(good_machine())) {
        EXPECT_EQ(f.how, grade::good) << f.name << ": " << f.what;
        EXPECT_EQ(f.todo, "") << f.name;
        EXPECT_NE(f.means, "") << f.name;
    }
}

// What is wrong with one fact is told of that fact, with something to do, and of no other.
template <class Spoil>
void expect_told(const char* name, grade how, Spoil spoil) {
    doctor_facts f = good_machine();
    spoil(f);
    const std::vector<finding> all = judge(f);
    const finding& told = find(all, name);
    EXPECT_EQ(told.how, how) << told.what;
    EXPECT_NE(told.todo, "") << name;
    for (const finding& other : all) {
        if (other.name != name) {
            EXPECT_EQ(other.how, grade::good) << name << " spoils " << other.name;
        }
    }
}

TEST(findings, say_what_is_wrong_and_what_to_do) {
    using enum grade;
    expect_told("clock", warning, [](doctor_facts& f) {
        f.where.clock = {"CLOCK_MONOTONIC", 1'000'000'000, weir::nanoseconds(1), true,
                         weir::clock_facts::not_invariant};
    });
    expect_told("clock_step", remark, [](doctor_facts& f) { f.clock_step = 15e6; });
    expect_told("system_clock", warning, [](doctor_facts& f) {
        f.system.clock_source = "hpet";
        f.system_clock_read = 1'500;
    });
    expect_told("skew", warning, [](doctor_facts& f) { f.skew = core_skew{7, 500, 900}; });
    expect_told("interruptions", remark, [](doctor_facts& f) { f.longest_gap = 30e6; });
    expect_told("virtualisation", remark, [](doctor_facts& f) { f.hypervisor = "KVMKVMKVM"; });
    expect_told("virtualisation", warning, [](doctor_facts& f) {
        f.hypervisor = "KVMKVMKVM";
        f.stolen_share = 0.2;
    });
    expect_told("governor", warning, [](doctor_facts& f) { f.system.governor = "powersave"; });
    expect_told("two_threads", remark, [](doctor_facts& f) { f.costs.back().nanoseconds = 200; });
    expect_told("sleep", warning, [](doctor_facts& f) { f.waits[0].half = 15e6; });
    expect_told("hybrid", remark, [](doctor_facts& f) { f.waits[1].half = 60e3; });
    expect_told("realtime", remark, [](doctor_facts& f) { f.realtime_refused = EPERM; });
    expect_told("membarrier", remark, [](doctor_facts& f) { f.fence_refused = ENOSYS; });
    expect_told("restartable_sections", remark, [](doctor_facts& f) { f.has_sections = false; });
    expect_told("shared_memory", remark, [](doctor_facts& f) { f.shared_memory = false; });
    expect_told("cores", warning, [](doctor_facts& f) { f.system.cores_allowed = 1.5; });
}

TEST(findings, do_without_what_is_not_told) {
    doctor_facts f = good_machine();
    f.system = {};
    f.skew = {};
    f.costs.clear();
    f.waits.clear();
    f.timer_slack = {};
    f.shared_memory = {};
    EXPECT_EQ(judge(f).size(), judge(good_machine()).size());
    for (const finding& each : judge(f)) EXPECT_NE(each.how, grade::warning) << each.name;
    EXPECT_FALSE(advise(f).empty());
}

bool advises(const doctor_facts& f, const std::string& name) {
    const auto all = advise(f);
    return std::any_of(all.begin(), all.end(),
                       [&](const setting_advice& a) { return a.name == name; });
}

TEST(advice, fits_the_machine) {
    doctor_facts f = good_machine();
    EXPECT_TRUE(advises(f, "weir::default_clock"));
    EXPECT_TRUE(advises(f, "weir::waiting::hybrid"));
    f.system.cores_allowed = 0.5;
    EXPECT_TRUE(advises(f, "weir::waiting::sleep"));
    f.costs.back().nanoseconds = 60;
    EXPECT_TRUE(advises(f, "weir::striped with weir::stripe_of_core"));
    f.has_sections = false;
    EXPECT_TRUE(advises(f, "weir::lease of 64"));
    f.where.clock.source = "CLOCK_MONOTONIC";
    EXPECT_TRUE(advises(f, "weir::coarse_clock"));
}

TEST(doctor, tells_each_finding_in_one_line) {
    const doctor_facts f = good_machine();
    const std::string text = doctor_text(f, {});
    EXPECT_EQ(text.find('\x1b'), text.npos);
    for (const finding& each : judge(f)) {
        const std::string line = "\nok       " + each.what + ": " + each.means + "\n";
        EXPECT_NE(text.find(line), text.npos) << line;
    }
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

TEST(system_facts, are_read_from_the_system_s_files) {
    const scratch_folder root;
    write(root.path() / "sys/devices/system/clocksource/clocksource0/current_clocksource",
          "hpet\n");
    write(root.path() / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write(root.path() / "sys/fs/cgroup/cpu.max", "150000 100000\n");
    write(root.path() / "proc/sys/kernel/sched_rt_runtime_us", "950000\n");
    write(root.path() / "proc/stat", "cpu  1 2 3 4 5 6 7 42 9 10\ncpu0 1\n");
    write(root.path() / "run/.containerenv", "");
    const weir::command::system_facts f = read_system(root.path());
    EXPECT_EQ(f.clock_source, "hpet");
    EXPECT_EQ(f.governor, "powersave");
    EXPECT_EQ(f.cores_allowed, 1.5);
    EXPECT_EQ(f.realtime_share, 950'000);
    EXPECT_EQ(f.stolen, 42U);
    EXPECT_TRUE(f.in_container);
}

TEST(system_facts, may_be_missing_or_odd) {
    const scratch_folder root;
    const auto nothing = [&] {
        const weir::command::system_facts f = read_system(root.path());
        EXPECT_FALSE(f.cores_allowed);
        EXPECT_FALSE(f.realtime_share);
        EXPECT_FALSE(f.stolen);
        EXPECT_FALSE(f.in_container);
    };
    nothing();
    EXPECT_FALSE(read_system(root.path()).clock_source);
    write(root.path() / "sys/fs/cgroup/cpu.max", "max 100000\n");
    write(root.path() / "proc/stat", "cpu  1 2 3\n");
    write(root.path() / "proc/sys/kernel/sched_rt_runtime_us", "x\n");
    nothing();
    write(root.path() / "sys/fs/cgroup/cpu.max", "100000 0\n");
    nothing();
    write(root.path() / "sys/fs/cgroup/cpu.max", "");
    nothing();
}

TEST(doctor, runs) {
    const scratch_folder folder;
    const outcome o = run(folder, {"doctor", "--quick"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.error, "");
    EXPECT_EQ(o.out.find_first_of("\x1b\r"), o.out.npos);
    for (const char* words : {"a quick look", "smallest step", "hybrid", "try_acquire, admitted",
                              "Settings that suit this machine"}) {
        EXPECT_NE(o.out.find(words), o.out.npos) << words;
    }
    EXPECT_TRUE(folder.files().empty());
}

TEST(doctor, leaves_nothing_of_its_progress_on_a_terminal) {
    if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
    const outcome o = run_on_terminal(scratch_folder(), {"doctor", "--quick"}, 80);
    EXPECT_EQ(o.status, 0);
    EXPECT_NE(o.out.find("7/7 waiting: spin"), o.out.npos);
    for (const std::string& line : screen(o.out)) EXPECT_EQ(line.find("/7 "), line.npos) << line;
}

TEST(doctor, refuses_a_wrong_line_and_has_help) {
    const scratch_folder folder;
    const outcome wrong = run(folder, {"doctor", "--fast"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.error, "weir doctor: unknown option --fast; try weir doctor --help\n");
    const outcome help = run(folder, {"help", "doctor"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("--quick"), help.out.npos);
    const outcome full = run(folder, {"doctor", "--quick"}, {.output_file = "/dev/full"});
    EXPECT_EQ(full.status, 1);
    EXPECT_EQ(full.error,
              "weir doctor: cannot write to standard output: No space left on device\n");
}

}  // namespace

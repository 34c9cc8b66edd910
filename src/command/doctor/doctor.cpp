// SPDX-License-Identifier: MIT
#include "command/doctor/doctor.hpp"

#include <cstdint>

#include "command/heading.hpp"
#include "command/json.hpp"
#include "command/option.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

constexpr std::string_view doctor_help =
    "usage: weir doctor [--quick] [--json]\n"
    "\n"
    "Looks at this machine as limits and pacers see it, in some seconds: its clock,\n"
    "its cores, what a decision costs, how late a thread is that waits, what it may\n"
    "do. Each finding is one line: what was found, what it means, what to do.\n"
    "\n"
    "  weir doctor\n"
    "  weir doctor | grep -v '^ok'     only what is worth a look\n"
    "\n"
    "  --quick     a rough look in less than a second\n"
    "  --json      one JSON object instead of text\n"
    "  --help      this text\n"
    "\n"
    "It needs no privileges and changes nothing. The exit status is 0 whatever it\n"
    "finds, 1 if something could not be done or written, or 2 for a wrong command\n"
    "line.\n";

std::string_view colour_of(grade g) {
    switch (g) {
        case grade::good: return "\x1b[32m";
        case grade::remark: return "\x1b[2m";
        case grade::warning: return "\x1b[33m";
    }
    return "";
}

// One line, whatever the width: so that it can be searched for.
std::string line_of(const finding& f, const style& out) {
    std::string mark(describe(f.how));
    mark.resize(7, ' ');
    if (out.colour) mark = std::string(colour_of(f.how)) + mark + "\x1b[0m";
    std::string text = mark + "  " + f.what;
    if (!f.means.empty()) text += ": " + f.means;
    if (!f.todo.empty()) text += ". To do: " + f.todo;
    return text + "\n";
}

void put_optional(json& j, std::string_view name, const std::optional<std::string>& text) {
    j.key(name);
    if (text) {
        j.value(std::string_view(*text));
    } else {
        j.null();
    }
}

void put(json& j, const finding& f) {
    j.begin_object()
        .member("name", std::string_view(f.name))
        .member("grade", describe(f.how))
        .member("what", std::string_view(f.what))
        .member("means", std::string_view(f.means))
        .member("todo", std::string_view(f.todo))
        .end_object();
}

}  // namespace

std::string doctor_text(const doctor_facts& f, const style& out) {
    std::string text = wrapped("weir " WEIR_VERSION " on " + plural(f.where.cores, "core") +
                                   " of " + f.where.processor +
                                   (f.quick ? "; a quick look, so these numbers are rough" : ""),
                               line_width(out));
    text += '\n';
    for (const finding& each : judge(f)) text += line_of(each, out);

    text += heading("A thread that waits for the next of a thousand a second", out) +
            lateness_table(f.waits).text(line_width(out));
    text += heading("What a decision costs", out) + costs_table(f.costs).text(line_width(out));
    text += heading("Settings that suit this machine", out);
    for (const setting_advice& a : advise(f)) text += "  " + a.name + ": " + a.why + "\n";
    return text;
}

std::string doctor_json(const doctor_facts& f) {
    json j;
    j.begin_object().member("weir", WEIR_VERSION).member("quick", f.quick);
    j.key("machine")
        .begin_object()
        .member("cores", std::uint64_t{f.where.cores})
        .member("processor", std::string_view(f.where.processor));
    j.key("clock")
        .begin_object()
        .member("source", f.where.clock.source)
        .member("hertz", f.where.clock.hertz)
        .member("invariant", f.where.clock.invariant)
        .member("step_ns", f.clock_step)
        .member("note", f.where.clock.note)
        .end_object();
    put_optional(j, "kernel_clock_source", f.system.clock_source);
    j.member("system_clock_read_ns", f.system_clock_read).member("longest_gap_ns", f.longest_gap);
    put_optional(j, "governor", f.system.governor);
    j.member("hypervisor", std::string_view(f.hypervisor));
    j.key("skew");
    if (f.skew) {
        j.begin_object()
            .member("cores", std::uint64_t{f.skew->cores})
            .member("at_least_ns", f.skew->at_least)
            .member("at_most_ns", f.skew->at_most)
            .end_object();
    } else {
        j.null();
    }
    j.end_object().key("findings").begin_array();
    for (const finding& each : judge(f)) put(j, each);
    j.end_array().key("waiting").begin_array();
    for (const lateness& l : f.waits) put(j, l);
    j.end_array().key("costs").begin_array();
    for (const cost& c : f.costs) put(j, c);
    j.end_array().key("settings").begin_array();
    for (const setting_advice& a : advise(f)) {
        j.begin_object()
            .member("name", std::string_view(a.name))
            .member("why", std::string_view(a.why))
            .end_object();
    }
    j.end_array().end_object();
    return j.text() + "\n";
}

int run_doctor(arguments all) {
    bool quick = false;
    bool as_json = false;
    if (read_options(all, {flag("--quick", quick), flag("--json", as_json)})) {
        write_out(doctor_help);
        return 0;
    }
    const style out = style_of_output();
    constexpr std::size_t steps = 7;
    progress line(steps);
    const doctor_facts f = look_around(quick, [&line](std::string_view what) { line.step(what); });
    line.erase();
    write_out(as_json ? doctor_json(f) : doctor_text(f, out));
    return 0;
}

}  // namespace weir::command

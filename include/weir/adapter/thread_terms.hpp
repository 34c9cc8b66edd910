// SPDX-License-Identifier: MIT
// The words of a pacer's thread: how it waits, what it is given, and what became of that.
#pragma once

#include <cstdint>

#include <weir/base/rest.hpp>
#include <weir/base/text.hpp>

namespace weir {

enum class scheduling : unsigned char {
    as_usual,
    fifo,
    round_robin,
};
[[nodiscard]] constexpr const char* describe(scheduling by) noexcept {
    switch (by) {
        case scheduling::as_usual: return "as usual";
        case scheduling::fifo: return "fifo";
        case scheduling::round_robin: return "round robin";
    }
    return "unknown";
}

struct thread_options {
    const char* name = "weir pacer";  // 15 characters at most
    // Under a real-time class `hybrid` uses four fifths of a core at most, and then sleeps though
    // an item may be due; `spin` is refused.
    waiting how = waiting::hybrid;
    int core = -1;  // to which it is bound; negative: any
    scheduling by = scheduling::as_usual;
    int priority = 1;  // of a real-time class
};

// What became of what was asked for: 0, or the system's error number. What is refused is left out
// and the thread runs without it; only if it does not run at all `why` says why.
struct thread_report {
    const char* why = nullptr;
    int thread = 0;  // there is none then
    int name = 0;
    int core = 0;
    int scheduling = 0;
    int timer_slack = 0;
    int membarrier = 0;  // producers make a fence with each push then

    [[nodiscard]] constexpr bool runs() const noexcept { return why == nullptr; }
    [[nodiscard]] constexpr bool well() const noexcept {
        return runs() && name == 0 && core == 0 && scheduling == 0 && timer_slack == 0;
    }
};
// "runs", "runs, but was refused: core (error 22)", or why it does not run.
[[nodiscard]] constexpr text to_text(const thread_report& r) noexcept {
    struct part {
        const char* name;
        int error;
    };
    const part parts[] = {{"a name", r.name},
                          {"a core", r.core},
                          {"its scheduling", r.scheduling},
                          {"a timer slack", r.timer_slack},
                          {"membarrier", r.membarrier}};
    const auto add_error = [](text& t, int error) {
        t.add(" (error ").add(static_cast<std::uint64_t>(error)).add(")");
    };
    text t(r.runs() ? "runs" : "does not run: ");
    if (!r.runs()) {
        t.add(r.why);
        if (r.thread != 0) add_error(t, r.thread);
        return t;
    }
    const char* before = ", but was refused ";
    for (const part& p : parts) {
        if (p.error == 0) continue;
        t.add(before).add(p.name);
        add_error(t, p.error);
        before = ", ";
    }
    return t;
}

}  // namespace weir

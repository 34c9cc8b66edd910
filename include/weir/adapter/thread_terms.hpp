// The words of a pacer's thread: how it waits, what it is given, and what became of that.
#pragma once

namespace weir {

enum class waiting : unsigned char {
    sleep,   // late by what the system takes to wake a thread: tens of microseconds
    hybrid,  // sleeps until shortly before and spins for the rest. Under a real-time class it uses
             // four fifths of a core at most, and then sleeps though an item may be due
    spin,    // never sleeps: a whole core. Not under a real-time class
};

enum class scheduling : unsigned char {
    as_usual,
    fifo,
    round_robin,
};

struct thread_options {
    const char* name = "weir pacer";  // 15 characters at most
    waiting how = waiting::sleep;
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

    [[nodiscard]] bool runs() const noexcept { return why == nullptr; }
    [[nodiscard]] bool well() const noexcept {
        return runs() && name == 0 && core == 0 && scheduling == 0 && timer_slack == 0;
    }
};

}  // namespace weir

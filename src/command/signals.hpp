// SPDX-License-Identifier: MIT
// Signals that ask the program to end: a handler for the next one only.
#pragma once

#include <csignal>

namespace weir::command {

// Answers what was done with it before, and leaves it so if that is to ignore it: whoever started
// us may have asked for that (nohup).
inline struct sigaction handle_next(int signal, void (*handler)(int)) noexcept {
    struct sigaction before {};
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // and so a call that blocks ends with EINTR
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
        ::sigaction(signal, &action, nullptr);
    }
    return before;
}

}  // namespace weir::command

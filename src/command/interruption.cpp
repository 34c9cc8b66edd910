// SPDX-License-Identifier: MIT
#include "command/interruption.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include "command/signals.hpp"

namespace weir::command {
namespace {

std::atomic<int> noted = 0;  // the signal's number
static_assert(std::atomic<int>::is_always_lock_free, "a handler may not wait");

constexpr std::array wishes = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, wishes.size()> before;  // what was done with them

void give_back() noexcept {
    for (std::size_t i = 0; i < wishes.size(); ++i) ::sigaction(wishes[i], &before[i], nullptr);
}

extern "C" void note(int signal) {
    noted.store(signal, std::memory_order_relaxed);
    give_back();
}

}  // namespace

interruption::interruption() {
    noted.store(0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < wishes.size(); ++i) before[i] = handle_next(wishes[i], note);
}

interruption::~interruption() { give_back(); }

interruption::operator bool() const noexcept { return noted.load(std::memory_order_relaxed) != 0; }

void interruption::end_by_it() const noexcept {
    if (*this) ::raise(noted.load(std::memory_order_relaxed));
}

}  // namespace weir::command

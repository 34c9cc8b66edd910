// SPDX-License-Identifier: MIT
// bell: how who pushes wakes who sleeps, at no cost while nobody does.
//
// The sleeper says that it is going to sleep, looks at the lanes once more, and sleeps only if they
// are still empty. Who pushes looks after its push whether somebody sleeps. Each writes one place
// and then reads the other's (Dekker), so one of them sees the other, provided that between its
// write and its read each has a full fence. The pusher's is left out where the sleeper can make all
// running threads pass one (membarrier): a pusher then costs one load.
//
// Invariant: whoever clears `asleep` wakes the sleeper, and only one does. So no wake is lost, and
// however many push there is one system call per sleep.
//
// How the sleeper is woken may be said while others push and alert it already. It is said before
// the sleeper lies down first, so whoever finds it asleep knows how. Who alerts it at that moment
// either knows how too, or has alerted it before it was said; then the sleeper sees the alert.
//
// Relaxed loads suffice elsewhere: who looks at the word without changing it either acts on nothing
// but its bits, or has a fence before, or changes it next. How the sleeper is woken is read after
// an exchange that has acquired it.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>

namespace weir {

struct machine_fences {
    // Pairs with another of its kind: one in `must_wake`, one by who lies down.
    static void full() noexcept { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
    // Pairs with the fence for all threads that who lies down makes.
    static void compiler() noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
};

template <template <class> class Atomic = atomic, class Fences = machine_fences>
class bell {
public:
    // --- the sleeper

    // Whoever finds it asleep calls how(context), on whatever thread. Those who push make the fence
    // themselves if `fences`; then before anybody pushes.
    void wakes_by(void (*how)(void*) noexcept, void* context, bool fences) noexcept {
        how_.store_relaxed(how);
        context_.store_relaxed(context);
        change(0, told | (fences ? fenced : 0));  // who sees this sees both
    }
    [[nodiscard]] bool wakes_otherwise(void (*how)(void*) noexcept, void* context) const noexcept {
        void (*const known)(void*) noexcept = how_.load_relaxed();
        return known != nullptr && (known != how || context_.load_relaxed() != context);
    }
    [[nodiscard]] bool has_fences() const noexcept { return (word_.load_relaxed() & fenced) != 0; }

    // After `wakes_by`. From here on it is woken, also if it does not sleep. `fence` is the
    // sleeper's: a full one for all threads, or for this one if the others make theirs. Then look
    // again at what you wait for.
    template <class Fence>
    void lie_down(Fence fence) noexcept {
        change(0, asleep);
        fence();
    }
    // Or it has looked and does not sleep.
    void get_up() noexcept { change(asleep, 0); }
    // Nobody has woken it yet.
    [[nodiscard]] bool lies() const noexcept { return (word_.load_relaxed() & asleep) != 0; }

    [[nodiscard]] bool is_alerted() const noexcept { return (word_.load_relaxed() & alerted) != 0; }
    // Has it been alerted since it asked last? Acquire: pairs with `alert`.
    [[nodiscard]] bool was_alerted() noexcept {
        if ((word_.load_acquire() & alerted) == 0) return false;
        change(alerted, 0);
        return true;
    }

    // For a system call that waits until the word is another: as long as nobody has woken or
    // alerted the sleeper.
    [[nodiscard]] const void* address() const noexcept { return &word_; }
    [[nodiscard]] std::uint32_t unless_woken(bool lies_down) const noexcept {
        return (word_.load_relaxed() & (fenced | told)) | (lies_down ? asleep : 0);
    }

    // --- anybody

    // Makes it come back from any sleep, this one or the next. Must the caller wake it for that? If
    // not, nobody can sleep yet who has not heard of it.
    [[nodiscard]] bool alert() noexcept { return (change(0, alerted) & told) != 0; }

    // To be done by who must.
    void wake() const noexcept { how_.load_relaxed()(context_.load_relaxed()); }

    // --- who pushes

    // After the push: wakes the sleeper if that is needed.
    void ring() noexcept {
        if (must_wake()) [[unlikely]]
            wake();
    }

    // After the push: must the caller wake the sleeper?
    [[nodiscard]] bool must_wake() noexcept {
        // The push comes first. Pairs with the fence in `lie_down`, if that is one for all threads.
        Fences::compiler();
        std::uint32_t seen = word_.load_relaxed();
        if ((seen & (asleep | fenced)) == 0) [[likely]]
            return false;
        if ((seen & fenced) != 0) {
            Fences::full();  // pairs with the fence in `lie_down`, if that is for one thread
            seen = word_.load_relaxed();
        }
        // Acquire: pairs with `lie_down`, before which `wakes_by` has said how. Release: pairs with
        // `get_up`, so that the sleeper sees what it was woken for.
        while ((seen & asleep) != 0) {
            if (word_.try_exchange_acq_rel(seen, seen & ~asleep)) return true;
        }
        return false;
    }

private:
    static constexpr std::uint32_t asleep = 1;
    static constexpr std::uint32_t fenced = 2;
    static constexpr std::uint32_t alerted = 4;
    static constexpr std::uint32_t told = 8;  // how it is woken

    // Answers what it was before. Acquire and release: pairs with itself and with `must_wake`, so
    // what came before one change of the word comes before the next ones.
    std::uint32_t change(std::uint32_t without, std::uint32_t with) noexcept {
        std::uint32_t seen = word_.load_relaxed();
        while (!word_.try_exchange_acq_rel(seen, (seen & ~without) | with)) {
        }
        return seen;
    }

    Atomic<std::uint32_t> word_{0};
    Atomic<void (*)(void*) noexcept> how_{nullptr};
    Atomic<void*> context_{nullptr};
};

}  // namespace weir

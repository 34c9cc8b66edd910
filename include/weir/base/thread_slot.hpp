// SPDX-License-Identifier: MIT
// thread_slot: a small number that belongs to one thread for as long as the thread lives. What is
// kept in an array by these numbers has one writer at a time in each place, so a plain load and
// store suffice there.
//
// Invariant: no two living threads have the same number. A thread takes the lowest free one at its
// first question, by an exchange that acquires, and gives it back at its end by a release. So the
// next owner of a number sees all that the former one wrote.
//
// It is hosted because a thread's end has to be known. If the program asks again after that, in
// destructors of other thread-local objects, the thread has no number. In the child of a `fork` the
// numbers of the parent's other threads stay taken. Two processes hand out the same numbers, so
// nothing that is kept by them may lie in memory that processes share.
#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>

namespace weir {

// Exported even where a program hides its symbols: the libraries of a program must not hand out the
// same numbers. On Windows nothing can do that for them, so each DLL has numbers of its own, and
// what is kept by them belongs to one DLL.
#ifdef _WIN32
class thread_slot {
#else
class [[gnu::visibility("default")]] thread_slot {
#endif
public:
    static constexpr std::size_t most = std::size_t{8} * bits_of<word>;

    // The caller's number, or something that is not below `most`: then the thread has none, or has
    // never asked `find`. Wait-free.
    [[nodiscard, gnu::always_inline]] static std::size_t known() noexcept {
        return static_cast<std::size_t>(mine_) - 1;
    }

    // The same, but a thread that has never asked takes a number if one is free. Lock-free. The
    // first question of a thread may allocate what the system needs to know of the thread's end.
    [[nodiscard, gnu::noinline]] static std::size_t find() noexcept {
        if (mine_ == 0) take();
        return known();
    }

private:
    static constexpr word none = most + 1;

    struct end_of_thread {
        end_of_thread() noexcept = default;
        end_of_thread(const end_of_thread&) = delete;
        end_of_thread& operator=(const end_of_thread&) = delete;
        ~end_of_thread() {
            const word number = std::exchange(mine_, none) - 1;
            if (number >= most) return;
            // Takes the bit away. Pairs with the exchange in `take`, of the number's next owner.
            taken_[number / bits_of<word>].fetch_add_release(0 - bit(number % bits_of<word>));
        }
    };

    [[nodiscard]] static constexpr word bit(word place) noexcept { return word{1} << place; }

    // Relaxed where an exchange follows, which says what was there.
    static void take() noexcept {
        static thread_local const end_of_thread gives_back;
        mine_ = none;
        for (word i = 0; i < most / bits_of<word>; ++i) {
            for (word seen = taken_[i].load_relaxed(); seen != largest<word>;) {
                const auto lowest = static_cast<word>(std::countr_one(seen));
                // Pairs with the release of the number's former owner.
                if (!taken_[i].try_exchange_acq_rel(seen, seen | bit(lowest))) continue;
                mine_ = i * bits_of<word> + lowest + 1;
                return;
            }
        }
    }

    // The number and 1, or 0 before the first question.
    static constinit inline thread_local word mine_ = 0;
    static constinit inline atomic<word> taken_[most / bits_of<word>]{};
};

}  // namespace weir

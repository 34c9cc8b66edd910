// SPDX-License-Identifier: MIT
// exchanged: a value of several words that any number of threads read whole, and that any of them
// may exchange for another one if it is still the one they know. Nobody waits: a thread or a
// process that stops half-way, or dies, holds up nobody. (`published` is shorter to write to, and
// is for one writer at a time.)
//
// There are four copies. The head says which number's copy is the present value, and which number
// was given to a writer last; number n has copy n mod 4. A writer takes a number, writes its copy
// word by word, and then makes its number the present one, unless another was first. Linearisation
// point of an exchange: that exchange of the head.
//
// Invariant: the copy of the present number is whole and does not change. Proof: a number is given
// to one writer, and never one whose copy is present. A writer's number cannot become present once
// a later one of the same copy was given. So only a late writer can do harm, one whose number was
// followed by another of the same copy. It exchanges a word that it has read, and after it has read
// it, it sees that no later number of this copy was given. So what it read is older than what a
// later writer wrote there, and its exchange fails once that has been written, since no word is
// ever written twice: each is joined with a mask of its number. (Two are equal with odds of 1 to
// 2^64. Numbers come round after 2^32 exchanges.)
//
// A reader tries again only if another value became present meanwhile. An exchange fails only if
// another one succeeded, or if three others began. So up to three threads that exchange at the same
// time are lock-free. More than that are obstruction-free: they may take each other's numbers again
// and again, in theory for ever, until one of them runs for some dozen instructions undisturbed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/atomic.hpp>

namespace weir {

template <class T, template <class> class Atomic = atomic>
class exchanged {
public:
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);

    // The value, and its number for `try_exchange`.
    struct seen {
        T value;
        std::uint32_t number;
    };

    // Number 0 is the first one.
    explicit exchanged(const T& value) noexcept {
        const words written = words_of(value);
        for (std::size_t i = 0; i < size; ++i) copies_[0][i].store_relaxed(written[i]);
    }
    exchanged(const exchanged&) = delete;
    exchanged& operator=(const exchanged&) = delete;
    ~exchanged() = default;

    [[nodiscard, gnu::always_inline]] T load() const noexcept { return look().value; }

    [[nodiscard, gnu::always_inline]] seen look() const noexcept {
        seen s;
        do {
            s.number =
                present(head_.load_acquire());  // pairs with the exchange in `become_present`
            copy(s.value, s.number, indices{});
            // Relaxed: the words were acquired, which has shown each head that must not be missed.
        } while (present(head_.load_relaxed()) != s.number);
        return s;
    }

    // False if the value is no longer the one that was seen, or too many exchange it at once.
    [[nodiscard]] bool try_exchange(const seen& expected, const T& next) noexcept {
        std::uint32_t mine = 0;
        return take_number(expected.number, mine) && write(mine, words_of(next)) &&
               become_present(expected.number, mine);
    }

private:
    static constexpr std::size_t size = sizeof(T) / sizeof(std::uint64_t);
    static constexpr std::uint32_t copies = 4;
    using words = std::array<std::uint64_t, size>;
    using aliasing_word [[gnu::may_alias]] = std::uint64_t;
    using indices = std::make_index_sequence<size>;

    [[nodiscard]] static constexpr std::uint32_t present(std::uint64_t head) noexcept {
        return static_cast<std::uint32_t>(head >> 32U);
    }
    [[nodiscard]] static constexpr std::uint32_t given(std::uint64_t head) noexcept {
        return static_cast<std::uint32_t>(head);
    }
    [[nodiscard]] static constexpr std::uint64_t head_of(std::uint32_t present,
                                                         std::uint32_t given) noexcept {
        return std::uint64_t{present} << 32U | given;
    }
    [[nodiscard]] static constexpr bool is_taken_over(std::uint64_t head,
                                                      std::uint32_t mine) noexcept {
        return given(head) - mine >= copies;
    }
    [[nodiscard]] static constexpr std::uint64_t mask(std::uint32_t number) noexcept {
        return number * 0x9E37'79B9'7F4A'7C15U;
    }
    [[nodiscard]] static words words_of(const T& value) noexcept {
        words all;
        __builtin_memcpy(all.data(), &value, sizeof(T));
        return all;
    }

    // Word by word and without a loop, so that each can stay in a register.
    template <std::size_t... I>
    [[gnu::always_inline]] void copy(T& value, std::uint32_t number,
                                     std::index_sequence<I...> /*all*/) const noexcept {
        auto* const to = reinterpret_cast<aliasing_word*>(&value);
        const auto& from = copies_[number % copies];
        // Pairs with the exchange in `write`: who sees a word of a later number sees that this
        // number is no longer present.
        ((to[I] = from[I].load_acquire() ^ mask(number)), ...);
    }

    [[nodiscard]] bool take_number(std::uint32_t expected, std::uint32_t& mine) noexcept {
        // Pairs with the exchanges of the head: who follows on a number sees what came before.
        std::uint64_t head = head_.load_acquire();
        do {
            if (present(head) != expected) return false;
            mine = given(head) + 1;
            if (mine % copies == expected % copies) ++mine;
            // Pairs with the acquire in `copy` and in `write`, by way of the words written next.
        } while (!head_.try_exchange_acq_rel(head, head_of(expected, mine)));
        return true;
    }

    [[nodiscard]] bool write(std::uint32_t mine, const words& written) noexcept {
        for (std::size_t i = 0; i < size; ++i) {
            auto& to = copies_[mine % copies][i];
            // Pairs with the exchange below, of a later writer: who sees its word sees its number.
            std::uint64_t before = to.load_acquire();
            do {
                if (is_taken_over(head_.load_relaxed(), mine)) return false;
                // Pairs with itself, and with the acquire in `copy`.
            } while (!to.try_exchange_acq_rel(before, written[i] ^ mask(mine)));
        }
        return true;
    }

    [[nodiscard]] bool become_present(std::uint32_t expected, std::uint32_t mine) noexcept {
        std::uint64_t head = head_.load_relaxed();
        do {
            if (present(head) != expected || is_taken_over(head, mine)) return false;
            // Pairs with the acquire in `look`: who sees the number sees its words.
        } while (!head_.try_exchange_acq_rel(head, head_of(mine, given(head))));
        return true;
    }

    Atomic<std::uint64_t> head_{0};
    std::array<std::array<Atomic<std::uint64_t>, size>, copies> copies_;
};

}  // namespace weir

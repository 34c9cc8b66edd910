// SPDX-License-Identifier: MIT
// published: a value that one thread at a time replaces and any number read whole, without waiting
// for a writer that has stopped. (A sequence lock over two copies.)
//
// The version says which copy is the present one, and the writer writes the other. Linearisation
// point of a write: the store of the version. Invariant: the words of copy v mod 2 change only
// between the stores of v + 1 and v + 2, so a reader that finds version v before and after has
// read nothing else. It tries again only if a write was completed meanwhile.
//
// Two loads of the version are relaxed. The reader's second one comes after the words were
// acquired, which has shown it each version that it must not miss. The writer's reads what that
// thread, or the one whose turn was before, has stored.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>

namespace weir {

template <class T, template <class> class Atomic = atomic>
class published {
public:
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(word) == 0);

    explicit published(const T& value) noexcept { write(0, value); }
    published(const published&) = delete;
    published& operator=(const published&) = delete;
    ~published() = default;

    [[nodiscard, gnu::always_inline]] T load() const noexcept {
        T value;
        word version = 0;
        do {
            version = version_.load_acquire();  // pairs with the release in `store`
            copy(value, version, indices{});
        } while (version_.load_relaxed() != version);
        return value;
    }

    // By one thread at a time.
    void store(const T& value) noexcept {
        const word next = version_.load_relaxed() + 1;
        write(next, value);
        version_.store_release(next);  // pairs with the acquire in `load`: the words come before
    }

private:
    static constexpr std::size_t size = sizeof(T) / sizeof(word);
    using words = std::array<word, size>;
    using aliasing_word [[gnu::may_alias]] = word;
    using indices = std::make_index_sequence<size>;

    // Word by word and without a loop, so that each can stay in a register.
    template <std::size_t... I>
    [[gnu::always_inline]] void copy(T& value, word version,
                                     std::index_sequence<I...> /*all*/) const noexcept {
        auto* const to = reinterpret_cast<aliasing_word*>(&value);
        // Pairs with the release in `write`: who sees a word of version v + 2 sees that there is a
        // version v + 1.
        ((to[I] = copies_[version % 2][I].load_acquire()), ...);
    }

    void write(word version, const T& value) noexcept {
        words written;
        __builtin_memcpy(written.data(), &value, sizeof(T));
        for (std::size_t i = 0; i < written.size(); ++i) {
            // Pairs with the acquire in `copy`: the version before is stored before the word.
            copies_[version % 2][i].store_release(written[i]);
        }
    }

    Atomic<word> version_{0};
    std::array<std::array<Atomic<word>, size>, 2> copies_;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// log_places: where a sliding log records its units, a word each: inside the log, or in memory that
// it was given. Copies are relaxed: a log is moved only as long as nobody else knows of it.
#pragma once

#include <cstddef>

namespace weir {

template <std::size_t Places, class Word, template <class> class Atomic>
class log_places {
public:
    constexpr log_places() noexcept = default;
    log_places(log_places&& other) noexcept { copy(other); }
    log_places& operator=(log_places&& other) noexcept {
        copy(other);
        return *this;
    }
    ~log_places() = default;

    [[nodiscard]] Atomic<Word>& operator[](std::size_t i) noexcept { return places_[i]; }
    [[nodiscard]] const Atomic<Word>& operator[](std::size_t i) const noexcept {
        return places_[i];
    }
    [[nodiscard]] static constexpr std::size_t size() noexcept { return Places; }

private:
    void copy(const log_places& other) noexcept {
        for (std::size_t i = 0; i < Places; ++i) places_[i].store_relaxed(other[i].load_relaxed());
    }

    Atomic<Word> places_[Places];
};

template <class Word, template <class> class Atomic>
class log_places<0, Word, Atomic> {
public:
    constexpr log_places(Atomic<Word>* places, std::size_t size) noexcept
        : places_(places), size_(size) {}
    [[nodiscard]] Atomic<Word>& operator[](std::size_t i) const noexcept { return places_[i]; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

private:
    Atomic<Word>* places_;
    std::size_t size_;
};

}  // namespace weir

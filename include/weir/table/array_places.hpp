// SPDX-License-Identifier: MIT
// array_places: where the entries of a table lie: inside it, in memory that it was given, in one
// allocation of its own, or in memory where they have begun before.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <weir/base/atomic.hpp>

namespace weir {

// How many there are is told when the table is made, in memory that is given or allocated then.
inline constexpr std::size_t any_size = 0;

// They lie in memory that is given, and have begun there before: adapter/shm_table.hpp.
inline constexpr std::size_t elsewhere = SIZE_MAX;

// An array of places, or a std::span, a std::array or a std::vector of them.
template <class Memory, class Place>
concept memory_of = std::is_same_v<std::remove_extent_t<std::remove_reference_t<Memory>>, Place> ||
    requires(Memory&& m) {
    { m.data() } -> std::same_as<Place*>;
    m.size();
};

namespace detail {

[[nodiscard]] auto* first_of(auto&& memory) noexcept {
    if constexpr (requires { memory.data(); }) {
        return memory.data();
    } else {
        return &memory[0];
    }
}
[[nodiscard]] std::size_t size_of(auto&& memory) noexcept {
    if constexpr (requires { memory.size(); }) {
        return memory.size();
    } else {
        return sizeof(memory) / sizeof(memory[0]);
    }
}

}  // namespace detail

template <std::size_t Size, class Place>
class array_places {
public:
    [[nodiscard, gnu::always_inline]] constexpr Place& operator[](std::size_t i) noexcept {
        return places_[i];
    }
    [[nodiscard]] constexpr const Place& operator[](std::size_t i) const noexcept {
        return places_[i];
    }
    [[nodiscard, gnu::always_inline]] static constexpr std::size_t size() noexcept { return Size; }

private:
    Place places_[Size];
};

template <class Place>
class array_places<elsewhere, Place> {
public:
    array_places(Place* begun, std::size_t size) noexcept : places_(begun), size_(size) {}

    [[nodiscard, gnu::always_inline]] Place& operator[](std::size_t i) noexcept {
        return places_[i];
    }
    [[nodiscard]] const Place& operator[](std::size_t i) const noexcept { return places_[i]; }
    [[nodiscard, gnu::always_inline]] std::size_t size() const noexcept { return size_; }

private:
    Place* places_;
    std::size_t size_;
};

template <class Place>
class array_places<any_size, Place> : array_places<elsewhere, Place> {
    using base = array_places<elsewhere, Place>;

public:
    using base::size;
    using base::operator[];

    // Whatever is in that memory, the entries begin anew.
    array_places(Place* memory, std::size_t n) noexcept : base(memory, n) {
        for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(memory + i)) Place{};
    }
#if __STDC_HOSTED__
    // Throws std::bad_alloc; without exceptions the program ends.
    explicit array_places(std::size_t n) : base(new Place[n], n), is_own_(true) {}
#endif
    array_places(const array_places&) = delete;
    array_places& operator=(const array_places&) = delete;
    ~array_places() {  // NOLINT(modernize-use-equals-default): empty where freestanding
#if __STDC_HOSTED__
        if (is_own_) delete[] & base::operator[](0);
#endif
    }

private:
    bool is_own_ = false;
};

// So many of a table, or if the table lies elsewhere any number there.
template <std::size_t SizeOfTable, std::size_t Size, class Place>
using places_of_table = array_places<SizeOfTable == elsewhere ? elsewhere : Size, Place>;

// Which of an array's quotas an entry has. Relaxed order suffices: nobody uses an entry while its
// class changes.
template <bool HasClasses>
class class_number {
public:
    [[nodiscard, gnu::always_inline]] std::size_t get() const noexcept {
        return its_.load_relaxed();
    }
    void set(std::size_t of_class) noexcept {
        its_.store_relaxed(static_cast<std::uint8_t>(of_class));
    }

private:
    atomic<std::uint8_t> its_{0};
};
template <>
class class_number<false> {
public:
    [[nodiscard, gnu::always_inline]] static constexpr std::size_t get() noexcept { return 0; }
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// key_hash: a key becomes 64 bits that nobody foresees who does not know the seed. So nobody can
// choose keys that meet in one place of a table.
//
// The mixing function is that of wyhash, final version 4 (Wang Yi): a product of 64 by 64 bits,
// whose halves are joined. Its constants are not the published ones here but come from the seed, by
// splitmix64 (Steele, Lea and Flood, 2014), so that no key is known to make a product zero.
//
// A number is mixed by steps that can be undone: different numbers have different hashes. Two texts
// have equal ones with odds of 1 to 2^64.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/wide.hpp>

namespace weir {

// Random, and told to nobody: see adapter/random_seed.hpp. A test takes a fixed one.
struct seed {
    std::uint64_t value;
    constexpr explicit seed(std::uint64_t v) noexcept : value(v) {}
};

// A key of which you have computed a hash yourself, in all 64 bits. Keys with equal hashes share a
// limit.
struct hashed {
    std::uint64_t value;
    constexpr explicit hashed(std::uint64_t v) noexcept : value(v) {}
};

// A key's hash, as a table in the exact layout tells it, and takes it instead of the key. Another
// table has another seed, so there it is another key. As a number it may be kept or printed.
struct kept_hash {
    constexpr explicit kept_hash(std::uint64_t number) noexcept : number_(number) {}
    [[nodiscard]] constexpr explicit operator std::uint64_t() const noexcept { return number_; }
    friend constexpr auto operator<=>(const kept_hash&, const kept_hash&) noexcept = default;

private:
    std::uint64_t number_;
};

// An integer or an enumeration. Equal numbers of different types are equal keys.
template <class K>
concept number_key = (std::integral<K> || std::is_enum_v<K>)&&sizeof(K) <= 8;

// Text, or a span of bytes.
template <class K>
concept bytes_key = requires(const K& k) {
    { k.size() } -> std::convertible_to<std::size_t>;
    requires sizeof(*k.data()) == 1;
    requires std::has_unique_object_representations_v<std::remove_cvref_t<decltype(*k.data())>>;
};

class key_hash {
public:
    constexpr explicit key_hash(seed s) noexcept
        : a_(next(s.value)), b_(next(s.value)), c_(next(s.value)), d_(next(s.value)) {}

    template <number_key K>
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t operator()(K key) const noexcept {
        return of_number(static_cast<std::uint64_t>(key));
    }
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t operator()(hashed h) const noexcept {
        return of_number(h.value);
    }
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t
    operator()(kept_hash h) const noexcept {
        return static_cast<std::uint64_t>(h);
    }
    template <bytes_key K>
    [[nodiscard]] std::uint64_t operator()(const K& key) const noexcept {
        return of_bytes(reinterpret_cast<const char*>(key.data()), key.size());
    }
    // A text that ends with a zero, or at the end of its array.
    template <std::same_as<char> Char>
    [[nodiscard]] std::uint64_t operator()(const Char* const& text) const noexcept {
        return of_bytes(text, __builtin_strlen(text));
    }
    template <std::size_t Size>
    [[nodiscard]] std::uint64_t operator()(const char (&text)[Size]) const noexcept {
        std::size_t length = 0;
        while (length < Size && text[length] != 0) ++length;
        return of_bytes(text, length);
    }

private:
    // splitmix64; odd, so that no factor is zero.
    [[nodiscard]] static constexpr std::uint64_t next(std::uint64_t& state) noexcept {
        state += 0x9E37'79B9'7F4A'7C15;
        std::uint64_t z = state;
        z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9;
        z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EB;
        return (z ^ (z >> 31U)) | 1U;
    }

    // A product with an odd factor can be undone. Its upper bits depend on all bits of the number,
    // and go to the lower end of the next one.
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t
    of_number(std::uint64_t x) const noexcept {
        x = __builtin_bswap64((x ^ a_) * b_) * c_;
        x = (x ^ (x >> 32U)) * d_;
        return x ^ (x >> 32U);
    }

    [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t
    mixed(std::uint64_t x, std::uint64_t y) noexcept {
        const wide product = multiply(x, y);
        return product.high ^ product.low;
    }
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t
    ended(std::uint64_t x, std::uint64_t y, std::uint64_t length) const noexcept {
        const wide product = multiply(x ^ a_, y ^ b_);
        return mixed(product.low ^ c_ ^ length, product.high ^ d_);
    }

    template <class Word>
    [[nodiscard, gnu::always_inline]] static std::uint64_t read(const char* from) noexcept {
        Word w = 0;
        __builtin_memcpy(&w, from, sizeof w);
        return w;
    }
    [[nodiscard]] std::uint64_t of_bytes(const char* at, std::size_t length) const noexcept {
        std::uint64_t before = 0;
        std::size_t left = length;
        for (; left > 16; left -= 16, at += 16) {
            before = mixed(read<std::uint64_t>(at) ^ c_, read<std::uint64_t>(at + 8) ^ d_ ^ before);
        }
        std::uint64_t x = 0;
        std::uint64_t y = 0;
        if (left >= 8) {
            x = read<std::uint64_t>(at);
            y = read<std::uint64_t>(at + left - 8);
        } else if (left >= 4) {
            x = read<std::uint32_t>(at);
            y = read<std::uint32_t>(at + left - 4);
        } else if (left > 0) {
            x = read<std::uint8_t>(at) << 16U | read<std::uint8_t>(at + left / 2) << 8U |
                read<std::uint8_t>(at + left - 1);
        }
        return ended(x, y ^ before, length);
    }

    std::uint64_t a_;
    std::uint64_t b_;
    std::uint64_t c_;
    std::uint64_t d_;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// shm_head: what memory that processes share says of itself, at its beginning. It is written by
// whoever made it, before anybody else sees it, and never again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weir::detail {

// Words only, so that nothing lies between them.
struct shm_head {
    static constexpr std::uint64_t made_by_weir = 0x0A6D'6873'7269'6577;  // "weirshm\n"
    // Another one for each change of what lies in the memory, or of how keys are spread there.
    static constexpr std::uint64_t present_version = 1;
    static constexpr std::uint64_t of_limiter = 1;
    static constexpr std::uint64_t of_array = 2;
    static constexpr std::uint64_t of_keyed = 3;

    // What lies in it, so that whoever has another type does not join.
    struct form_type {
        std::uint64_t what;
        char cell[24];
        std::uint64_t word_bytes;
        std::uint64_t shared_bytes;  // before the entries
        std::uint64_t entry_bytes;
        std::uint64_t layout;
        friend bool operator==(const form_type&, const form_type&) = default;
    };
    // Equal clocks count from the same instant.
    struct clock_type {
        char source[40];
        std::uint64_t time_namespace;
        friend bool operator==(const clock_type&, const clock_type&) = default;
    };
    // What was asked for when it was made.
    struct terms_type {
        std::uint64_t entries;
        std::int64_t units;
        std::int64_t period;
        std::int64_t burst;
        std::int64_t start;
        std::int64_t debt;
        std::int64_t queue;
        std::int64_t guard;
        std::uint64_t whole_periods;
        std::uint64_t when_full;
        friend bool operator==(const terms_type&, const terms_type&) = default;
    };

    std::uint64_t magic;
    std::uint64_t version;
    std::uint64_t bytes;  // of the whole segment
    form_type form;
    char boot[40];
    clock_type clock;
    std::uint64_t hertz;
    terms_type terms;
    std::uint64_t seed;
    std::uint64_t arithmetic;  // what comes of some decisions at this rate
    std::uint64_t sum;         // of all words before

    [[nodiscard]] std::uint64_t sum_of_words() const noexcept;
};
static_assert(std::has_unique_object_representations_v<shm_head>);

// FNV-1a, by words.
struct shm_sum {
    std::uint64_t value = 0xCBF2'9CE4'8422'2325;

    constexpr void add(std::uint64_t word) noexcept {
        value = (value ^ word) * 0x0000'0100'0000'01B3;
        value ^= value >> 32U;
    }
};

inline std::uint64_t shm_head::sum_of_words() const noexcept {
    shm_sum all;
    const auto* const first = reinterpret_cast<const unsigned char*>(this);
    for (std::size_t at = 0; at < offsetof(shm_head, sum); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        __builtin_memcpy(&word, first + at, sizeof word);
        all.add(word);
    }
    return all.value;
}

}  // namespace weir::detail

// SPDX-License-Identifier: MIT
// item_buffer: what was read of a stream of items, each with its end (a newline, or a zero byte),
// and has not passed on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weir::command {

[[nodiscard]] std::uint64_t count_of(char c, std::string_view text) noexcept;

class item_buffer {
public:
    item_buffer(char end, std::size_t bytes) : bytes_(bytes), ending_(end) {}

    // Whole items, with their ends.
    [[nodiscard]] std::uint64_t whole() const noexcept { return whole_; }
    // The first of them.
    [[nodiscard]] std::string_view first(std::uint64_t items) const noexcept;
    // These and the beginning of another one.
    [[nodiscard]] std::string_view all() const noexcept { return {at(begin_), end_ - begin_}; }

    // Where more may be read to, and then how much was; no room if it is full.
    [[nodiscard]] std::size_t make_room() noexcept;
    [[nodiscard]] char* room() noexcept { return bytes_.data() + end_; }
    void add(std::size_t bytes) noexcept;
    // Nothing more comes: a beginning is an item, too.
    void end() noexcept;

    void grow() { bytes_.resize(2 * bytes_.size()); }
    [[nodiscard]] std::size_t capacity() const noexcept { return bytes_.size(); }

    // They have gone.
    void remove_first(std::uint64_t items, std::size_t bytes) noexcept;
    // Only so many whole items stay, the first ones.
    void keep_first(std::uint64_t items) noexcept;

private:
    [[nodiscard]] const char* at(std::size_t place) const noexcept { return bytes_.data() + place; }

    std::vector<char> bytes_;
    std::size_t begin_ = 0;
    std::size_t whole_end_ = 0;  // of the last whole item
    std::size_t end_ = 0;
    std::uint64_t whole_ = 0;
    char ending_;
};

}  // namespace weir::command

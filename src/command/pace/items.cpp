// SPDX-License-Identifier: MIT
#include "command/pace/items.hpp"

#include <algorithm>
#include <cstring>

namespace weir::command {

std::uint64_t count_of(char c, std::string_view text) noexcept {
    // Sixteen at a time, in bytes, for as many rounds as a byte can count. Compilers know how to do
    // that for any target; of a plain loop they make it only with -O3.
    using lanes = unsigned char __attribute__((vector_size(16)));
    const lanes wanted = lanes{} + static_cast<unsigned char>(c);
    std::uint64_t count = 0;
    while (text.size() >= sizeof(lanes)) {
        lanes sums = {};
        const std::size_t rounds = std::min<std::size_t>(text.size() / sizeof(lanes), 255);
        for (std::size_t i = 0; i < rounds; ++i) {
            lanes some;
            std::memcpy(&some, text.data() + i * sizeof some, sizeof some);
            sums -= static_cast<lanes>(some == wanted);  // which is -1 where it is true
        }
        for (std::size_t i = 0; i < sizeof(lanes); ++i) count += sums[i];
        text.remove_prefix(rounds * sizeof(lanes));
    }
    for (const char each : text) count += each == c ? 1 : 0;
    return count;
}

std::string_view item_buffer::first(std::uint64_t items) const noexcept {
    if (items >= whole_) return {at(begin_), whole_end_ - begin_};
    std::size_t place = begin_;
    for (; items != 0; --items) {
        const auto* const end =
            static_cast<const char*>(std::memchr(at(place), ending_, whole_end_ - place));
        place = static_cast<std::size_t>(end - bytes_.data()) + 1;
    }
    return {at(begin_), place - begin_};
}

std::size_t item_buffer::make_room() noexcept {
    const bool is_worth_it = begin_ >= bytes_.size() / 2 || end_ == bytes_.size();
    if (begin_ == end_ || is_worth_it) {
        std::memmove(bytes_.data(), at(begin_), end_ - begin_);
        end_ -= begin_;
        whole_end_ -= begin_;
        begin_ = 0;
    }
    return bytes_.size() - end_;
}

void item_buffer::add(std::size_t bytes) noexcept {
    const std::string_view added(at(end_), bytes);
    end_ += bytes;
    const std::size_t last = added.rfind(ending_);
    if (last == added.npos) return;
    whole_ += count_of(ending_, added.substr(0, last + 1));
    whole_end_ = end_ - bytes + last + 1;
}

void item_buffer::remove_first(std::uint64_t items, std::size_t bytes) noexcept {
    whole_ -= items;
    begin_ += bytes;
    if (whole_ == 0) whole_end_ = begin_;
}

void item_buffer::end() noexcept {
    if (begin_ == end_ || whole_end_ == end_) return;
    whole_end_ = end_;
    ++whole_;
}

void item_buffer::keep_first(std::uint64_t items) noexcept {
    const std::size_t kept = begin_ + first(items).size();
    std::memmove(bytes_.data() + kept, at(whole_end_), end_ - whole_end_);
    end_ -= whole_end_ - kept;
    whole_end_ = kept;
    whole_ = items;
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "command/sim/keys.hpp"

#include <weir/adapter/random_seed.hpp>

namespace weir::command {

// Whoever wrote the log must not be able to choose keys that meet, so the seed is random. It
// changes nothing of what is found.
keys::keys(std::size_t most) : most_(most), hash_(random_seed()), places_(1'024) {}

std::optional<std::uint32_t> keys::number_of(std::string_view key) {
    const std::uint64_t hash = hash_(key);
    const std::size_t mask = places_.size() - 1;
    const auto part = static_cast<std::uint32_t>(hash >> 32U);
    for (std::size_t i = static_cast<std::size_t>(hash) & mask;; i = (i + 1) & mask) {
        const place p = places_[i];
        if (p.number == 0) {
            if (all_.size() == most_) return {};
            const std::uint32_t number = add(hash, key);
            places_[i] = {part, number + 1};
            if (2 * all_.size() > places_.size()) grow();
            return number;
        }
        if (p.part == part && all_[p.number - 1].hash == hash) return p.number - 1;
    }
}

std::uint32_t keys::add(std::uint64_t hash, std::string_view key) {
    all_.push_back({hash, texts_.size()});
    texts_ += key.substr(0, shown);
    if (key.size() > shown) texts_ += "...";
    return static_cast<std::uint32_t>(all_.size() - 1);
}

void keys::grow() {
    std::vector<place> larger(2 * places_.size());
    const std::size_t mask = larger.size() - 1;
    for (const place p : places_) {
        if (p.number == 0) continue;
        std::size_t i = static_cast<std::size_t>(all_[p.number - 1].hash) & mask;
        while (larger[i].number != 0) i = (i + 1) & mask;
        larger[i] = p;
    }
    places_ = std::move(larger);
}

std::string_view keys::text(std::uint32_t number) const noexcept {
    const auto begin = static_cast<std::size_t>(all_[number].begin);
    const std::size_t end =
        number + 1 < all_.size() ? static_cast<std::size_t>(all_[number + 1].begin) : texts_.size();
    return std::string_view(texts_).substr(begin, end - begin);
}

}  // namespace weir::command

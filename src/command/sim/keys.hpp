// SPDX-License-Identifier: MIT
// keys: texts become numbers, in the order in which they come first. The number of keys is bounded,
// and so is what is kept of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/table/key_hash.hpp>

namespace weir::command {

class keys {
public:
    // A longer key is told apart by all of it, as a hash of 64 bits is, and shown by its beginning.
    static constexpr std::size_t shown = 64;

    explicit keys(std::size_t most);

    // Nothing for a new key when there are as many as can be.
    [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view key);

    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] std::size_t most() const noexcept { return most_; }
    [[nodiscard]] std::string_view text(std::uint32_t number) const noexcept;

private:
    struct kept {
        std::uint64_t hash;
        std::uint64_t begin;  // of its text
    };
    // A part of the hash says at once that another key is here.
    struct place {
        std::uint32_t part;
        std::uint32_t number;  // and 1; 0: nobody
    };

    void grow();
    [[nodiscard]] std::uint32_t add(std::uint64_t hash, std::string_view key);

    std::size_t most_;
    key_hash hash_;
    std::vector<place> places_;
    std::vector<kept> all_;
    std::string texts_;
};

}  // namespace weir::command

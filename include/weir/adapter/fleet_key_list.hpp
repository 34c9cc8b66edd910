// SPDX-License-Identifier: MIT
// fleet_key_list: places of a table in an order, first come first served. A place is on one list at
// most, and its links lie in the array of all places' records. One thread's own. Each call is
// wait-free and allocates nothing.
#pragma once

#include <cstdint>

namespace weir {

// A Record has two numbers, `before` and `after`.
template <class Record>
class fleet_key_list {
public:
    static constexpr std::uint32_t nobody = UINT32_MAX;

    explicit fleet_key_list(Record* of) noexcept : of_(of) {}

    [[nodiscard]] std::uint32_t first() const noexcept { return first_; }
    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

    void push_back(std::uint32_t place) noexcept {
        of_[place].before = last_;
        of_[place].after = nobody;
        (last_ == nobody ? first_ : of_[last_].after) = place;
        last_ = place;
        ++size_;
    }
    void remove(std::uint32_t place) noexcept {
        const Record& r = of_[place];
        (r.before == nobody ? first_ : of_[r.before].after) = r.after;
        (r.after == nobody ? last_ : of_[r.after].before) = r.before;
        --size_;
    }

private:
    Record* of_;
    std::uint32_t first_ = nobody;
    std::uint32_t last_ = nobody;
    std::uint32_t size_ = 0;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// batch: up to so many items that are emitted together, in place and in order.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <utility>

namespace weir {

template <class Item, std::size_t Most>
class batch {
public:
    batch() noexcept = default;
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;
    ~batch() { clear(); }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::span<Item> all() noexcept {
        return {reinterpret_cast<Item*>(bytes_), size_};
    }

    // Only if there is room.
    void add(Item&& item) noexcept {
        new (bytes_ + size_ * sizeof(Item)) Item(std::move(item));
        ++size_;
    }
    void clear() noexcept {
        for (Item& item : all()) item.~Item();
        size_ = 0;
    }

private:
    alignas(Item) unsigned char bytes_[Most * sizeof(Item)];
    std::size_t size_ = 0;
};

// For items that are emitted one by one.
template <class Item>
class batch<Item, 0> {};

}  // namespace weir

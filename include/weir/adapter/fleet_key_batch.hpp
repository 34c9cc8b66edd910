// SPDX-License-Identifier: MIT
// fleet_key_batch: what is asked of Redis in one call for many keys, and what came of each. It has
// memory for all that it ever holds. One thread's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <weir/adapter/fleet_supply.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/remote_lease.hpp>
#include <weir/base/word.hpp>

namespace weir {

class fleet_key_batch {
public:
    static constexpr std::size_t most = 256;

    // What one ask is for.
    struct purpose {
        std::uint32_t place;
        word want;           // units to lease, or that come back
        std::uint32_t owed;  // units that are to be charged besides
        bool gives_back;
        bool is_gone;  // the key is no longer in the table
    };

    explicit fleet_key_batch(std::size_t longest_key) : longest_key_(longest_key) {
        asks_.reserve(most);
        purposes_.reserve(most);
        texts_.resize(most * longest_key);
        answers_.resize(most);
    }

    [[nodiscard]] bool empty() const noexcept { return asks_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return asks_.size(); }

    // The key's text is copied: a key that has gone away leaves its place to the next one.
    void add(std::string_view key, const purpose& why) {
        char* const to = &texts_[asks_.size() * longest_key_];
        std::copy(key.begin(), key.end(), to);
        asks_.push_back({{to, key.size()}, why.want + why.owed, 0, why.gives_back});
        purposes_.push_back(why);
    }

    // Asks for all of that, or for nothing, to see whether Redis is there. `floor_of(place,
    // connection)` goes along with each lease, and `each(purpose, answer, connection)` hears what
    // came of it. The first error that is not of one key alone.
    template <class Store, class FloorOf, class Each>
    redis_error send(Store& store, FloorOf floor_of, Each each) {
        redis_error failed = store.connect();
        const auto connection = static_cast<std::uint32_t>(store.connections());
        for (std::size_t i = 0; i < purposes_.size(); ++i) {
            if (!purposes_[i].gives_back) asks_[i].floor = floor_of(purposes_[i].place, connection);
        }
        if (asks_.empty()) asks_.push_back({"", 0, 0, false});
        const auto answers = std::span(answers_).first(asks_.size());
        std::fill(answers.begin(), answers.end(), fleet_answer{failed});
        if (failed == redis_error::none) store.ask(std::span<const remote_lease>(asks_), answers);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (failed == redis_error::none && answers[i].error != redis_error::foreign_key)
                failed = answers[i].error;
            if (i < purposes_.size()) each(purposes_[i], answers[i], connection);
        }
        asks_.clear();
        purposes_.clear();
        return failed;
    }

private:
    std::size_t longest_key_;
    std::vector<remote_lease> asks_;
    std::vector<purpose> purposes_;
    std::vector<char> texts_;
    std::vector<fleet_answer> answers_;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// rows: what this worker can be asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <malloc.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sample.hpp"

namespace bench {

using numbers = std::vector<std::uint64_t>;

struct peer {
    std::string name;   // one word
    std::string title;  // as the table prints it
    double bytes = 0;   // of the heap, for each limiter or key; 0: it has none
    std::map<std::string, std::function<sample(const sample_size&)>> demands{};
    std::map<std::string, std::function<std::string(const numbers&)>> tells{};  // the other demands

    template <class Task>
    void answers(const std::string& demand, const std::shared_ptr<Task>& task) {
        demands[demand] = [task](const sample_size& size) {
            return sampling(*task, size).result();
        };
    }
};

struct peers {
    std::vector<peer> rows;
    std::vector<std::string> left_out;  // sentences
};

[[nodiscard]] inline std::size_t heap_in_use() {
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

// In direct.cpp, keyed.cpp and waiting.cpp.
void add_direct_peers(peers& to);
void add_waiting_peers(peers& to);
void add_keyed_peers(peers& to, std::size_t keys);

// Makes the limit of that row's name and decides; in a process that has made none before. Returns
// the nanoseconds, or nothing if there is none.
[[nodiscard]] std::string first_decision(const std::string& name);

}  // namespace bench

// SPDX-License-Identifier: MIT
// rows: what this worker can be asked.
#pragma once

#include <cstddef>
#include <functional>
#include <malloc.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sample.hpp"

namespace bench {

struct peer {
    std::string name;   // one word
    std::string title;  // as the table prints it
    double bytes = 0;   // of the heap, for each limiter or key; 0: it has none
    std::map<std::string, std::function<sample(const sample_size&)>> demands{};

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

// In direct.cpp and keyed.cpp.
void add_direct_peers(peers& to);
void add_keyed_peers(peers& to, std::size_t keys);

}  // namespace bench

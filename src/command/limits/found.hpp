// SPDX-License-Identifier: MIT
// What lies under the name of a limit in shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/adapter/shm_error.hpp>
#include <weir/adapter/shm_head.hpp>
#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

namespace weir::command {

struct found_limit {
    std::string name;  // as it is typed
    std::string path;
    shm_error wrong = shm_error::none;  // why it cannot be used
    int error = 0;                      // errno, where the system refused
    weir::detail::shm_head head = {};
    // Of a limit by itself, not of a table:
    std::optional<std::uint64_t> there;  // units that may pass now
    std::optional<nanoseconds> next;     // until one may pass

    // Something of weir's, whether or not it can be used.
    [[nodiscard]] bool is_weirs() const noexcept {
        return head.magic == weir::detail::shm_head::made_by_weir;
    }
    // "gcra", "keyed gcra": nothing if its head is damaged.
    [[nodiscard]] std::string kind() const;
    [[nodiscard]] std::optional<weir::quota> quota() const;
};

[[nodiscard]] found_limit look_at_limit(std::string_view name);

// All that lie in /dev/shm, by name.
[[nodiscard]] std::vector<found_limit> find_limits();

}  // namespace weir::command

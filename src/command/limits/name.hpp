// SPDX-License-Identifier: MIT
// Names of limits in shared memory, as they are typed: `api` is what a program opens as "/api". A
// name with another slash is the path of a file, as include/weir/adapter/shm.md says.
#pragma once

#include <string>
#include <string_view>

#include <weir/adapter/shm_error.hpp>

namespace weir::command {

[[nodiscard]] inline std::string opened_name(std::string_view typed) {
    return (typed.find('/') == typed.npos ? "/" : "") + std::string(typed);
}

// In one sentence, with the name; the last error of the system is what `errno` was.
[[nodiscard]] std::string sentence_of(std::string_view name, shm_error reason, int error);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "command/limits/name.hpp"

#include <system_error>

namespace weir::command {

std::string sentence_of(std::string_view name, shm_error reason, int error) {
    const std::string why = reason == shm_error::system_refused
                                ? std::generic_category().message(error)
                                : std::string(describe(reason));
    return "limit " + std::string(name) + ": " + why;
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// remote_lease: what is asked of Redis for one key by those who lease units of many.
#pragma once

#include <cstdint>
#include <string_view>

#include <weir/base/word.hpp>

namespace weir {

// Up to n units, or n units that come back. The floor is remote_limiter::lease's.
struct remote_lease {
    std::string_view key;
    word n = 0;
    std::uint64_t floor = 0;
    bool gives_back = false;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// Any bytes as a log of each format.
#include "log.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace weir::command;
    const std::string text(data, data + size);
    for (const auto by : {apart_by::key, apart_by::path, apart_by::nothing}) {
        for (const auto format : {log_format::access, log_format::haproxy, log_format::times}) {
            fuzz::judge(fuzz::log_disagreement<log_lines>(text, format, by));
        }
    }
    return 0;
}

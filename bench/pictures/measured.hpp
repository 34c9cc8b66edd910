// SPDX-License-Identifier: MIT
// measured: pictures of what was measured, made of the committed pages of results.
#pragma once

#include <string>

namespace bench {

// How late the pacer is by each way of waiting, of a page that bench_report has written.
[[nodiscard]] std::string waiting_svg(const std::string& results);

// What one decision takes, of weir and of others, of a page that bench_peers has written.
[[nodiscard]] std::string peers_svg(const std::string& results);

}  // namespace bench

// SPDX-License-Identifier: MIT
// What a soak has found, for people and for programs.
#pragma once

#include <string>

#include "campaign.hpp"
#include "command/style.hpp"

namespace weir::soak {

// Before it begins, and afterwards.
[[nodiscard]] std::string plan_text(const plan& p, const command::style& out);
[[nodiscard]] std::string results_text(const plan& p, const results& r, bool interrupted,
                                       const command::style& out);

[[nodiscard]] std::string json_text(const plan& p, const results& r, bool interrupted);

// One line, while it runs.
[[nodiscard]] std::string progress_text(const plan& p, const results& r);

}  // namespace weir::soak

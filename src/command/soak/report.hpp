// What a soak has found, for people and for programs.
#pragma once

#include <string>

#include "command/soak/campaign.hpp"
#include "command/style.hpp"

namespace weir::command::soak {

// Before it begins, and afterwards.
[[nodiscard]] std::string plan_text(const plan& p, const style& out);
[[nodiscard]] std::string results_text(const plan& p, const results& r, bool interrupted,
                                       const style& out);

[[nodiscard]] std::string json_text(const plan& p, const results& r, bool interrupted);

// One line, while it runs.
[[nodiscard]] std::string progress_text(const plan& p, const results& r);

}  // namespace weir::command::soak

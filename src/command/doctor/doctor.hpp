// SPDX-License-Identifier: MIT
// weir doctor: what this machine is like for limits, in plain words, and which settings suit it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command/doctor/findings.hpp"
#include "command/style.hpp"
#include "command/subcommand.hpp"

namespace weir::command {

int run_doctor(arguments all);

[[nodiscard]] std::string doctor_text(const doctor_facts& f, const style& out);
[[nodiscard]] std::string doctor_json(const doctor_facts& f);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// What the facts about a machine mean for limits, and what to do: one line each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command/doctor/facts.hpp"

namespace weir::command {

enum class grade { good, remark, warning };
[[nodiscard]] std::string_view describe(grade g) noexcept;

struct finding {
    std::string name;  // for programs
    grade how;
    std::string what;
    std::string means;
    std::string todo;  // empty: nothing is to be done
};

[[nodiscard]] std::vector<finding> judge(const doctor_facts& f);

// Which options of weir suit this machine.
struct setting_advice {
    std::string name;  // as it is written in a program
    std::string why;
};
[[nodiscard]] std::vector<setting_advice> advise(const doctor_facts& f);

}  // namespace weir::command

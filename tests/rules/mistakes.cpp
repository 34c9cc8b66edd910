// SPDX-License-Identifier: MIT
// What a new cell may lack: see weir_compiler_on in tests/CMakeLists.txt.
#include "../oracle/duel.hpp"

#ifdef A_RULE_WITHOUT_A_MODEL
struct cell_of_a_new_rule {
    using word_type = weir::word;
    struct rate {};
};
[[maybe_unused]] constexpr auto size = sizeof(oracle::duel<cell_of_a_new_rule>);
#endif

// In place of the soak, in a build without it (WEIR_BUILD_SOAK is off).
#include <stdexcept>

#include "command/soak/soak.hpp"

namespace weir::command {

int run_soak(arguments /*all*/) {
    throw std::runtime_error(
        "the soak is not in this program; toolchains/bootstrap soak builds one that has it");
}

}  // namespace weir::command

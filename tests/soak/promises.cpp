// SPDX-License-Identifier: MIT
#include "promises.hpp"

#include "command/text.hpp"

namespace weir::soak {
using command::fixed;
using command::grouped;

std::string in_words(const busiest& b, std::uint64_t hertz) {
    const double seconds = static_cast<double>(b.to - b.from) / static_cast<double>(hertz);
    return grouped(b.units) + " units passed within " + fixed(seconds * 1e6, 3) + " us";
}

}  // namespace weir::soak

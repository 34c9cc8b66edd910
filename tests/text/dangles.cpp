// SPDX-License-Identifier: MIT
// The text of a value that is gone.
#include <cstdio>

#include <weir/base/text.hpp>

int main() {
#ifdef DANGLES
    const char* wait = to_text(weir::seconds(1)).c_str();
    std::puts(wait);
#else
    std::puts(to_text(weir::seconds(1)).c_str());
#endif
    return 0;
}

// SPDX-License-Identifier: MIT
// load: how much of the machine others had while something was measured.
#pragma once

#include <ostream>

namespace bench {

class load {
public:
    load();

    // Of the time since this was made. What ended processes of ours used counts as ours.
    void write(std::ostream& out) const;

private:
    struct ticks {
        double all = 0;
        double busy = 0;
        double stolen = 0;  // by the hypervisor
        double ours = 0;
    };
    static ticks now();

    ticks start_;
};

}  // namespace bench

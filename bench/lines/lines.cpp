// SPDX-License-Identifier: MIT
// bench_lines: prints what the model of shared cache lines says for 2 to 128 cores. It measures
// nothing: what it starts from was measured on two cores and stands here.
#include "lines.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

namespace {

using bench::lines::ns_a_decision;
using bench::lines::per_ns;
using bench::lines::subject;
using bench::lines::time;

// One thread of an AMD EPYC; a transfer is such that two cores on one limiter take 42.5 ns a
// decision, as they do there.
constexpr time limiter_alone = 8'500;
constexpr time lease_alone = 500;
constexpr time stripe_alone = 4'500;
constexpr time core_stripe_alone = 1'400;
constexpr time key_alone = 40'400;
constexpr time restock = 20 * per_ns;
constexpr time transfer = 21'250;

// How much longer a transfer takes on larger machines, in hundredths: an assumption.
struct size {
    std::size_t cores;
    time longer;
};
constexpr std::array<size, 6> sizes{
    {{2, 100}, {8, 133}, {16, 167}, {32, 200}, {64, 300}, {128, 417}}};

}  // namespace

int main() {
    std::puts("A model, calibrated on two cores: ns a decision of each core, all cores at once\n");
    std::puts("| cores | a transfer | limiter | lease of 64 | striped | striped by core | keyed |");
    std::puts("| ----: | ---------: | ------: | ----------: | ------: | --------------: | ----: |");
    for (const size& s : sizes) {
        const time t = transfer * s.longer / 100;
        constexpr std::size_t lease = 64;
        constexpr std::size_t largest = 256;
        constexpr std::size_t lines = std::size_t{1} << 18U;  // of a million keys
        const auto of = [&](subject what, time own, std::size_t units) {
            return ns_a_decision(what, s.cores, {own, own + restock, t}, units, lines);
        };
        std::printf("| %5zu | %10.1f | %7.1f | %11.1f | %7.1f | %15.1f | %5.1f |\n", s.cores,
                    static_cast<double>(t) / static_cast<double>(per_ns),
                    of(subject::limiter, limiter_alone, 1), of(subject::leased, lease_alone, lease),
                    of(subject::leased, stripe_alone, largest),
                    of(subject::leased, core_stripe_alone, largest),
                    of(subject::keyed, key_alone, 1));
    }
    return 0;
}

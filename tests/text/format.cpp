// SPDX-License-Identifier: MIT
// std::format of what weir answers, for a standard library that has it.
#include <cstdio>
#include <format>
#include <string>

#ifdef WITH_THE_PACER
#include <weir/pacer/pacer.hpp>
#endif
#include <weir/adapter/std.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

namespace others {
enum class colour { red };
[[maybe_unused]] constexpr const char* describe(colour) { return "red"; }
}  // namespace others

static_assert(!std::is_default_constructible_v<std::formatter<others::colour>>,
              "what is not weir's is none of its business");

int main() {
    int wrong = 0;
    const auto expect = [&](const std::string& is, const char* should) {
        if (is == should) return;
        std::printf("%s, should be %s\n", is.c_str(), should);
        ++wrong;
    };
    using clock = weir::manual_clock<struct here>;
    weir::limiter<weir::gcra<>, clock> api{weir::per_second(10).with_burst(3)};
    expect(std::format("{}", api.try_acquire(3)), "admitted, 0 remaining");
    expect(std::format("{}", api.try_acquire()), "wait 100 ms");
    expect(std::format("[{:>12}]", api.try_acquire()), "[ wait 100 ms]");
    expect(std::format("{} {}", api.try_acquire(4), weir::verdict::wait), "never wait");
    expect(std::format("{:_<8}|", weir::milliseconds(5)), "5 ms____|");
    expect(std::format("{}", api.quota()), "10/s, burst 3");
    expect(std::format("{}", weir::quota_error::burst_not_positive),
           "a quota's burst must be at least one unit");
    weir::limiter<weir::gcra<>, clock> other{weir::per_second(1)};
    weir::all_of both{other, api};
    expect(std::format("{}", both.try_acquire()), "wait 100 ms, refused by limit 1");
#ifdef WITH_THE_PACER
    expect(std::format("{}, {}", weir::dropped::expired, weir::pushing::full),
           "its deadline has passed, the lane is full");
#endif
    return wrong == 0 ? 0 : 1;
}

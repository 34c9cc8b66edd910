// SPDX-License-Identifier: MIT
// Ten items through a pacer on a thread of its own.
#include <cstdio>

#ifdef SINGLE_HEADERS
#include "weir_pacer.hpp"
#else
#include <weir/adapter/pacer_thread.hpp>
#include <weir/pacer/pacer.hpp>
#endif

int main() {
    int sent = 0;
    auto numbers =
        weir::make_pacer<int>(weir::schedule{weir::per_second(1'000'000)},
                              weir::sink{[&sent](int&&) { ++sent; }, [](int&&, weir::dropped) {}});
    weir::pacer_thread runner{numbers, {}};
    if (const auto started = runner.start(); !started.runs()) return 1;
    {
        auto lane = numbers.open();
        for (int i = 0; i < 10; ++i) (void)lane.try_push(int{i});
    }
    numbers.close();
    runner.join();
    std::printf("%d sent\n", sent);
    return sent == 10 ? 0 : 1;
}

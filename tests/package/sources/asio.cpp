// SPDX-License-Identifier: MIT
#include <utility>  // Boost 1.74 needs it and does not include it

#include <boost/asio.hpp>

#include <weir/adapter/asio.hpp>
#include <weir/weir.hpp>

int main() {
    boost::asio::io_context io;
    weir::limiter api{weir::per_second(100)};
    bool passed = false;
    weir::async_acquire(
        api, 1, boost::asio::bind_executor(io, [&passed](auto failed) { passed = !failed; }));
    io.run();
    return passed ? 0 : 1;
}

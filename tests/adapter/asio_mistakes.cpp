// SPDX-License-Identifier: MIT
// Compiled once for each mistake, which the compiler must refuse.
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <weir/adapter/asio.hpp>
#include <weir/weir.hpp>

namespace {

void handle(boost::system::error_code) {}

#ifdef A_CELL_THAT_CANNOT_RESERVE
using limiter = weir::limiter<weir::sliding_log<10>>;
#else
using limiter = weir::limiter<>;
#endif

[[maybe_unused]] void use(limiter& limit, boost::asio::io_context& io) {
#ifdef A_TOKEN_WITHOUT_AN_EXECUTOR
    (void)io;
    weir::async_acquire(limit, 1, handle);
#else
    weir::async_acquire(limit, 1, boost::asio::bind_executor(io.get_executor(), handle));
#endif
}

}  // namespace

// SPDX-License-Identifier: MIT
#include "command/output.hpp"

#include <cerrno>
#include <poll.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "command/text.hpp"

namespace weir::command {

bool write_all(int file, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {  // whoever shares the stream made it non-blocking
            pollfd room = {file, POLLOUT, 0};
            ::poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

void write_out(std::string_view text) {
    if (!write_all(STDOUT_FILENO, text)) {
        throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
    }
}

void write_error(std::string_view text) noexcept {
    [[maybe_unused]] const bool written = write_all(STDERR_FILENO, text);
}

void complain(std::string_view message) { write_error(printable(message) + "\n"); }

}  // namespace weir::command

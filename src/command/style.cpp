// SPDX-License-Identifier: MIT
#include "command/style.hpp"

#include <clocale>
#include <cstdlib>
#include <langinfo.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace weir::command {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): nobody writes the environment or the locale, and these run
// before the first thread.
std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

bool locale_is_unicode() {
    // Of the locale only the characters: numbers keep their decimal point.
    if (std::setlocale(LC_CTYPE, "") == nullptr) return false;
    return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}
// NOLINTEND(concurrency-mt-unsafe)

// A terminal that knows cursor movements and colours.
bool is_capable_terminal(int file) {
    const std::string_view kind = environment("TERM");
    return ::isatty(file) != 0 && !kind.empty() && kind != "dumb";
}

}  // namespace

style style_of_output() {
    style s;
    winsize size{};
    if (::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_col != 0) {
        s.width = size.ws_col;
    }
    s.colour = is_capable_terminal(STDOUT_FILENO) && environment("NO_COLOR").empty();
    s.unicode = environment("TERM") != "dumb" && locale_is_unicode();
    return s;
}

bool error_is_terminal() { return is_capable_terminal(STDERR_FILENO); }

}  // namespace weir::command

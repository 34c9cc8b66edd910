// SPDX-License-Identifier: MIT
// lines: a file, a pipe or a terminal line by line, in memory that does not grow with what is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weir::command {

class lines {
public:
    static constexpr std::size_t longest = 65'536;  // bytes of a line that is passed on

    // Throws std::system_error if the file cannot be read. "-" is standard input.
    explicit lines(const std::string& path);
    lines(const lines&) = delete;
    lines& operator=(const lines&) = delete;
    ~lines();

    enum class found { line, too_long, nothing_yet, end };

    // The next line without its end, \n or \r\n; it is there until the next call. Of a line that is
    // too long only the beginning is there. `nothing_yet`: whoever writes has written nothing for a
    // while, so that the caller may look at other things, such as an interruption.
    [[nodiscard]] found next(std::string_view& line);

    // Did the last line lack its end?
    [[nodiscard]] bool is_cut_off() const noexcept { return cut_off_; }

    [[nodiscard]] std::uint64_t read_so_far() const noexcept { return read_; }
    // In bytes; 0 if nobody knows, as of a pipe.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

private:
    static constexpr std::size_t buffer_size = std::size_t{1} << 20U;
    static_assert(longest < buffer_size / 2);

    enum class refill { more, nothing_yet, end };
    [[nodiscard]] refill read_more();
    [[nodiscard]] found ended_line(std::size_t length, std::string_view& line);
    [[nodiscard]] found last_line(std::string_view& line);

    std::string path_;
    int file_ = -1;
    bool must_wait_ = false;  // what is not a regular file may have nothing to read for long
    bool is_over_ = false;
    bool cut_off_ = false;
    bool skipping_ = false;  // the rest of a line that was too long
    std::uint64_t read_ = 0;
    std::uint64_t size_ = 0;
    std::unique_ptr<char[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t scanned_ = 0;  // no line ends before here
    std::size_t end_ = 0;
};

}  // namespace weir::command

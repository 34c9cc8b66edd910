// SPDX-License-Identifier: MIT
// Standard input and output as a filter uses them: without a buffer, and ended early by an
// interruption. What cannot be read throws std::system_error. What cannot be written is answered as
// an errno, so that whoever writes can first settle what has been written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "command/interruption.hpp"

namespace weir::command {

// Refuses a standard input or output that is closed: the next file that the program opens would be
// taken for it. Refuses a file that would be read and added to for ever, too.
void expect_streams();

// Waits for input and reads what is there. 0 at its end; nothing if it was interrupted.
[[nodiscard]] std::optional<std::size_t> read_input(char* to, std::size_t most,
                                                    const interruption& asked);

// Writes all, unless it is interrupted; what was written is taken from `rest`. Its errno, or 0.
[[nodiscard]] int write_output(std::string_view& rest, const interruption& asked) noexcept;

// Throws it, if it is one.
void expect_written(int reason);

// Bytes from standard input to standard output, without a copy in this program where the system
// can do that: where one of both is a pipe, or the input is a file.
class byte_mover {
public:
    explicit byte_mover(const interruption& asked);
    byte_mover(const byte_mover&) = delete;
    byte_mover& operator=(const byte_mover&) = delete;
    // Pipes that hold so much are moved in fewer calls.
    static void widen_pipes(std::size_t bytes) noexcept;

    // Waits for input and tells how much of it may be moved at least, up to a mebibyte; 0 at its
    // end, or if it was interrupted.
    [[nodiscard]] std::size_t wait();

    // Moves so many of them, fewer if it was interrupted or fails. Its errno, or 0.
    [[nodiscard]] int move(std::size_t bytes);

    // All that were moved.
    [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }
    // Read and not moved.
    [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

private:
    enum class way : unsigned char { splice, send_file, copy };

    [[nodiscard]] std::size_t bytes_in_pipe();
    [[nodiscard]] std::size_t bytes_in_file() const;
    [[nodiscard]] std::size_t copied();
    [[nodiscard]] int copy(std::size_t bytes);

    const interruption& asked_;
    way how_ = way::copy;
    bool from_pipe_ = false;
    std::unique_ptr<char[]> buffer_;
    std::string_view rest_;  // of what is in the buffer
    std::uint64_t moved_ = 0;
};

}  // namespace weir::command

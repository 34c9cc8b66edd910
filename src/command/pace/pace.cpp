// SPDX-License-Identifier: MIT
#include "command/pace/pace.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <deque>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "command/interruption.hpp"
#include "command/output.hpp"
#include "command/pace/items.hpp"
#include "command/pace/limit.hpp"
#include "command/pace/report.hpp"
#include "command/pace/stream.hpp"
#include "command/progress.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

using unit_type = pace_options::unit_type;
using std::chrono::steady_clock;

constexpr std::size_t item_bytes = 256U << 10;
constexpr std::size_t longest_kept = 64U << 20;  // an item that may be dropped is read whole

constexpr std::chrono::milliseconds between_lines(250);

// One run: the limit, what has passed, and who asks it to end.
class run_of_pace {
public:
    explicit run_of_pace(const pace_options& o)
        : o_(o),
          limit_(o),
          // Lines on a terminal need no other line between them.
          shows_(!o.quiet && ::isatty(STDOUT_FILENO) == 0) {}

    // Passes all on, or what there is until it is interrupted.
    void go() {
        if (o_.unit == unit_type::bytes) {
            pace_bytes();
        } else if (o_.deadline) {
            pace_until_deadline();
        } else {
            pace_items();
        }
    }

    void tell() {
        line_.erase();
        if (passed_.dropped() != 0) {
            complain("weir pace: " + units_text(passed_.dropped(), o_) +
                     " dropped, which could not go within " + to_text(*o_.deadline).c_str());
        }
        if (o_.json) {
            write_error(stats_json(passed_, o_, limit_.waited()));
        } else if (o_.stats) {
            complain("weir pace: " + stats_text(passed_, o_));
        }
    }

    // Ends the program, if that was asked for.
    void end_if_interrupted() const {
        if (asked_ && left_ != 0) complain("weir pace: interrupted" + left_text());
        asked_.end_by_it();
    }

    // "; 12 bytes were read and have not passed", if it is so.
    [[nodiscard]] std::string left_text() const {
        return left_ == 0 ? "" : "; read and not passed on: " + plural(left_, "byte");
    }

private:
    // How many of them may go; waits until some may. 0 if it was interrupted.
    std::uint64_t pass(std::uint64_t units) {
        while (!asked_) {
            show();
            if (const word n = limit_.take(units); n != 0) return n;
            limit_.doze([this](nanoseconds time) { (void)wait(time); });
        }
        return 0;
    }

    void pace_bytes() {
        byte_mover mover(asked_);
        byte_mover::widen_pipes(grain_of(o_));
        while (const std::size_t there = mover.wait()) {
            const std::uint64_t before = mover.moved();
            const int reason = mover.move(pass(there));
            passed_.add(mover.moved() - before, mover.moved() - before);
            left_ = mover.left();
            expect_written(reason);
        }
        left_ = mover.left();
    }

    // Reads when nothing whole is left.
    void pace_items() {
        item_buffer items(ending(), item_bytes);
        if (grain_of(o_) > 64) byte_mover::widen_pipes(item_bytes);
        bool is_open = true;
        bool is_inside = false;  // the beginning of the first one has gone
        while (!asked_ && (is_open || items.whole() != 0)) {
            if (items.whole() != 0) {
                const std::uint64_t n = is_inside ? 1 : pass(items.whole());
                write(items, items.first(n), n, is_inside ? 0 : n);
                is_inside = false;
            } else if (items.make_room() != 0) {
                is_open = read(items);
            } else if (is_inside || pass(1) != 0) {  // it is longer than the buffer
                write(items, items.all(), 0, is_inside ? 0 : 1);
                is_inside = true;
            }
        }
    }

    // Reads whatever comes, and so knows when it came.
    void pace_until_deadline() {
        item_buffer items(ending(), item_bytes);
        const std::uint64_t most = most_within(o_, *o_.deadline);
        bool is_open = true;
        while (!asked_ && (is_open || items.whole() != 0)) {
            drop_late(items);
            show();
            const word n = items.whole() == 0 ? 0 : limit_.take(items.whole());
            if (n != 0) {
                write(items, items.first(n), n, n);
                forget(n);
                continue;
            }
            const bool reads = is_open && has_room(items);
            bool is_ready = false;
            const auto nap = [&](nanoseconds time) { is_ready = wait(time, reads); };
            if (items.whole() == 0) {
                nap(nanoseconds::longest());
            } else {
                limit_.doze(nap);
            }
            if (is_ready) is_open = read_with_time(items, most);
        }
    }

    // Of all lines that may have to wait. If they are many the others stay where they are.
    static bool has_room(item_buffer& items) {
        if (items.make_room() != 0) return true;
        if (items.capacity() < longest_kept) {
            items.grow();
            return true;
        }
        if (items.whole() == 0) {
            throw std::runtime_error(
                "an item is longer than 64 MiB, and --deadline keeps it whole");
        }
        return false;
    }

    bool read_with_time(item_buffer& items, std::uint64_t most) {
        const std::uint64_t before = items.whole();
        const bool is_open = read(items);
        if (items.whole() > most) {
            const std::uint64_t dropped = items.whole() - std::max(most, before);
            passed_.add_dropped(dropped);
            items.keep_first(items.whole() - dropped);
            left_ = items.all().size();
        }
        if (items.whole() != before)
            waiting_.push_back({steady_clock::now(), items.whole() - before});
        return is_open;
    }

    void drop_late(item_buffer& items) {
        const auto now = steady_clock::now();
        while (!waiting_.empty() && nanoseconds(now - waiting_.front().since) > *o_.deadline) {
            const std::uint64_t n = waiting_.front().items;
            passed_.add_dropped(n);
            items.remove_first(n, items.first(n).size());
            waiting_.pop_front();
        }
        left_ = items.all().size();
    }

    // The first of those that wait have gone.
    void forget(std::uint64_t items) {
        while (items != 0) {
            const std::uint64_t n = std::min(items, waiting_.front().items);
            waiting_.front().items -= n;
            if (waiting_.front().items == 0) waiting_.pop_front();
            items -= n;
        }
    }

    // False at the end.
    bool read(item_buffer& items) {
        show();
        const std::size_t room = items.make_room();
        const auto bytes = read_input(items.room(), room, asked_);
        if (bytes == 0U) items.end();
        items.add(bytes.value_or(0));
        left_ = items.all().size();
        return bytes != 0U;
    }

    // The first items, or the beginning of one.
    void write(item_buffer& items, std::string_view text, std::uint64_t whole,
               std::uint64_t counted) {
        std::string_view rest = text;
        const int reason = write_output(rest, asked_);
        const std::string_view written = text.substr(0, text.size() - rest.size());
        if (!rest.empty()) counted = std::min(counted, count_of(ending(), written));
        passed_.add(counted, written.size());
        items.remove_first(whole, written.size());
        left_ = items.all().size();
        expect_written(reason);
    }

    // Until then, or until there is input if that is waited for; and no longer than the progress
    // line may stay as it is. True if there is input.
    [[nodiscard]] bool wait(nanoseconds time, bool for_input = false) {
        if (shows_) time = smaller(time, nanoseconds(between_lines));
        return asked_.wait(time, for_input ? STDIN_FILENO : -1, POLLIN);
    }

    void show() {
        if (!shows_ || steady_clock::now() < next_line_) return;
        next_line_ = steady_clock::now() + between_lines;
        line_.show(stats_text(passed_, o_));
    }

    [[nodiscard]] char ending() const noexcept { return o_.unit == unit_type::lines ? '\n' : '\0'; }

    struct arrival {
        steady_clock::time_point since;
        std::uint64_t items;
    };

    const pace_options& o_;
    progress line_{0, true};
    interruption asked_;
    pace_limit limit_;
    passage passed_;
    std::uint64_t left_ = 0;  // bytes that were read and have not passed
    std::deque<arrival> waiting_;
    bool shows_;
    steady_clock::time_point next_line_{};
};

}  // namespace

int run_pace(arguments all) {
    const pace_options o = parse_pace(all);
    if (o.help) {
        write_out(pace_help);
        return 0;
    }
    expect_streams();
    // So that it can tell what has passed when its reader ends.
    const auto on_broken_pipe = ::signal(SIGPIPE, SIG_IGN);
    run_of_pace run(o);
    try {
        run.go();
    } catch (const std::system_error& e) {
        run.tell();
        if (e.code().value() == EPIPE && on_broken_pipe == SIG_DFL) {
            ::signal(SIGPIPE, SIG_DFL);
            ::raise(SIGPIPE);
        }
        throw std::runtime_error(e.what() + run.left_text());
    }
    run.tell();
    run.end_if_interrupted();
    return 0;
}

}  // namespace weir::command

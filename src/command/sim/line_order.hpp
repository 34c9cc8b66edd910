// SPDX-License-Identifier: MIT
// line_order: times of a log's lines as a time that never goes back, which is what a limit needs.
//
// A line that is up to half an hour behind the one before it came at the time of that one: servers
// write a request down when it is over. A line that is further away, ahead or behind, is held until
// the next one: if that is where the log was before, the held line had a wrong time and is left
// out. Else the time has moved. If it has moved back, as where summer time ends or a log of the day
// before follows, the rest is taken to be as many whole hours later as it needs.
#pragma once

#include <cstdint>
#include <optional>

#include "command/sim/arrival.hpp"

namespace weir::command {

class line_order {
public:
    // What became of a line, and of the one that was held before it: both go on to `pass`, which is
    // called with arrivals in the order of their times.
    template <class Pass>
    void take(const arrival& a, Pass pass) {
        if (!begun_) {
            begun_ = true;
            latest_ = a.time;
            pass(a);
            return;
        }
        if (held_ && moved_to(a.time)) {
            const arrival moved = *held_;
            held_.reset();
            go_on(moved, pass);
        }
        if (is_close(a.time)) {
            if (held_) {
                held_.reset();
                ++strays_;
            }
            pass(at(a));
            return;
        }
        if (held_) ++strays_;
        held_ = a;
    }

    // The last line may be held.
    template <class Pass>
    void end(Pass pass) {
        if (!held_) return;
        const arrival last = *held_;
        held_.reset();
        if (last.time > raw_of(latest_)) {
            go_on(last, pass);
        } else {
            ++strays_;
        }
    }

    [[nodiscard]] std::uint64_t late() const noexcept { return late_; }
    [[nodiscard]] std::uint64_t most_late() const noexcept { return most_late_; }  // nanoseconds
    [[nodiscard]] std::uint64_t strays() const noexcept { return strays_; }
    [[nodiscard]] std::uint64_t moved_back() const noexcept { return moved_back_; }

private:
    static constexpr std::uint64_t hour = 3'600'000'000'000;
    static constexpr std::uint64_t near_by = hour / 2;
    static constexpr std::uint64_t end_of_time = UINT64_MAX - hour;

    [[nodiscard]] std::uint64_t raw_of(std::uint64_t time) const noexcept { return time - ahead_; }
    [[nodiscard]] bool is_close(std::uint64_t raw) const noexcept {
        const std::uint64_t before = raw_of(latest_);
        return raw < before ? before - raw <= near_by : raw - before <= near_by;
    }
    // Does this line agree with the one that is held, rather than with those before it?
    [[nodiscard]] bool moved_to(std::uint64_t raw) const noexcept {
        if (raw + near_by < held_->time || is_close(raw)) return false;
        return held_->time > raw_of(latest_) || raw < raw_of(latest_);
    }

    template <class Pass>
    void go_on(arrival a, Pass pass) {
        const std::uint64_t before = raw_of(latest_);
        if (a.time < before) {
            const std::uint64_t hours = (before - a.time + hour - 1) / hour * hour;
            if (latest_ > end_of_time - hours - hour) {
                ++strays_;
                return;
            }
            ahead_ += hours;
            ++moved_back_;
        } else if (a.time > end_of_time - ahead_) {
            ++strays_;
            return;
        }
        pass(at(a));
    }

    [[nodiscard]] arrival at(arrival a) noexcept {
        const std::uint64_t time = a.time + ahead_;
        if (time < latest_) {
            ++late_;
            if (latest_ - time > most_late_) most_late_ = latest_ - time;
        } else {
            latest_ = time;
        }
        a.time = latest_;
        return a;
    }

    bool begun_ = false;
    std::uint64_t latest_ = 0;
    std::uint64_t ahead_ = 0;  // by how much the time is ahead of the log's
    std::optional<arrival> held_;
    std::uint64_t late_ = 0;
    std::uint64_t most_late_ = 0;
    std::uint64_t strays_ = 0;
    std::uint64_t moved_back_ = 0;
};

}  // namespace weir::command

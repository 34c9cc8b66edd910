// SPDX-License-Identifier: MIT
#include "command/sim/trace.hpp"

#include <algorithm>

namespace weir::command {
namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::size_t most_quoted = 100;  // characters of a line that was not understood

}  // namespace

trace::trace(const trace_terms& terms, keys& known)
    : lines_(terms.path), by_(terms.by), keys_(known), as_logged_(terms.as_logged) {
    if (terms.format) reader_.emplace(*terms.format, by_);
}

void trace::read(std::vector<arrival>& batch) {
    batch.clear();
    const auto is_full = [this] { return ready_.size() - given_ >= batch_size; };
    for (std::size_t i = 0; i < batch_size && !over_ && !is_full(); ++i) {
        std::string_view line;
        switch (lines_.next(line)) {
            case lines::found::line: take(line); break;
            case lines::found::too_long:
                decide();
                ++facts_.lines;
                refuse(line, "the line is longer than 65536 bytes");
                break;
            case lines::found::nothing_yet:
                decide();
                i = batch_size;
                break;
            case lines::found::end: end(); break;
        }
    }
    const std::size_t count = std::min(batch_size, ready_.size() - given_);
    const auto begin = ready_.begin() + static_cast<std::ptrdiff_t>(given_);
    batch.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    given_ += count;
    if (given_ == ready_.size()) {
        ready_.clear();
        given_ = 0;
    }
}

void trace::take(std::string_view line) {
    if (reader_) {
        parse(line);
        return;
    }
    undecided_.emplace_back(line);
    if (undecided_.size() == most_undecided) decide();
}

// Lines of which no format understands any are not understood, and the next ones decide.
void trace::decide() {
    if (undecided_.empty()) return;
    const auto format = likely_format(undecided_);
    reader_.emplace(format.value_or(log_format::times), by_);
    for (const std::string& line : undecided_) parse(line);
    undecided_.clear();
    if (!format) reader_.reset();
}

void trace::parse(std::string_view line) {
    ++facts_.lines;
    logged found{};
    switch (reader_->read(line, found)) {
        case log_lines::found::nothing: ++facts_.empty; return;
        case log_lines::found::not_understood: refuse(line, reader_->why()); return;
        case log_lines::found::request: break;
    }
    const auto key = keys_.number_of(found.key);
    if (!key) {
        ++facts_.without_place;
        return;
    }
    // A text of times says exactly what its writer wants; an access log says what it can.
    whole_second_ = found.time.whole_second && reader_->format() != log_format::times;
    order_.take({found.time.nanoseconds, *key, found.cost},
                [this](const arrival& a) { pass(a, whole_second_); });
}

void trace::refuse(std::string_view line, const char* why) {
    if (facts_.not_understood++ != 0) return;
    facts_.first_line = facts_.lines;
    facts_.first_text = line.substr(0, most_quoted);
    facts_.first_reason = why;
}

void trace::pass(const arrival& a, bool whole_second) {
    if (as_logged_ || !whole_second) {
        ready_.push_back(a);
        return;
    }
    facts_.spread = true;
    if (!second_.empty() && second_.back().time != a.time) let_go();
    if (second_.size() == most_in_second) let_go();
    second_.push_back(a);
}

// Spreads those of the second over it.
void trace::let_go() {
    const std::uint64_t count = second_.size();
    const bool is_full = count == most_in_second;
    const std::uint64_t length = is_full ? second - 1 : second;
    std::uint64_t i = 0;
    for (arrival& a : second_) {
        a.time += length * i++ / count;
        if (!ready_.empty() && a.time < ready_.back().time) a.time = ready_.back().time;
        ready_.push_back(a);
    }
    second_.clear();
}

void trace::end() {
    decide();
    order_.end([this](const arrival& a) { pass(a, whole_second_); });
    let_go();
    over_ = true;
}

trace_facts trace::facts() const {
    trace_facts f = facts_;
    f.late = order_.late();
    f.most_late = order_.most_late();
    f.strays = order_.strays();
    f.moved_back = order_.moved_back();
    f.cut_off = lines_.is_cut_off();
    return f;
}

std::optional<double> trace::share_so_far() const noexcept {
    if (lines_.size() == 0) return {};
    return static_cast<double>(lines_.read_so_far()) / static_cast<double>(lines_.size());
}

}  // namespace weir::command

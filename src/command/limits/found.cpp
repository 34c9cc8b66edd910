// SPDX-License-Identifier: MIT
#include "command/limits/found.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <type_traits>

#include <weir/adapter/shm.hpp>
#include <weir/adapter/shm_segment.hpp>
#include <weir/cell/kinds.hpp>

#include "command/limits/name.hpp"

namespace weir::command {
namespace {

// To look at a limit is no reason to care who else may write to it.
constexpr shm_access of_anybody = {.permissions = 0666};

template <class Limit>
void ask(Limit& its, found_limit& found) {
    const auto now = default_clock::now();
    found.there = its.peek(0, now).remaining();
    found.next = its.peek(1, now).retry_after();
}

// With the cell that its head says.
void join(const std::string& name, found_limit& found) {
    found.wrong = shm_error::another_kind;
    for_each_kind([&]<class Kind>(Kind) {
        using cell = typename Kind::template cell<1>;
        if constexpr (sizeof(cell) == sizeof(typename cell::word_type)) {
            if (std::strcmp(Kind::name, found.head.form.cell) != 0) return;
            auto its = shared_limiter<cell>::join(name.c_str(), of_anybody);
            found.error = errno;
            found.wrong = its.error();
            if (its) ask(*its, found);
        }
    });
}

// Text that another process wrote.
std::string text_of(const char* text, std::size_t most) { return {text, ::strnlen(text, most)}; }

}  // namespace

found_limit look_at_limit(std::string_view name) {
    found_limit found;
    found.name = name;
    const std::string opened = opened_name(name);
    const detail::shm_path path(opened.c_str());
    found.path = path.c_str();
    if (!path.is_allowed()) {
        found.wrong = shm_error::name_not_allowed;
        return found;
    }
    shm_segment memory;
    found.wrong = memory.join(path, of_anybody, found.head);
    found.error = errno;
    if (found.wrong == shm_error::none && found.head.form.what == detail::shm_head::of_limiter) {
        join(opened, found);
    }
    return found;
}

std::vector<found_limit> find_limits() {
    std::vector<found_limit> all;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
        found_limit found = look_at_limit(entry.path().filename().string());
        if (found.is_weirs()) all.push_back(std::move(found));
    }
    std::sort(all.begin(), all.end(),
              [](const found_limit& a, const found_limit& b) { return a.name < b.name; });
    return all;
}

std::string found_limit::kind() const {
    if (head.sum != head.sum_of_words()) return "";
    std::string cell = text_of(head.form.cell, sizeof head.form.cell);
    if (head.form.what == detail::shm_head::of_array) cell.insert(0, "array of ");
    if (head.form.what == detail::shm_head::of_keyed) cell.insert(0, "keyed ");
    return cell;
}

std::optional<quota> found_limit::quota() const {
    const auto& t = head.terms;
    const auto q = weir::quota::make(t.units, nanoseconds(t.period), t.burst);
    if (!q || kind().empty()) return {};
    return *q;
}

}  // namespace weir::command

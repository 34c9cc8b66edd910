// SPDX-License-Identifier: MIT
// shm_opening: how a limit, an array or a keyed table is found under a name or made there, for
// shm.hpp and shm_table.hpp.
//
// All users of a segment count at the rate of whoever made it: each makes it again from the quota,
// the options and the frequency in the head, never from the frequency that it has measured itself.
// Two measurements of one counter differ by some millionths, and that is enough for another shift.
// So that no other version of weir makes another rate of them, the head also has what comes of some
// decisions at this rate, and who gets something else does not join.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

#include <weir/adapter/shm_error.hpp>
#include <weir/adapter/shm_head.hpp>
#include <weir/adapter/shm_segment.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>

namespace weir::detail {

template <std::size_t Size>
void shm_write(char (&to)[Size], const char* text) noexcept {
    for (std::size_t i = 0; i < Size; ++i) to[i] = 0;
    for (std::size_t i = 0; i + 1 < Size && text[i] != 0; ++i) to[i] = text[i];
}

template <class Clock>
[[nodiscard]] shm_head::clock_type shm_clock() noexcept {
    static_assert(machine_clock<Clock>,
                  "limits in shared memory need a clock that is the same for all processes, as "
                  "default_clock: one of your own says so by `is_of_machine = true`");
    shm_head::clock_type is = {};
    const char* const source = Clock::facts().source;
    shm_write(is.source, source);
    // The monotonic clocks of the system begin with the time namespace; counters do not.
    struct stat own = {};
    if (__builtin_strncmp(source, "CLOCK_MONOTONIC", 15) == 0 &&
        stat("/proc/self/ns/time", &own) == 0)
        is.time_namespace = static_cast<std::uint64_t>(own.st_ino);
    return is;
}

[[nodiscard]] inline shm_error
shm_read_boot(char (&to)[40], const char* from = "/proc/sys/kernel/random/boot_id") noexcept {
    const shm_file file(open(from, O_RDONLY | O_CLOEXEC));
    if (!file.is_open() && shm_reason_of(errno) == shm_error::system_refused)
        return shm_error::system_refused;
    char text[37] = {};
    if (!file.is_open() || read(file.number(), text, 36) != 36) return shm_error::boot_unknown;
    shm_write(to, text);
    return shm_error::none;
}

// The name of a cell in the catalogue; null if it is not there.
template <class Cell>
[[nodiscard]] constexpr const char* shm_name_of_cell() noexcept {
    const char* name = nullptr;
    for_each_kind<typename Cell::word_type>([&]<class Kind>(Kind) {
        using of_kind = typename Kind::template cell<1, typename Cell::word_type>;
        if constexpr (std::is_same_v<of_kind, Cell>) name = Kind::name;
    });
    return name;
}

template <class Cell>
[[nodiscard]] shm_head::form_type shm_form_of_cell(std::uint64_t what) noexcept {
    static_assert(sizeof(Cell) == sizeof(typename Cell::word_type),
                  "a limit in shared memory is of a cell of one word, so not a log");
    static_assert(shm_name_of_cell<Cell>() != nullptr,
                  "a limit in shared memory is of a cell of the catalogue, which has a name there");
    shm_head::form_type form = {};
    shm_write(form.cell, shm_name_of_cell<Cell>());
    form.what = what;
    form.word_bytes = sizeof(typename Cell::word_type);
    return form;
}

// What comes of some decisions at a rate.
template <class Rate>
[[nodiscard]] std::uint64_t shm_arithmetic(const Rate& r) noexcept {
    using word = typename Rate::word_type;
    shm_sum all;
    for (const weir::word at : {weir::word{0}, static_cast<weir::word>(0x0123'4567'89AB'CDEF)}) {
        for (const word units : {word{0}, word{1}, r.burst()}) {
            const word state = r.filled(tick{at}, units);
            all.add(state);
            all.add(r.take(state, tick{at + 1}, 1).next);
            all.add(r.charge(state, tick{at + 1}, r.burst()).next);
        }
    }
    all.add(r.most_state().units);
    all.add(r.most_state().ticks);
    return all.value;
}

[[nodiscard]] inline shm_head::terms_type shm_terms(const quota& q, const options& o) noexcept {
    shm_head::terms_type terms = {};
    terms.units = q.units();
    terms.period = q.period().count();
    terms.burst = q.burst();
    terms.start = o.start;
    terms.debt = o.debt;
    terms.queue = o.queue;
    terms.guard = o.guard.count();
    terms.whole_periods = o.whole_periods ? 1 : 0;
    return terms;
}

// A segment that was opened, with the quota and the options of whoever made it, and the rate.
template <class Rate>
struct shm_opened {
    shm_segment memory;
    shm_head head = {};
    Rate rate;

    [[nodiscard]] weir::quota quota() const noexcept {
        const auto& t = head.terms;
        return *weir::quota::make(t.units, nanoseconds(t.period), t.burst);
    }
    [[nodiscard]] weir::options options() const noexcept {
        const auto& t = head.terms;
        return {t.start, t.debt, t.queue, nanoseconds(t.guard), t.whole_periods != 0};
    }

    [[nodiscard]] std::size_t size() const noexcept {
        return static_cast<std::size_t>(head.terms.entries);
    }
    // How many units are there when it is made.
    [[nodiscard]] typename Rate::word_type first_units() const noexcept {
        const auto& t = head.terms;
        return static_cast<typename Rate::word_type>(
            t.start == weir::options::whole_burst ? t.burst : t.start);
    }

    // The rate that they make at the frequency in the head.
    [[nodiscard]] bool make_rate() noexcept {
        const auto& t = head.terms;
        if (!weir::quota::make(t.units, nanoseconds(t.period), t.burst)) return false;
        const auto made = Rate::make(quota(), head.hertz, options());
        if (made) rate = *made;
        return static_cast<bool>(made);
    }

    // Its size; false if that is more than memory can hold.
    [[nodiscard]] bool count_bytes(std::uint64_t& bytes) const noexcept {
        const std::uint64_t before = shm_segment::head_bytes + head.form.shared_bytes;
        const std::uint64_t most = (PTRDIFF_MAX - before) / head.form.entry_bytes;
        bytes = before + head.terms.entries * head.form.entry_bytes;
        return head.terms.entries != 0 && head.terms.entries <= most;
    }
};

// Why limits with this quota and these options cannot be shared, or `none`.
template <class Limits>
[[nodiscard]] quota_error shm_refusal(const quota& q, const options& o) noexcept {
    // A process could not tell the others where it has moved the windows to.
    if (o.anchor != nanoseconds{}) return quota_error::anchor_unknown;
    return Limits::refusal(q, o);
}

// Is what was joined what this program expects?
template <class Clock, class Rate>
[[nodiscard]] shm_error shm_accept(shm_opened<Rate>& it, const shm_head& expected,
                                   const shm_head::terms_type* terms) noexcept {
    if (it.head.form != expected.form) return shm_error::another_kind;
    if (__builtin_memcmp(it.head.boot, expected.boot, sizeof expected.boot) != 0)
        return shm_error::another_boot;
    if (it.head.clock != expected.clock) return shm_error::another_clock;
    // Measurements differ by some millionths, and the system's clock runs up to 500 millionths fast
    // or slow while it is corrected. What differs by two thousandths is another clock.
    const std::uint64_t own = expected.hertz;
    const std::uint64_t its = it.head.hertz;
    if ((its > own ? its - own : own - its) > own / 500) return shm_error::another_clock;
    if (its < Clock::lowest_hertz || its > Clock::highest_hertz) return shm_error::another_clock;

    std::uint64_t bytes = 0;
    if (!it.count_bytes(bytes) || bytes != it.head.bytes) return shm_error::corrupt;
    if (!it.make_rate()) return shm_error::corrupt;
    if (it.head.arithmetic != shm_arithmetic(it.rate)) return shm_error::another_arithmetic;
    return terms == nullptr || it.head.terms == *terms ? shm_error::none : shm_error::another_quota;
}

// Joins what has this name, and if there is nothing makes it with these terms. Without terms it
// makes nothing. The seed is for keys. `begin(memory, it)` lets begin what lies there. Lock-free:
// it tries again only if somebody else has made it, and somebody has removed it, in between.
template <class Clock, class Rate, class Begin>
[[nodiscard]] shm_error shm_open(const char* name, const shm_head::form_type& form,
                                 const shm_head::terms_type* terms, std::uint64_t seed,
                                 shm_access access, shm_opened<Rate>& it, Begin begin) noexcept {
    const shm_path path(name);
    if (!path.is_allowed()) return shm_error::name_not_allowed;
    constexpr unsigned needed = 0600;
    if ((access.permissions & needed) != needed || access.permissions > 0777)
        return shm_error::permissions_not_allowed;
    shm_head own = {};
    own.form = form;
    own.seed = seed;
    own.clock = shm_clock<Clock>();
    own.hertz = Clock::hertz();
    shm_error reason = shm_read_boot(own.boot);
    if (reason != shm_error::none) return reason;

    for (int tries = 0; tries < 100; ++tries) {
        reason = it.memory.join(path, access, it.head);
        if (reason == shm_error::none) return shm_accept<Clock>(it, own, terms);
        if (reason != shm_error::not_there || terms == nullptr) return reason;
        it.head = own;
        it.head.terms = *terms;
        if (!it.count_bytes(it.head.bytes)) return shm_error::size_refused;
        if (!it.make_rate()) return shm_error::quota_refused;
        it.head.arithmetic = shm_arithmetic(it.rate);
        bool is_first = false;
        reason = it.memory.make(path, access, it.head, is_first,
                                [&](void* memory) noexcept { begin(memory, it); });
        if (reason != shm_error::none || is_first) return reason;
    }
    errno = EAGAIN;
    return shm_error::system_refused;
}

}  // namespace weir::detail

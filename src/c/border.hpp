// SPDX-License-Identifier: MIT
// The border between C and C++: nothing that is thrown crosses it, and what C gives is looked at
// before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <weir/cell/quota.hpp>
#include <weir/weir.h>

#include "quota_status.hpp"

namespace weir::c {

// What `act` returns; a status in place of what it throws: memory that is missing, or a lock that
// the system refuses.
template <class Act>
[[nodiscard]] weir_status guarded(Act act) noexcept {
    try {
        return act();
    } catch (const std::bad_alloc&) {
        return WEIR_NO_MEMORY;
    } catch (...) {
        return WEIR_FAILED;
    }
}

// A struct that grows begins with its size and the version of the header that the program was
// compiled with. Each is refused by itself: a program that is too new could ask for what this
// library would silently leave out. `first` is the size that the struct had in its first version,
// and what came later has its default then.
template <class Struct>
[[nodiscard]] weir_status version_of(const Struct& given, std::size_t first) noexcept {
    if (const weir_status s = weir_serves(given.abi); s != WEIR_OK) return s;
    if (given.size > sizeof(Struct)) return WEIR_TOO_NEW;
    return given.size < first ? WEIR_TOO_OLD : WEIR_OK;
}
template <class Struct>
[[nodiscard]] weir_status read(const Struct* given, Struct& to) noexcept {
    if (given == nullptr) return WEIR_OK;
    const weir_status s = version_of(*given, sizeof(Struct));  // each is in its first version
    if (s == WEIR_OK) __builtin_memcpy(&to, given, given->size);
    return s;
}
// The same for what the library fills in: `fill` gets a struct of its own version.
template <class Struct, class Fill>
[[nodiscard]] weir_status write(Struct* to, const Struct& unknown, Fill fill) noexcept {
    if (to == nullptr) return WEIR_NULL;
    if (const weir_status s = version_of(*to, sizeof(Struct)); s != WEIR_OK) return s;
    Struct all = unknown;
    all.size = to->size;
    all.abi = to->abi;
    const weir_status s = fill(all);
    if (s == WEIR_OK) __builtin_memcpy(to, &all, to->size);
    return s;
}

[[nodiscard]] inline weir_status read(const weir_quota& given, auto act) noexcept {
    const auto made = quota::make(given.units, nanoseconds(given.period_ns), given.burst);
    if (!made) return status_of(made.error());
    return guarded([&] { return act(*made); });
}
[[nodiscard]] inline weir_quota as_c(const quota& q) noexcept {
    return {q.units(), q.period().count(), q.burst()};
}

// Makes a T for the caller, or says that there is no memory for it. What it throws is caught by
// `guarded`.
template <class T, class Handle, class... Arguments>
[[nodiscard]] weir_status make(Handle** to, Arguments&&... arguments) {
    T* const made = new (std::nothrow) T(std::forward<Arguments>(arguments)...);
    if (made == nullptr) return WEIR_NO_MEMORY;
    *to = made;
    return WEIR_OK;
}

}  // namespace weir::c

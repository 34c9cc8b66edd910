// SPDX-License-Identifier: MIT
// Versions and statuses: what the numbers of weir.h mean.

#include <cstring>

#include <weir/cell/obeyed.hpp>
#include <weir/cell/quota_error.hpp>
#include <weir/weir.h>
#include <weir/weir_redis.h>
#include <weir/weir_redis_tls.h>

#include "quota_status.hpp"
#include "redis_status.hpp"

namespace weir::c {

namespace {

constexpr std::uint32_t oldest_abi = 1;

[[nodiscard]] const char* text_of_quota_error(weir_status status) noexcept {
    for (unsigned i = 0; i <= UINT8_MAX; ++i) {
        const auto reason = static_cast<quota_error>(i);
        if (status_of(reason) == status) return describe(reason);
    }
    // Redis's are told here, so that a program has one call for all; who asks it is libweir_redis.
    for (unsigned i = 0; i <= UINT8_MAX; ++i) {
        const auto reason = static_cast<redis_error>(i);
        if (redis_number_of(reason) == status && is_one_of_c(reason)) return describe(reason);
    }
    return "unknown status";
}

}  // namespace

}  // namespace weir::c

const char* weir_version(void) { return WEIR_VERSION; }

std::uint32_t weir_abi(void) { return WEIR_ABI; }

weir_status weir_serves(std::uint32_t abi) {
    if (abi > WEIR_ABI) return WEIR_TOO_NEW;
    return abi < weir::c::oldest_abi ? WEIR_TOO_OLD : WEIR_OK;
}

std::size_t weir_size_of(const char* name) {
    struct known {
        const char* name;
        std::size_t size;
    };
    static constexpr known all[] = {
        {"quota", sizeof(weir_quota)},
        {"options", sizeof(weir_options)},
        {"answer", sizeof(weir_answer)},
        {"permit", sizeof(weir_permit)},
        {"state", sizeof(weir_state)},
        {"snapshot", sizeof(weir_snapshot)},
        {"view", sizeof(weir_view)},
        {"call", sizeof(weir_call)},
        {"keyed_options", sizeof(weir_keyed_options)},
        {"keyed_state", sizeof(weir_keyed_state)},
        {"pacer_options", sizeof(weir_pacer_options)},
        {"lane_options", sizeof(weir_lane_options)},
        {"next_poll", sizeof(weir_next_poll)},
        {"thread_options", sizeof(weir_thread_options)},
        {"pacer_state", sizeof(weir_pacer_state)},
        {"redis_options", sizeof(weir_redis_options)},
        {"remote_answer", sizeof(weir_remote_answer)},
        {"remote_request", sizeof(weir_remote_request)},
        {"fleet_options", sizeof(weir_fleet_options)},
        {"fleet_state", sizeof(weir_fleet_state)},
        {"redis_tls_options", sizeof(weir_redis_tls_options)},
    };
    if (name == nullptr) return 0;
    for (const known& k : all) {
        if (std::strcmp(k.name, name) == 0) return k.size;
    }
    return 0;
}

const char* weir_text(weir_status status) {
    switch (status) {
        case WEIR_OK: return "ok";
        case WEIR_WAIT: return "not now: wait and ask again";
        case WEIR_NEVER: return "more units than the limit ever lets pass";
        case WEIR_TOO_LATE: return "it would have taken too long";
        case WEIR_LANE_FULL: return "the lane is full";
        case WEIR_CLOSED: return "the lane or the pacer is closed";
        case WEIR_NO_LANE: return "a pacer has 64 lanes, and all are taken";
        case WEIR_MISSES_DEADLINE: return "it would miss its deadline";
        case WEIR_RUNS_WITHOUT:
            return "the thread runs, but something that its options ask for was refused";
        case WEIR_IN_PART: return describe(weir::obeyed::in_part);
        case WEIR_NO_PLACE: return describe(weir::obeyed::no_place);
        case WEIR_NULL: return "a pointer is NULL that must not be";
        case WEIR_NEGATIVE: return "a number of units or a time is negative";
        case WEIR_NO_MEMORY: return "there is no memory for it";
        case WEIR_TOO_NEW:
            return "the program was compiled for a newer libweir: its struct or version is unknown "
                   "here";
        case WEIR_TOO_OLD:
            return "the program was compiled for an older libweir, or a struct was not begun with "
                   "its _INIT";
        case WEIR_NOT_SUPPORTED: return "this limit cannot do that";
        case WEIR_NO_INDEX: return "the array has no such entry";
        case WEIR_NO_CELL: return "no cell has this name, or not one that serves here";
        case WEIR_NO_VALUE: return "an option has a value that it cannot have";
        case WEIR_NOT_THIS_MANY:
            return "too few or too many: of limits that go together, of entries, or of places";
        case WEIR_GIVEN_TWICE: return "all_of takes each limit once";
        case WEIR_IN_CALLBACK: return "a callback of the pacer cannot do that";
        case WEIR_LANES_OPEN: return "lanes of the pacer are still open";
        case WEIR_NOT_STARTED: return "the pacer's thread cannot be started";
        case WEIR_MISUSED: return "two threads use one lane, or two poll one pacer";
        case WEIR_FOREIGN_PERMIT: return "the permit is not one of this limit";
        case WEIR_NOT_RESTORED: return "a limit of this quota cannot be in that state";
        case WEIR_FAILED: return "the system refused what the call needs";
        case WEIR_BAD_QUOTA: return "a quota or an option is refused";
        case WEIR_FLEET_KEY_TOO_LONG:
            return "a key of leased limits has 64 bytes at most: give a hash of it";
        case WEIR_NOT_OF_ONE_VERSION:
            return "libweir, libweir_redis and libweir_redis_tls are of different versions: "
                   "install them together";
        default: return weir::c::text_of_quota_error(status);
    }
}

// SPDX-License-Identifier: MIT
// The numbers of weir_redis.h for what redis_error says. They never change, whatever the order in
// the enumeration becomes. libweir has the sentences, and libweir_redis returns the numbers.
#pragma once

#include <weir/adapter/redis_error.hpp>
#include <weir/weir_redis.h>

namespace weir::c {

[[nodiscard]] constexpr weir_status redis_number_of(redis_error reason) noexcept {
    switch (reason) {
        case redis_error::none: return WEIR_OK;
        case redis_error::name_refused: return WEIR_REDIS_NAME_REFUSED;
        case redis_error::key_too_long: return WEIR_REDIS_KEY_TOO_LONG;
        case redis_error::burst_not_the_window: return WEIR_REDIS_BURST_NOT_THE_WINDOW;
        case redis_error::period_not_whole: return WEIR_REDIS_PERIOD_NOT_WHOLE;
        case redis_error::numbers_too_large: return WEIR_REDIS_NUMBERS_TOO_LARGE;
        case redis_error::log_too_long: return WEIR_REDIS_LOG_TOO_LONG;
        case redis_error::down: return WEIR_REDIS_DOWN;
        case redis_error::too_slow: return WEIR_REDIS_TOO_SLOW;
        case redis_error::cut_off: return WEIR_REDIS_CUT_OFF;
        case redis_error::not_signed_in: return WEIR_REDIS_NOT_SIGNED_IN;
        case redis_error::not_permitted: return WEIR_REDIS_NOT_PERMITTED;
        case redis_error::read_only: return WEIR_REDIS_READ_ONLY;
        case redis_error::out_of_memory: return WEIR_REDIS_OUT_OF_MEMORY;
        case redis_error::busy: return WEIR_REDIS_BUSY;
        case redis_error::moved: return WEIR_REDIS_MOVED;
        case redis_error::foreign_key: return WEIR_REDIS_FOREIGN_KEY;
        case redis_error::refused_by_server: return WEIR_REDIS_REFUSED;
        case redis_error::not_understood: return WEIR_REDIS_NOT_UNDERSTOOD;
        case redis_error::processes_not_said: return WEIR_FLEET_PROCESSES_NOT_SAID;
        case redis_error::burst_too_small_for_leases: return WEIR_FLEET_BURST_TOO_SMALL;
        case redis_error::burst_too_small_for_rate: return WEIR_FLEET_BURST_TOO_SMALL_FOR_RATE;
        case redis_error::least_lease_too_large: return WEIR_FLEET_LEAST_LEASE_TOO_LARGE;
        case redis_error::keys_refused: return WEIR_FLEET_KEYS_REFUSED;
        case redis_error::no_thread: return WEIR_FLEET_NO_THREAD;
        case redis_error::authorities_not_read: return WEIR_TLS_AUTHORITIES_NOT_READ;
        case redis_error::certificate_not_read: return WEIR_TLS_CERTIFICATE_NOT_READ;
        case redis_error::key_not_read: return WEIR_TLS_KEY_NOT_READ;
        case redis_error::no_tls: return WEIR_TLS_NONE;
        case redis_error::not_trusted: return WEIR_TLS_NOT_TRUSTED;
        case redis_error::another_host: return WEIR_TLS_ANOTHER_HOST;
        case redis_error::not_valid_now: return WEIR_TLS_NOT_VALID_NOW;
        case redis_error::certificate_wanted: return WEIR_TLS_CERTIFICATE_WANTED;
        default: return WEIR_REDIS_REFUSED;  // of Asio, which C has not
    }
}
// Not one of those, whose sentence is another's.
[[nodiscard]] constexpr bool is_one_of_c(redis_error reason) noexcept {
    return redis_number_of(reason) != WEIR_REDIS_REFUSED ||
           reason == redis_error::refused_by_server;
}

}  // namespace weir::c

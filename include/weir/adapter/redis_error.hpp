// SPDX-License-Identifier: MIT
// redis_error: why a limit in Redis is not made, or gives no decision. No sentence holds anything
// that a server, a key or an option says, so none tells a password.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir {

enum class redis_error : std::uint8_t {
    none,
    // what was asked for
    name_refused,
    key_too_long,
    burst_not_the_window,
    period_not_whole,
    numbers_too_large,
    log_too_long,
    // of a fleet_limiter
    processes_not_said,
    burst_too_small_for_leases,
    burst_too_small_for_rate,
    least_lease_too_large,
    keys_refused,
    no_thread,
    authorities_not_read,
    certificate_not_read,
    key_not_read,
    // nothing was sent, so nothing was taken
    down,
    // sent, and nobody knows whether it was taken
    too_slow,
    cut_off,
    cancelled,
    // TLS did not come about, so nothing was sent
    no_tls,
    not_trusted,
    another_host,
    not_valid_now,
    certificate_wanted,
    // Redis refused, so nothing was taken
    not_signed_in,
    not_permitted,
    read_only,
    out_of_memory,
    busy,
    moved,
    foreign_key,
    refused_by_server,
    not_understood,
};

[[nodiscard]] constexpr const char* describe(redis_error reason) noexcept {
    switch (reason) {
        case redis_error::none: return "no error";
        case redis_error::name_refused: return "a limit's name has 1 to 200 bytes";
        case redis_error::key_too_long: return "a key has 1024 bytes at most: give a hash of it";
        case redis_error::burst_not_the_window:
            return "a window passes a period's units: the burst must be the same number";
        case redis_error::period_not_whole:
            return "Redis counts microseconds: a window's period must be whole ones";
        case redis_error::numbers_too_large:
            return "the quota needs numbers of 2^52 or more, which a script cannot count exactly";
        case redis_error::log_too_long: return "a log in Redis holds 100000 units at most";
        case redis_error::processes_not_said:
            return "say in the options how many processes use the limit at most";
        case redis_error::burst_too_small_for_leases:
            return "the burst must be 2 units for each process at least: take a larger burst, "
                   "fewer "
                   "processes, or a remote_limiter";
        case redis_error::burst_too_small_for_rate:
            return "leases every 5 ms cannot carry this rate: the burst must be 10 ms of it at "
                   "least, and 2 units for each process";
        case redis_error::least_lease_too_large:
            return "the least lease is 1 to burst / (2 x processes) units";
        case redis_error::keys_refused:
            return "say for how many keys there is to be room: 1 to 100 million";
        case redis_error::no_thread: return "the system gives no thread";
        case redis_error::authorities_not_read:
            return "the file with the authorities that TLS trusts cannot be read";
        case redis_error::certificate_not_read:
            return "the file with this client's certificate cannot be read";
        case redis_error::key_not_read:
            return "the file with the key of this client's certificate cannot be read, wants a "
                   "password, or has another's key";
        case redis_error::down:
            return "there is no connection to Redis; the next try comes within 100 ms";
        case redis_error::too_slow:
            return "Redis did not answer in time; the units may have been taken";
        case redis_error::cut_off:
            return "the connection to Redis was cut; the units may have been taken";
        case redis_error::cancelled: return "the call was cancelled; the units may have been taken";
        case redis_error::no_tls:
            return "nobody answers by TLS of version 1.2 or newer, or not in time";
        case redis_error::not_trusted:
            return "Redis has a certificate of nobody whom this client trusts";
        case redis_error::another_host: return "Redis has a certificate for another host's name";
        case redis_error::not_valid_now:
            return "Redis has a certificate that is over, or not valid yet";
        case redis_error::certificate_wanted:
            return "Redis wants a certificate of this client, or does not trust the one it has";
        case redis_error::not_signed_in: return "Redis refuses the user or the password";
        case redis_error::not_permitted:
            return "the user may not run the script, one of its commands, or touch this key";
        case redis_error::read_only: return "this Redis is a replica and takes no writes";
        case redis_error::out_of_memory: return "Redis has no memory left";
        case redis_error::busy: return "Redis is busy or loads its data, and answers nobody";
        case redis_error::moved:
            return "the key lies on another node of the cluster: connect to that one, and give the "
                   "limit's name a tag in {} to keep its keys together";
        case redis_error::foreign_key:
            return "the key holds something that is no limit of this rule";
        case redis_error::refused_by_server: return "Redis refuses, for a reason of its own";
        case redis_error::not_understood: return "what answered is no Redis that weir knows";
    }
    return "unknown error";
}

// For `result`: a connection is no constant, so the compiler never stops here.
constexpr void must_not_compile(redis_error) noexcept {}

namespace detail {

// Which error an answer of Redis tells; its first word is a code.
[[nodiscard]] constexpr redis_error redis_reason_of(std::string_view answer) noexcept {
    struct code {
        std::string_view begin;
        redis_error reason;
    };
    constexpr code codes[] = {
        {"WEIR_ARGUMENT", redis_error::numbers_too_large},
        {"WEIR_FOREIGN", redis_error::foreign_key},
        {"NOAUTH", redis_error::not_signed_in},
        {"WRONGPASS", redis_error::not_signed_in},
        {"ERR invalid password", redis_error::not_signed_in},
        {"ERR Client sent AUTH", redis_error::not_signed_in},
        {"ERR AUTH", redis_error::not_signed_in},
        {"NOPERM", redis_error::not_permitted},
        {"ERR The user executing the script", redis_error::not_permitted},
        {"READONLY", redis_error::read_only},
        {"OOM", redis_error::out_of_memory},
        {"BUSY", redis_error::busy},
        {"ERR max number of clients", redis_error::busy},
        {"LOADING", redis_error::busy},
        {"MASTERDOWN", redis_error::busy},
        {"CLUSTERDOWN", redis_error::busy},
        {"TRYAGAIN", redis_error::busy},
        {"MOVED", redis_error::moved},
        {"ASK", redis_error::moved},
    };
    for (const code& c : codes) {
        if (answer.starts_with(c.begin)) return c.reason;
    }
    return redis_error::refused_by_server;
}

// Something may have come to Redis, and nobody knows what became of it.
[[nodiscard]] constexpr bool is_in_doubt(redis_error reason) noexcept {
    return reason == redis_error::too_slow || reason == redis_error::cut_off ||
           reason == redis_error::not_understood;
}

// The same before anything was sent that could take units.
[[nodiscard]] constexpr redis_error as_of_connecting(redis_error reason) noexcept {
    return is_in_doubt(reason) ? redis_error::down : reason;
}

// Nothing was taken, and it may be different soon: so who waits tries again.
[[nodiscard]] constexpr bool may_pass_later(redis_error reason) noexcept {
    switch (reason) {
        case redis_error::down:
        case redis_error::no_tls:
        case redis_error::too_slow:
        case redis_error::cut_off:
        case redis_error::read_only:
        case redis_error::out_of_memory:
        case redis_error::busy: return true;
        default: return false;
    }
}

}  // namespace detail

}  // namespace weir

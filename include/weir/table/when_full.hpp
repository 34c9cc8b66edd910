// SPDX-License-Identifier: MIT
// when_full: what a keyed table answers a new key for which there is no place; and what a table
// tells of itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/table/key_hash.hpp>

namespace weir {

enum class when_full : std::uint8_t {
    // The new key is refused, until one of its places becomes idle. Nobody gets more than the
    // quota. But whoever sends many keys keeps the others out.
    deny,
    // The new key takes the place of the key that would have been idle first. That key is forgiven
    // what it still had to wait. So it may get more than its quota, but all keys together no more
    // units than `forgiven` divided by the time of one unit.
    forgive_least,
    // The new key is admitted and not remembered. There is no bound on what it gets meanwhile.
    allow,
};

// What a table keeps of a key that is not idle.
struct kept_key {
    nanoseconds idle_after;  // if nobody asks for it
};
// In the exact layout also which key it is: `t[k.hash]` is its limit.
struct kept_exact_key : kept_key {
    kept_hash hash;
};

// As the table is at the moment. Other threads go on, so no two of these need fit together.
struct keyed_statistics {
    std::size_t places;
    std::size_t occupied;  // not idle, or idle for less than the guard
    word steals;           // places that were taken from another key, idle or forgiven
    word full;             // requests that found no place
    nanoseconds forgiven;  // by how much places were taken too early, together
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// What three threads get out of one cell, however they are interleaved.
#include "kinds.hpp"

namespace {

using model::charge;
using model::checks;
using model::drawn;
using model::every_schedule;
using model::fill;
using model::peek;
using model::preempted;
using model::searches;
using model::start;
using model::take;
using model::take_up_to;

[[nodiscard]] constexpr weir::quota one_per_second(std::int64_t burst) {
    return {1, weir::seconds(1), burst};
}

// Of few actions all schedules can be tried; of more, many.
const searches all{every_schedule};
const searches many{preempted(3), drawn(200'000)};

const checks ones("admits_exactly_the_burst_among_three_threads", all,
                  {.limit = one_per_second(2),
                   .there = 2,
                   .asked = {{{take(1)}, {take(1)}, {take(1)}}},
                   .least = 2,
                   .most = 2});

const checks twos("admits_all_of_a_request_or_none", many,
                  {.limit = one_per_second(5),
                   .there = 5,
                   .asked = {{{take(1), take(2)}, {take(2), take(1)}, {take(2)}}},
                   .least = 4,
                   .most = 5});

const checks parts("grants_what_is_left_and_loses_nothing", all,
                   {.limit = one_per_second(4),
                    .there = 4,
                    .asked = {{{take_up_to(2)}, {take_up_to(5)}, {take(1), take(1)}}},
                    .least = 4,
                    .most = 4});

const checks debts("charges_no_deeper_than_the_debt_allowed", all,
                   {.limit = one_per_second(2),
                    .options = {.debt = 2},
                    .there = 2,
                    .asked = {{{charge(3)}, {take(1)}, {charge(2)}}},
                    .least = 2,
                    .most = 2 + 2});

const checks denials("denies_without_writing", all,
                     {.limit = one_per_second(3),
                      .options = {.debt = 0},
                      .there = 0,
                      .asked = {{{take(1), peek(1)}, {take_up_to(3), take(4)}, {charge(1)}}},
                      .least = 0,
                      .most = 0});

const checks own("shows_each_thread_what_it_has_taken_itself", many,
                 {.limit = one_per_second(3),
                  .there = 2,
                  .asked = {{{take(1), peek(1)}, {take(1), peek(1)}, {peek(1), peek(2)}}},
                  .least = 2,
                  .most = 2});

const checks filled("gives_no_more_than_was_filled_in", all,
                    {.limit = one_per_second(2),
                     .there = 2,
                     .asked = {{{take(2)}, {fill(2)}, {take(1), take(1)}}},
                     .least = 2,
                     .most = 2 + 2});

const checks fresh("starts_once_however_many_threads_are_first", many,
                   {.limit = one_per_second(3),
                    .used = false,
                    .asked = {{{start(2), take(1)}, {start(2), take(1)}, {start(2), take(1)}}},
                    .least = 2,
                    .most = 2});

}  // namespace

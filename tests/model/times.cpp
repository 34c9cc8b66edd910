// SPDX-License-Identifier: MIT
// Threads that do not agree on the time, as cores and stalls make it: each gives its own, in any
// order. They get no more than was there and has come back until the latest of these times.
#include "kinds.hpp"

namespace {

using model::check;
using model::drawn;
using model::every_schedule;
using model::meter_checks;
using model::preempted;
using model::searches;
using model::start;
using model::take;
using model::window_checks;

constexpr weir::quota one_per_second{1, weir::seconds(1), 2};
constexpr weir::quota two_per_second{2, weir::seconds(1), 2};

const searches all{every_schedule};
const searches many{preempted(3), drawn(200'000)};

const meter_checks late("admits_no_more_to_a_late_clock", all,
                        {.limit = one_per_second,
                         .there = 2,
                         .asked = {{{take(1, 2'000), take(1, 2'000)}, {take(2)}, {take(1, 1'000)}}},
                         .least = 2,
                         .most = 2 + 2});

const meter_checks
    apart("admits_only_what_was_refilled_in_the_meantime", all,
          {.limit = one_per_second,
           .there = 0,
           .asked = {{{take(1, 1'000), take(1)}, {take(2, 3'000)}, {take(1, 2'000)}}},
           .least = 1,
           .most = 0 + 3});

const meter_checks first("starts_at_one_of_the_times_that_are_first", many,
                         {.limit = one_per_second,
                          .used = false,
                          .asked = {{{start(1), take(1)},
                                     {start(1, 1'500), take(1, 1'500)},
                                     {start(1, 3'000), take(1, 3'000)}}},
                          .least = 1,
                          .most = 1 + 2});

using token_bucket = weir::token_bucket<model::word, model::relacy_atomic>;

// Who comes late finds the tokens that others have refilled.
const check refills("token_bucket_is_refilled_once_by_all_who_find_it_due", all,
                    model::racing<token_bucket, weir::token_bucket<>>(
                        {.limit = {1, weir::seconds(1), 3},
                         .there = 1,
                         .asked = {{{take(1)}, {take(1, 1'000)}, {take(1, 2'500)}}},
                         .least = 3,
                         .most = 1 + 2}));

const check portions("token_bucket_is_refilled_once_by_a_whole_period", all,
                     model::racing<token_bucket, weir::token_bucket<>>(
                         {.limit = two_per_second,
                          .options = {.whole_periods = true},
                          .there = 1,
                          .asked = {{{take(2), take(2, 1'000)}, {take(2, 1'000)}, {take(1, 999)}}},
                          .least = 2,
                          .most = 1 + 2}));

// Who is late counts in the latest window.
const window_checks
    behind("admits_no_more_to_a_late_clock", all,
           {.limit = two_per_second,
            .there = 1,
            .asked = {{{take(1, 2'000), take(1)}, {take(2, 2'000)}, {take(1, 1'000)}}},
            .least = 2,
            .most = 1 + 2 + 2});

const window_checks
    turns("opens_each_window_once", all,
          {.limit = two_per_second,
           .there = 0,
           .asked = {{{take(1), take(1, 2'000)}, {take(1, 2'000)}, {take(1, 2'500)}}},
           .least = 2,
           .most = 2});

const window_checks anew("starts_at_one_of_the_times_that_are_first", many,
                         {.limit = two_per_second,
                          .used = false,
                          .asked = {{{start(1), take(1)},
                                     {start(1, 500), take(1, 500)},
                                     {start(1, 3'000), take(1, 3'000)}}},
                          .least = 1,
                          .most = 1 + 2});

}  // namespace

// SPDX-License-Identifier: MIT
// Keyed tables in the compact layout.
#include <cstdint>

#include "../oracle/mistakes.hpp"
#include "check.hpp"
#include "keyed_scenarios.hpp"
#include "weaker.hpp"

namespace mistakes {

// Turns are taken, but all have one number.
template <class T>
class counts_nothing : public model::relacy_atomic<T> {
public:
    using model::relacy_atomic<T>::relacy_atomic;
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T) noexcept {
        return model::relacy_atomic<T>::try_exchange_acq_rel(expected, expected);
    }
};

}  // namespace mistakes

namespace {

using model::after_a_death;
using model::charged_late;
using model::check;
using model::drawn;
using model::entered_by_three;
using model::exchanges_relaxed;
using model::long_after_a_death;
using model::make;
using model::preempted;
using model::refused;
using model::relacy_atomic;
using model::searches;
using model::stolen_while_charged;
using weir::compact_keys;

template <class T>
using in_two_steps = oracle::in_two_steps<T, relacy_atomic>;

const searches many{drawn(300'000)};
// One key has to be entered before another one is looked for, which is seldom drawn.
const searches in_few_pieces{preempted(1), drawn(100'000)};

const check entered("a_key_that_three_threads_enter_has_one_word", many,
                    make<entered_by_three<relacy_atomic, compact_keys>>);
const check completed("a_key_whose_inserter_has_died_is_completed", many,
                      make<after_a_death<compact_keys>>);
const check abandoned("a_place_whose_inserter_died_long_ago_goes_to_one_key", many,
                      make<long_after_a_death<compact_keys>>);
const check stolen("a_place_that_is_stolen_while_its_key_is_charged_charges_one_key", many,
                   make<stolen_while_charged<relacy_atomic, compact_keys>>);
const check late("a_key_that_is_charged_late_does_not_begin_anew", in_few_pieces,
                 make<charged_late<true, compact_keys>>);
const check denied("a_denial_of_a_key_writes_nothing", many, make<refused<compact_keys>>);

const check unordered("finds_keys_entered_without_an_order_of_turns", many,
                      make<entered_by_three<exchanges_relaxed, compact_keys>>,
                      "a key has two words");
const check uncounted("finds_claims_without_a_number", many,
                      make<entered_by_three<mistakes::counts_nothing, compact_keys>>,
                      "a key has two words");
const check torn("finds_places_that_are_stolen_in_two_steps", many,
                 make<stolen_while_charged<in_two_steps, compact_keys>>,
                 "a key got more than was there");
const check unguarded("finds_a_table_without_a_guard", in_few_pieces,
                      make<charged_late<false, compact_keys>>, "a key got more than was there");

}  // namespace

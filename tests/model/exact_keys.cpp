// SPDX-License-Identifier: MIT
// Keyed tables in the exact layout: a place's state and its id are two words, and an id is written
// after its claim (signed).
#include <cstddef>
#include <cstdint>

#include <weir/table/key_layout.hpp>
#include <weir/table/key_word.hpp>

#include "../oracle/mistakes.hpp"
#include "check.hpp"
#include "keyed_scenarios.hpp"
#include "weaker.hpp"

namespace {

using model::after_a_death;
using model::charged_late;
using model::check;
using model::drawn;
using model::entered_by_three;
using model::exchanges_relaxed;
using model::long_after_a_death;
using model::make;
using model::reads_relaxed;
using model::refused;
using model::relacy_atomic;
using model::require;
using model::searches;
using model::stolen_while_charged;
using model::table_scenario;
using weir::exact_keys;
using weir::word;

namespace key_word = weir::key_word;

// Who has died before it signed its claim has left one that is nobody's. It stays, and is taken for
// neither of the keys that have its tag.
class after_an_unsigned_death : public table_scenario<relacy_atomic, exact_keys> {
public:
    after_an_unsigned_death() { claims_left_ = 1; }

private:
    void prepare() override {
        put(elsewhere, 0, keys[0]);
        put_claim(elsewhere, 7, keys[0]);
    }
    void thread(std::size_t index) override { take(index, index == 2 ? 1 : 0, 1); }
};

// It is old, and its place is the only one.
class long_after_an_unsigned_death : public table_scenario<relacy_atomic, exact_keys> {
public:
    long_after_an_unsigned_death() { ended_at_.fill(long_after); }

private:
    void prepare() override {
        occupy_all_but(elsewhere, long_after + 2 * second);
        put_claim(elsewhere, 7, keys[0]);
    }
    void thread(std::size_t index) override { take(index, index == 2 ? 1 : 0, 1, long_after); }
};

// A thread stops after its claim for so long that another key takes the place, by a clock that is
// ahead. Then it signs.
template <template <class> class Atomic, template <template <class> class> class Layout>
class signed_late : public table_scenario<Atomic, Layout> {
    using base = table_scenario<Atomic, Layout>;
    static constexpr word late = base::long_after;

public:
    signed_late() : base(late) { this->ended_at_ = {0, late, late}; }

private:
    void prepare() override { this->occupy_all_but(this->home, 2 * this->second); }
    void thread(std::size_t index) override {
        if (index == 2) return;
        this->take(index, index, 1, index == 0 ? 0 : late);
    }
};

// Three threads enter a key, and each place is free. A claim that is not signed yet is nobody's, so
// they put theirs beside it.
template <template <class> class Atomic>
class entered_in_an_empty_line : public table_scenario<Atomic, exact_keys> {
    void thread(std::size_t index) override { this->take(index, 0, 1); }
};

// One place, step by step, that goes from one key to another one of the same tag. The first thread
// signs and establishes a claim that is there; the second one puts its own in place of that, or of
// what became of it; the third one charges the first key. The two keys' states have the same
// version, or the same time.
template <template <class> class Atomic, template <template <class> class> class Layout,
          bool SameTime>
class one_place : public model::scenario {
    using layout = Layout<Atomic>;

public:
    void before() override {
        place_.begin();
        signed_ = false;
        place_->state.store_relaxed(claim(0));
    }
    void thread(std::size_t index) override {
        if (index == 2) return charge();
        if (index == 1) {
            std::uint64_t before = layout::load(*place_);
            if (!place_->state.try_exchange_relaxed(before, claim(1))) return;
        }
        if (!layout::sign(*place_, claim(index), its(index))) return;
        signed_ = signed_ || index == 1;
        (void)layout::establish(*place_, claim(index),
                                key_word::established(tat(index), its(index).tag));
    }
    void after() override {
        const std::uint64_t state = layout::load(*place_);
        if (signed_ && !key_word::is_claim(state)) {
            require(layout::is_of(*place_, state, its(1)), "a key has lost its id");
            require((state & key_word::tat_mask) == tat(1), "another key was charged");
        }
        place_.end();
    }

private:
    static constexpr std::uint64_t granule = std::uint64_t{1} << key_word::tag_bits;
    static constexpr std::uint64_t version = 7;

    [[nodiscard]] static auto its(std::size_t which) {
        return layout::key_of((which + 1) << 32U | 0x1230);
    }
    [[nodiscard]] static std::uint64_t claim(std::size_t which) {
        return key_word::claim(0, version + which * (SameTime ? 1 : 64), its(which).tag);
    }
    [[nodiscard]] static std::uint64_t tat(std::size_t which) {
        return (SameTime ? 100 : 100 * (which + 1)) * granule;
    }

    void charge() {
        std::uint64_t state = layout::load(*place_);
        std::uint64_t hash = 0;
        const bool is_told = layout::has_hash(*place_, state, hash) && !key_word::is_claim(state);
        if (is_told && !SameTime)
            require((hash >> 32U) * 100 * granule == (state & key_word::tat_mask),
                    "a key has another one's state");
        if (layout::is_of(*place_, state, its(0)))
            (void)place_->state.try_exchange_relaxed(state, state + granule);
    }

    model::shared<typename layout::place> place_;
    bool signed_ = false;
};

// Mistakes.

template <class T>
using in_two_steps = oracle::in_two_steps<T, relacy_atomic>;

template <template <class> class Atomic>
struct signs_what_is_gone : exact_keys<Atomic> {
    using typename exact_keys<Atomic>::place;
    using typename exact_keys<Atomic>::key;
    [[nodiscard]] static bool sign(place& p, std::uint64_t claim, key k) noexcept {
        std::uint64_t id = p.id.load_acquire();
        while (!p.id.try_exchange_acq_rel(id, k.id | key_word::number_of(claim))) {
        }
        return true;
    }
};

template <template <class> class Atomic>
struct takes_claims_by_their_tag : exact_keys<Atomic> {
    using typename exact_keys<Atomic>::place;
    using typename exact_keys<Atomic>::key;
    [[nodiscard]] static bool is_claim_of(const place&, std::uint64_t state, key k) noexcept {
        return key_word::is_claim_of(state, k.tag);
    }
};

template <template <class> class Atomic>
struct has_no_versions : exact_keys<Atomic> {
    using typename exact_keys<Atomic>::place;
    using typename exact_keys<Atomic>::key;
    [[nodiscard]] static bool is_of(const place& p, std::uint64_t state, key k) noexcept {
        constexpr std::uint64_t number = 0xFFFF;
        return key_word::is_of(state, k.tag) && (p.id.load_relaxed() & ~number) == k.id;
    }
    [[nodiscard]] static bool establish(place& p, std::uint64_t claim,
                                        std::uint64_t next) noexcept {
        return p.state.try_exchange_acq_rel(claim, next);
    }
};

template <template <class> class Atomic>
struct loads_relaxed : exact_keys<Atomic> {
    using typename exact_keys<Atomic>::place;
    [[nodiscard]] static std::uint64_t load(const place& p) noexcept {
        return p.state.load_relaxed();
    }
};

template <template <class> class Atomic>
struct establishes_relaxed : exact_keys<Atomic> {
    using typename exact_keys<Atomic>::place;
    [[nodiscard]] static bool establish(place& p, std::uint64_t claim,
                                        std::uint64_t next) noexcept {
        const std::uint64_t version = key_word::number_of(claim) << 1U & 0x7E;
        return p.state.try_exchange_relaxed(claim, next | version);
    }
};

const searches many{drawn(300'000)};

const check entered("exact_a_key_that_three_threads_enter_has_one_word", many,
                    make<entered_by_three<relacy_atomic, exact_keys>>);
const check completed("exact_a_key_whose_inserter_has_died_is_completed", many,
                      make<after_a_death<exact_keys>>);
const check nobodys("exact_a_claim_that_is_not_signed_is_nobodys", many,
                    make<after_an_unsigned_death>);
const check abandoned("exact_a_place_whose_inserter_died_long_ago_goes_to_one_key", many,
                      make<long_after_a_death<exact_keys>>);
const check
    nobodys_for_long("exact_a_claim_that_was_not_signed_for_long_gives_its_place_to_one_key", many,
                     make<long_after_an_unsigned_death>);
const check stolen("exact_a_place_that_is_stolen_while_its_key_is_charged_charges_one_key", many,
                   make<stolen_while_charged<relacy_atomic, exact_keys>>);
const check late("exact_a_key_that_is_charged_late_does_not_begin_anew", many,
                 make<charged_late<true, exact_keys>>);
const check denied("exact_a_denial_of_a_key_writes_nothing", many, make<refused<exact_keys>>);
const check signing("exact_a_place_is_not_signed_by_who_lost_it", many,
                    make<signed_late<relacy_atomic, exact_keys>>);

const check together("exact_a_key_that_three_threads_enter_in_an_empty_line_has_one_word", many,
                     make<entered_in_an_empty_line<relacy_atomic>>);
const check one_version("exact_a_key_of_the_same_version_is_told_by_its_id", many,
                        make<one_place<relacy_atomic, exact_keys, false>>);
const check one_time("exact_a_key_of_the_same_time_is_told_by_its_version", many,
                     make<one_place<relacy_atomic, exact_keys, true>>);

const check unordered("exact_finds_keys_entered_without_an_order_of_turns", many,
                      make<entered_in_an_empty_line<exchanges_relaxed>>, "a key has two words");
const check torn("exact_finds_places_that_are_stolen_in_two_steps", many,
                 make<stolen_while_charged<in_two_steps, exact_keys>>,
                 "a key got more than was there");
const check unguarded("exact_finds_a_table_without_a_guard", many,
                      make<charged_late<false, exact_keys>>, "a key got more than was there");
const check blind("exact_finds_claims_that_are_signed_when_they_are_gone", many,
                  make<signed_late<relacy_atomic, signs_what_is_gone>>, "is forgotten");
const check signed_weakly("exact_finds_claims_that_are_signed_relaxed", many,
                          make<one_place<exchanges_relaxed, exact_keys, false>>,
                          "a key has lost its id");
const check read_weakly("exact_finds_ids_that_are_read_relaxed", many,
                        make<one_place<reads_relaxed, exact_keys, false>>, "a key has lost its id");
const check loaded_weakly("exact_finds_states_that_are_read_relaxed", many,
                          make<one_place<relacy_atomic, loads_relaxed, false>>,
                          "another key was charged");
const check established_weakly("exact_finds_states_that_are_established_relaxed", many,
                               make<one_place<relacy_atomic, establishes_relaxed, false>>,
                               "another key was charged");
const check by_tag("exact_finds_claims_that_are_taken_by_their_tag", many,
                   make<after_a_death<takes_claims_by_their_tag>>,
                   "more than was there|units are lost");
const check unversioned("exact_finds_states_without_a_version", many,
                        make<one_place<relacy_atomic, has_no_versions, true>>,
                        "another key was charged");

}  // namespace

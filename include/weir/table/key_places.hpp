// SPDX-License-Identifier: MIT
// key_places: the two cache lines where a key's limit can lie, and how it gets there.
// It is long because the whole protocol stands here.
//
// A key looks at two lines of eight places. Either line and the tag tell the other one, as in a
// cuckoo filter, so equal tags in a line are the same key to the table. A key's limit is its one
// established word, and a decision about it is one exchange of this word, with its tag and its
// time: there it linearises, and a refusal linearises at its load. Relaxed order suffices for that:
// the word is all there is to know.
//
// A key is entered in two steps. First a claim is put into a place that is free. Then, if there is
// no other word of the key in either line, the claim is exchanged for the established word, from
// which the units are already taken: there the request linearises. What is found of the key
// meanwhile decides:
//
//     an established word     wins: the claim is taken out again, and the request goes there
//     a claim further ahead   wins: the same, and then both complete that claim
//     a claim further back    loses: it is taken out
//
// So nobody waits. Who has died left a claim that the next request of the key completes, and that
// other keys may take when it is old. An exchange fails only because another one has succeeded, so
// all of this is lock-free.
//
// Invariant: a key has one established word at most. Proof: whoever establishes a claim has seen
// it, then taken a turn, and then read all other places of the key without finding a word of it.
// Suppose that two did so in two places. Turns are exchanges of one word, so one of the two came
// later and has seen what the other one had seen before its turn: the claim, or what became of it
// later. A claim that is gone never comes back, as it has a number of its own. So the later one
// found a word of the key, or the other's claim could no longer be established. (Numbers come round
// after 65,536 turns. A thread would have to stop between its reading and its exchange for exactly
// so many, and the same place be claimed again within the same 2^16 granules of time.)
//
// Each place of a line is some keys' home, where they are looked for first and put if it is free.
// So most keys are found by one load, which the processor guesses, and it goes on before the line
// has arrived. To compare all tags without a branch was slower for keys that no cache holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/table/key_layout.hpp>
#include <weir/table/key_turns.hpp>
#include <weir/table/key_word.hpp>
#include <weir/table/when_full.hpp>

namespace weir {
template <template <class> class Atomic = atomic,
          template <template <class> class> class Layout = compact_keys>
class key_places {
public:
    using layout = Layout<Atomic>;
    using place = typename layout::place;
    using line = line_of_keys<layout>;
    using turns = key_turns<Atomic>;
    static constexpr std::size_t stripes = 8;
    // An established word, or none.
    struct found {
        place* at;
        std::uint64_t word;
    };

    key_places() noexcept = default;
    // Those of a key in `count` lines, which are fewer than 2^32.
    template <class Lines>
    [[gnu::always_inline]] key_places(Lines& all, std::uint64_t count, turns* stripes_of_table,
                                      std::uint64_t hash) noexcept
        : lines_(&all[0]),
          count_(count),
          first_(static_cast<std::size_t>(((hash >> 32U) * count) >> 32U)),
          key_(layout::key_of(hash)),
          all_turns_(stripes_of_table) {}

    // Most keys are where they are looked for first.
    [[nodiscard, gnu::always_inline]] found find() const noexcept {
        place& p = lines_[first_].place[home()];
        const std::uint64_t its = layout::load(p);
        if (layout::is_of(p, its, key_)) [[likely]]
            return {&p, its};
        const found here = find_in(first_);
        return here.at != nullptr ? here : find_in(second());
    }
    [[nodiscard, gnu::always_inline]] found
    find_again(found last) const noexcept {  // after a lost exchange
        return layout::is_still_of(last.word, key_) ? last : find();
    }

    // `decide` tells from a state what is taken of it. The key has no established word, or had none
    // a moment ago.
    template <class Rate, class Decide>
    [[nodiscard, gnu::noinline]] static taken<std::uint64_t>
    enter(key_places of, tick now, const Rate& r, when_full policy, Decide decide) noexcept {
        const taken<std::uint64_t> fresh = decide(of.idle(now, r));
        if (!writes(fresh)) return fresh;
        const auto times = times_of(now, r);
        lost_races lost;
        for (;;) {
            view seen = of.look(times);
            if (seen.its.at != nullptr) {
                if (seen.claim.at != nullptr) {
                    (void)try_exchange(seen.claim, 0);
                    continue;
                }
                const taken<std::uint64_t> t = decide(seen.its.word);
                if (!writes(t) || try_exchange(seen.its, t.how.next)) return t;
                lost.again_relaxed(state(seen.its), seen.its.word);
                continue;
            }
            if (seen.claim.at == nullptr) {
                if (seen.least.at == nullptr ||
                    (seen.is_full() && policy != when_full::forgive_least)) {
                    of.count(of.its_turns().full);
                    return policy == when_full::allow ? fresh : of.refused(seen, now, r, times);
                }
                if (!of.claim(seen, times)) continue;
                if (!layout::sign(*seen.claim.at, seen.claim.word, of.key_)) {
                    take_out(seen.claim);
                    continue;
                }
            }
            of.its_turns().take();
            if (!of.is_alone(seen.claim)) continue;
            if (layout::establish(*seen.claim.at, seen.claim.word, fresh.how.next)) return fresh;
        }
    }

    // What `enter` would answer. Writes nothing.
    template <class Rate, class Decide>
    [[nodiscard, gnu::noinline]] static taken<std::uint64_t>
    would_enter(key_places of, tick now, const Rate& r, when_full policy, Decide decide) noexcept {
        const taken<std::uint64_t> fresh = decide(of.idle(now, r));
        const auto times = times_of(now, r);
        const view seen = of.look(times);
        if (seen.its.at != nullptr) return decide(seen.its.word);
        const bool may_forgive = policy == when_full::forgive_least && seen.least.at != nullptr;
        const bool has_place = seen.claim.at != nullptr || !seen.is_full() || may_forgive;
        if (has_place || policy == when_full::allow || !writes(fresh)) return fresh;
        return of.refused(seen, now, r, times);
    }

    // The key is as if it had never been. Lock-free.
    void forget() const noexcept {
        for (found its = find(); its.at != nullptr; its = find()) (void)try_exchange(its, 0);
    }

    [[nodiscard, gnu::always_inline]] static auto& state(found its) noexcept {
        return layout::state(*its.at);
    }
    [[nodiscard, gnu::always_inline]] static bool try_exchange(found& its,
                                                               std::uint64_t next) noexcept {
        return state(its).try_exchange_relaxed(its.word, next);
    }

    [[nodiscard, gnu::always_inline]] static bool writes(const taken<std::uint64_t>& t) noexcept {
        return t.how.verdict == verdict::admitted && t.units != 0;
    }

    // The state of a key that has no word.
    template <class Rate>
    [[nodiscard]] std::uint64_t idle(tick now, const Rate& r) const noexcept {
        return key_word::established(r.at(now), key_.tag);
    }

private:
    // Of a claim that is nobody's yet, so nobody else would take it out. An exchange may fail for
    // nothing.
    static void take_out(found claim) noexcept {
        const std::uint64_t before = claim.word;
        while (claim.word == before && !try_exchange(claim, 0)) {
        }
    }

    [[nodiscard, gnu::always_inline]] turns& its_turns() const noexcept {
        return all_turns_[(key_.tag >> 8U) % stripes];
    }
    // Where in each of its lines a key is looked for first, and put if that place is free.
    [[nodiscard, gnu::always_inline]] std::size_t home() const noexcept {
        return static_cast<std::size_t>(key_.tag >> (key_word::tag_bits - 3)) %
               layout::places_in_line;
    }
    // The two lines together are a number that the tag tells, on a circle of all lines.
    [[nodiscard]] std::size_t second() const noexcept {
        const std::uint64_t both = ((key_.tag * 0x9E37'79B9U & 0xFFFF'FFFFU) * count_) >> 32U;
        return static_cast<std::size_t>(both >= first_ ? both - first_ : both + count_ - first_);
    }
    // A line from the key's home on, until `act` answers false.
    template <class Act>
    [[gnu::always_inline]] bool each_place_in(std::size_t its_line, Act act) const noexcept {
        constexpr std::size_t all = layout::places_in_line;
        for (std::size_t i = 0; i < all; ++i) {
            if (!act(lines_[its_line].place[(home() + i) % all])) return false;
        }
        return true;
    }

    // Where a key could go in a line.
    struct room {
        found least{};           // the place that is free, or would be first
        std::int64_t until = 1;  // for how long it is not free, see there
        std::size_t free = 0;    // places

        // A claim is nobody's to forgive. A free place further from home is better if it has been
        // free for twice as long, since such a key is less likely to come back.
        void consider(found other, std::int64_t other_until) noexcept {
            if (other_until > 0 && key_word::is_claim(other.word)) return;
            free += other_until <= 0 ? 1U : 0U;
            if (least.at != nullptr && (until > 0 ? other_until : other_until / 2) >= until) return;
            least = other;
            until = other_until;
        }
        // If the first line is nearly full, the emptier one is taken: then far fewer keys find
        // none.
        [[nodiscard]] bool is_better_than(const room& second) const noexcept {
            if (free != 0 || second.free != 0) return free >= layout::roomy || free >= second.free;
            return second.least.at == nullptr || (least.at != nullptr && until <= second.until);
        }
    };

    // What there is in the key's lines.
    struct view : room {
        found its{};    // the established word
        found claim{};  // the key's own claim; of several the first

        [[nodiscard]] bool is_full() const noexcept { return this->until > 0; }
    };

    [[nodiscard, gnu::always_inline]] found find_in(std::size_t its_line) const noexcept {
        for (place& p : lines_[its_line].place) {
            const std::uint64_t its = layout::load(p);
            if (layout::is_of(p, its, key_)) return {&p, its};
        }
        return {};
    }

    template <class Times>
    [[nodiscard]] view look(const Times& times) const noexcept {
        view seen;
        room in_second;
        look_in(first_, times, seen, seen);
        look_in(second(), times, seen, in_second);
        if (!seen.is_better_than(in_second)) static_cast<room&>(seen) = in_second;
        return seen;
    }
    template <class Times>
    void look_in(std::size_t its_line, const Times& times, view& seen, room& its) const noexcept {
        each_place_in(its_line, [&](place& p) noexcept {
            const std::uint64_t here = layout::load(p);
            if (layout::is_of(p, here, key_)) {
                seen.its = {&p, here};
            } else if (layout::is_claim_of(p, here, key_)) {
                if (seen.claim.at == nullptr || &p < seen.claim.at) seen.claim = {&p, here};
            } else {
                its.consider({&p, here}, times.until_free(here, its.free == 0));
            }
            return true;
        });
    }

    // Puts a claim into the place that is free, or that is taken from its key.
    template <class Times>
    [[nodiscard]] bool claim(view& seen, const Times& times) const noexcept {
        const std::uint64_t claim =
            key_word::claim(times.of_claims(), its_turns().take(), key_.tag);
        const std::uint64_t before = seen.least.word;
        if (!try_exchange(seen.least, claim)) return false;
        if (before != 0) count(its_turns().steals);
        if (seen.is_full()) {
            count(its_turns().full);
            its_turns().forgiven.fetch_add_relaxed(times.forgiven(seen.until));
        }
        seen.claim = {seen.least.at, claim};
        return true;
    }

    // No other word of the key is there; or there is one, and one of the two is taken out.
    [[nodiscard]] bool is_alone(found mine) const noexcept {
        const auto gives_way = [&](place& p) noexcept {
            if (&p == mine.at) return true;
            found here{&p, layout::load(p)};
            const bool is_established = layout::is_of(p, here.word, key_);
            if (!is_established && !layout::is_claim_of(p, here.word, key_)) return true;
            if (is_established || &p < mine.at) {
                (void)try_exchange(mine, 0);
                return false;
            }
            return try_exchange(here, 0);
        };
        return each_place_in(first_, gives_way) && each_place_in(second(), gives_way);
    }

    // No unit now, and none before a place is free.
    template <class Rate, class Times>
    [[nodiscard]] taken<std::uint64_t> refused(const view& seen, tick now, const Rate& r,
                                               const Times& times) const noexcept {
        const std::uint64_t wait =  // nothing but claims is not full for long
            seen.least.at != nullptr ? times.wait(seen.until) : r.period();
        return {0, {verdict::wait, key_word::established(r.filled(now, 0), key_.tag), wait}};
    }

    static void count(Atomic<std::uint64_t>& what) noexcept { what.fetch_add_relaxed(1); }

    line* lines_ = nullptr;
    std::uint64_t count_ = 0;
    std::size_t first_ = 0;
    typename layout::key key_{};
    turns* all_turns_ = nullptr;
};

}  // namespace weir

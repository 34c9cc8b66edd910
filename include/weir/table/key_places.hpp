// key_places: the two cache lines where a key's limit can lie, and how it gets there.
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
// Each place of a line is some keys' home. A key is looked for there first, and put there if the
// place is free. So most keys are found by one load, and the processor, which guesses that, goes on
// to the next request before the line has arrived. To compare all eight tags without a branch was
// slower for keys that no cache holds: eight loads wait for the line then, and nothing is guessed.
//
// Invariant: a key has one established word at most. Proof: whoever establishes a claim has seen
// it, then taken a turn, and then read all other places of the key without finding a word of it.
// Suppose that two did so in two places. Turns are exchanges of one word, so one of the two came
// later and has seen what the other one had seen before its turn: the claim, or what became of it
// later. A claim that is gone never comes back, as it has a number of its own. So the later one
// found a word of the key, or the other's claim could no longer be established. (Numbers come round
// after 65,536 turns. A thread would have to stop between its reading and its exchange for exactly
// so many, and the same place be claimed again within the same 2^16 granules of time.)
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/table/key_word.hpp>
#include <weir/table/when_full.hpp>

namespace weir {

inline constexpr std::size_t places_in_line = 8;

// Zero is an empty place, so a table may lie in memory that is all zeros.
template <template <class> class Atomic = atomic>
struct alignas(cache_line) line_of_keys {
    Atomic<std::uint64_t> place[places_in_line];
};

// Whoever enters a key takes a turn here. A table has several of these, by tag, so that two keys
// seldom meet.
template <template <class> class Atomic = atomic>
class alignas(cache_line) key_turns {
public:
    // The number of this turn. Who has a later one sees all that came before this one. Pairs with
    // itself in other threads.
    std::uint64_t take() noexcept {
        std::uint64_t number = turns_.load_relaxed();
        while (!turns_.try_exchange_acq_rel(number, number + 1)) {  // pairs with itself
        }
        return number;
    }

    // Only counts, so relaxed order suffices.
    Atomic<std::uint64_t> steals{0};
    Atomic<std::uint64_t> full{0};
    Atomic<std::uint64_t> forgiven{0};  // granules

private:
    Atomic<std::uint64_t> turns_{0};
};

template <template <class> class Atomic = atomic>
class key_places {
public:
    using place = Atomic<std::uint64_t>;
    using line = line_of_keys<Atomic>;
    using turns = key_turns<Atomic>;
    using rate = key_word::rate;
    static constexpr std::size_t stripes = 8;

    // An established word, or none.
    struct found {
        place* at;
        std::uint64_t word;
    };

    key_places() noexcept = default;

    // Those of a key in `count` lines, which are no more than 2^32.
    template <class Lines>
    [[gnu::always_inline]] key_places(Lines& all, std::uint64_t count, turns* stripes_of_table,
                                      std::uint64_t hash) noexcept
        : lines_(&all[0]),
          count_(count),
          first_(static_cast<std::size_t>(((hash >> 32U) * count) >> 32U)),
          tag_(key_word::tag_of(hash)),
          all_turns_(stripes_of_table) {}

    [[nodiscard, gnu::always_inline]] std::uint64_t tag() const noexcept { return tag_; }

    // Most keys are where they are looked for first.
    [[nodiscard, gnu::always_inline]] found find() const noexcept {
        place& p = lines_[first_].place[home()];
        const std::uint64_t its = p.load_relaxed();
        if (key_word::is_of(its, tag_)) [[likely]]
            return {&p, its};
        const found here = find_in(lines_[first_]);
        return here.at != nullptr ? here : find_in(lines_[second()]);
    }

    // `decide` tells from a state what is taken of it. The key has no established word, or had none
    // a moment ago.
    template <class Decide>
    [[nodiscard, gnu::noinline]] static taken<std::uint64_t>
    enter(key_places of, tick now, const rate& r, when_full policy, Decide decide) noexcept {
        const taken<std::uint64_t> fresh = decide(of.idle(now, r));
        if (!writes(fresh)) return fresh;
        lost_races lost;
        for (;;) {
            view seen = of.look(now, r);
            if (seen.its.at != nullptr && seen.claim.at != nullptr) {
                (void)seen.claim.at->try_exchange_relaxed(seen.claim.word, 0);
                continue;
            }
            if (seen.its.at != nullptr) {
                const taken<std::uint64_t> t = decide(seen.its.word);
                if (!writes(t) || seen.its.at->try_exchange_relaxed(seen.its.word, t.how.next))
                    return t;
                lost.again_relaxed(*seen.its.at, seen.its.word);
                continue;
            }
            if (seen.claim.at == nullptr) {
                if (seen.least.at == nullptr ||
                    (seen.is_full() && policy != when_full::forgive_least)) {
                    of.count(of.its_turns().full);
                    return policy == when_full::allow ? fresh : of.refused(seen, now, r);
                }
                if (!of.claim(seen, now, r)) continue;
            }
            of.its_turns().take();
            if (!of.is_alone(seen.claim)) continue;
            if (seen.claim.at->try_exchange_relaxed(seen.claim.word, fresh.how.next)) return fresh;
        }
    }

    // What `enter` would answer. Writes nothing.
    template <class Decide>
    [[nodiscard, gnu::noinline]] static taken<std::uint64_t>
    would_enter(key_places of, tick now, const rate& r, when_full policy, Decide decide) noexcept {
        const taken<std::uint64_t> fresh = decide(of.idle(now, r));
        const view seen = of.look(now, r);
        if (seen.its.at != nullptr) return decide(seen.its.word);
        const bool has_place = seen.claim.at != nullptr || !seen.is_full();
        if (has_place || policy != when_full::deny || !writes(fresh)) return fresh;
        return of.refused(seen, now, r);
    }

    // The key is as if it had never been. Lock-free.
    void forget() const noexcept {
        for (found its = find(); its.at != nullptr; its = find())
            (void)its.at->try_exchange_relaxed(its.word, 0);
    }

    [[nodiscard, gnu::always_inline]] static bool writes(const taken<std::uint64_t>& t) noexcept {
        return t.how.verdict == verdict::admitted && t.units != 0;
    }

    // The state of a key that has no word.
    [[nodiscard]] std::uint64_t idle(tick now, const rate& r) const noexcept {
        return key_word::established(r.at(now), tag_);
    }

private:
    [[nodiscard, gnu::always_inline]] turns& its_turns() const noexcept {
        return all_turns_[(tag_ >> 1U) % stripes];
    }
    // Where in each of its lines a key is looked for first, and put if that place is free.
    [[nodiscard, gnu::always_inline]] std::size_t home() const noexcept {
        return static_cast<std::size_t>(tag_ >> (key_word::tag_bits - 3));
    }
    // The two lines together are a number that the tag tells, on a circle of all lines.
    [[nodiscard]] std::size_t second() const noexcept {
        const std::uint64_t both = ((tag_ * 0x9E37'79B9U & 0xFFFF'FFFFU) * count_) >> 32U;
        return static_cast<std::size_t>(both >= first_ ? both - first_ : both + count_ - first_);
    }
    // Until `act` answers false: the first line from the key's home on, then the second one.
    template <class Act>
    [[gnu::always_inline]] bool each_place(Act act) const noexcept {
        for (const std::size_t in : {first_, second()}) {
            for (std::size_t i = 0; i < places_in_line; ++i) {
                if (!act(lines_[in].place[(home() + i) % places_in_line])) return false;
            }
        }
        return true;
    }

    // What there is in the key's lines.
    struct view {
        found its{};             // the established word
        found claim{};           // the key's own claim; of several the first
        found least{};           // the place that is free, or would be first
        std::int64_t until = 1;  // for how long it is not free, see there

        [[nodiscard]] bool is_full() const noexcept { return until > 0; }

        // A claim is nobody's to forgive. Of free places one that is further from home is taken if
        // it has been free for twice as long, as a key that has been away for longer is less likely
        // to come back.
        void consider(found other, std::int64_t other_until) noexcept {
            if (other_until > 0 && key_word::is_claim(other.word)) return;
            if (least.at != nullptr && (is_full() ? other_until : other_until / 2) >= until) return;
            least = other;
            until = other_until;
        }
    };

    [[nodiscard, gnu::always_inline]] found find_in(line& in) const noexcept {
        for (place& p : in.place) {
            const std::uint64_t its = p.load_relaxed();
            if (key_word::is_of(its, tag_)) return {&p, its};
        }
        return {};
    }

    [[nodiscard]] view look(tick now, const rate& r) const noexcept {
        view seen;
        each_place([&](place& p) noexcept {
            const std::uint64_t here = p.load_relaxed();
            if (key_word::is_of(here, tag_)) {
                seen.its = {&p, here};
            } else if (key_word::is_claim_of(here, tag_)) {
                if (seen.claim.at == nullptr || &p < seen.claim.at) seen.claim = {&p, here};
            } else {
                seen.consider({&p, here}, key_word::until_free(here, now, r));
            }
            return true;
        });
        return seen;
    }

    // Puts a claim into the place that is free, or that is taken from its key.
    [[nodiscard]] bool claim(view& seen, tick now, const rate& r) const noexcept {
        const std::uint64_t claim = key_word::claim(r.at(now), its_turns().take(), tag_);
        const std::uint64_t before = seen.least.word;
        if (!seen.least.at->try_exchange_relaxed(seen.least.word, claim)) return false;
        if (before != 0) count(its_turns().steals);
        if (seen.is_full()) {
            count(its_turns().full);
            its_turns().forgiven.fetch_add_relaxed(static_cast<std::uint64_t>(seen.until) >>
                                                   key_word::tag_bits);
        }
        seen.claim = {seen.least.at, claim};
        return true;
    }

    // Is there no other word of the key? Otherwise one of them is taken out.
    [[nodiscard]] bool is_alone(found mine) const noexcept {
        return each_place([&](place& p) noexcept {
            if (&p == mine.at) return true;
            std::uint64_t here = p.load_relaxed();
            const bool is_established = key_word::is_of(here, tag_);
            if (!is_established && !key_word::is_claim_of(here, tag_)) return true;
            if (is_established || &p < mine.at) {
                (void)mine.at->try_exchange_relaxed(mine.word, 0);
                return false;
            }
            return p.try_exchange_relaxed(here, 0);
        });
    }

    // No unit now, and none before a place is free.
    [[nodiscard]] taken<std::uint64_t> refused(const view& seen, tick now,
                                               const rate& r) const noexcept {
        // Nothing but claims is not full for long.
        const std::uint64_t wait =
            seen.least.at != nullptr ? static_cast<std::uint64_t>(seen.until) : r.period();
        return {0, {verdict::wait, key_word::established(r.filled(now, 0), tag_), wait}};
    }

    static void count(Atomic<std::uint64_t>& what) noexcept { what.fetch_add_relaxed(1); }

    line* lines_ = nullptr;
    std::uint64_t count_ = 0;
    std::size_t first_ = 0;
    std::uint64_t tag_ = 0;
    turns* all_turns_ = nullptr;
};

}  // namespace weir

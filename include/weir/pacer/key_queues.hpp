// SPDX-License-Identifier: MIT
// key_queues: a queue for each key of a keyed pacer, and whose turn it is.
//
// A key in whose queue something waits has a time from which its oldest item may go, or has
// expired. The earliest is next; of several with the same time the one that has waited longer.
// A key that got its turn and may go on at once has the present as its time. So from the moment at
// which a key may go, each other key gets at most one turn before it.
//
// The thread that polls uses it; plain integers. It allocates when it is constructed, and never
// again. A turn, and a change of what waits, takes time logarithmic in the number of keys.
// Invariant: a key is in `turns_` exactly if something waits in its queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/known_keys.hpp>
#include <weir/pacer/steered_items.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/time_heap.hpp>
#include <weir/table/key_hash.hpp>

namespace weir {

// Same names the key by which a newer item replaces an older one of its destination; nullptr: none.
template <class Queued, clock Clock, class Each, auto Same>
class key_queues {
    using instant = weir::instant<Clock>;
    using items_type = steered_items<Queued, 0, Same>;

    struct entry : known_key<Clock> {
        typename items_type::list queue;
        std::uint32_t items = 0;
    };

public:
    using withdrawn_item = typename items_type::withdrawn_item;

    key_queues(const typename Each::quotas& q, std::size_t keys, std::size_t most_of_a_key,
               std::size_t items, seed s)
        : keys_(q, keys, s), turns_(keys), items_(items, s), most_of_a_key_(most_of_a_key) {}

    // --- what comes

    // Into the queue of its key, or in place of an older one; or it is withdrawn, as there is no
    // place for its key, or too many items are in its queue.
    void accept(Queued&& queued, word number, std::uint32_t lane, instant now) noexcept {
        const std::uint32_t n = keys_.of(queued.item, now);
        const place_number p = items_.add(std::move(queued), number, lane, n);
        if (n == nowhere) return items_.refuse(p, dropped::no_place);
        entry& its = keys_[n];
        const place_number older = items_.with_key_of(p);
        if (older != nowhere) {
            const bool was_first = its.queue.first == older;
            items_.replace(its.queue, older, p);
            if (was_first) schedule(n, now);
            return;
        }
        if (its.items >= most_of_a_key_) return items_.refuse(p, dropped::crowded);
        items_.append(its.queue, p);
        if (++its.items > 1) return;
        keys_.stir(n);
        turns_.add(keys_, n, next_time(n, now), ++turn_);
    }

    // False if it does not wait.
    bool cancel(word number, std::uint32_t lane, instant now) noexcept {
        const place_number p = items_.with_ticket(number, lane);
        if (p == nowhere) return false;
        withdraw(p, dropped::cancelled, now);
        return true;
    }
    // All that came out of a lane. It looks at all places.
    void clear_lane(std::uint32_t lane, instant now) noexcept {
        items_.for_each([&](place_number p) {
            if (items_.lane_of(p) == lane) withdraw(p, dropped::cleared, now);
        });
    }
    template <class K>
    void clear_key(const K& key, instant now) noexcept {
        const std::uint32_t n = keys_.find(key);
        if (n == nowhere) return;
        while (keys_[n].items > 0) withdraw(keys_[n].queue.first, dropped::cleared, now);
    }

    // Nothing of the key goes before then. False if there is no place for it.
    template <class K>
    bool hold(const K& key, instant until, instant now) noexcept {
        const std::uint32_t n = keys_.of_key(key, now);
        if (n == nowhere) return false;
        keys_.hold(n, until, now);
        if (keys_[n].items > 0) {
            schedule(n, now);
        } else {
            keys_.rest(n, now);
        }
        return true;
    }

    // --- what goes

    // Does nothing wait for its turn?
    [[nodiscard]] bool is_empty() const noexcept { return turns_.is_empty(); }
    // Whose turn it is, and from when on; only if anything waits.
    [[nodiscard]] std::uint32_t first() const noexcept { return turns_.first(); }
    [[nodiscard]] instant first_time() const noexcept { return turns_.first_time(); }
    // The oldest item of the key, and where it came out of.
    [[nodiscard]] Queued& front(std::uint32_t n) noexcept { return items_[keys_[n].queue.first]; }
    [[nodiscard]] std::uint32_t lane_of_front(std::uint32_t n) const noexcept {
        return items_.lane_of(keys_[n].queue.first);
    }
    // May it go now by the key's own limit? If it has to wait, the key waits for that.
    [[nodiscard]] verdict may_go(std::uint32_t n, instant now) noexcept {
        const verdict said = keys_.may_have(n, front(n).cost, now);
        if (said == verdict::wait) schedule(n, now);
        return said;
    }
    // Only if it may go.
    void charge(std::uint32_t n, instant now) noexcept { keys_.charge(n, front(n).cost, now); }
    // It leaves its queue: it goes, or is dropped. The key's next turn comes after those that
    // wait already.
    [[nodiscard]] Queued take(std::uint32_t n, instant now) noexcept {
        Queued oldest = items_.take_first(keys_[n].queue);
        if (--keys_[n].items > 0) {
            turns_.move(keys_, n, next_time(n, now), ++turn_);
        } else {
            is_empty_now(n, now);
        }
        return oldest;
    }

    // --- what was withdrawn

    [[nodiscard]] bool any_withdrawn() const noexcept { return items_.any_withdrawn(); }
    [[nodiscard]] withdrawn_item take_withdrawn() noexcept { return items_.take_withdrawn(); }

    // --- keys

    // Keys that have a place now.
    [[nodiscard]] std::size_t keys() const noexcept { return turns_.size() + keys_.resting(); }
    // Frees some places of keys that are as good as new.
    void tidy(instant now) noexcept { keys_.tidy(now); }

    // What it takes of memory for each key, and for each item.
    [[nodiscard]] static constexpr std::size_t bytes_per_key() noexcept {
        return known_keys<Clock, Each, entry>::bytes_per_key() +
               time_heap<Clock>::bytes_per_place();
    }
    [[nodiscard]] static constexpr std::size_t bytes_per_item() noexcept {
        return items_type::bytes_for(1);
    }

private:
    // When its oldest item may go, or is to be dropped.
    [[nodiscard]] instant next_time(std::uint32_t n, instant now) noexcept {
        const Queued& oldest = front(n);
        if (oldest.by.missed(now)) return now;
        const instant then = keys_.free_at(n, oldest.cost, now);
        const bool expires = oldest.by.is_set() && earlier(oldest.by.missed_at(), then);
        return expires ? oldest.by.missed_at() : then;
    }
    // After what waits has changed. A key that may go already keeps its turn.
    void schedule(std::uint32_t n, instant now) noexcept {
        const instant then = next_time(n, now);
        const bool has_its_turn = !earlier(now, turns_.time_at(keys_[n].place));
        if (then != now || !has_its_turn) turns_.move(keys_, n, then, ++turn_);
    }

    void withdraw(place_number p, dropped reason, instant now) noexcept {
        const std::uint32_t n = items_.owner_of(p);
        entry& its = keys_[n];
        const bool was_first = its.queue.first == p;
        items_.withdraw(its.queue, p, reason);
        if (--its.items == 0) return is_empty_now(n, now);
        if (was_first) schedule(n, now);
    }
    void is_empty_now(std::uint32_t n, instant now) noexcept {
        turns_.remove(keys_, n);
        keys_.rest(n, now);
    }

    known_keys<Clock, Each, entry> keys_;
    time_heap<Clock> turns_;
    items_type items_;
    std::size_t most_of_a_key_;
    std::uint32_t turn_ = 0;
};

}  // namespace weir

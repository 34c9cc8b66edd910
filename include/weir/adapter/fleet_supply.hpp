// SPDX-License-Identifier: MIT
// fleet_supply: fills the stock of a fleet_limiter, by leases while Redis answers and by the policy
// while it does not. It has no thread, no clock and no connection: a Store has the last two, so the
// tests run many of these in a time of their own.
//
// Invariant: what is in stock and what has been asked for and not come yet are no more than the
// largest lease together. What is given back leaves the stock first. A lease whose answer does not
// come is lost: Redis may have counted it, and nobody spends it. So in any window a process spends
// no more than Redis granted to it then, its largest lease, and what the policy adds:
//
//     local_share   share of the rate x time of the outage, and one unit
//     closed        nothing
//     open          as much as comes
//
// After a failure calls ask for one unit, until one is answered. What the policy has added is
// charged to Redis with the next lease, as far as there are units: so the fleet slows down until
// that is made up for.
#pragma once

#include <algorithm>
#include <cstdint>

#include <weir/adapter/fleet_lease.hpp>
#include <weir/adapter/fleet_link.hpp>
#include <weir/adapter/fleet_stock.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>

namespace weir {

// What Redis said to a lease, or to units that were given back.
struct fleet_answer {
    redis_error error = redis_error::none;
    word units = 0;
    nanoseconds retry_after{};  // if there were none
    std::uint64_t idle_at = 0;  // when the limit will be idle, in microseconds of Redis's time
};

// A Store has
//     nanoseconds now()                     a time that does not go back
//     fleet_answer lease(word, uint64_t)    up to so many units; with the floor, if Redis may have
//                                           lost its state since the last answer
//     fleet_answer give_back(word)
//     nanoseconds next_try_after()          when a call can succeed again, after one that failed
class fleet_supply {
public:
    fleet_supply(const quota& q, const fleet_options& o, word most, std::uint64_t seed) noexcept
        : policy_(o.away),
          burst_(static_cast<word>(
              std::min<std::uint64_t>(static_cast<std::uint64_t>(q.burst()), largest<word> / 4))),
          share_(fleet_lease::share_of(q, o.processes)),
          rule_(least_lease(o, most), most, share_, o.processes, seed),
          link_(~seed) {}

    // Looks at the stock, and makes a call of the Store if it is time for one.
    template <class Store>
    void turn(fleet_stock& stock, Store& store) {
        const nanoseconds now = store.now();
        const word left = stock.units();
        const fleet_turn next = rule_.look(now, left, stock.wanted());
        filled_ = left + (link_.fails() ? put_by_policy(now, stock) : 0);
        rule_.filled(filled_);
        if (!link_.answers()) {
            if (now >= link_.next_try()) lease(now, first_ask(), stock, store);
        } else if (next.what == fleet_turn::act::lease) {
            lease(now, next.units, stock, store);
        } else if (next.what == fleet_turn::act::give_back) {
            give_back(now, next.units, stock, store);
        }
        stock.tell_wait(wait(store.now()));
    }

    // All that is left goes back, unless the last call failed.
    template <class Store>
    void end(fleet_stock& stock, Store& store) {
        stock.let_pass(false);
        if (link_.answers() && stock.units() != 0)
            give_back(store.now(), stock.most(), stock, store);
    }

    // When to call `turn` again.
    [[nodiscard]] nanoseconds next_turn() const noexcept {
        return link_.fails() ? std::min(link_.next_try(), rule_.next_look()) : rule_.next_look();
    }

    [[nodiscard]] fleet_state state() const noexcept { return link_.state(owed_); }
    [[nodiscard]] const fleet_counts& counts() const noexcept { return counts_; }
    // The units that it wants to have in stock now.
    [[nodiscard]] word lease_size() const noexcept { return rule_.size(); }

private:
    [[nodiscard]] static word least_lease(const fleet_options& o, word most) noexcept {
        return o.least_lease ? static_cast<word>(*o.least_lease) : std::max<word>(most / 4, 1);
    }
    // How long it takes, from now on, until units may have come. Never zero.
    [[nodiscard]] nanoseconds wait(nanoseconds now) const noexcept {
        if (!link_.fails()) return rule_.wait();
        if (mints()) {
            const double unit = (1 - credit_) / share_;
            return nanoseconds(
                std::max(rule_.longest_look.count(),
                         unit < 1e18 ? static_cast<std::int64_t>(unit) : std::int64_t{1} << 60U));
        }
        return nanoseconds(
            std::max(rule_.longest_look.count(), link_.next_try().count() - now.count()));
    }

    [[nodiscard]] bool mints() const noexcept {
        return link_.fails() && link_.has_answered() && policy_ == when_away::local_share;
    }

    // The units that this process may let pass without Redis, since the last time.
    [[nodiscard]] word put_by_policy(nanoseconds now, fleet_stock& stock) noexcept {
        owe_passed(stock);
        if (!mints()) return 0;
        credit_ += static_cast<double>(now.count() - minted_at_.count()) * share_;
        credit_ = std::min(credit_, static_cast<double>(stock.most()));
        minted_at_ = now;
        const word whole = static_cast<word>(credit_);
        credit_ -= static_cast<double>(whole);
        // As if nothing had been spent since the last time. So stock and credit were never more
        // than the largest lease together.
        const word minted = stock.put(std::min(whole, stock.most() - filled_));
        counts_.minted += minted;
        owed_ += minted;
        return minted;
    }

    void owe_passed(const fleet_stock& stock) noexcept {
        const word passed = stock.passed();
        owed_ += passed - counts_.passed;
        counts_.passed = passed;
    }

    // After a call that failed one unit, if there is room: more would be lost again.
    [[nodiscard]] word first_ask() const noexcept {
        const word room = rule_.size() - std::min(filled_, rule_.size());
        if (!link_.fails()) return room;
        return owed_ == 0 ? std::min<word>(room, 1) : 0;
    }

    template <class Store>
    void lease(nanoseconds now, word want, fleet_stock& stock, Store& store) {
        const auto owed = static_cast<word>(
            std::min<std::uint64_t>(owed_, link_.fails() ? 1 - want : burst_ - want));
        ++counts_.calls;
        const fleet_answer a = store.lease(want + owed, idle_at_);
        if (a.error != redis_error::none) {
            if (link_.is_in_doubt(a.error)) counts_.lost += want + owed;
            return failed(store.now(), a.error, stock, store);
        }
        idle_at_ = a.idle_at;
        const word charged = std::min(a.units, owed);
        const word got = std::min(a.units - charged, want);
        counts_.charged += charged;
        owed_ = link_.fails() ? owed_ - charged : 0;  // if Redis has no more the rest is forgotten
        answered(store.now(), stock);
        counts_.leased += got;
        counts_.leases += got != 0 ? 1U : 0U;
        const word fits = stock.put(got);
        filled_ += fits;
        rule_.leased(now, want, got, a.retry_after, filled_);
        // Somebody has given units back meanwhile.
        if (fits < got) give_back_taken(now, got - fits, stock, store);
    }

    template <class Store>
    void give_back(nanoseconds now, word n, fleet_stock& stock, Store& store) {
        const word units = stock.take(1, n).units;
        filled_ -= std::min(filled_, units);
        if (units != 0) give_back_taken(now, units, stock, store);
    }
    template <class Store>
    void give_back_taken(nanoseconds now, word units, fleet_stock& stock, Store& store) {
        ++counts_.calls;
        const fleet_answer a = store.give_back(units);
        if (a.error != redis_error::none) {
            if (link_.is_in_doubt(a.error)) {
                counts_.lost += units;
            } else {
                filled_ += stock.put(units);
            }
            return failed(store.now(), a.error, stock, store);
        }
        idle_at_ = a.idle_at;
        counts_.given_back += units;
        rule_.gave_back(now, filled_);
    }

    void answered(nanoseconds now, fleet_stock& stock) noexcept {
        if (link_.answers()) return;
        stock.let_pass(false);
        owe_passed(stock);
        link_.answered(now);
    }

    template <class Store>
    void failed(nanoseconds now, redis_error reason, fleet_stock& stock, Store& store) noexcept {
        ++counts_.failures;
        if (!link_.fails()) {
            minted_at_ = now;
            credit_ = 0;
        }
        link_.failed(now, reason, store.next_try_after());
        if (policy_ == when_away::open) stock.let_pass(true);
    }

    when_away policy_;
    word burst_;
    double share_;  // units in a nanosecond
    fleet_lease rule_;
    fleet_link link_;

    word filled_ = 0;            // what was in stock after the last look, or more
    std::uint64_t idle_at_ = 0;  // the floor, of the last answer

    nanoseconds minted_at_{};
    double credit_ = 0;       // units of the share that are not in stock yet
    std::uint64_t owed_ = 0;  // units of the policy that Redis has not been charged with
    fleet_counts counts_{};
};

}  // namespace weir

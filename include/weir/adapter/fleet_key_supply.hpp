// SPDX-License-Identifier: MIT
// fleet_key_supply: fills the stocks of a fleet_key_table, by leases while Redis answers and by the
// policy while it does not, with one call for many keys. Like fleet_supply it has no thread, no
// clock and no connection, so tests run many of these in a time of their own. It is long because
// all that happens to a key in its life stands here.
//
//     a key is looked at      in each turn (4 to 5 ms) from when the table tells of it until
//                             nobody has asked for it for 20 ms; then once a second
//     it goes away            with all that it holds, when nobody has asked for it for 1 to 2 s
//     a call                  is for 256 keys at most; the others come first in the next turn.
//                             For half as many when one has taken 20 ms, down to 4; and after one
//                             that takes longer than 5 ms the thread rests for as long
//     an idle table           makes a call once a second, which shows whether Redis is there
//
// What a key leases, and when, is fleet_lease's rule. A key that comes is credited with the least
// lease, which its first request may spend: it owes that until the next lease, which Redis is asked
// for together with what the key owes. What the policy adds is owed in the same way.
//
// Invariant, for each key: what is in stock and what has been asked for and not come yet are no
// more than the largest lease; what is owed of credits is no more than the least lease, as a key
// that owes more than it holds does not go away. What is given back leaves the stock first. So in
// any window a process spends of a key no more than Redis granted to it then, its largest and its
// least lease, and what the policy adds: see fleet_supply.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/adapter/fleet_key_batch.hpp>
#include <weir/adapter/fleet_key_list.hpp>
#include <weir/adapter/fleet_key_record.hpp>
#include <weir/adapter/fleet_key_table.hpp>
#include <weir/adapter/fleet_lease.hpp>
#include <weir/adapter/fleet_link.hpp>
#include <weir/adapter/fleet_supply.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/limiter/jitter.hpp>

namespace weir {

// A Store has
//     nanoseconds now()                a time that does not go back
//     redis_error connect()            if it is not connected
//     uint64_t connections()           how often it has connected
//     void ask(leases, answers)        in one call: a span of remote_lease and a fleet_answer each
//     nanoseconds next_try_after()     when a call can succeed again, after one that failed
class fleet_key_supply {
    using table = fleet_key_table<>;
    using record = fleet_key_record;

public:
    static constexpr std::size_t most_looks = 4096;
    static constexpr std::uint32_t busy_ms = 20;
    static constexpr std::uint32_t rest_ms = 1000;
    static constexpr nanoseconds slow = milliseconds(20);
    static constexpr std::size_t fewest_asks = 4;
    static constexpr nanoseconds end_within = milliseconds(200);

    // Allocates.
    fleet_key_supply(const quota& q, const fleet_options& o, table& of, std::uint64_t seed)
        : table_(&of),
          policy_(o.away),
          processes_(o.processes),
          least_(credit(o)),
          burst_(static_cast<std::uint64_t>(q.burst())),
          share_(fleet_lease::share_of(q, o.processes)),
          link_(~seed),
          seed_(seed),
          spread_(seed, milliseconds(1)),
          records_(of.size(), record{new_rule(0)}) {}
    fleet_key_supply(const fleet_key_supply&) = delete;
    fleet_key_supply& operator=(const fleet_key_supply&) = delete;
    ~fleet_key_supply() = default;

    [[nodiscard]] static constexpr std::size_t bytes_a_place() noexcept { return sizeof(record); }

    // What a new key is credited with.
    [[nodiscard]] static word credit(const fleet_options& o) noexcept {
        return static_cast<word>(o.least_lease.value_or(1));
    }

    template <class Store>
    void turn(Store& store) {
        now_ = store.now();
        ms_ = in_ms(now_);
        table_->each_told([&](std::uint32_t place) { come(place); });
        if (active_.size() != 0) busy_at_ = now_;
        if (!link_.answers() && now_ >= link_.next_try()) try_again(store);
        look_at_resting();
        if (link_.answers()) {
            each_active([&](std::uint32_t place) { look(place); });
            const bool is_silent = now_.count() - called_at_.count() >= nanoseconds::per_second;
            if (!batch_.empty() || is_silent) call(store);
        } else {
            each_active([&](std::uint32_t place) { put_by_policy(place); });
        }
        table_->meet_newcomers(newcomers(), ms_ / 1000);
        const bool idle = now_.count() - busy_at_.count() >= nanoseconds::per_second;
        next_turn_ =
            now_ + (idle ? fleet_lease::idle_look : spread_.after(fleet_lease::shortest_look));
        if (link_.fails()) next_turn_ = std::min(next_turn_, link_.next_try());
        const nanoseconds took(store.now().count() - now_.count());
        if (took > fleet_lease::longest_look) next_turn_ = std::max(next_turn_, store.now() + took);
    }

    // What is left goes back, unless the last call failed, as far as that takes no longer than
    // `end_within` and a call.
    template <class Store>
    void end(Store& store) {
        table_->meet_newcomers(table::newcomers::refused, ms_ / 1000);
        const nanoseconds until = store.now() + end_within;
        table_->each_told([&](std::uint32_t place) { come(place); });
        for (std::uint32_t place = 0; place < records_.size(); ++place) {
            record& r = records_[place];
            if (!link_.answers() || store.now() > until) return;
            if (r.its == list::none) continue;
            const word units = table_->take_out(place, table_->most());
            if (units > r.owed) ask_back(place, units - r.owed, true);
            if (units < r.owed) ask(place, 0, static_cast<std::uint32_t>(r.owed - units));
            settle(r, static_cast<std::uint32_t>(std::min<word>(units, r.owed)));
            if (batch_.size() == fleet_key_batch::most) call(store);
        }
        if (!batch_.empty() && link_.answers()) call(store);
    }

    // When to call `turn` again.
    [[nodiscard]] nanoseconds next_turn() const noexcept { return next_turn_; }
    [[nodiscard]] fleet_state state() const noexcept { return link_.state(owed_); }
    [[nodiscard]] fleet_key_counts counts() const noexcept {
        fleet_key_counts c = counts_;
        c.passed = table_->passed();
        c.without_place = table_->without_place();
        return c;
    }

private:
    using list = fleet_key_record::list;

    [[nodiscard]] static std::uint32_t in_ms(nanoseconds at) noexcept {
        return static_cast<std::uint32_t>(at.count() / 1'000'000);
    }
    [[nodiscard]] fleet_lease new_rule(std::uint32_t place) const noexcept {
        return {least_, table_->most(), share_, processes_, seed_ + place};
    }
    [[nodiscard]] table::newcomers newcomers() const noexcept {
        using enum table::newcomers;
        if (link_.answers()) return credited;
        if (policy_ == when_away::open) return passed;
        return link_.has_answered() && policy_ == when_away::local_share ? entered : refused;
    }

    // The table tells of the key.
    void come(std::uint32_t place) noexcept {
        record& r = records_[place];
        if (r.its == list::resting) resting_.remove(place);
        if (r.its == list::none) {
            const word credit = table_->beside(place).credit();
            r = record{new_rule(place)};
            r.rule.filled(credit);
            r.owed = r.filled = static_cast<std::uint32_t>(credit);
            r.minted_at = ms_;
            owed_ += credit;
            ++counts_.entered;
            ++counts_.keys;
        }
        r.busy_at = ms_;
        join(place, list::active);
    }
    void join(std::uint32_t place, list to) noexcept {
        records_[place].its = to;
        (to == list::active ? active_ : resting_).push_back(place);
    }

    // Those that have waited for longest, until a call has enough to ask for. Who is no longer
    // busy rests.
    template <class Look>
    void each_active(Look its) {
        std::size_t n = std::min<std::size_t>(active_.size(), most_looks);
        for (; n != 0 && batch_.size() < most_asks_; --n) {
            const std::uint32_t place = active_.first();
            record& r = records_[place];
            its(place);
            active_.remove(place);
            const bool is_busy = ms_ - r.busy_at < busy_ms;
            const bool rests = !is_busy && table_->rest(place, r.filled);
            if (rests) r.rests_since = ms_;
            join(place, rests ? list::resting : list::active);
        }
    }
    [[nodiscard]] fleet_turn seen(std::uint32_t place) noexcept {
        record& r = records_[place];
        const word units = table_->units(place);
        const word wanted = table_->beside(place).wanted();
        if (units != r.filled || wanted != 0) r.busy_at = ms_;
        r.filled = static_cast<std::uint32_t>(units);
        return r.rule.look(now_, units, wanted);
    }
    void look(std::uint32_t place) {
        record& r = records_[place];
        const fleet_turn next = seen(place);
        if (next.what == fleet_turn::act::lease && (next.units != 0 || r.owed != 0)) {
            ask(place, next.units, r.owed);
        } else if (next.what == fleet_turn::act::give_back) {
            const word units = table_->take_out(place, next.units);
            r.filled -= static_cast<std::uint32_t>(std::min<word>(r.filled, units));
            if (units != 0) ask_back(place, units, false);
        }
    }
    // Without Redis a key goes away only if there is nothing to tell of it.
    void look_at_resting() {
        std::size_t n = most_looks;
        for (; n != 0 && resting_.size() != 0 && batch_.size() < most_asks_ / 2; --n) {
            const std::uint32_t place = resting_.first();
            record& r = records_[place];
            if (ms_ - r.rests_since < rest_ms) return;
            resting_.remove(place);
            r.rests_since = ms_;
            const bool is_used = table_->units(place) != r.filled;
            const bool may_go = link_.answers() ? r.owed <= r.filled : r.owed == r.filled;
            if (!is_used && may_go && table_->forget(place, r.filled)) {
                if (r.filled != r.owed) ask_back(place, r.filled - r.owed, true);
                settle(r, r.owed);
                r.its = list::none;
                ++counts_.forgotten;
                --counts_.keys;
                continue;
            }
            if (!link_.answers()) {
                (void)seen(place);
            } else if (is_used) {
                look(place);
            } else if (r.owed > r.filled) {
                ask(place, 0, r.owed);
            }
            join(place, list::resting);
        }
    }

    // The units of the process's share that have come since the last time.
    void put_by_policy(std::uint32_t place) noexcept {
        (void)seen(place);
        if (policy_ != when_away::local_share || !link_.has_answered()) return;
        record& r = records_[place];
        const word most = table_->most();
        const word share = r.mint(ms_, in_ms(link_.since()), share_ * 1e6, most);
        const auto minted = static_cast<std::uint32_t>(
            table_->put(place, std::min(share, most - r.filled), r.rule.size()));
        r.filled += minted;
        r.rule.filled(r.filled);
        counts_.minted += minted;
        const std::uint32_t owes = std::min(minted, UINT32_MAX - r.owed);
        r.owed += owes;
        owed_ += owes;
    }

    // Asks for one unit of one key, as a Redis that takes no writes answers to those who ask for
    // nothing; and more would be lost again if it is too slow.
    template <class Store>
    void try_again(Store& store) {
        const std::uint32_t place = active_.size() != 0 ? active_.first() : resting_.first();
        if (link_.fails() && place != fleet_key_list<record>::nobody) {
            const record& r = records_[place];
            const bool has_room = table_->units(place) < table_->most();
            if (r.owed != 0)
                ask(place, 0, 1);
            else if (has_room)
                ask(place, 1, 0);
        }
        call(store);
    }
    void ask(std::uint32_t place, word want, std::uint32_t owed) {
        const auto most = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(owed, burst_ - std::min<std::uint64_t>(want, burst_)));
        batch_.add(table_->beside(place).text(), {place, want, most, false, false});
    }
    void ask_back(std::uint32_t place, word n, bool is_gone) {
        batch_.add(table_->beside(place).text(), {place, n, 0, true, is_gone});
    }

    template <class Store>
    void call(Store& store) {
        ++counts_.calls;
        called_at_ = now_;
        const redis_error failed = batch_.send(
            store,
            // A new connection may be one to a Redis that has lost what the old one knew.
            [&](std::uint32_t place, std::uint32_t connection) noexcept {
                const record& r = records_[place];
                return r.connection != connection ? r.idle_at : 0;
            },
            [&](const auto& why, const fleet_answer& a, std::uint32_t connection) noexcept {
                record& r = records_[why.place];
                if (a.error == redis_error::none && !why.is_gone) {
                    r.idle_at = a.idle_at;
                    r.connection = connection;
                }
                if (why.gives_back)
                    gave_back(r, why, a);
                else
                    leased(r, why, a);
            });
        // So many processes that Redis cannot answer all at once ask for less each.
        if (store.now().count() - now_.count() >= slow.count())
            most_asks_ = std::max(most_asks_ / 2, fewest_asks);
        else
            most_asks_ = std::min(most_asks_ + 8, fleet_key_batch::most);
        if (failed == redis_error::none) {
            link_.answered(store.now());
        } else {
            ++counts_.failures;
            link_.failed(store.now(), failed, store.next_try_after());
        }
    }

    void leased(record& r, const fleet_key_batch::purpose& why, const fleet_answer& a) noexcept {
        if (a.error != redis_error::none) {
            if (fleet_link::is_in_doubt(a.error)) counts_.lost += why.want + why.owed;
            if (a.error == redis_error::foreign_key)
                r.rule.leased(now_, 1, 0, fleet_lease::longest_silence, r.filled);
            return;
        }
        const word charged = std::min<word>(a.units, why.owed);
        const word got = std::min<word>(a.units - charged, why.want);
        pay(r, static_cast<std::uint32_t>(charged));
        r.filled += static_cast<std::uint32_t>(table_->put(why.place, got, r.rule.size()));
        r.rule.leased(now_, why.want, got, a.retry_after, r.filled);
        counts_.leased += got;
        counts_.leases += got != 0 ? 1U : 0U;
        const bool is_dry = why.want != 0 && got == 0;
        table_->beside(why.place).tell_wait(in_us(is_dry ? a.retry_after : nanoseconds{}));
    }
    void gave_back(record& r, const fleet_key_batch::purpose& why, const fleet_answer& a) noexcept {
        if (a.error == redis_error::none) {
            counts_.given_back += why.want;
            if (!why.is_gone) r.rule.gave_back(now_, r.filled);
        } else if (why.is_gone || fleet_link::is_in_doubt(a.error)) {
            counts_.lost += why.want;
        } else {
            r.filled += static_cast<std::uint32_t>(table_->put(why.place, why.want, r.rule.size()));
        }
    }
    // The key owes so much less.
    void pay(record& r, std::uint32_t units) noexcept {
        r.owed -= units;
        owed_ -= units;
        counts_.charged += units;
    }
    // As if the units had been given back, and charged then.
    void settle(record& r, std::uint32_t units) noexcept {
        pay(r, units);
        counts_.given_back += units;
    }
    [[nodiscard]] static std::uint32_t in_us(nanoseconds time) noexcept {
        return static_cast<std::uint32_t>(
            std::clamp<std::int64_t>(time.count() / 1000, 0, UINT32_MAX));
    }

    table* table_;
    when_away policy_;
    std::uint32_t processes_;
    word least_;
    std::uint64_t burst_;
    double share_;  // units in a nanosecond
    fleet_link link_;
    std::uint64_t seed_;
    jitter spread_;

    std::vector<record> records_;
    fleet_key_list<record> active_{records_.data()};
    fleet_key_list<record> resting_{records_.data()};

    fleet_key_batch batch_{table::longest_key};
    std::size_t most_asks_ = fleet_key_batch::most;

    nanoseconds now_{};
    std::uint32_t ms_ = 0;
    nanoseconds busy_at_{};
    nanoseconds called_at_{};
    nanoseconds next_turn_{};
    std::uint64_t owed_ = 0;  // by all keys
    fleet_key_counts counts_{};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// A fleet whose processes share a limit for each key, in a time of the test's own: the table and
// the supply that ship, and one Redis that decides as the script does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <weir/adapter/fleet_key_supply.hpp>
#include <weir/adapter/fleet_key_table.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/remote_lease.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/limiter/jitter.hpp>
#include <weir/table/key_hash.hpp>

#include "fleet_model.hpp"

namespace fleet_model {

// All keys in Redis.
struct key_server {
    explicit key_server(const weir::quota& q) : its_quota(q) {}

    redis& of(std::string_view key) {
        return all.try_emplace(std::string(key), its_quota).first->second;
    }

    weir::quota its_quota;
    std::unordered_map<std::string, redis> all{};
    std::set<std::string> foreign{};  // keys that hold something else

    // One after the other, if each takes a time.
    nanoseconds answered(nanoseconds now, std::size_t asks) {
        if (each_takes == nanoseconds{}) return now;
        busy_until = std::max(busy_until, now) +
                     nanoseconds(each_takes.count() * static_cast<std::int64_t>(asks));
        most_wait = std::max(most_wait, nanoseconds(busy_until.count() - now.count()));
        return busy_until;
    }
    nanoseconds each_takes{};
    nanoseconds busy_until{};
    nanoseconds most_wait{};
};

struct key_store {
    key_server* its;
    nanoseconds time{};
    nanoseconds call_takes{};
    weir::redis_error away = weir::redis_error::none;
    bool takes_effect = false;  // though the answer is lost
    bool is_open = false;
    std::uint64_t connected = 0;
    std::deque<nanoseconds> calls{};
    std::uint64_t asked = 0;
    std::size_t most_asked = 0;

    [[nodiscard]] nanoseconds now() const { return time; }
    weir::redis_error connect() {
        if (is_open) return weir::redis_error::none;
        if (away == weir::redis_error::down || away == weir::redis_error::too_slow) {
            calls.push_back(time);
            return away;
        }
        is_open = true;
        ++connected;
        return weir::redis_error::none;
    }
    [[nodiscard]] std::uint64_t connections() const { return connected; }
    void ask(std::span<const weir::remote_lease> asks, std::span<weir::fleet_answer> answers) {
        calls.push_back(time);
        time = its->answered(time, asks.size()) + call_takes;
        asked += asks.size();
        most_asked = std::max(most_asked, asks.size());
        for (std::size_t i = 0; i < asks.size(); ++i) {
            const bool is_refused =
                away == weir::redis_error::out_of_memory || away == weir::redis_error::read_only;
            if (away == weir::redis_error::none || (is_refused && asks[i].n == 0)) {
                answers[i] = answer(asks[i]);  // which writes nothing
            } else if (is_refused) {
                answers[i] = {away};
            } else {
                if (takes_effect) (void)answer(asks[i]);
                answers[i] = {away};
                is_open = false;
            }
        }
    }
    [[nodiscard]] static nanoseconds next_try_after() { return {}; }

private:
    weir::fleet_answer answer(const weir::remote_lease& l) {
        if (its->foreign.contains(std::string(l.key))) return {weir::redis_error::foreign_key};
        redis& r = its->of(l.key);
        return l.gives_back ? r.give_back(time, l.n) : r.lease(time, l.n, l.floor);
    }
};

struct key_process {
    key_process(key_server& its, const weir::quota& q, const weir::fleet_options& o, word most,
                std::size_t count, std::uint64_t seed)
        : link{&its},
          keys(count, most, weir::fleet_key_supply::credit(o), weir::seed(seed)),
          supply(q, o, keys, seed) {}

    key_store link;
    weir::fleet_key_table<> keys;
    weir::fleet_key_supply supply;
    nanoseconds next{};
    bool runs = true;
    std::uint64_t admitted = 0;
    std::uint64_t denied = 0;
};

class key_fleet {
public:
    key_fleet(const weir::quota& q, const weir::fleet_options& o, std::size_t keys,
              std::size_t count)
        : its(q),
          quota_(q),
          options_(o),
          most_(static_cast<word>(q.burst()) / 2 / o.processes),
          keys_(keys),
          next_seed_(1'000 + count) {
        for (std::size_t i = 0; i < count; ++i) all.emplace_back(its, q, o, most_, keys, 1'000 + i);
    }

    // The process ends, or is killed, and another one begins.
    void replace(key_process& p, bool is_killed) {
        p.link.time = now;
        if (!is_killed) p.supply.end(p.link);
        std::destroy_at(&p);
        std::construct_at(&p, its, quota_, options_, most_, keys_, next_seed_++);
    }

    [[nodiscard]] word most() const { return most_; }
    // Of each key, beyond rate x time.
    [[nodiscard]] double bound(const weir::fleet_options& o) const {
        return static_cast<double>(static_cast<std::uint64_t>(quota_.burst()) +
                                   o.processes * (most_ + weir::fleet_key_supply::credit(o)));
    }

    bool take(std::size_t process, const std::string& key, word n = 1) {
        key_process& p = all[process];
        if (!p.keys.take(key, n).passes) {
            ++p.denied;
            return false;
        }
        p.admitted += n;
        passed.try_emplace(key, quota_).first->second.pass(now, n);
        units[key] += n;
        return true;
    }

    // `demand(process)` makes the requests of a step.
    template <class Demand>
    void run(nanoseconds length, Demand demand) {
        const nanoseconds end = now + length;
        for (; now < end; now = now + step) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (!all[i].runs) continue;
                turn_if_due(i);
                demand(i);
            }
        }
    }
    void run(nanoseconds length) {
        run(length, [](std::size_t) {});
    }
    void cut(weir::redis_error reason) {
        for (key_process& p : all) {
            p.link.away = reason;
            if (reason != weir::redis_error::none) p.link.is_open = false;
        }
    }
    void cut_connections() {
        for (key_process& p : all) p.link.is_open = false;
    }
    void forget() { its.all.clear(); }

    [[nodiscard]] double most_in_a_window() const {
        double most = 0;
        for (const auto& [key, e] : passed) most = std::max(most, e.most());
        return most;
    }
    [[nodiscard]] std::uint64_t admitted() const {
        std::uint64_t sum = 0;
        for (const key_process& p : all) sum += p.admitted;
        return sum;
    }

    static constexpr nanoseconds step = weir::microseconds(100);

    key_server its;
    std::unordered_map<std::string, excess> passed{};
    std::unordered_map<std::string, std::uint64_t> units{};
    std::deque<key_process> all{};
    nanoseconds now = weir::seconds(1'000);

private:
    void turn_if_due(std::size_t i) {
        key_process& p = all[i];
        if (p.next > now) return;
        p.link.time = now;
        p.supply.turn(p.link);
        p.next = std::max(p.supply.next_turn(), p.link.time);
    }

    weir::quota quota_;
    weir::fleet_options options_;
    word most_;
    std::size_t keys_;
    std::uint64_t next_seed_;
};

}  // namespace fleet_model

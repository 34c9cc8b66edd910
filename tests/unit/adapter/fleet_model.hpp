// SPDX-License-Identifier: MIT
// A fleet in a time of the test's own: processes with the stock and the supply that ship, and one
// Redis that decides as the script does. It can be away, lose its state and be slow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <weir/adapter/fleet_stock.hpp>
#include <weir/adapter/fleet_supply.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/limiter/jitter.hpp>

namespace fleet_model {

using weir::nanoseconds;
using weir::word;

// One limit in Redis, by the rules of src/redis/limit.lua: parts of a microsecond, of which `units`
// make one. Exact as long as the quota's numbers are below 2^20.
class redis {
public:
    explicit redis(const weir::quota& q)
        : units_(q.units()), period_(q.period().count() / 1000), burst_(q.burst()) {}

    weir::fleet_answer lease(nanoseconds now, word n, std::uint64_t floor) {
        const std::int64_t at = let_go(now);
        const std::int64_t ahead = static_cast<std::int64_t>(floor) - at;
        if (ahead > 0) {
            const std::int64_t most = (burst_ * period_ + units_ - 1) / units_;
            backlog_ = std::max(backlog_, ahead >= most ? burst_ * period_ : ahead * units_);
        }
        const std::int64_t room =
            std::max<std::int64_t>((burst_ * period_ - backlog_) / period_, 0);
        const std::int64_t got = std::min<std::int64_t>(static_cast<std::int64_t>(n), room);
        nanoseconds retry{};
        if (n != 0 && got == 0)
            retry = weir::microseconds((backlog_ - (burst_ - 1) * period_ + units_ - 1) / units_);
        backlog_ += got * period_;
        return {weir::redis_error::none, static_cast<word>(got), retry, idle_at(at)};
    }
    weir::fleet_answer give_back(nanoseconds now, word n) {
        const std::int64_t at = let_go(now);
        backlog_ = std::max<std::int64_t>(backlog_ - static_cast<std::int64_t>(n) * period_, 0);
        return {weir::redis_error::none, n, {}, idle_at(at)};
    }
    void forget() { backlog_ = 0; }

private:
    [[nodiscard]] std::uint64_t idle_at(std::int64_t at) const {
        return static_cast<std::uint64_t>(at + (backlog_ + units_ - 1) / units_);
    }
    std::int64_t let_go(nanoseconds now) {
        const std::int64_t at = now.count() / 1000;
        backlog_ = std::max<std::int64_t>(backlog_ - (at - at_) * units_, 0);
        at_ = at;
        return at;
    }

    std::int64_t units_;
    std::int64_t period_;
    std::int64_t burst_;
    std::int64_t backlog_ = 0;
    std::int64_t at_ = 0;
};

// What a process has of Redis: a call takes time, fails if Redis is away, and knows when the
// connection was made anew.
struct store {
    redis* its;
    nanoseconds time{};
    nanoseconds call_takes{};
    weir::redis_error away = weir::redis_error::none;
    bool takes_effect = false;  // though the answer is lost
    bool is_new = true;
    std::deque<nanoseconds> calls{};

    [[nodiscard]] nanoseconds now() const { return time; }
    weir::fleet_answer lease(word n, std::uint64_t floor) {
        if (!called()) {
            if (takes_effect) (void)its->lease(time, n, 0);
            return {away};
        }
        const auto a = its->lease(time, n, is_new ? floor : 0);
        is_new = false;
        return a;
    }
    weir::fleet_answer give_back(word n) {
        if (!called()) return {away};
        return its->give_back(time, n);
    }
    [[nodiscard]] static nanoseconds next_try_after() { return {}; }

private:
    bool called() {
        calls.push_back(time);
        time = time + call_takes;
        if (away == weir::redis_error::none) return true;
        is_new = true;
        return false;
    }
};

struct process {
    process(redis& its, const weir::quota& q, const weir::fleet_options& o, word most,
            std::uint64_t seed)
        : link{&its}, stock(most), supply(q, o, most, seed) {}

    store link;
    weir::fleet_stock stock;
    weir::fleet_supply supply;
    nanoseconds next{};
    bool runs = true;
    std::uint64_t admitted = 0;
};

// The most by which what passed in any window is beyond rate x time of that window.
class excess {
public:
    explicit excess(const weir::quota& q)
        : rate_(static_cast<double>(q.units()) / static_cast<double>(q.period().count())) {}
    void pass(nanoseconds now, word n) {
        level_ = std::max(0.0, level_ - static_cast<double>(now.count() - at_.count()) * rate_);
        level_ += static_cast<double>(n);
        at_ = now;
        most_ = std::max(most_, level_);
    }
    [[nodiscard]] double most() const { return most_; }

private:
    double rate_;
    nanoseconds at_{};
    double level_ = 0;
    double most_ = 0;
};

// The processes, and requests for single units that come evenly: demand(which, time) is how many
// in a millisecond.
class fleet {
public:
    fleet(const weir::quota& q, const weir::fleet_options& o, word most, std::size_t count)
        : its(q), passed(q), quota_(q), options_(o), most_(most), next_seed_(1'000 + count) {
        for (std::size_t i = 0; i < count; ++i) all.emplace_back(its, q, o, most, 1'000 + i);
    }

    // The process ends, or is killed, and another one begins.
    void replace(process& p, bool is_killed) {
        p.link.time = now;
        if (!is_killed) p.supply.end(p.stock, p.link);
        std::destroy_at(&p);
        std::construct_at(&p, its, quota_, options_, most_, next_seed_++);
    }

    template <class Demand>
    void run(nanoseconds length, Demand demand) {
        const nanoseconds end = now + length;
        for (; now < end; now = now + step) {
            // Whoever is first in a step finds more in Redis: somebody else each time.
            first_ = (first_ + 7'919) % all.size();
            for (std::size_t k = 0; k < all.size(); ++k) {
                const std::size_t i = (first_ + k) % all.size();
                process& p = all[i];
                if (!p.runs) continue;
                if (p.next <= now) {
                    p.link.time = now;
                    p.supply.turn(p.stock, p.link);
                    p.next = std::max(p.supply.next_turn(), p.link.time);
                }
                demand_[i % most_processes] += demand(i, now) * 0.1;
                for (; demand_[i % most_processes] >= 1; demand_[i % most_processes] -= 1) {
                    if (!p.stock.take(1, 1).passes) continue;
                    ++p.admitted;
                    passed.pass(now, 1);
                }
            }
        }
    }

    [[nodiscard]] std::uint64_t admitted() const {
        std::uint64_t sum = 0;
        for (const process& p : all) sum += p.admitted;
        return sum;
    }

    static constexpr nanoseconds step = weir::microseconds(100);
    static constexpr std::size_t most_processes = 2'000;

    redis its;
    excess passed;
    std::deque<process> all;
    nanoseconds now = weir::seconds(1'000);

private:
    weir::quota quota_;
    weir::fleet_options options_;
    word most_;
    std::uint64_t next_seed_;
    std::size_t first_ = 0;
    std::vector<double> demand_ = std::vector<double>(most_processes, 0.0);
};

}  // namespace fleet_model

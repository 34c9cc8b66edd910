// SPDX-License-Identifier: MIT
// A fleet with a limit for each of many keys, in virtual time, and what is asked of it: a tenth of
// the requests are for one key, four tenths for a hundred, and the others for all keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <weir/adapter/fleet_terms.hpp>
#include <weir/weir.hpp>

#include "../../tests/unit/adapter/fleet_key_model.hpp"

namespace bench {

struct key_story {
    unsigned processes;
    std::size_t keys;
    std::size_t room;  // for keys, in each process
    double each;       // requests a second of a process
    std::int64_t burst;
};

class told_keys {
public:
    static constexpr double rate = 1'000;           // of each key, a second
    static constexpr std::int64_t each_takes = 15;  // microseconds of Redis, for a key of a call

    struct tally {
        std::uint64_t asked = 0;
        std::uint64_t passed = 0;
        void add(bool passes) {
            ++asked;
            passed += passes ? 1U : 0U;
        }
        [[nodiscard]] double share() const {
            return static_cast<double>(passed) / static_cast<double>(asked);
        }
    };

    explicit told_keys(const key_story& s)
        : fleet(weir::per_second(static_cast<std::int64_t>(rate)).with_burst(s.burst), options(s),
                s.room, s.processes),
          hot(s.processes),
          keys_(s.keys),
          step_(s.each * 1e-9 * static_cast<double>(fleet_model::key_fleet::step.count())),
          due_(s.processes) {
        fleet.its.each_takes = weir::microseconds(each_takes);
        for (double& d : due_) d = static_cast<double>(random_() % 1'000) / 1'000;
    }

    [[nodiscard]] static weir::fleet_options options(const key_story& s) {
        weir::fleet_options o;
        o.processes = s.processes;
        return o;
    }

    void run(weir::nanoseconds length) {
        fleet.run(length, [this](std::size_t i) { ask(i); });
    }
    // What has been counted.
    void forget() {
        for (auto& p : fleet.all) {
            p.link.calls.clear();
            p.link.asked = 0;
        }
        hot.assign(hot.size(), 0);
        of_hot = of_warm = of_others = {};
        fleet.its.most_wait = {};
    }
    // Keys that Redis was asked for, by all.
    [[nodiscard]] std::uint64_t asks() const {
        std::uint64_t sum = 0;
        for (const auto& p : fleet.all) sum += p.link.asked;
        return sum;
    }

    fleet_model::key_fleet fleet;
    std::vector<std::uint64_t> hot;  // units of that key, by process
    tally of_hot;
    tally of_warm;
    tally of_others;

private:
    // The requests of a process in a step.
    void ask(std::size_t i) {
        for (due_[i] += step_; due_[i] >= 1; due_[i] -= 1) {
            const std::uint64_t kind = random_() % 10;
            if (kind == 0) {
                const bool passes = fleet.take(i, "hot");
                hot[i] += passes ? 1U : 0U;
                of_hot.add(passes);
            } else if (kind < 5) {
                of_warm.add(fleet.take(i, "warm " + std::to_string(random_() % 100)));
            } else {
                of_others.add(fleet.take(i, std::to_string(random_() % keys_)));
            }
        }
    }

    std::size_t keys_;
    double step_;
    std::mt19937_64 random_{1};
    std::vector<double> due_;
};

}  // namespace bench

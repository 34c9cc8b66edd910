// SPDX-License-Identifier: MIT
// Leased limits with a network between, whose latency changes and which cuts answers, and with a
// Redis whose clock is set: the bound holds in every window of all that passed, for one limit and
// for each of several keys.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_keyed.hpp>
#include <weir/adapter/fleet_limiter.hpp>
#include <weir/weir.hpp>

#include "passages.hpp"
#include "proxy.hpp"
#include "redis_clock.hpp"
#include "server.hpp"

namespace {

using std::chrono::milliseconds;
using weir::fleet_mode;
using weir::when_away;

constexpr std::uint32_t processes = 4;
constexpr weir::fleet_options options{.processes = processes, .away = when_away::closed};

// What is asked: one limit,
struct one_limit {
    using limit = weir::fleet_limiter;
    static constexpr const char* name = "one_limit";
    static constexpr std::size_t keys = 1;
    static constexpr weir::quota quota{5'000, weir::seconds(1), 1'000};
    static constexpr double credit = 0;

    static limit make(const weir::redis_options& to) { return {to, "limit", quota, options}; }
    static bool take(limit& its, std::size_t /*key*/) { return its.try_acquire().admitted(); }
};
// or each of several keys.
struct each_key {
    using limit = weir::fleet_keyed_limits;
    static constexpr const char* name = "each_key";
    static constexpr std::size_t keys = 3;
    static constexpr weir::quota quota{1'250, weir::seconds(1), 250};
    static constexpr double credit = 1;

    static limit make(const weir::redis_options& to) { return {to, "limit", quota, 100, options}; }
    static bool take(limit& its, std::size_t key) {
        return its.try_acquire(std::to_string(key)).admitted();
    }
};

template <class Kind>
class a_fleet_far_away : public testing::Test {
protected:
    struct member {
        typename Kind::limit limit;
        std::int64_t begun = time_now();
        std::uint64_t asked = 0;
        std::vector<std::int64_t> passed[Kind::keys]{};
    };

    void begin(weir::redis_options to) {
        to.socket = between_.socket();
        for (std::uint32_t i = 0; i < processes; ++i) all_.push_back({Kind::make(to)});
    }

    // Each asks for as much of each key as all of them together may have. What a machine that is
    // busy has not asked for in time it leaves out, or it would be later each time.
    void use() {
        constexpr std::uint64_t units =
            Kind::keys * static_cast<std::uint64_t>(Kind::quota.units());
        constexpr std::uint64_t most_at_once = units / 10;
        for (member& m : all_) {
            const auto due =
                static_cast<std::uint64_t>(time_now() - m.begun) * units / 1'000'000'000;
            if (due > m.asked + most_at_once) m.asked = due - most_at_once;
            for (; m.asked < due; ++m.asked) {
                const std::size_t key = m.asked % Kind::keys;
                if (Kind::take(m.limit, key)) m.passed[key].push_back(time_now());
            }
        }
        usleep(300);
    }
    template <class Meanwhile>
    void use_for(milliseconds time, Meanwhile meanwhile) {
        const std::int64_t end = time_now() + std::chrono::nanoseconds(time).count();
        while (time_now() < end) {
            meanwhile();
            use();
        }
    }
    void use_for(milliseconds time) {
        use_for(time, [] {});
    }
    // Until it is so of each, however long that takes.
    template <class Is, class Meanwhile>
    void use_until(Is is, Meanwhile meanwhile) {
        for (member& m : all_) {
            while (!is(m.limit)) {
                meanwhile();
                use();
            }
        }
    }
    template <class Is>
    void use_until(Is is) {
        use_until(is, [] {});
    }
    static bool is_leased(const typename Kind::limit& its) {
        return its.state().mode == fleet_mode::leased;
    }
    [[nodiscard]] std::uint64_t most_failures() const {
        std::uint64_t most = 0;
        for (const member& m : all_)
            most = std::max<std::uint64_t>(most, m.limit.counts().failures);
        return most;
    }
    // They use it up; then all rest, so that they hold units and Redis has the whole burst, and
    // then they spend both.
    template <class Meanwhile>
    void use_rest_and_spend(Meanwhile meanwhile) {
        use_for(milliseconds(400), meanwhile);
        usleep(220'000);
        for (member& m : all_) {
            m.begun = time_now();
            m.asked = 0;
        }
        use_for(milliseconds(150), meanwhile);
    }

    // What a fleet may pass beyond rate x time, with one thread that reads the time after each.
    [[nodiscard]] double bound() const {
        return static_cast<double>(Kind::quota.burst()) +
               processes * (static_cast<double>(all_.front().limit.burst()) + Kind::credit) + 1;
    }
    [[nodiscard]] double most_beyond_of_all() const {
        double most = 0;
        for (std::size_t key = 0; key < Kind::keys; ++key) {
            std::vector<std::int64_t> passed;
            for (const member& m : all_)
                passed.insert(passed.end(), m.passed[key].begin(), m.passed[key].end());
            most = std::max(most, most_beyond(std::move(passed), Kind::quota));
        }
        return most;
    }
    void expect_at_most(double may) const {
        const double most = most_beyond_of_all();
        std::printf("%.0f beyond rate x time, of %.0f\n", most, may);
        EXPECT_LE(most, may);
        for (const member& m : all_) {
            EXPECT_EQ(m.limit.counts().minted, 0U);
            EXPECT_EQ(m.limit.counts().passed, 0U);
        }
    }

    // From none to `most`, another one each time.
    [[nodiscard]] milliseconds any(milliseconds most) {
        return milliseconds(random_() % static_cast<std::uint64_t>(most.count() + 1));
    }

    redis_clock clock_;
    redis_server server_{redis_server::words{}, clock_.environment()};
    proxy between_{server_};
    std::deque<member> all_;
    std::mt19937 random_{1};
};

struct names {
    template <class Kind>
    static std::string GetName(int) {  // NOLINT(readability-identifier-naming): GoogleTest's
        return Kind::name;
    }
};
using kinds = testing::Types<one_limit, each_key>;
TYPED_TEST_SUITE(a_fleet_far_away, kinds, names);

TYPED_TEST(a_fleet_far_away, keeps_the_bound_when_answers_take_50_ms) {
    this->between_.delay(milliseconds(50));
    this->begin(this->server_.options());
    this->use_until([](auto& its) { return its.counts().leases >= 4; });
    this->use_rest_and_spend([] {});
    this->expect_at_most(this->bound());
}

TYPED_TEST(a_fleet_far_away, keeps_the_bound_when_latency_varies) {
    this->begin(this->server_.options());
    const auto vary = [&] {
        this->between_.delay(this->any(milliseconds(60)));
        this->between_.delay_requests(this->any(milliseconds(20)));
    };
    this->use_until([](auto& its) { return its.counts().leases >= 6; }, vary);
    this->use_rest_and_spend(vary);
    this->expect_at_most(this->bound());
}

// Leases and units that were given back whose answers nobody waited for: Redis hears of them late.
TYPED_TEST(a_fleet_far_away, keeps_its_bound_when_answers_come_too_late) {
    weir::redis_options hasty = this->server_.options();
    hasty.answer_within = weir::milliseconds(20);
    this->begin(hasty);
    const auto vary = [&] {
        this->between_.delay(this->any(milliseconds(30)));
        this->between_.delay_requests(this->any(milliseconds(30)));
    };
    this->use_until([](auto& its) { return its.counts().failures >= 3; }, vary);
    this->use_rest_and_spend(vary);
    this->between_.delay({});
    this->between_.delay_requests({});
    // On a machine that is very busy all answers may come too late.
    const auto before = this->most_failures();
    this->use_until([=](auto& its) {
        return its.state().mode == fleet_mode::leased || its.counts().failures >= before + 5;
    });
    this->use_for(milliseconds(50));
    double lost = 0;
    for (const auto& m : this->all_) lost += static_cast<double>(m.limit.counts().lost);
    this->expect_at_most(this->bound() + lost);
}

// The answer's beginning has come, and Redis has done what was asked.
TYPED_TEST(a_fleet_far_away, keeps_the_bound_when_answers_are_cut_in_the_middle) {
    this->begin(this->server_.options());
    const auto cut = [&] {
        if (this->random_() % 20 == 0)
            this->between_.cut_after(1 + static_cast<long>(this->random_() % 60));
    };
    // Who is cut off while it connects has lost nothing yet.
    this->use_until([](auto& its) { return its.counts().failures >= 5 && its.counts().lost >= 1; },
                    cut);
    this->use_rest_and_spend(cut);
    this->between_.cut_after(-1);
    this->use_until(this->is_leased);
    this->use_for(milliseconds(50));
    this->expect_at_most(this->bound());
}

// What was used counts from then on, so units come back as before.
TYPED_TEST(a_fleet_far_away, keeps_the_bound_when_the_clock_of_redis_goes_back) {
    this->begin(this->server_.options());
    this->use_for(milliseconds(50));
    for (const int hours : {-1, -24, -2'400}) {
        this->clock_.set(std::chrono::hours(hours));
        const auto before = this->all_.front().limit.counts().leases;
        this->use_until([=](auto& its) { return its.counts().leases >= before + 3; });
        this->use_rest_and_spend([] {});
    }
    this->expect_at_most(this->bound());
}

// All that was used comes back at once: a burst for each step.
TYPED_TEST(a_fleet_far_away, passes_another_burst_when_the_clock_of_redis_goes_forward) {
    this->begin(this->server_.options());
    this->use_for(milliseconds(50));
    constexpr int steps = 3;
    for (int step = 1; step <= steps; ++step) {
        this->clock_.set(std::chrono::hours(step));
        this->use_for(milliseconds(100));
    }
    this->expect_at_most(this->bound() + steps * static_cast<double>(TypeParam::quota.burst()));
}

// Each has seen a time of tomorrow, which it says when it connects again. That holds the limit up
// no longer than a burst takes to come back.
TYPED_TEST(a_fleet_far_away, goes_on_when_the_clock_of_redis_was_ahead_for_a_while) {
    this->begin(this->server_.options());
    this->clock_.set(std::chrono::hours(24));
    const auto before = this->all_.front().limit.counts().leases;
    this->use_until([=](auto& its) { return its.counts().leases >= before + 3; });
    this->clock_.set({});
    this->between_.cut();
    for (auto& m : this->all_) {
        std::size_t passed = 0;
        for (const auto& key : m.passed) passed += key.size();
        const std::size_t more = passed + 300;
        while (passed < more) {
            this->use();
            passed = 0;
            for (const auto& key : m.passed) passed += key.size();
        }
    }
    this->expect_at_most(this->bound() + static_cast<double>(TypeParam::quota.burst()));
}

}  // namespace

// The sliding log: whatever the schedule, no half-open interval of one period holds more than the
// quota's units, at the times with which they asked; and as much passes as one burst.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <memory>
#include <span>

#include <weir/cell/sliding_log.hpp>

#include "check.hpp"

namespace {

using model::check;
using model::drawn;
using model::relacy_atomic;
using model::require;
using model::searches;
using weir::word;

constexpr word begin = 1'000'000;
constexpr word period = 1'000;

struct ask {
    word units = 0;
    word at = 0;  // after `begin`
};
using script = std::array<std::array<ask, 3>, model::threads>;

template <std::size_t Units>
class rolling final : public model::scenario {
public:
    // `used` or with each thread's first action as its start.
    rolling(bool used, std::size_t reachable, const script& s)
        : used_(used),
          reachable_(reachable),
          script_(s),
          rate_(cell::rate::make({Units, weir::seconds(1)}, period, {.debt = 0}).value()) {}

    void before() override {
        cell_.begin();
        if (used_) cell_->fill({begin}, Units, rate_);
        passed_ = 0;
    }

    void thread(std::size_t index) override {
        for (const ask& a : script_[index]) {
            if (a.units == 0) continue;
            const weir::tick now{begin + a.at};
            if (!used_) cell_->start(now, Units, rate_);
            if (!cell_->try_acquire(now, a.units, rate_)) continue;
            for (word i = 0; i < a.units; ++i) times_[passed_++] = now.count;
        }
    }

    void after() override {
        const std::span times = std::span(times_).first(passed_);
        for (const word first : times) {
            const auto within = std::count_if(times.begin(), times.end(), [=](word t) {
                return t >= first && t < first + period;
            });
            require(within <= static_cast<std::ptrdiff_t>(Units),
                    "more than the quota in one period");
        }
        require(passed_ >= Units, "less than one burst");
        most_ = std::max(most_, passed_);
        cell_.end();
    }

    // Some schedule must admit as much as one thread could get in some order.
    [[nodiscard]] bool saw_enough() const override {
        std::cout << "at most " << most_ << " units\n";
        return most_ == reachable_;
    }

private:
    using cell = weir::sliding_log<Units, word, relacy_atomic>;

    bool used_;
    std::size_t reachable_;
    script script_;
    typename cell::rate rate_;
    model::shared<cell> cell_;
    std::array<word, 32> times_{};  // of the units that passed
    std::size_t passed_ = 0;
    std::size_t most_ = 0;
};

template <std::size_t Units>
[[nodiscard]] model::maker log_of(bool used, std::size_t reachable, const script& s) {
    return [=] { return std::make_unique<rolling<Units>>(used, reachable, s); };
}

const searches some{drawn(100'000)};

const check one("a_log_admits_its_units_once_at_one_instant", some,
                log_of<2>(true, 2, {{{{{1, 0}, {1, 0}}}, {{{1, 0}}}, {{{1, 0}}}}}));
const check two("a_log_admits_no_more_in_any_period_than_its_units", some,
                log_of<2>(true, 4,
                          {{{{{1, 0}, {1, 1'000}}}, {{{1, 500}, {1, 1'500}}}, {{{2, 1'000}}}}}));
const check late("a_log_admits_no_more_to_clocks_that_run_back", some,
                 log_of<2>(true, 3,
                           {{{{{1, 2'000}, {1, 1'000}}}, {{{1, 0}, {1, 999}}}, {{{2, 1'500}}}}}));
const check
    all("a_log_admits_all_of_a_request_or_none_around_its_end", some,
        log_of<3>(true, 8,
                  {{{{{2, 0}, {2, 1'000}, {1, 2'000}}}, {{{1, 0}, {2, 1'000}}}, {{{3, 2'000}}}}}));
const check rounds("a_log_of_one_place_keeps_its_promise_for_many_rounds", some,
                   log_of<1>(true, 4,
                             {{{{{1, 0}, {1, 1'000}, {1, 2'000}}},
                               {{{1, 1'000}, {1, 2'000}, {1, 3'000}}},
                               {{{1, 500}, {1, 1'500}}}}}));
const check start("a_log_starts_once_however_many_threads_are_first", some,
                  log_of<2>(false, 3, {{{{{1, 0}, {1, 1'000}}}, {{{1, 700}}}, {{{2, 1'500}}}}}));

}  // namespace

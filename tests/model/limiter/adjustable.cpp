// SPDX-License-Identifier: MIT
// A limit whose quota changes, as it is shipped, with Relacy's atomics in place of its own: one
// thread changes it while two acquire.
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/limiter/adjustable.hpp>

#include "../check.hpp"
#include "../no_clock.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::require;
using model::searches;
using weir::word;

using no_clock = model::no_clock<1'024>;
using instant = weir::instant<no_clock>;

constexpr word begin = 1'000'000;
constexpr word second = no_clock::hertz();
constexpr weir::quota few{1, weir::seconds(1), 2};
constexpr weir::quota many{4, weir::seconds(1), 8};

// At `begin` there are two units. One second later, the threads' `now`, it would be three if the
// burst allowed it. Then the quota changes to `To` and back.
template <bool FromMany>
class changes : public model::scenario {
public:
    using limiter = weir::adjustable<no_clock>;

    void before() override {
        limiter_.begin(FromMany ? many : few, weir::options{.start = 2}, instant{begin});
        got_ = {};
    }
    void thread(std::size_t index) override {
        const instant now{begin + second};
        if (index == 0) {
            for (const auto& q : {FromMany ? few : many, FromMany ? many : few}) {
                require(limiter_->set_quota(q, {}, now) == weir::quota_error::none, "refused");
            }
            return;
        }
        for (int i = 0; i < 3; ++i) got_[index] += limiter_->try_acquire(1, now) ? 1U : 0U;
    }
    void after() override {
        const word units = got_[1] + got_[2];
        const word left = limiter_->peek(0, instant{begin + second}).remaining();
        if (FromMany) {
            // Six are there. The small burst takes all but two of those that nobody was faster to
            // get; nothing comes in no time, whatever the burst.
            require(units + left <= 6, "they got more than there was");
            require(units + left >= 2, "they got less than there always was");
        } else {
            require(units + left == 2, "two were there, and no time has passed");
        }
        limiter_.end();
    }

private:
    model::shared<limiter> limiter_;
    std::array<word, model::threads> got_{};
};

class releases_relaxed : public changes<false> {
public:
    releases_relaxed() { weir::releases_relaxed = true; }
};
class exchanges_in_two_steps : public changes<true> {
public:
    exchanges_in_two_steps() { weir::exchanges_in_two_steps = true; }
};

// Not all of them: each of the many words that a decision reads may be an old one.
const searches schedules{drawn(200'000)};

const check larger("a_larger_burst_and_back_brings_nothing", schedules, make<changes<false>>);
const check smaller("a_smaller_burst_and_back_brings_nothing", schedules, make<changes<true>>);
const check relaxed("finds_a_quota_that_is_published_relaxed", schedules, make<releases_relaxed>,
                    "two were there|they got");
const check in_steps("finds_a_changing_limit_that_exchanges_in_two_steps", schedules,
                     make<exchanges_in_two_steps>, "they got more than there was");

}  // namespace

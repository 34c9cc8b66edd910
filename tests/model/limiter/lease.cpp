// SPDX-License-Identifier: MIT
// Leases of a limit, as they are shipped: threads take units in one go, spend some and give the
// rest back, while others do. All that passes is no more than the limit had, and what is given back
// alone is all there again.
#include <array>
#include <cstddef>

#include <weir/limiter/lease.hpp>
#include <weir/limiter/limiter.hpp>

#include "../check.hpp"
#include "../no_clock.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::require;
using model::searches;
using weir::word;

using no_clock = model::no_clock<1'000>;
using instant = weir::instant<no_clock>;

constexpr word there = 4;
constexpr word second = no_clock::hertz();
constexpr instant start{1'000'000};

// Two threads lease two units, spend one and give back the rest after `Later`; the third takes
// without a lease, before or after.
template <word Later>
class leasing : public model::scenario {
public:
    using limiter = weir::limiter<weir::gcra<>, no_clock>;

    void before() override {
        limiter_.begin(weir::quota{1, weir::seconds(1), there});
        (void)limiter_->try_acquire(0, start);
        spent_ = {};
    }
    void thread(std::size_t index) override {
        const instant later{start.count + Later};
        if (index == 2) {
            for (int i = 0; i < 2; ++i) spent_[index] += limiter_->try_acquire(1, later) ? 1U : 0U;
            return;
        }
        weir::lease<limiter> mine(*limiter_, 2);
        if (mine.try_acquire(1, start)) ++spent_[index];
        mine.give_back(later);
    }
    void after() override {
        const instant later{start.count + Later};
        const word left = limiter_->peek(0, later).remaining();
        const word units = spent_[0] + spent_[1] + spent_[2];
        require(units + left <= there + Later / second, "they got more than there was");
        require(units >= 2, "they got less than there was for each");
        all_ = all_ || units + left == there;
        limiter_.end();
    }

    // Nothing was lost, in some schedule.
    [[nodiscard]] bool saw_enough() const override { return all_; }

private:
    model::shared<limiter> limiter_;
    std::array<word, model::threads> spent_{};
    bool all_ = false;
};

class exchanges_in_two_steps : public leasing<0> {
public:
    exchanges_in_two_steps() { weir::exchanges_in_two_steps = true; }
};

const searches many{preempted(1), drawn(200'000)};

const check at_once("leases_and_what_they_give_back_bring_nothing", many, make<leasing<0>>);
const check after_a_while("leases_that_give_back_late_bring_nothing", many, make<leasing<500>>);
const check in_steps("finds_leases_of_a_limit_that_exchanges_in_two_steps", many,
                     make<exchanges_in_two_steps>, "they got more than there was");

}  // namespace

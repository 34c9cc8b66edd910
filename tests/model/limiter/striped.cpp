// SPDX-License-Identifier: MIT
// A striped limit, as it is shipped: two threads share a stripe, which one of them restocks while
// the other takes from it, and a third restocks another stripe or gives all units back. What they
// spent, what is in the stripes and what the shared limit has are together what it had.
#include <array>
#include <cstddef>
#include <utility>

#include <weir/limiter/limiter.hpp>
#include <weir/table/striped.hpp>

#include "../check.hpp"
#include "../no_clock.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::require;
using model::searches;
using weir::word;

using no_clock = model::no_clock<1'000>;
using instant = weir::instant<no_clock>;

constexpr word there = 8;
constexpr std::size_t stripes = 2;
constexpr word largest_lease = there / (2 * stripes);
constexpr instant start{1'000'000};

// No access to an atomic lies between the choice and its use, so no other thread comes between.
struct chosen {
    using stock = weir::exchanged_stock;
    static inline std::size_t stripe_ = 0;
    static std::size_t mine(std::size_t) noexcept { return stripe_; }
};

// A permit is plain memory, written by whoever restocks the stripe: Relacy is told of each access.
class limiter : public weir::limiter<weir::gcra<>, no_clock> {
    using base = weir::limiter<weir::gcra<>, no_clock>;

public:
    class permit_type : public base::permit_type {
        using plain = base::permit_type;

    public:
        permit_type() = default;
        permit_type(plain&& p) noexcept : plain(std::move(p)) {}
        permit_type(permit_type&& other) noexcept : plain(std::move(other.watched())) {}
        permit_type& operator=(permit_type&& other) noexcept {
            watched();
            plain::operator=(std::move(other.watched()));
            return *this;
        }
        ~permit_type() = default;

    private:
        permit_type& watched() noexcept;
    };

    using base::base;
    permit_type take(weir::unit_count least, weir::unit_count most, instant now) noexcept {
        return {base::take(least, most, now)};
    }
    auto refund(permit_type&& p, weir::unit_count n = weir::largest<word>) noexcept {
        return base::refund(std::move(p), n);
    }
    auto refund(permit_type&& p, weir::unit_count n, instant now) noexcept {
        return base::refund(std::move(p), n, now);
    }
};

using all_stripes = weir::striped<limiter, stripes, chosen>;

struct watch {
    const std::byte* from = nullptr;
    std::array<model::shared<rl::var<int>>, stripes> permits;
};
watch watching;

limiter::permit_type& limiter::permit_type::watched() noexcept {
    const auto at = reinterpret_cast<const std::byte*>(this) - watching.from;
    if (watching.from != nullptr && at >= 0 && at < std::ptrdiff_t{sizeof(all_stripes)}) {
        const auto stripe = static_cast<std::size_t>(at) / (sizeof(all_stripes) / stripes);
        (*watching.permits.at(stripe))(RL_INFO) = 1;
    }
    return *this;
}

// Each thread takes two units; or the third gives all back, if `GivesBack`.
template <bool GivesBack>
class restocking : public model::scenario {
public:
    void before() override {
        for (auto& p : watching.permits) p.begin(0);
        limit_.begin(weir::quota{1, weir::seconds(1), there});
        (void)limit_->try_acquire(0, start);
        all_.begin(*limit_);
        watching.from = reinterpret_cast<const std::byte*>(&*all_);
        spent_ = {};
    }
    void thread(std::size_t index) override {
        if (index == 2 && GivesBack) return all_->give_back(start);
        for (int i = 0; i < 2; ++i) {
            chosen::stripe_ = index == 2 ? 1 : 0;
            spent_[index] += all_->try_acquire(1, start) ? 1U : 0U;
        }
    }
    void after() override {
        const word left = all_->approx_left();
        const word spent = spent_[0] + spent_[1] + spent_[2];
        const word all = spent + left + limit_->peek(0, start).remaining();
        require(all <= there, "they got more than was taken");
        require(all == there || GivesBack, "units are lost");
        require(spent == (GivesBack ? 4U : 6U), "somebody was denied");
        require(left <= stripes * largest_lease, "a stripe holds more than a lease");
        exact_ = exact_ || all == there;
        watching.from = nullptr;
        all_.end();
        limit_.end();
        for (auto& p : watching.permits) p.end();
    }
    [[nodiscard]] bool saw_enough() const override { return exact_; }

private:
    model::shared<limiter> limit_;
    model::shared<all_stripes> all_;
    std::array<word, model::threads> spent_{};
    bool exact_ = false;
};

class exchanges_in_two_steps : public restocking<false> {
public:
    exchanges_in_two_steps() { weir::exchanges_in_two_steps = true; }
};

class restocks_relaxed : public restocking<false> {
public:
    restocks_relaxed() { weir::exchanges_relaxed = true; }
};

const searches many{drawn(400'000)};

const check restocks("stripes_restocked_while_others_take_lose_and_bring_nothing", many,
                     make<restocking<false>>);
const check returns("stripes_given_back_while_others_take_bring_nothing", many,
                    make<restocking<true>>);
const check in_steps("finds_stripes_that_exchange_in_two_steps", many, make<exchanges_in_two_steps>,
                     "they got more than was taken");
const check relaxed("finds_stripes_that_restock_relaxed", many, make<restocks_relaxed>,
                    "DATA RACE");

}  // namespace

// SPDX-License-Identifier: MIT
// What is skipped in front of a limit, as it is shipped: threads share one place. No thread is
// denied more calls in a row, without asking the limit, than its last denial by the limit gave it.
#include <array>
#include <cstddef>

#include <weir/limiter/limiter.hpp>
#include <weir/table/skipping.hpp>

#include "../check.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::require;
using model::searches;
using weir::word;

// Each look at it is a tick later, so that calls have a rate.
struct passing {
    static constexpr std::uint64_t lowest_hertz = 1'000'000'000;
    static constexpr std::uint64_t highest_hertz = lowest_hertz;
    static inline word now_ = 0;
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return lowest_hertz; }
    [[nodiscard]] static weir::instant<passing> now() noexcept {
        return weir::instant<passing>(++now_);
    }
    [[nodiscard]] static constexpr weir::clock_facts facts() noexcept { return {}; }
};

using limiter = weir::limiter<weir::gcra<>, passing>;

// No access to an atomic lies between the choice and its use, so no other thread comes between.
struct threads {
    static inline word number_ = 0;
    static word number() noexcept { return number_; }
};

constexpr word most = 2;

template <class Threads>
class skips : public model::scenario {
public:
    void before() override {
        passing::now_ = 1'000'000;
        limit_.begin(weir::quota{1, weir::hours(1), 1});
        (void)limit_->drain();
        front_.begin(*limit_);
        skipped_ = {};
    }
    void thread(std::size_t index) override {
        word allowed = 0;
        for (int i = 0; i < 4; ++i) {
            threads::number_ = index + 1;
            const auto d = front_->try_acquire();
            require(!d.admitted(), "it admits what the limit does not");
            if (d.shared() != nullptr) {
                allowed = most;
            } else {
                require(allowed != 0, "a thread is denied too often");
                --allowed;
                ++skipped_[index];
            }
        }
    }
    void after() override {
        for (const word s : skipped_) all_ += s;
        front_.end();
        limit_.end();
    }
    [[nodiscard]] bool saw_enough() const override { return all_ > 1000; }

private:
    model::shared<limiter> limit_;
    model::shared<weir::skipping<limiter, 1, most, Threads>> front_;
    std::array<word, model::threads> skipped_{};
    word all_ = 0;
};

// As if the word did not say whose count it is.
struct all_alike {
    static word number() noexcept { return 1; }
};

const searches many{drawn(200'000)};

const check own("a_thread_skips_no_more_than_its_own_denial_gave_it", many, make<skips<threads>>);
const check alike("finds_counts_that_threads_mix_up", many, make<skips<all_alike>>,
                  "a thread is denied too often");

}  // namespace

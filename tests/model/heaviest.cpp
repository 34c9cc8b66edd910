// SPDX-License-Identifier: MIT
// heaviest: two threads count refusals of the same new key while a third one reads. No refusal is
// counted twice or lost, no key has two places, and nobody reads one key with another one's count.
#include <cstddef>
#include <cstdint>

#include <weir/table/heaviest.hpp>
#include <weir/table/key_hash.hpp>

#include "check.hpp"
#include "weaker.hpp"

namespace {

using model::check;
using model::drawn;
using model::exchanges_relaxed;
using model::make;
using model::relacy_atomic;
using model::require;
using model::searches;
using model::writes_relaxed;

constexpr std::uint64_t places = 8;
constexpr std::uint64_t low = 7;
constexpr std::uint64_t newcomer = 9;

template <template <class> class Atomic>
class entered_twice : public model::scenario {
public:
    // Six keys were refused three times, and two once: one of these loses its place.
    void before() override {
        all_.begin(weir::seed(1));
        for (std::uint64_t key = 1; key <= places; ++key) {
            for (int i = 0; i < (key < low ? 3 : 1); ++i) note_surely(key);
        }
        missed_ = all_->missed();
    }
    void thread(std::size_t index) override {
        if (index == 2) return (void)fits();
        all_->note(newcomer);
        all_->note(1);
    }
    void after() override {
        require(fits() + all_->missed() - missed_ == 3 * 6 + 2 + 4, "a refusal is lost");
        all_.end();
    }

private:
    // An exchange may fail for nothing.
    void note_surely(std::uint64_t key) {
        std::uint64_t missed = 0;
        do {
            missed = all_->missed();
            all_->note(key);
        } while (all_->missed() != missed);
    }
    // How many refusals there are together.
    std::uint64_t fits() {
        std::uint64_t sum = 0;
        std::size_t newcomers = 0;
        for (const auto& k : all_->template top<places>()) {
            sum += k.most;
            newcomers += k.key == newcomer ? 1U : 0U;
            if (k.key == 1) continue;  // is counted meanwhile
            const std::uint64_t alone = k.key < low ? 3 : 1;
            require(k.key == newcomer ? k.most == k.least + 1 : k.most == alone && k.least == alone,
                    "a key has another one's count");
        }
        require(newcomers <= 1, "a key has two places");
        return sum;
    }

    model::shared<weir::heaviest<std::uint64_t, 1, Atomic>> all_;
    std::uint64_t missed_ = 0;
};

const searches many{drawn(200'000)};

const check counts("refusals_are_counted_once_and_for_their_key", many,
                   make<entered_twice<relacy_atomic>>);
const check exchanged("finds_refusals_that_are_exchanged_relaxed", many,
                      make<entered_twice<exchanges_relaxed>>, "a key has two places");
const check written("finds_refusals_that_are_written_relaxed", many,
                    make<entered_twice<writes_relaxed>>, "a key has another one's count");

}  // namespace

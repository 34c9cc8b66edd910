// SPDX-License-Identifier: MIT
// exchanged: a value that two threads exchange while a third one reads it. Each value that anybody
// sees was whole at some time, none is older than what was seen before, and no exchange is lost.
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/base/exchanged.hpp>

#include "check.hpp"
#include "weaker.hpp"

namespace {

using model::check;
using model::drawn;
using model::exchanges_relaxed;
using model::make;
using model::preempted;
using model::reads_relaxed;
using model::relacy_atomic;
using model::require;
using model::searches;

struct pair {
    std::uint64_t first;
    std::uint64_t second;
};

template <template <class> class Atomic>
class added_to_by_two : public model::scenario {
public:
    void before() override {
        value_.begin(pair{0, 0});
        added_ = {};
    }
    void thread(std::size_t index) override {
        std::uint64_t last = 0;
        for (int i = 0; i < 3; ++i) {
            const auto seen = value_->look();
            require(seen.value.first == seen.value.second, "torn");
            require(seen.value.first >= last, "older than before");
            last = seen.value.first;
            if (index != 0 && value_->try_exchange(seen, {last + 1, last + 1})) {
                ++added_[index];
                ++last;
            }
        }
    }
    void after() override {
        require(value_->load().first == added_[1] + added_[2], "an exchange is lost");
        require(added_[1] + added_[2] >= 3, "they hold up each other");
        value_.end();
    }

private:
    std::array<std::uint64_t, model::threads> added_{};
    model::shared<weir::exchanged<pair, Atomic>> value_;
};

const searches many{drawn(500'000)};
const searches in_few_pieces{preempted(2)};

const check whole("an_exchanged_value_is_read_whole_and_no_exchange_is_lost", many,
                  make<added_to_by_two<relacy_atomic>>);
const check read("finds_an_exchanged_value_that_is_read_relaxed", in_few_pieces,
                 make<added_to_by_two<reads_relaxed>>, "torn");
const check written("finds_an_exchanged_value_that_is_exchanged_relaxed", in_few_pieces,
                    make<added_to_by_two<exchanges_relaxed>>, "torn");

}  // namespace

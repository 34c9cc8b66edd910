// SPDX-License-Identifier: MIT
// published: a value that is replaced twice while others read it. Each reader gets one that was
// whole at some time, none that is older than what it has seen, and nobody waits.
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/base/published.hpp>

#include "check.hpp"
#include "weaker.hpp"

namespace {

using model::check;
using model::drawn;
using model::make;
using model::preempted;
using model::reads_relaxed;
using model::relacy_atomic;
using model::require;
using model::searches;
using model::writes_relaxed;
using weir::word;

struct pair {
    word first;
    word second;
};

template <template <class> class Atomic>
class replaced_twice : public model::scenario {
public:
    void before() override { value_.begin(pair{0, 0}); }
    void thread(std::size_t index) override {
        if (index == 0) {
            for (word n = 1; n <= 3; ++n) value_->store({n, n});
            return;
        }
        word last = 0;
        for (int i = 0; i < 2; ++i) {
            const pair read = value_->load();
            require(read.first == read.second, "torn");
            require(read.first >= last, "older than before");
            last = read.first;
        }
    }
    void after() override {
        require(value_->load().first == 3, "not the last one");
        value_.end();
    }

private:
    model::shared<weir::published<pair, Atomic>> value_;
};

const searches many{preempted(2), drawn(200'000)};

const check whole("a_published_value_is_read_whole_while_it_is_replaced", many,
                  make<replaced_twice<relacy_atomic>>);
const check read("finds_a_published_value_that_is_read_relaxed", many,
                 make<replaced_twice<reads_relaxed>>, "torn");
const check written("finds_a_published_value_that_is_written_relaxed", many,
                    make<replaced_twice<writes_relaxed>>, "torn");

}  // namespace

// SPDX-License-Identifier: MIT
// Is the memory of these checks as weak as the orders allow? A message is passed by a flag, in the
// orders that it takes and in weaker ones.
#include <array>
#include <cstddef>

#include "check.hpp"

namespace {

using model::check;
using model::every_schedule;
using model::make;
using model::relacy_atomic;
using model::require;
using model::searches;
using model::shared;

const searches all{every_schedule};

template <bool Release, bool Acquire>
class message : public model::scenario {
public:
    void before() override {
        text_.begin();
        sent_.begin();
    }
    void thread(std::size_t index) override {
        if (index == 0) {
            (*text_)(RL_INFO) = 1;
            Release ? sent_->store_release(1) : sent_->store_relaxed(1);
        } else if ((Acquire ? sent_->load_acquire() : sent_->load_relaxed()) != 0) {
            require((*text_)(RL_INFO) == 1, "sent before it was written");
        }
    }
    void after() override {
        text_.end();
        sent_.end();
    }

private:
    shared<rl::var<int>> text_;
    shared<relacy_atomic<unsigned>> sent_;
};

const check passed("a_message_is_passed_by_release_and_acquire", all, make<message<true, true>>);
const check sent("finds_a_message_that_is_sent_relaxed", all, make<message<false, true>>,
                 "DATA RACE");
const check read("finds_a_message_that_is_read_relaxed", all, make<message<true, false>>,
                 "DATA RACE");

// Two threads that each write and then look at what the other one wrote: with loads that may be
// answered with an older value, both can miss it.
class glances : public model::scenario {
public:
    void before() override {
        for (auto& w : written_) w.begin();
        seen_ = {};
    }
    void thread(std::size_t index) override {
        if (index == 2) return;
        written_[index]->store_release(1);
        seen_[index] = written_[1 - index]->load_acquire();
    }
    void after() override {
        require(seen_[0] + seen_[1] != 0, "both missed it");
        for (auto& w : written_) w.end();
    }

private:
    std::array<shared<relacy_atomic<unsigned>>, 2> written_;
    std::array<unsigned, 2> seen_{};
};
const check missed("finds_that_two_who_write_and_look_can_miss_each_other", all, make<glances>,
                   "both missed it");

// But what a compare-exchange sees is the latest, and it sees that for one of two.
class turns : public model::scenario {
public:
    void before() override {
        turn_.begin();
        wins_ = 0;
    }
    void thread(std::size_t /*index*/) override {
        unsigned nobody = 0;
        while (nobody == 0) {
            if (turn_->try_exchange_relaxed(nobody, 1)) {
                ++wins_;
                return;
            }
        }
    }
    void after() override {
        require(wins_ == 1, "not exactly one has won");
        turn_.end();
    }

private:
    shared<relacy_atomic<unsigned>> turn_;
    unsigned wins_ = 0;
};
const check won("a_compare_exchange_is_won_by_one", all, make<turns>);

// Nobody else is there.
class alone : public model::scenario {
public:
    void before() override { turn_.begin(); }
    void thread(std::size_t index) override {
        unsigned nobody = 0;
        if (index == 0) require(turn_->try_exchange_relaxed(nobody, 1), "failed for nothing");
    }
    void after() override { turn_.end(); }

private:
    shared<relacy_atomic<unsigned>> turn_;
};
const check failed("finds_that_a_compare_exchange_can_fail_for_nothing", all, make<alone>,
                   "failed for nothing");

}  // namespace

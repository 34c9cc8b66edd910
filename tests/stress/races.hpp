// SPDX-License-Identifier: MIT
// How many races a thread's decisions lose: in all, and the most in one. These figures are printed
// and nothing is asserted about them. They depend on the machine: two cores that are near each
// other lose thousands of races in one decision, and a machine that is busy with something else may
// lose none. What a decision does after a lost race is tested one race at a time in
// unit/cell/one_word_test.cpp.
#pragma once

#include <algorithm>
#include <iostream>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>
#include <weir/cell/observer.hpp>

// A cell's observer, of one thread.
class races {
public:
    static void on_admitted(weir::word /*units*/) noexcept {}
    static void on_denied() noexcept {}
    static void on_never() noexcept {}
    void on_retry() noexcept { ++lost_; }

    // To be told after each decision.
    void decided() noexcept {
        ++decisions_;
        all_ += lost_;
        most_ = std::max(most_, lost_);
        lost_ = 0;
    }

    void add(const races& other) noexcept {
        decisions_ += other.decisions_;
        all_ += other.all_;
        most_ = std::max(most_, other.most_);
    }

    [[nodiscard]] weir::word decisions() const noexcept { return decisions_; }
    [[nodiscard]] weir::word all() const noexcept { return all_; }
    [[nodiscard]] weir::word most() const noexcept { return most_; }

private:
    weir::word lost_ = 0;  // in the decision that is under way
    weir::word decisions_ = 0;
    weir::word all_ = 0;
    weir::word most_ = 0;
};

// Those of all threads.
class races_of_all {
public:
    void add(const races& of_a_thread) {
        const std::lock_guard lock(mutex_);
        sum_.add(of_a_thread);
    }
    [[nodiscard]] const races& sum() const { return sum_; }  // when the threads have ended

private:
    std::mutex mutex_;
    races sum_;
};

inline void print(const races& lost) {
    std::cout << lost.all() << " races lost in " << lost.decisions() << " decisions, at most "
              << lost.most() << " in one\n";
    testing::Test::RecordProperty("races_lost", std::to_string(lost.all()));
    testing::Test::RecordProperty("most_races_lost_in_one_decision", std::to_string(lost.most()));
}

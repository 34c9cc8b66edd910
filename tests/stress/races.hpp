// How many races a thread's decisions lose: in all, and the most in one. It bounds what a decision
// may cost when others contend for the cell.
#pragma once

#include <algorithm>
#include <iostream>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>
#include <weir/cell/observer.hpp>

// Far above what has been seen (20, of eight threads on two cores, by a log), and far below what
// a decision that is starved would lose. Where exchanges take long, as in an emulator or under
// ThreadSanitizer, there is nearly always another one in between.
#ifdef WEIR_EXCHANGES_TAKE_LONG
constexpr weir::word most_races_bearable = 1'000'000;
#else
constexpr weir::word most_races_bearable = 1'000;
#endif

// A cell's observer, of one thread.
class races : public weir::unobserved {
public:
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

// That some were lost is not asserted: on a machine that is busy with something else threads may
// never meet. What happens when they do is tested one race at a time in
// unit/cell/one_word_test.cpp.
inline void expect_few(const races& lost) {
    std::cout << lost.all() << " races lost in " << lost.decisions() << " decisions, at most "
              << lost.most() << " in one\n";
    EXPECT_LT(lost.most(), most_races_bearable) << "in one decision";
    testing::Test::RecordProperty("races_lost", std::to_string(lost.all()));
    testing::Test::RecordProperty("most_races_lost_in_one_decision", std::to_string(lost.most()));
}

// SPDX-License-Identifier: MIT
// A pacer by clocks as they are: the faults of the oracle's faulty_clock.hpp, each in a minute of
// virtual time. No more goes than its rate and its catch-up, and what the fault may bring; nothing
// goes after its deadline, by the clock that it has; nothing is lost; and it is never stuck.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <weir/pacer/pacer.hpp>

#include "../oracle/faulty_clock.hpp"

namespace {

using namespace oracle::faults;
using weir::word;

using deadline = weir::deadline<faulty_clock>;

// Each item is to go within 50 ms, and so is the next one when it has gone or expired.
class paced {
public:
    // One goes, or none.
    bool try_one() {
        const auto now = faulty_clock::now();
        if (waits_ == 0) {
            const deadline by(weir::later(now, weir::milliseconds(50)));
            if (lane_.try_push(deadline(by), 1, by, now)) ++waits_;
        }
        const word before = gone_;
        now_ = now;
        (void)pacer_.poll(now);
        return gone_ != before;
    }
    [[nodiscard]] word late() const { return late_; }
    [[nodiscard]] word early() const { return early_; }

private:
    struct to {
        paced& its;
        void emit(const deadline& by) const {
            --its.waits_;
            ++its.gone_;
            if (by.missed(its.now_)) ++its.late_;
        }
        void drop(const deadline& by, weir::dropped) const {
            --its.waits_;
            if (!by.missed(its.now_)) ++its.early_;
        }
    };

    word waits_ = 0;  // pushed, and neither gone nor dropped
    word gone_ = 0;
    word late_ = 0;   // gone after their deadline
    word early_ = 0;  // dropped before it
    weir::instant<faulty_clock> now_{};
    weir::pacer<deadline, to, weir::schedule<faulty_clock>, weir::lanes<2, 8>> pacer_{
        weir::schedule<faulty_clock>(hundred_a_second, weir::catch_up::items(units - 1)),
        to{*this}};
    decltype(pacer_)::producer_type lane_ = pacer_.open();
};

class faulty_clock_of_a_pacer : public testing::TestWithParam<fault> {};
INSTANTIATE_TEST_SUITE_P(each, faulty_clock_of_a_pacer, testing::ValuesIn(faults),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(faulty_clock_of_a_pacer, brings_no_more_than_is_stated_and_stops_it_never) {
    faulty_clock::set({static_cast<word>(beginning)});
    const fault& wrong = GetParam();
    paced p;
    double at_last = 0;
    EXPECT_LE(beyond(p, wrong, at_last), 0);
    EXPECT_GE(at_last, 10 * units * wrong.later * 0.98);
    EXPECT_EQ(p.late(), 0U) << "gone after their deadline";
    EXPECT_EQ(p.early(), 0U) << "dropped before it";
}

TEST(faulty_clock_of_a_pacer, is_found_to_be_faster_than_is_stated) {
    faulty_clock::set({static_cast<word>(beginning)});
    fault wrong = faster_by("is_a_fifth_faster", 200'000);
    wrong.more = faster_by("is_a_tenth_faster", 100'000).more;
    paced p;
    double at_last = 0;
    EXPECT_GT(beyond(p, wrong, at_last), 0);
}

}  // namespace

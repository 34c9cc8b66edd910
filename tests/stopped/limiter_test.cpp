// SPDX-License-Identifier: MIT
// A limit of which each access to an atomic, and to the clock, is a place to be stopped at: while
// one thread is stopped in an operation others act, and time may pass. Together they then got what
// they could have got one after the other from the limit as it should be; where two refunds met,
// no more than that.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/limiter.hpp>

#include "exact_limit.hpp"

namespace {

using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct stopped_limits, 1'024>;
using instant = weir::instant<clock>;
using exact = stopped::exact_limit<clock>;

constexpr word unit = clock::hertz();  // ticks until one comes
constexpr word begin = 1'000'000 * unit;
constexpr quota q{1, seconds(1), 8};

template <class Limit>
std::int64_t there(Limit& limit) {
    if constexpr (std::is_same_v<Limit, exact>) {
        return limit.there();
    } else {
        const auto ahead = static_cast<std::int64_t>(limit.peek(0).ticks().reset_after());
        return static_cast<std::int64_t>(8 * unit) - ahead;
    }
}

// Of a used limit four units are reserved by two, and four are there.
// In a fresh one there are two with the first decision.
template <class Limit>
struct scene {
    explicit scene(bool fresh) {
        if (fresh) return;
        (void)limit.try_acquire(0);
        clock::set({begin + 10 * unit});
        old[0] = limit.reserve(2);
        old[1] = limit.reserve(2);
    }

    void take(word n) { got[who] += limit.try_acquire(n) ? n : 0; }
    void give_back(typename Limit::permit_type& p, word n) {
        if (!p) return;
        ++refunds;
        (void)limit.refund(std::move(p), n);
    }

    void reset() {
        ++resets;
        limit.reset();
    }

    struct at_begin {
        at_begin() { clock::set({begin}); }
    } time;
    Limit limit{q, {.start = 2}};
    typename Limit::permit_type old[2];
    typename Limit::permit_type mine;
    unsigned who = 0;
    word got[3] = {};  // by the one who is stopped, by others, later
    int refunds = 0;
    int resets = 0;
};

template <class Limit>
struct deed {
    const char* name;
    std::function<void(scene<Limit>&)> act;
    bool gives_back = false;
};

// What a limit of the kind `Real` can do, for itself and for the exact one. First what is one
// decision: who does it is stopped.
template <class Real, class Limit>
std::vector<deed<Limit>> decisions(bool fresh) {
    using s = scene<Limit>&;
    std::vector<deed<Limit>> all{
        {"take", [](s x) { x.take(1); }},
        {"take what is there", [](s x) { x.take(4); }},
        {"take too much", [](s x) { x.take(7); }},
        {"take up to three", [](s x) { x.got[x.who] += x.limit.acquire_up_to(3).units; }},
        {"take up to all", [](s x) { x.got[x.who] += x.limit.acquire_up_to(8).units; }},
        {"charge", [](s x) { x.got[x.who] += x.limit.charge(6) ? 6U : 0U; }},
        {"reserve", [](s x) { x.mine = x.limit.reserve(2), x.got[x.who] += x.mine ? 2U : 0U; }},
        {"reserve and wait", [](s x) { x.mine = x.limit.reserve(7), x.got[x.who] += 7; }},
        {"reset", [](s x) { x.reset(); }},
        {"look", [](s x) { (void)there(x.limit); }},
    };
    if constexpr (requires(Real r) { r.drain(); }) {
        all.push_back({"drain", [](s x) { x.got[x.who] += x.limit.drain(); }});
    }
    if constexpr (weir::undoing<Real>) {
        if (!fresh) {
            all.push_back({"give back", [](s x) { x.give_back(x.old[0], 2); }, true});
            all.push_back({"give back the last", [](s x) { x.give_back(x.old[1], 2); }, true});
            all.push_back({"give back a part", [](s x) { x.give_back(x.old[0], 1); }, true});
        }
        if constexpr (requires(Real r) { r.save(); }) {
            all.push_back({"restore", [](s x) {
                               ++x.resets, (void)x.limit.restore({0, seconds(5)});
                           }});
        }
    }
    return all;
}

// Then what others do meanwhile.
template <class Real, class Limit>
std::vector<deed<Limit>> deeds(bool fresh) {
    using s = scene<Limit>&;
    std::vector<deed<Limit>> all = decisions<Real, Limit>(fresh);
    const auto take_all = [](s x) {
        for (int i = 0; i < 8; ++i) x.take(1);
    };
    all.push_back({"take one by one", take_all});
    all.push_back({"reset and take", [=](s x) { x.reset(), take_all(x); }});
    if constexpr (weir::undoing<Real>) {
        const auto reserve_and_refund = [](s x) {
            auto p = x.limit.reserve(3);
            x.give_back(p, 3);
        };
        all.push_back({"reserve and refund", reserve_and_refund});
        all.push_back({"refund all", [](s x) {
                           for (auto& p : x.old) x.give_back(p, 2);
                       }});
        all.push_back({"take and refund", [](s x) { x.take(4), x.give_back(x.old[1], 2); }});
        all.push_back({"refund and take", [=](s x) { x.give_back(x.old[0], 2), take_all(x); }});
        all.push_back({"reset and refund", [](s x) { x.reset(), x.give_back(x.old[0], 2); }});
    }
    return all;
}

// What may follow: somebody takes, time passes, and what was reserved is given back.
struct ending {
    bool take_first;
    word later;  // in quarters of a unit
    enum { nothing, mine, all } back;
};
constexpr ending endings[] = {
    {false, 0, ending::nothing}, {true, 0, ending::nothing}, {true, 18, ending::nothing},
    {true, 0, ending::mine},     {true, 9, ending::mine},    {true, 14, ending::mine},
    {false, 0, ending::all},     {true, 0, ending::all},     {true, 3, ending::all},
    {true, 6, ending::all},      {true, 9, ending::all},     {true, 14, ending::all},
    {false, 22, ending::all},    {true, 30, ending::all}};

struct outcome {
    word got[3];
    std::int64_t there;
    bool may_be_less;

    // All that was drawn from the limit and all that still can be.
    [[nodiscard]] std::int64_t total() const {
        return there + static_cast<std::int64_t>((got[0] + got[1] + got[2]) * unit);
    }
    friend bool operator==(const outcome& a, const outcome& b) {
        return std::equal(a.got, a.got + 3, b.got) && a.there == b.there;
    }
};

template <class Real, class Limit>
outcome end(scene<Limit>& s, const ending& e) {
    s.who = 2;
    if (e.take_first) s.take(2);
    clock::set({clock::now().count + e.later * unit / 4});
    if constexpr (weir::undoing<Real>) {
        if (e.back != ending::nothing) s.give_back(s.mine, 2);
        if (e.back == ending::all) s.give_back(s.old[1], 2), s.give_back(s.old[0], 2);
    }
    // A refund that stops on its way makes others give back less, and so does a reset.
    return {
        {s.got[0], s.got[1], s.got[2]}, there(s.limit), s.refunds != 0 && s.refunds + s.resets > 1};
}

void pass(word time) { clock::set({clock::now().count + time}); }

// What can come of two deeds, one after the other. The one who is stopped may have read the clock
// before, and may have been the first who came to a fresh limit.
template <class Real>
std::vector<outcome> orders(const deed<exact>& one, const deed<exact>& other, bool fresh, word time,
                            const ending& e) {
    std::vector<outcome> all;
    enum { first, last, late, last_begun, late_begun };
    for (const int order : {first, last, late, last_begun, late_begun}) {
        scene<exact> s(fresh);
        const instant before = clock::now();
        if (order == first) one.act(s);
        if (order >= last_begun) (void)there(s.limit);
        pass(time);
        s.who = 1;
        const int writes = s.limit.writes();
        other.act(s);
        s.who = 0;
        // A refund asks for the time after the state, and again if others have changed it.
        const bool again = one.gives_back && s.limit.writes() != writes;
        if (!again && (order == late || order == late_begun)) clock::set(before);
        if (order != first) one.act(s);
        clock::set({before.count + time});
        all.push_back(end<Real>(s, e));
    }
    return all;
}

template <class Limit>
class stopped_limit : public testing::Test {
protected:
    static int expect_as_one_after_the_other(bool fresh, word time) {
        int stops = 0;
        const auto ones = decisions<Limit, Limit>(fresh);
        const auto others = deeds<Limit, Limit>(fresh);
        const auto exact_ones = decisions<Limit, exact>(fresh);
        const auto exact_others = deeds<Limit, exact>(fresh);
        for (std::size_t i = 0; i < ones.size(); ++i) {
            for (std::size_t j = 0; j < others.size(); ++j) {
                for (const ending& e : endings) {
                    const auto may_be =
                        orders<Limit>(exact_ones[i], exact_others[j], fresh, time, e);
                    for (int when = 0;; ++when, ++stops) {
                        scene<Limit> s(fresh);
                        const auto act = [&] { ones[i].act(s); };
                        const bool was_stopped = stopped::stop(when, act, [&] {
                            pass(time);
                            s.who = 1;
                            others[j].act(s);
                            s.who = 0;
                        });
                        if (!was_stopped) break;
                        expect_one_of(may_be, end<Limit>(s, e));
                        if (!testing::Test::HasFailure()) continue;
                        ADD_FAILURE() << ones[i].name << ", and before its access " << when << " "
                                      << others[j].name << "; ending " << &e - endings;
                        return stops;
                    }
                }
            }
        }
        return stops;
    }

private:
    static void expect_one_of(const std::vector<outcome>& may_be, const outcome& o) {
        const auto most =
            std::max_element(may_be.begin(), may_be.end(), [](const outcome& a, const outcome& b) {
                return a.total() < b.total();
            });
        EXPECT_LE(o.total(), most->total()) << "ticks for all together";
        if (o.may_be_less) return;
        EXPECT_NE(std::find(may_be.begin(), may_be.end(), o), may_be.end())
            << "got " << o.got[0] << ", others " << o.got[1] << ", later " << o.got[2] << ", and "
            << o.there << " ticks are there; first it would be " << may_be[0].got[0] << ", "
            << may_be[0].got[1] << ", " << may_be[0].got[2] << ", " << may_be[0].there;
    }
};
template <class Cell>
using limiter_of = weir::limiter<Cell, clock>;
using limits =
    weir::joined<weir::only<weir::reserve_units, weir::every_cell<1, word>>::each<limiter_of>,
                 weir::cell_list<weir::adjustable<clock>>>;
TYPED_TEST_SUITE(stopped_limit, limits::as<testing::Types>);

TYPED_TEST(stopped_limit, gives_what_it_would_give_one_after_the_other) {
    EXPECT_GT(this->expect_as_one_after_the_other(false, 0), 1'000);
}

TYPED_TEST(stopped_limit, gives_no_more_for_the_time_that_one_was_stopped) {
    for (const word time : {unit / 2, unit, 3 * unit, 5 * unit / 2, 20 * unit}) {
        this->expect_as_one_after_the_other(false, time);
        if (this->HasFailure()) FAIL() << "after " << time << " ticks";
    }
}

TYPED_TEST(stopped_limit, begins_once_whoever_is_first) {
    for (const word time : {word{0}, unit, 20 * unit}) {
        this->expect_as_one_after_the_other(true, time);
        if (this->HasFailure()) FAIL() << "after " << time << " ticks";
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// Compiled without exceptions. Once for each mistake that the compiler must refuse; and the program
// makes the one that its argument names, of which it must tell and end.
#include <cstdint>
#include <cstring>

#include <weir/adapter/http_policy.hpp>
#include <weir/adapter/http_told.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/shadow.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

namespace {

[[maybe_unused]] weir::quota a_variable([[maybe_unused]] std::int64_t units) {
#ifdef A_VARIABLE_AS_A_QUOTA
    return weir::per_second(units);
#else
    return weir::per_second(1);
#endif
}

#ifdef HALF_A_UNIT_IN_A_DAY
[[maybe_unused]] const auto half_a_day = weir::per_day(0.5);
#endif
#ifdef HALF_A_UNIT_IN_A_QUOTA
[[maybe_unused]] const auto half = weir::per_second(0.5);
#endif
#ifdef NO_UNITS
[[maybe_unused]] weir::limiter<> none{weir::per_second(0)};
#endif
#ifdef NO_BURST
[[maybe_unused]] weir::quota none() { return weir::per_second(10).with_burst(0); }
#endif
#ifdef A_CONSTANT_THAT_SPANS_TOO_MUCH_TIME
constinit weir::limiter<> too_long{weir::per_hour(1).with_burst(std::int64_t{1} << 40)};
#endif

#ifdef A_SCHEDULE_THAT_CATCHES_UP_LESS_THAN_NOTHING
constexpr weir::schedule<weir::given_clock<struct frames, 60>> invalid{weir::per_second(10),
                                                                       weir::catch_up::items(-1)};
#endif
#ifdef A_LIMIT_TWICE
weir::limiter<> twice{weir::per_second(10)};
constinit weir::all_of both_are_one{twice, twice};
#endif
#ifdef A_SHADOW_OF_A_LIMIT_THAT_ENDS
weir::shadow trial(weir::limiter<>{weir::per_second(10)});
#endif
#ifdef SEVERAL_LIMITS_OF_WHICH_ONE_ENDS
weir::limiter<> stays{weir::per_second(10)};
weir::all_of both{stays, weir::in_flight(5)};
#endif
#ifdef A_LEASE_FROM_A_LIMIT_THAT_ENDS
weir::lease mine(weir::limiter<>{weir::per_second(10)}, 5U);
#endif
#ifdef STRIPES_OF_A_LIMIT_THAT_ENDS
weir::striped stripes(weir::limiter<>{weir::per_second(10'000)});
#endif
#ifdef A_SKIPPED_LIMIT_THAT_ENDS
weir::skipping seldom(weir::limiter<>{weir::per_second(10)});
#endif
#ifdef A_SHADOW_OF_A_CONSTANT
const weir::limiter<> fixed{weir::per_second(10)};
weir::shadow trial(fixed);
#endif
#ifdef A_CAP_THAT_LETS_NO_CALL_BEGIN
constinit weir::in_flight no_calls{0};
#endif
#ifdef A_CALL_WITHOUT_A_NAME
[[maybe_unused]] bool began(weir::in_flight& calls) {
    if (calls.try_begin()) return true;
    return false;
}
#endif
#if defined(A_CALL_OF_SEVERAL_LIMITS_WITHOUT_A_NAME) || defined(AN_ANSWER_WITHOUT_A_NAME) ||       \
    defined(A_WAIT_THAT_LOSES_ITS_CALL) || defined(TWO_CAPS) || defined(A_SHADOW_OF_CALLS)
[[maybe_unused]] bool began(weir::limiter<>& l, weir::in_flight& calls, weir::in_flight& others) {
    weir::all_of both{l, calls};
#ifdef A_CALL_OF_SEVERAL_LIMITS_WITHOUT_A_NAME
    if (both.try_acquire()) return true;
#elif defined(AN_ANSWER_WITHOUT_A_NAME)
    return both.try_acquire().admitted();
#elif defined(A_WAIT_THAT_LOSES_ITS_CALL)
    auto got = weir::acquire(both);
#elif defined(A_SHADOW_OF_CALLS)
    weir::shadow trial(both);
#else
    weir::all_of three{l, calls, others};
#endif
    return &calls != &others;
}
#endif
#ifdef A_RESULT_OF_NO_ERROR
using no_error = weir::result<int, int>;
#endif

#ifdef A_POLICY_WHOSE_NAME_HAS_A_QUOTE
constexpr weir::http::policy quoted("a\"b", weir::per_second(10));
#endif
#ifdef A_RESPONSE_BY_A_CLOCK_THAT_KNOWS_NO_DATE
weir::http::told by_steady_clock(weir::steady_clock::now());
#endif

#ifdef A_LEASE_FROM_SEVERAL_LIMITS
[[maybe_unused]] bool leased(weir::limiter<>& a, weir::limiter<>& b) {
    weir::all_of both{a, b};
    weir::lease mine{both, 64};
    return mine.try_acquire();
}
#endif
#ifdef A_WAIT_BY_TWO_CLOCKS
[[maybe_unused]] weir::acquisition waited(weir::limiter<>& a) {
    weir::limiter<weir::gcra<>, weir::steady_clock> b{weir::per_second(1)};
    weir::all_of both{a, b};
    return weir::acquire(both);
}
#endif

using steady_limiter = weir::limiter<weir::gcra<>, weir::steady_clock>;
#ifdef A_TIME_OF_ANOTHER_CLOCK
[[maybe_unused]] bool asked(steady_limiter& l) {
    return l.try_acquire(1, weir::default_clock::now()).admitted();
}
#endif
#ifdef A_TIME_OF_NO_CLOCK
[[maybe_unused]] bool asked(steady_limiter& l) {
    return l.try_acquire(1, 1'700'000'000).admitted();
}
#endif
#ifdef NO_TIME_IN_BRACES
[[maybe_unused]] bool asked(steady_limiter& l) { return l.try_acquire(1, {}).admitted(); }
#endif
#ifdef A_TIME_IN_PLACE_OF_UNITS
[[maybe_unused]] bool asked(steady_limiter& l) {
    return l.try_acquire(weir::steady_clock::now()).admitted();
}
#endif
#ifdef A_TRUTH_IN_PLACE_OF_UNITS
[[maybe_unused]] bool asked(steady_limiter& l) { return l.try_acquire(true).admitted(); }
#endif
#ifdef A_TIME_THAT_NOBODY_READS
using event_time = weir::given_clock<struct events, 1'000>;
[[maybe_unused]] bool asked(weir::limiter<weir::gcra<>, event_time>& l) {
    return l.try_acquire().admitted();
}
#endif
#ifdef HALF_A_UNIT
[[maybe_unused]] bool asked(steady_limiter& l) { return l.try_acquire(0.5).admitted(); }
#endif
#ifdef LESS_THAN_NO_UNITS
[[maybe_unused]] bool asked(steady_limiter& l) { return l.try_acquire(-1).admitted(); }
#endif
#ifdef A_SIGNED_VARIABLE_OF_UNITS
[[maybe_unused]] bool asked(steady_limiter& l, int units) {
    return l.try_acquire(units).admitted();
}
#endif

#ifdef AN_EXPRESSION_OF_SIGNED_UNITS
[[maybe_unused]] bool asked(steady_limiter& l, const int units) {
    return l.try_acquire(units + 1).admitted();
}
#endif

using steady_time = weir::instant<weir::steady_clock>;
#ifdef A_TIME_AND_MILLISECONDS
[[maybe_unused]] steady_time moved(steady_time a) { return a + weir::milliseconds(5); }
#endif
#ifdef A_DIFFERENCE_OF_TIMES
[[maybe_unused]] auto between(steady_time a, steady_time b) { return b - a; }
#endif
#ifdef TIMES_BY_LESS_THAN
[[maybe_unused]] bool before(steady_time a, steady_time b) { return a < b; }
#endif

// A cell of one's own that lacks something: the compiler says what.
#ifdef A_CELL_THAT_LACKS_ITS_DEBT
struct half_a_cell : weir::gcra<> {
    weir::word debt(weir::tick, const rate&) const = delete;
};
static_assert(weir::cell<half_a_cell>);
#endif
#ifdef A_CELL_THAT_LENDS_NOTHING
struct half_a_cell : weir::gcra<> {
    void take_up_to() = delete;
};
[[maybe_unused]] bool asked(weir::limiter<half_a_cell>& l) { return l.try_acquire().admitted(); }
#endif

struct sink {
    static void emit(int&&) {}
#ifndef A_SINK_WITHOUT_DROP
    static void drop(int&&, weir::dropped) {}
#endif
};

#ifdef A_DEADLINE_OF_ANOTHER_CLOCK
using paced = weir::pacer<int, sink, weir::schedule<weir::steady_clock>>;
[[maybe_unused]] weir::pushing pushed(paced::producer_type& lane) {
    return lane.try_push(1, 1, weir::deadline(weir::default_clock::now())).how();
}
#endif
#ifdef A_POLL_BY_ANOTHER_CLOCK
using paced = weir::pacer<int, sink, weir::schedule<weir::steady_clock>>;
[[maybe_unused]] weir::polled polled(paced& p) { return p.poll(weir::default_clock::now()).what; }
#endif

#ifdef NO_MISTAKE
#define ON_EMITTED on_emitted
#define ON_RETRY on_retry
#endif
#ifdef A_MISSPELT_HANDLER_OF_A_PACER
#define ON_EMITTED on_emited
#endif
#ifdef ON_EMITTED
struct watching {
    static void on_emit(weir::tick, weir::word, weir::word, weir::word) {}
    static void ON_EMITTED(bool) {}
    static void on_dropped(weir::dropped) {}
    static void on_event(weir::pacer_event) {}
    static void on_lost(weir::word, bool) {}
    template <class Items>
    static void on_polled(weir::tick, Items) {}
    using during = weir::unmeasured;
};
[[maybe_unused]] void watch() {
    (void)weir::make_pacer<int, weir::lanes<1, 4>, watching>(weir::schedule{weir::per_second(1)},
                                                             sink{});
}
#endif
#ifdef A_MISSPELT_HANDLER_OF_A_LIMITER
#define ON_RETRY on_rety
#endif
#ifdef ON_RETRY
struct listening {
    static void on_admitted(weir::word) {}
    static void on_denied() {}
    static void on_never() {}
    static void ON_RETRY() {}
};
[[maybe_unused]] weir::limiter<weir::gcra<>, weir::default_clock, listening> heard{
    weir::per_second(1)};
#endif
#ifdef A_HANDLER_OF_A_PACER_ON_TOP_OF_OTHERS
struct watching : weir::unwatched {
    static void on_emited(bool) {}
};
#endif
#ifdef A_HANDLER_OF_A_LIMITER_ON_TOP_OF_OTHERS
struct listening : weir::unobserved {
    static void on_rety() {}
};
#endif

}  // namespace

int main(int arguments, char** argument) {
    const auto is = [&](const char* mistake) {
        return arguments > 1 && std::strcmp(argument[1], mistake) == 0;
    };
    constexpr weir::quota too_long = weir::per_hour(1).with_burst(INT64_MAX);
    weir::limiter<> limit{weir::per_second(10)};
    if (is("limiter")) weir::limiter<> refused{too_long};
    if (is("adjustable")) weir::adjustable<> refused{too_long};
    if (is("schedule")) weir::schedule<> refused{weir::per_second(10), weir::catch_up::items(-1)};
    if (is("all_of")) weir::all_of refused{limit, limit};
    if (is("in_flight")) weir::in_flight refused{weir::word{arguments == 0}};
    if (is("pacer")) {
        weir::pacer<int, sink> refused{weir::schedule{weir::per_second(10)}, {}, {.capacity = 0}};
    }
    if (is("result")) return weir::quota::make(0, weir::seconds(1), 1).value().units() == 1;
    return 0;
}

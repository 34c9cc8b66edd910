// SPDX-License-Identifier: MIT
// What must not compile when metrics are told, each behind a macro; and what must not be included.
#ifdef A_STREAM
#include <iostream>
#endif
#include <weir/adapter/openmetrics.hpp>
#ifdef _GLIBCXX_IOSTREAM
#error "the text of metrics needs no streams"
#endif

#include <string>

#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

namespace {

using weir::metric_labels;

#ifdef NO_MISTAKE
#define LABEL "zone_2"
#define OBSERVER weir::stats
#define PACERS_OBSERVER weir::statistics
#endif
#ifdef A_LABEL_WITH_A_SPACE
#define LABEL "a zone"
#endif
#ifdef A_LABEL_THAT_BEGINS_WITH_A_DIGIT
#define LABEL "2nd_zone"
#endif
#ifdef A_LABEL_OF_WEIRS_OWN
#define LABEL "verdict"
#endif
#ifdef A_TEXT_THAT_IS_GONE
[[maybe_unused]] metric_labels gone(const char* zone) {
    return metric_labels("api").with("zone", std::string(zone) + "1");
}
#endif
#ifdef A_NAME_THAT_IS_GONE
[[maybe_unused]] weir::limit_metrics gone(int i, const weir::decision_counts& counts) {
    return {"api " + std::to_string(i), counts};
}
#endif
#ifdef LABEL
[[maybe_unused]] metric_labels labelled() { return metric_labels("api").with(LABEL, "eu"); }
#endif

#ifdef A_LIMIT_THAT_COUNTS_NOTHING
#define OBSERVER weir::unobserved
#endif
#ifdef OBSERVER
[[maybe_unused]] weir::limit_metrics
told(const weir::limiter<weir::gcra<>, weir::default_clock, OBSERVER>& l) {
    return {"api", l};
}
#endif

#ifdef A_PACER_THAT_COUNTS_NOTHING
#define PACERS_OBSERVER weir::unwatched
#endif
#ifdef PACERS_OBSERVER
struct sink {
    static void emit(int&&) {}
    static void drop(int&&, weir::dropped) {}
};
[[maybe_unused]] weir::pacer_metrics
told(const weir::pacer<int, sink, weir::schedule<>, weir::lanes<8>, PACERS_OBSERVER>& p) {
    return {"mails", p};
}
#endif

}  // namespace

// SPDX-License-Identifier: MIT
// The text of metrics: to the letter, in buffers of each size, and with labels of any bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/metrics.hpp>
#include <weir/adapter/openmetrics.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/statistics.hpp>
#include <weir/table/keyed.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>

#include "../../oracle/dice.hpp"

namespace {

using weir::decision_counts;
using weir::for_each_metric;
using weir::limit_metrics;
using weir::metric_labels;
using weir::metrics;
using weir::metrics_error;
using weir::refusal;
using weir::word;
using weir::write_openmetrics;
using weir::write_prometheus;

using clock = weir::manual_clock<struct of_metrics>;
using limiter = weir::limiter<weir::gcra<>, clock, weir::stats>;

std::string openmetrics(const metrics& all) {
    std::string text;
    EXPECT_EQ(write_openmetrics(all, [&](std::string_view piece) { text += piece; }),
              metrics_error::none);
    return text;
}
std::string prometheus(const metrics& all) {
    std::string text;
    EXPECT_EQ(write_prometheus(all, [&](std::string_view piece) { text += piece; }),
              metrics_error::none);
    return text;
}
// Lines that begin with a name, without it.
std::vector<std::string> lines_of(const std::string& text, const std::string& name) {
    std::vector<std::string> found;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        if (line.starts_with(name)) found.push_back(line.substr(name.size()));
        at = end + 1;
    }
    return found;
}

// Has what a pacer is asked for.
struct paced {
    using clock_type = clock;
    [[nodiscard]] const weir::statistics& observer() const noexcept { return counted; }
    [[nodiscard]] static std::size_t approx_size() noexcept { return 7; }
    weir::statistics counted;
};

TEST(openmetrics, of_nothing_is_its_end) {
    EXPECT_EQ(openmetrics({}), "# EOF\n");
    EXPECT_EQ(prometheus({}), "");
}

TEST(openmetrics, of_limits_has_each_family_once) {
    const limit_metrics limits[] = {
        {"api", decision_counts{.admitted = 5, .units = 12, .denied = 3, .never = 1}},
        {metric_labels("disk").with("zone", "eu").with("_x9", "a b"),
         decision_counts{.retries = UINT32_MAX}}};
    EXPECT_EQ(openmetrics({.limits = limits}),
              "# HELP weir_limit_decisions Decisions of a limit, whatever their number of units.\n"
              "# TYPE weir_limit_decisions counter\n"
              "weir_limit_decisions_total{name=\"api\",verdict=\"admitted\"} 5\n"
              "weir_limit_decisions_total{name=\"api\",verdict=\"denied\"} 3\n"
              "weir_limit_decisions_total{name=\"api\",verdict=\"never\"} 1\n"
              "weir_limit_decisions_total{name=\"disk\",zone=\"eu\",_x9=\"a b\",verdict="
              "\"admitted\"} 0\n"
              "weir_limit_decisions_total{name=\"disk\",zone=\"eu\",_x9=\"a b\",verdict="
              "\"denied\"} 0\n"
              "weir_limit_decisions_total{name=\"disk\",zone=\"eu\",_x9=\"a b\",verdict="
              "\"never\"} 0\n"
              "# HELP weir_limit_units Units that a limit has admitted.\n"
              "# TYPE weir_limit_units counter\n"
              "weir_limit_units_total{name=\"api\"} 12\n"
              "weir_limit_units_total{name=\"disk\",zone=\"eu\",_x9=\"a b\"} 0\n"
              "# HELP weir_limit_retries Tries of decisions that lost a race against another "
              "thread.\n"
              "# TYPE weir_limit_retries counter\n"
              "weir_limit_retries_total{name=\"api\"} 0\n"
              "weir_limit_retries_total{name=\"disk\",zone=\"eu\",_x9=\"a b\"} 4294967295\n"
              "# EOF\n");
}

TEST(openmetrics, of_times_says_the_unit_and_prometheus_the_whole_name) {
    const weir::table_metrics tables[] = {
        {"clients", weir::keyed_statistics{64, 10, 3, 2, weir::nanoseconds(12'000'000'345)}}};
    const std::string text = openmetrics({.tables = tables});
    EXPECT_NE(text.find("# HELP weir_table_forgiven_seconds By how much places were taken too "
                        "early, together.\n"
                        "# TYPE weir_table_forgiven_seconds counter\n"
                        "# UNIT weir_table_forgiven_seconds seconds\n"
                        "weir_table_forgiven_seconds_total{name=\"clients\"} 12.000000345\n"),
              text.npos)
        << text;
    const std::string old = prometheus({.tables = tables});
    EXPECT_NE(old.find("# HELP weir_table_forgiven_seconds_total By how much places were taken too "
                       "early, together.\n"
                       "# TYPE weir_table_forgiven_seconds_total counter\n"
                       "weir_table_forgiven_seconds_total{name=\"clients\"} 12.000000345\n"),
              old.npos)
        << old;
    EXPECT_NE(old.find("# TYPE weir_table_places gauge\nweir_table_places{name=\"clients\"} 64\n"),
              old.npos);
    EXPECT_EQ(old.find("# UNIT"), old.npos);
    EXPECT_EQ(old.find("# EOF"), old.npos);
}

TEST(openmetrics, asks_the_objects_themselves) {
    clock::set(weir::tick{1'000'000'000'000});
    limiter l(weir::quota{1'000, weir::seconds(1)});
    weir::striped<limiter, 4> stripes(l);
    weir::skipping impatient(l);
    weir::keyed_limits<64, clock, weir::keyed_layout{}, weir::counters> keys(
        weir::per_second(1), weir::when_full::deny, weir::seed(1));
    (void)l.try_acquire(100);
    (void)stripes.try_acquire();
    (void)keys[1].try_acquire();
    paced mails;
    const limit_metrics limits[] = {{"l", l}, {"keys", keys}};
    const weir::table_metrics tables[] = {{"keys", keys}};
    const weir::stripes_metrics of_stripes[] = {{"l", stripes}};
    const weir::skipping_metrics skipping[] = {{"l", impatient}};
    const weir::pacer_metrics pacers[] = {{"mails", mails}};
    const std::string text = openmetrics({.limits = limits,
                                          .tables = tables,
                                          .stripes = of_stripes,
                                          .skipping = skipping,
                                          .pacers = pacers});
    const word left = stripes.approx_left();  // of the first lease, of which one unit was taken
    for (const std::string& line : {
             "weir_limit_units_total{name=\"l\"} " + std::to_string(101 + left) + "\n",
             "weir_stripes_left_units{name=\"l\"} " + std::to_string(left) + "\n",
             std::string("weir_limit_units_total{name=\"keys\"} 1\n"),
             std::string("weir_table_occupied_places{name=\"keys\"} 1\n"),
             std::string("weir_stripes_restocks_total{name=\"l\"} 1\n"),
             std::string("weir_skipping_denials{name=\"l\"} 0\n"),
             std::string("weir_pacer_waiting_items{name=\"mails\"} 7\n"),
         }) {
        EXPECT_NE(text.find(line), text.npos) << line << text;
    }
    // Each family begins once, and its lines are together.
    std::vector<std::string> families = lines_of(text, "# TYPE ");
    EXPECT_EQ(families.size(), 17U);
    std::sort(families.begin(), families.end());
    EXPECT_EQ(std::unique(families.begin(), families.end()), families.end());
}

TEST(openmetrics, of_a_pacer_has_cumulative_buckets_in_seconds) {
    paced mails;
    mails.counted.on_emit({}, 90, 1'000, 0);          // 90 ns late, 1 us in its lane
    mails.counted.on_emit({}, 100, 999'999, 0);       // in a step that ends at 103
    mails.counted.on_emit({}, 600'000, 0, 0);         // 0.6 ms
    mails.counted.on_emit({}, 20'000'000'000, 0, 0);  // 20 s
    mails.counted.on_dropped(weir::dropped::discarded);
    mails.counted.on_lost(5, true);
    mails.counted.on_emitted(false);
    const weir::pacer_metrics pacers[] = {{"m", mails}};
    const std::string text = prometheus({.pacers = pacers});
    const std::vector<std::string> buckets = {
        "1e-07\"} 1", "2e-07\"} 2", "5e-07\"} 2", "1e-06\"} 2",  "2e-06\"} 2",  "5e-06\"} 2",
        "1e-05\"} 2", "2e-05\"} 2", "5e-05\"} 2", "0.0001\"} 2", "0.0002\"} 2", "0.0005\"} 2",
        "0.001\"} 3", "0.002\"} 3", "0.005\"} 3", "0.01\"} 3",   "0.02\"} 3",   "0.05\"} 3",
        "0.1\"} 3",   "0.2\"} 3",   "0.5\"} 3",   "1.0\"} 3",    "2.0\"} 3",    "5.0\"} 3",
        "10.0\"} 3",  "+Inf\"} 4"};
    EXPECT_EQ(lines_of(text, "weir_pacer_lateness_seconds_bucket{name=\"m\",le=\""), buckets);
    EXPECT_EQ(lines_of(text, "weir_pacer_lateness_seconds_count"),
              std::vector<std::string>{"{name=\"m\"} 4"});
    EXPECT_EQ(lines_of(text, "weir_pacer_lateness_seconds_sum"),
              std::vector<std::string>{"{name=\"m\"} 20.000600190"});
    EXPECT_EQ(lines_of(text, "weir_pacer_queue_seconds_sum"),
              std::vector<std::string>{"{name=\"m\"} 0.001000999"});
    EXPECT_EQ(lines_of(text, "weir_pacer_dropped_items_total{name=\"m\",reason=\""),
              (std::vector<std::string>{"expired\"} 0", "never\"} 0", "discarded\"} 1",
                                        "abandoned\"} 0", "cancelled\"} 0", "cleared\"} 0",
                                        "replaced\"} 0", "no_place\"} 0", "crowded\"} 0"}));
    EXPECT_EQ(lines_of(text, "weir_pacer_lost_slots_total{name=\"m\",delay=\""),
              (std::vector<std::string>{"late_wake\"} 0", "long_sink\"} 5", "no_poll\"} 0"}));
    EXPECT_EQ(lines_of(text, "weir_pacer_failures_total"),
              std::vector<std::string>{"{name=\"m\"} 1"});
}

// What a bucket counts is surely no longer, and what is shorter by a sixteenth is in it.
TEST(openmetrics, of_a_pacer_never_tells_too_few_late_items) {
    oracle::dice dice(7);
    paced mails;
    std::vector<word> values;
    for (int i = 0; i < 5'000; ++i) {
        values.push_back(static_cast<word>(dice.magnitude(1, 40'000'000'000)));
        mails.counted.on_emit({}, values.back(), 0, 0);
    }
    const weir::pacer_metrics pacers[] = {{"m", mails}};
    std::uint64_t before = 0;
    ASSERT_EQ(for_each_metric({.pacers = pacers},
                              [&](const weir::metric& m) {
                                  if (m.family.name != "weir_pacer_lateness_seconds" ||
                                      m.suffix != "_bucket")
                                      return;
                                  EXPECT_GE(m.value, before);
                                  before = m.value;
                                  const std::string_view le = m.labels.back().value;
                                  if (le == "+Inf") return;
                                  const double bound = std::stod(std::string(le)) * 1e9;
                                  const auto below = [&](double limit) {
                                      return static_cast<std::uint64_t>(std::count_if(
                                          values.begin(), values.end(), [limit](word v) {
                                              return static_cast<double>(v) <= limit;
                                          }));
                                  };
                                  EXPECT_LE(m.value, below(bound + 0.5));
                                  EXPECT_GE(m.value, below(bound * 15 / 16));
                              }),
              metrics_error::none);
    EXPECT_EQ(before, values.size());
}

constexpr const char* long_name = "one limit with a name that is longer than the end of the page";

TEST(openmetrics, fits_or_says_that_it_does_not) {
    // A label that is longer than all that follows it.
    const limit_metrics limits[] = {{std::string_view(long_name), decision_counts{.admitted = 1}}};
    const std::string whole = openmetrics({.limits = limits});
    for (std::size_t size = 0; size <= whole.size() + 1; ++size) {
        std::vector<char> buffer(size + 16, '#');
        const auto written = write_openmetrics({.limits = limits}, std::span(buffer.data(), size));
        EXPECT_EQ(std::count(buffer.end() - 16, buffer.end(), '#'), 16);
        if (size < whole.size()) {
            EXPECT_EQ(written.error(), metrics_error::buffer_full) << size;
        } else {
            EXPECT_EQ(*written, whole);
        }
    }
}

TEST(openmetrics, is_all_or_nothing_where_a_label_is_wrong) {
    const auto refused = [](const std::vector<limit_metrics>& limits) {
        int pieces = 0;
        const metrics_error why =
            write_openmetrics({.limits = limits}, [&](std::string_view) { ++pieces; });
        EXPECT_EQ(pieces, 0);
        char page[100];
        EXPECT_EQ(write_prometheus({.limits = limits}, page).error(), why);
        EXPECT_EQ(for_each_metric({.limits = limits}, [&](const weir::metric&) { ++pieces; }), why);
        EXPECT_EQ(pieces, 0);
        return why;
    };
    const decision_counts none;
    const metric_labels four =
        metric_labels("a").with("b", "").with("c", "").with("d", "").with("e", "");
    EXPECT_EQ(four.error(), metrics_error::none);
    EXPECT_EQ(refused({{four.with("f", ""), none}}), metrics_error::too_many_labels);
    EXPECT_EQ(refused({{metric_labels("a").with("b", "1").with("b", "2"), none}}),
              metrics_error::label_repeated);
    EXPECT_EQ(refused({{"fine", none}, {"\xff", none}}), metrics_error::label_not_utf8);
    EXPECT_EQ(refused({{metric_labels("a").with("b", "\xc3"), none}}),
              metrics_error::label_not_utf8);
    EXPECT_EQ(refused({{"a", none}, {"b", none}, {"a", none}}), metrics_error::same_labels_twice);
    EXPECT_EQ(refused({{metric_labels("a").with("b", "1"), none},
                       {metric_labels("a").with("b", "1"), none}}),
              metrics_error::same_labels_twice);
    EXPECT_EQ(refused({{metric_labels("a").with("b", "1").with("c", "2"), none},
                       {metric_labels("a").with("c", "2").with("b", "1"), none}}),
              metrics_error::same_labels_twice)
        << "in another order";
    EXPECT_EQ(refused({{metric_labels("a").with("b", ""), none}, {"a", none}}),
              metrics_error::same_labels_twice)
        << "a label without a value is none";
    EXPECT_STREQ(describe(metrics_error::same_labels_twice),
                 "two limits, tables or pacers have the same labels");
    // Of two kinds.
    const weir::table_metrics tables[] = {{"a", weir::keyed_statistics{}}};
    const std::string c = "c";
    const limit_metrics limits[] = {
        {"a", none}, {metric_labels("a").with("b", "1"), none}, {c, none}};
    EXPECT_EQ(refusal({.limits = limits, .tables = tables}), metrics_error::none);
}

TEST(openmetrics, tells_values_one_by_one) {
    const limit_metrics limits[] = {{"api", decision_counts{.units = 3}}};
    const weir::table_metrics tables[] = {
        {"keys", weir::keyed_statistics{1, 0, 0, 0, weir::milliseconds(1'500)}}};
    double units = 0;
    double forgiven = 0;
    ASSERT_EQ(for_each_metric({.limits = limits, .tables = tables},
                              [&](const weir::metric& m) {
                                  if (m.family.name == "weir_limit_units") units = m.number();
                                  if (m.family.name == "weir_table_forgiven_seconds")
                                      forgiven = m.number();
                                  EXPECT_EQ(m.labels[0].name, "name");
                              }),
              metrics_error::none);
    EXPECT_EQ(units, 3.0);
    EXPECT_DOUBLE_EQ(forgiven, 1.5);
}

// By the table of the Unicode standard, as whole code points.
bool can_be_decoded(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t k) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(text.at(k)));
        };
        std::uint32_t code = byte(i);
        std::size_t length = 1;
        if (code >= 0x80) {
            length = code >> 5U == 6 ? 2 : code >> 4U == 14 ? 3 : code >> 3U == 30 ? 4 : 0;
            if (length == 0 || i + length > text.size()) return false;
            code &= 0x7FU >> length;
            for (std::size_t k = i + 1; k < i + length; ++k) {
                if (byte(k) >> 6U != 2) return false;
                code = code << 6U | (byte(k) & 0x3FU);
            }
            constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x1'0000};
            if (code < least[length] || code > 0x10'FFFF || code >> 11U == 0x1B) return false;
        }
        i += length;
    }
    return true;
}

// Each one to four bytes of those where something begins or ends.
TEST(openmetrics, knows_utf8) {
    const std::string bytes =
        "a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF";
    std::size_t wrong = 0;
    constexpr std::size_t most = std::size_t{24} * 24 * 24 * 24;
    for (std::size_t number = 1; number < most; ++number) {
        std::string text;
        for (std::size_t rest = number; rest != 0; rest /= 24) {
            if (rest % 24 != 0) text += bytes.at(rest % 24 - 1);
        }
        const bool is_fine = metric_labels(text).error() == metrics_error::none;
        wrong += is_fine == can_be_decoded(text) ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U);
}

// Any bytes: what is written is one line and says the same, or the label is refused.
TEST(openmetrics, escapes_whatever_a_label_says) {
    oracle::dice dice(11);
    constexpr unsigned char tricky[] = {'\\', '"',  '\n', 'n',  '{',  '}',  ',',  0,    0x7F, 0x80,
                                        0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xED,
                                        0xEF, 0xF0, 0xF4, 0xF5, 0xFF, '\r', ' ',  'a',  '=',  '#'};
    int fine = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string value;
        const bool is_plain = dice.chance(50);
        for (std::uint64_t k = dice.roll(7); k > 0; --k)
            value += static_cast<char>(is_plain ? tricky[dice.index(9)] : dice.one_of(tricky));
        const limit_metrics limits[] = {{value, decision_counts{}}};
        EXPECT_EQ(refusal({.limits = limits}) == metrics_error::none, can_be_decoded(value));
        if (refusal({.limits = limits}) != metrics_error::none) continue;
        ++fine;
        const auto lines =
            lines_of(openmetrics({.limits = limits}), "weir_limit_units_total{name=\"");
        ASSERT_EQ(lines.size(), 1U);
        std::string again;
        std::size_t at = 0;
        for (; lines[0].at(at) != '"'; ++at) {
            const bool is_escaped = lines[0][at] == '\\';
            if (is_escaped) ++at;
            again += is_escaped && lines[0].at(at) == 'n' ? '\n' : lines[0].at(at);
        }
        EXPECT_EQ(again, value);
        EXPECT_EQ(lines[0].substr(at), "\"} 0");
    }
    EXPECT_GT(fine, 5'000);
}

}  // namespace

// SPDX-License-Identifier: MIT
// metric: one value for a monitoring system, with its name, labels and help text; and all families
// of metrics that weir has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include <weir/adapter/metric_labels.hpp>
#include <weir/pacer/statistics.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

enum class metric_kind : std::uint8_t { counter, gauge, histogram };
[[nodiscard]] constexpr const char* describe(metric_kind what) noexcept {
    switch (what) {
        case metric_kind::counter: return "counter";
        case metric_kind::gauge: return "gauge";
        case metric_kind::histogram: return "histogram";
    }
    return "unknown";
}

// What values of one name have in common. Of each there is one object in the program.
struct metric_family {
    std::string_view name;
    metric_kind kind;
    std::string_view help;
    std::string_view unit{};
};

// One value. It refers to the labels, so it is for use in the visitor only.
struct metric {
    const metric_family& family;
    std::string_view suffix;  // _total of a counter; _bucket, _sum and _count of a histogram
    std::span<const metric_label> labels;
    std::uint64_t value;
    bool is_time = false;  // the value is in nanoseconds, to be told in seconds

    [[nodiscard]] double number() const noexcept {
        return is_time ? static_cast<double>(value) * 1e-9 : static_cast<double>(value);
    }
};

namespace detail {

namespace families {

using enum metric_kind;
inline constexpr metric_family decisions{"weir_limit_decisions", counter,
                                         "Decisions of a limit, whatever their number of units."};
inline constexpr metric_family units{"weir_limit_units", counter,
                                     "Units that a limit has admitted."};
inline constexpr metric_family retries{
    "weir_limit_retries", counter, "Tries of decisions that lost a race against another thread."};
inline constexpr metric_family places{"weir_table_places", gauge, "Places of a keyed table."};
inline constexpr metric_family occupied{"weir_table_occupied_places", gauge,
                                        "Places whose keys are not idle yet."};
inline constexpr metric_family steals{"weir_table_steals", counter,
                                      "Places that were taken from another key, idle or forgiven."};
inline constexpr metric_family full{"weir_table_full", counter,
                                    "Requests that found no place for their key."};
inline constexpr metric_family forgiven{"weir_table_forgiven_seconds", counter,
                                        "By how much places were taken too early, together.",
                                        "seconds"};
inline constexpr metric_family left{"weir_stripes_left_units", gauge,
                                    "Units that lie in the stripes of a limit."};
inline constexpr metric_family restocks{"weir_stripes_restocks", counter,
                                        "Leases that stripes have taken from their limit."};
// A gauge, since what is approximate may also go back.
inline constexpr metric_family skipped{
    "weir_skipping_denials", gauge,
    "Calls that were denied without asking the limit, approximately."};
inline constexpr metric_family waiting{"weir_pacer_waiting_items", gauge,
                                       "Items that wait in the lanes of a pacer."};
inline constexpr metric_family failures{"weir_pacer_failures", counter,
                                        "Emitted items for which the sink threw."};
inline constexpr metric_family drops{"weir_pacer_dropped_items", counter,
                                     "Accepted items that were not emitted."};
inline constexpr metric_family lost{"weir_pacer_lost_slots", counter,
                                    "Slots that went by unused although items waited."};
inline constexpr metric_family lateness{
    "weir_pacer_lateness_seconds", histogram,
    "From the slot that was meant for an item to its emission. Counts emitted items.", "seconds"};
inline constexpr metric_family queue_time{"weir_pacer_queue_seconds", histogram,
                                          "From the push of an item to its emission.", "seconds"};

}  // namespace families

// In the order of the enumerations.
inline constexpr std::string_view reasons[] = {"expired",   "never",     "discarded",
                                               "abandoned", "cancelled", "cleared",
                                               "replaced",  "no_place",  "crowded"};
static_assert(std::size(reasons) == drop_reasons);
inline constexpr std::string_view delay_names[] = {"late_wake", "long_sink", "no_poll"};
static_assert(std::size(delay_names) == delays);

// The buckets that Prometheus sees: the same on every machine, so those of several can be added.
struct bucket_bound {
    std::int64_t time;  // ns
    std::string_view seconds;
};
inline constexpr bucket_bound bucket_bounds[] = {
    {100, "1e-07"},          {200, "2e-07"},         {500, "5e-07"},         {1'000, "1e-06"},
    {2'000, "2e-06"},        {5'000, "5e-06"},       {10'000, "1e-05"},      {20'000, "2e-05"},
    {50'000, "5e-05"},       {100'000, "0.0001"},    {200'000, "0.0002"},    {500'000, "0.0005"},
    {1'000'000, "0.001"},    {2'000'000, "0.002"},   {5'000'000, "0.005"},   {10'000'000, "0.01"},
    {20'000'000, "0.02"},    {50'000'000, "0.05"},   {100'000'000, "0.1"},   {200'000'000, "0.2"},
    {500'000'000, "0.5"},    {1'000'000'000, "1.0"}, {2'000'000'000, "2.0"}, {5'000'000'000, "5.0"},
    {10'000'000'000, "10.0"}};

}  // namespace detail

}  // namespace weir

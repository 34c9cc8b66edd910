// SPDX-License-Identifier: MIT
// metrics: what limits, tables and pacers count, told value by value with names, labels and help
// texts, for a monitoring system of any kind. openmetrics.hpp writes them as text for Prometheus.
//
//     const weir::limit_metrics limits[] = {{"api", api}, {"disk", disk}};
//     const weir::table_metrics tables[] = {{"clients", per_client}};
//     weir::for_each_metric({.limits = limits, .tables = tables}, visitor);
//
// An entry of these arrays is a snapshot, but for that of a pacer, whose histograms are read when
// they are told. Nothing here allocates, locks or stops anybody.
//
// Invariant: a family's values come one after the other, and no family comes twice. For `metrics`
// has one array of each kind, and each family is told in one loop over one of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include <weir/adapter/metric.hpp>
#include <weir/adapter/metric_labels.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/pacer/statistics.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/table/when_full.hpp>

namespace weir {

namespace detail {

template <class Limit>
[[nodiscard]] decision_counts counted_by(const Limit& limit) noexcept {
    constexpr bool counts = requires {
        { limit.observer().snapshot() } -> std::same_as<decision_counts>;
    };
    static_assert(counts, "this limit counts nothing: its observer has to be weir::stats");
    if constexpr (counts) {
        return limit.observer().snapshot();
    } else {
        return {};
    }
}

template <class Pacer>
[[nodiscard]] const statistics* counted_by_pacer(const Pacer& pacer) noexcept {
    constexpr bool counts = std::is_same_v<decltype(pacer.observer()), const statistics&>;
    static_assert(counts, "this pacer counts nothing: its observer has to be weir::statistics");
    if constexpr (counts) {
        return &pacer.observer();
    } else {
        return nullptr;
    }
}

}  // namespace detail

// A limit, or an array or a keyed table of limits, whose observer is `stats` or `counters`.
struct limit_metrics {
    template <class Limit>
    limit_metrics(const metric_labels& its, const Limit& limit) noexcept
        : labels(its), counts(detail::counted_by(limit)) {}
    limit_metrics(const metric_labels& its, const decision_counts& counted) noexcept
        : labels(its), counts(counted) {}

    metric_labels labels;
    decision_counts counts;
};

// A keyed table. Its statistics look at all places.
struct table_metrics {
    template <class Table>
        requires requires(Table& table) { table.statistics(); }
    table_metrics(const metric_labels& its, Table& table) noexcept
        : labels(its), now(table.statistics()) {}
    table_metrics(const metric_labels& its, const keyed_statistics& counted) noexcept
        : labels(its), now(counted) {}

    metric_labels labels;
    keyed_statistics now;
};

// A `striped` limit. The limit that it shares has an observer of its own.
struct stripes_metrics {
    template <class Striped>
    stripes_metrics(const metric_labels& its, const Striped& all) noexcept
        : labels(its), left(all.approx_left()), restocks(all.approx_restocks()) {}

    metric_labels labels;
    word left;
    word restocks;
};

struct skipping_metrics {
    template <class Skipping>
    skipping_metrics(const metric_labels& its, const Skipping& all) noexcept
        : labels(its), skipped(all.approx_skipped()) {}

    metric_labels labels;
    word skipped;
};

// A pacer whose observer is `statistics`. The pacer must live until the metrics are told.
struct pacer_metrics {
    template <class Pacer>
    pacer_metrics(const metric_labels& its, const Pacer& pacer) noexcept
        : labels(its),
          counts(detail::counted_by_pacer(pacer)),
          waiting(pacer.approx_size()),
          hertz(weir::least_hertz<typename Pacer::clock_type>()) {}

    metric_labels labels;
    const statistics* counts;
    std::size_t waiting;
    std::uint64_t hertz;  // the lowest that it may be, so times are long enough
};

// All that is told at once. An array that is not named is empty.
struct metrics {
    std::span<const limit_metrics> limits{};
    std::span<const table_metrics> tables{};
    std::span<const stripes_metrics> stripes{};
    std::span<const skipping_metrics> skipping{};
    std::span<const pacer_metrics> pacers{};
};

namespace detail {

// Tells the values of one family with one entry's labels.
template <class Visit>
class metric_teller {
public:
    metric_teller(Visit& visit, const metric_family& family, const metric_labels& labels) noexcept
        : visit_(visit), family_(family) {
        for (const metric_label& l : labels.all()) labels_[size_++] = l;
    }

    void operator()(std::uint64_t value) {
        tell(family_.kind == metric_kind::counter ? "_total" : "", {}, value, false);
    }
    void operator()(nanoseconds time) {
        tell("_total", {}, static_cast<std::uint64_t>(time.count()), true);
    }
    void operator()(const metric_label& which, std::uint64_t value) {
        tell("_total", which, value, false);
    }
    // A value in the bucket of a bound is surely no longer than that. What lies in a step of the
    // histogram that reaches beyond the bound counts as longer, so up to a sixteenth above what it
    // was. All counts come from one look at the steps, so the last bucket is their number.
    void operator()(const histogram& h, std::uint64_t hertz) {
        std::uint64_t seen = 0;
        const bucket_bound* next = bucket_bounds;
        const auto tell_bounds_below = [&](std::int64_t time) {
            for (; next != std::end(bucket_bounds) && next->time < time; ++next)
                tell("_bucket", {"le", next->seconds}, seen, false);
        };
        h.for_each_bucket([&](word last, word count) {
            tell_bounds_below(time_at(hertz, last).count());
            seen += count;
        });
        tell_bounds_below(INT64_MAX);
        tell("_bucket", {"le", "+Inf"}, seen, false);
        tell("_sum", {}, static_cast<std::uint64_t>(time_at(hertz, h.sum()).count()), true);
        tell("_count", {}, seen, false);
    }

private:
    void tell(std::string_view suffix, const metric_label& more, std::uint64_t value,
              bool is_time) {
        labels_[size_] = more;
        const std::span<const metric_label> labels(labels_, size_ + (more.name.empty() ? 0U : 1U));
        visit_(metric{family_, suffix, labels, value, is_time});
    }

    Visit& visit_;
    const metric_family& family_;
    metric_label labels_[metric_labels::most + 2]{};
    std::size_t size_ = 0;
};

template <class Entry>
[[nodiscard]] constexpr metrics_error refusal_of(std::span<const Entry> all) noexcept {
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (const metrics_error why = all[i].labels.error(); why != metrics_error::none) return why;
        for (std::size_t k = 0; k < i; ++k) {
            if (all[i].labels == all[k].labels) return metrics_error::same_labels_twice;
        }
    }
    return metrics_error::none;
}

}  // namespace detail

// Why these metrics cannot be told, or `none`. Compares the labels of each two limits, so thousands
// of them take some milliseconds.
[[nodiscard]] inline metrics_error refusal(const metrics& all) noexcept {
    for (const metrics_error why :
         {detail::refusal_of(all.limits), detail::refusal_of(all.tables),
          detail::refusal_of(all.stripes), detail::refusal_of(all.skipping),
          detail::refusal_of(all.pacers)}) {
        if (why != metrics_error::none) return why;
    }
    return metrics_error::none;
}

// Calls visit(const metric&) for each value. Tells nothing, but why not, if a label is wrong.
template <class Visit>
[[nodiscard]] metrics_error for_each_metric(const metrics& all, Visit&& visit) {
    namespace family = detail::families;
    if (const metrics_error why = refusal(all); why != metrics_error::none) return why;
    const auto each = [&visit](const metric_family& f, const auto& entries, auto tell) {
        for (const auto& entry : entries) {
            tell(detail::metric_teller<std::remove_reference_t<Visit>>(visit, f, entry.labels),
                 entry);
        }
    };

    each(family::decisions, all.limits, [](auto say, const limit_metrics& l) {
        say({"verdict", "admitted"}, l.counts.admitted);
        say({"verdict", "denied"}, l.counts.denied);
        say({"verdict", "never"}, l.counts.never);
    });
    each(family::units, all.limits, [](auto say, const auto& l) { say(l.counts.units); });
    each(family::retries, all.limits, [](auto say, const auto& l) { say(l.counts.retries); });

    each(family::places, all.tables, [](auto say, const auto& t) { say(t.now.places); });
    each(family::occupied, all.tables, [](auto say, const auto& t) { say(t.now.occupied); });
    each(family::steals, all.tables, [](auto say, const auto& t) { say(t.now.steals); });
    each(family::full, all.tables, [](auto say, const auto& t) { say(t.now.full); });
    each(family::forgiven, all.tables, [](auto say, const auto& t) { say(t.now.forgiven); });

    each(family::left, all.stripes, [](auto say, const auto& s) { say(s.left); });
    each(family::restocks, all.stripes, [](auto say, const auto& s) { say(s.restocks); });
    each(family::skipped, all.skipping, [](auto say, const auto& s) { say(s.skipped); });

    each(family::waiting, all.pacers, [](auto say, const auto& p) { say(p.waiting); });
    each(family::failures, all.pacers, [](auto say, const auto& p) { say(p.counts->failed()); });
    each(family::drops, all.pacers, [](auto say, const pacer_metrics& p) {
        for (std::size_t i = 0; i < drop_reasons; ++i)
            say({"reason", detail::reasons[i]}, p.counts->dropped_for(static_cast<dropped>(i)));
    });
    each(family::lost, all.pacers, [](auto say, const pacer_metrics& p) {
        for (std::size_t i = 0; i < delays; ++i)
            say({"delay", detail::delay_names[i]}, p.counts->lost_by(static_cast<delay>(i)));
    });
    each(family::lateness, all.pacers,
         [](auto say, const auto& p) { say(p.counts->lateness(), p.hertz); });
    each(family::queue_time, all.pacers,
         [](auto say, const auto& p) { say(p.counts->time_in_queue(), p.hertz); });
    return metrics_error::none;
}

}  // namespace weir

// SPDX-License-Identifier: MIT
// openmetrics: the text of metrics, as OpenMetrics 1.0 has it and as Prometheus had it before
// (format 0.0.4). A server answers a scrape with it; a file that Prometheus's node exporter picks
// up may hold it as well.
//
//     char page[16'384];
//     const auto written = weir::write_openmetrics({.limits = limits}, page);
//     if (written) reply(weir::openmetrics_type, *written);
//
// Into a buffer, where what does not fit is told and nothing is cut off, or piece by piece to a
// function. Nothing allocates. The text of your own metrics may come before this one, if their
// names do not begin with weir_; OpenMetrics ends with a line that says so.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include <weir/adapter/metric.hpp>
#include <weir/adapter/metric_labels.hpp>
#include <weir/adapter/metrics.hpp>
#include <weir/base/result.hpp>
#include <weir/base/text.hpp>

namespace weir {

// What a server's Content-Type says.
inline constexpr const char* openmetrics_type =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
inline constexpr const char* prometheus_type = "text/plain; version=0.0.4; charset=utf-8";

namespace detail {

template <class Write>
class metrics_text {
public:
    metrics_text(Write& write, bool is_openmetrics) noexcept
        : write_(write), is_openmetrics_(is_openmetrics) {}

    void operator()(const metric& m) {
        if (&m.family != family_) begin(m.family);
        say(m.family.name, m.suffix);
        const char* between = "{";
        for (const metric_label& l : m.labels) {
            say(between, l.name, "=\"");
            say_escaped(l.value);
            say("\"");
            between = ",";
        }
        say("} ");
        m.is_time ? say_seconds(m.value) : say_number(m.value);
        say("\n");
    }
    void end() {
        if (is_openmetrics_) say("# EOF\n");
    }

private:
    // In OpenMetrics the family of a counter has a name without _total.
    void begin(const metric_family& f) {
        family_ = &f;
        const bool is_total = !is_openmetrics_ && f.kind == metric_kind::counter;
        const std::string_view suffix = is_total ? "_total" : "";
        say("# HELP ", f.name, suffix, " ", f.help, "\n");
        say("# TYPE ", f.name, suffix, " ", describe(f.kind), "\n");
        if (is_openmetrics_ && !f.unit.empty()) say("# UNIT ", f.name, " ", f.unit, "\n");
    }

    template <class... Pieces>
    void say(const Pieces&... pieces) {
        const auto one = [this](std::string_view piece) {
            if (!piece.empty()) write_(piece);
        };
        (one(pieces), ...);
    }
    void say_escaped(std::string_view value) {
        while (!value.empty()) {
            const std::size_t plain = smaller(value.find_first_of("\\\"\n"), value.size());
            say(value.substr(0, plain));
            if (plain == value.size()) return;
            const char special = value[plain];
            say(special == '\n' ? "\\n" : special == '"' ? "\\\"" : "\\\\");
            value.remove_prefix(plain + 1);
        }
    }
    void say_number(std::uint64_t number) {
        const text digits = text().add(number);
        say(std::string_view(digits.c_str(), digits.size()));
    }
    void say_seconds(std::uint64_t time) {
        say_number(time / nanoseconds::per_second);
        char rest[] = ".000000000";
        std::uint64_t digits = time % nanoseconds::per_second;
        for (std::size_t i = 9; i > 0; --i, digits /= 10)
            rest[i] = static_cast<char>('0' + digits % 10);
        say(rest);
    }

    Write& write_;
    bool is_openmetrics_;
    const metric_family* family_ = nullptr;
};

template <class Write>
[[nodiscard]] metrics_error write_metrics(const metrics& all, Write& write, bool is_openmetrics) {
    metrics_text<Write> to(write, is_openmetrics);
    const metrics_error why = for_each_metric(all, to);
    if (why == metrics_error::none) to.end();
    return why;
}

[[nodiscard]] inline result<std::string_view, metrics_error>
write_metrics_into(const metrics& all, std::span<char> buffer, bool is_openmetrics) noexcept {
    std::size_t size = 0;
    bool is_full = false;
    const auto write = [&](std::string_view piece) noexcept {
        is_full = is_full || piece.size() > buffer.size() - size;
        if (is_full) return;
        std::memcpy(buffer.data() + size, piece.data(), piece.size());
        size += piece.size();
    };
    const metrics_error why = write_metrics(all, write, is_openmetrics);
    if (why != metrics_error::none) return why;
    if (is_full) return metrics_error::buffer_full;
    return std::string_view(buffer.data(), size);
}

}  // namespace detail

// Calls write(std::string_view) for each piece of the text. If a label is wrong, it writes nothing
// and says why.
template <std::invocable<std::string_view> Write>
[[nodiscard]] metrics_error write_openmetrics(const metrics& all, Write&& write) {
    return detail::write_metrics(all, write, true);
}
template <std::invocable<std::string_view> Write>
[[nodiscard]] metrics_error write_prometheus(const metrics& all, Write&& write) {
    return detail::write_metrics(all, write, false);
}

// The text, which lies in the buffer. If it does not fit, or a label is wrong, the buffer holds
// nothing of use and the answer is the reason.
[[nodiscard]] inline result<std::string_view, metrics_error>
write_openmetrics(const metrics& all, std::span<char> buffer) noexcept {
    return detail::write_metrics_into(all, buffer, true);
}
[[nodiscard]] inline result<std::string_view, metrics_error>
write_prometheus(const metrics& all, std::span<char> buffer) noexcept {
    return detail::write_metrics_into(all, buffer, false);
}

}  // namespace weir

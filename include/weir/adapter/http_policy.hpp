// SPDX-License-Identifier: MIT
// http_policy: what a server that limits its clients tells them in headers.
//
//     constexpr weir::http::policy per_client("per-client", weir::per_minute(100));
//
//     const auto d = limit.try_acquire();
//     const auto add = [&](std::string_view name, std::string_view value) { ... };
//     per_client.write(d, add);  // RateLimit and RateLimit-Policy
//     if (!d) weir::http::write_retry_after(d, add);
//
// Nothing allocates. All times are whole seconds, rounded up.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/adapter/http_budget.hpp>
#include <weir/adapter/http_clock.hpp>
#include <weir/adapter/http_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/text.hpp>
#include <weir/base/wide.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>

// As for a quota: one that is written in the program is checked by the compiler, and a variable is
// given to `make` where exceptions are off.
#ifdef __cpp_exceptions
#define WEIR_CHECKED constexpr
#else
#define WEIR_CHECKED consteval
#endif

namespace weir::http {

// What a decision or a peek answers, with its times.
template <class T>
concept timed_answer = requires(const T& d) {
    { d.verdict() } -> std::same_as<verdict>;
    { d.remaining() } -> std::unsigned_integral;
    { d.reset_after() } -> std::same_as<nanoseconds>;
    { d.retry_after() } -> std::same_as<nanoseconds>;
};

template <class T>
concept takes_headers = std::invocable<T&, std::string_view, std::string_view>;

// Which headers tell what is left.
struct forms {
    bool structured = true;  // RateLimit and RateLimit-Policy
    bool older = false;      // RateLimit-Limit, -Remaining and -Reset, in seconds from now on
    bool x = false;          // X-RateLimit-Limit, -Remaining and -Reset
    std::optional<utc_time>
        now{};  // X-RateLimit-Reset is since 1970, as GitHub's; else from now on
};

namespace detail {

[[nodiscard]] constexpr std::string_view view(const text& t) noexcept {
    return {t.c_str(), t.size()};
}
[[nodiscard]] constexpr std::uint64_t seconds_up(nanoseconds time) noexcept {
    constexpr std::uint64_t second = nanoseconds::per_second;
    const auto count = static_cast<std::uint64_t>(time.count() < 0 ? 0 : time.count());
    return count / second + (count % second != 0 ? 1 : 0);
}
// From now on: 31 years at most, as clients take a larger number for a time since 1970.
[[nodiscard]] constexpr std::uint64_t seconds_from_now(nanoseconds time) noexcept {
    constexpr std::uint64_t most = 999'999'999;
    const std::uint64_t whole = seconds_up(time);
    return whole < most ? whole : most;
}
// How a client is refused: it may come again after so many seconds, and never at once.
[[nodiscard]] constexpr std::uint64_t wait_in_seconds(nanoseconds retry_after) noexcept {
    const std::uint64_t wait = seconds_from_now(retry_after);
    return wait == 0 ? 1 : wait;
}

}  // namespace detail

// Retry-After, if the request passes later. Nothing if it was admitted, or if it never passes.
template <class Decision, takes_headers Set>
    requires requires(const Decision& d) {
        { d.verdict() } -> std::same_as<verdict>;
        { d.retry_after() } -> std::same_as<nanoseconds>;
    }
constexpr void write_retry_after(const Decision& d, Set&& set) {
    if (d.verdict() != verdict::wait) return;
    const text value = text().add(detail::wait_in_seconds(d.retry_after()));
    set(std::string_view("Retry-After"), detail::view(value));
}

class policy {
public:
    // `unit` is what is counted, if not requests.
    [[nodiscard]] static constexpr result<policy, http_error>
    make(std::string_view name, const weir::quota& quota, std::string_view unit = {}) noexcept {
        if (name.empty()) return http_error::name_empty;
        policy p(checked{}, quota);
        for (const std::string_view part : {name, unit}) {
            if (part.find_first_of("\"\\") != part.npos) return http_error::name_with_quotes;
        }
        http_error why = p.name_.keep(name);
        if (why == http_error::none) why = p.unit_.keep(unit);
        if (why != http_error::none) return why;
        return p;
    }

    // The same for those who want no error value: a name that cannot be written does not compile.
    WEIR_CHECKED policy(std::string_view name, const weir::quota& quota, std::string_view unit = {})
        : policy(make(name, quota, unit).value()) {}

    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_.view(); }
    [[nodiscard]] constexpr std::string_view unit() const noexcept { return unit_.view(); }
    [[nodiscard]] constexpr const weir::quota& quota() const noexcept { return quota_; }

    // Calls set(name, value) for each header. Of several policies each has its own line of the same
    // header, which is one list: so add the header, and do not replace it.
    template <timed_answer Decision, takes_headers Set>
    constexpr void write(const Decision& d, Set&& set, const forms& which = {}) const {
        const std::uint64_t left = d.remaining();
        const std::uint64_t reset = reset_of(d);
        const auto give = [&set](std::string_view name, const text& value) {
            set(name, detail::view(value));
        };
        if (which.structured) {
            give("RateLimit-Policy", terms());
            give("RateLimit", quoted(name_).add(";r=").add(whole(left)).add(";t=").add(reset));
        }
        const auto three = [&](std::string_view limit, std::string_view remaining,
                               std::string_view name_of_reset, std::uint64_t when) {
            give(limit, text().add(static_cast<std::uint64_t>(quota_.units())));
            give(remaining, text().add(left));
            give(name_of_reset, text().add(when));
        };
        if (which.older) three("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", reset);
        const std::uint64_t at =
            which.now ? detail::seconds_up(which.now->since_1970() + until_reset(d)) : reset;
        if (which.x) three("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", at);
    }

private:
    struct checked {};
    constexpr policy(checked, const weir::quota& quota) noexcept : quota_(quota) {}

    // What the standard's whole numbers hold: 15 digits. Less is told than is left, and never more.
    [[nodiscard]] static constexpr std::uint64_t whole(std::uint64_t count) noexcept {
        constexpr std::uint64_t most = 999'999'999'999'999;
        return count < most ? count : most;
    }
    [[nodiscard]] static constexpr text quoted(const detail::kept_text& t) noexcept {
        text q;
        q.add("\"");
        for (const char c : t.view()) {
            const char one[] = {c, '\0'};
            q.add(one);
        }
        return q.add("\"");
    }

    // Who was refused waits as long as Retry-After says. Else it is the time until all is back.
    template <class Decision>
    [[nodiscard]] static constexpr nanoseconds until_reset(const Decision& d) noexcept {
        return d.verdict() == verdict::wait ? d.retry_after() : d.reset_after();
    }
    template <class Decision>
    [[nodiscard]] static constexpr std::uint64_t reset_of(const Decision& d) noexcept {
        const nanoseconds time = until_reset(d);
        return d.verdict() == verdict::wait ? detail::wait_in_seconds(time)
                                            : detail::seconds_from_now(time);
    }

    // A window is told in whole seconds: 20 per 100 ms are 200 a second, and 2 per 1.5 s 4 in 3 s.
    [[nodiscard]] constexpr text terms() const noexcept {
        constexpr std::uint64_t second = nanoseconds::per_second;
        const auto units = static_cast<std::uint64_t>(quota_.units());
        const auto period = static_cast<std::uint64_t>(quota_.period().count());
        const std::uint64_t common = common_divisor(period, second);
        const wide all = multiply(units, second / common);
        const std::uint64_t window = period / common;
        const bool is_told = all.fits(whole(UINT64_MAX)) && window == whole(window);
        text t = quoted(name_).add(";q=").add(is_told ? all.low : whole(units));
        if (is_told) t.add(";w=").add(window);
        if (quota_.burst() != quota_.units())
            t.add(";weir-burst=").add(whole(static_cast<std::uint64_t>(quota_.burst())));
        if (!unit_.view().empty()) t.add(";qu=").add(quoted(unit_).c_str());
        return t;
    }
    [[nodiscard]] static constexpr std::uint64_t common_divisor(std::uint64_t a,
                                                                std::uint64_t b) noexcept {
        while (b != 0) {
            const std::uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    weir::quota quota_;
    detail::kept_text name_;
    detail::kept_text unit_;
};

}  // namespace weir::http

#undef WEIR_CHECKED

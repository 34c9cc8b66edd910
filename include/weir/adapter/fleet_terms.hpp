// SPDX-License-Identifier: MIT
// The words of a fleet_limiter: what it is told, what it answers, and how it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>

namespace weir {

// What passes while Redis cannot be asked, besides the units that are in stock.
enum class when_away : std::uint8_t {
    local_share,  // the process's share of the rate, if it has seen Redis before
    closed,       // nothing
    open,         // everything
};
[[nodiscard]] constexpr const char* describe(when_away policy) noexcept {
    switch (policy) {
        case when_away::local_share: return "local share";
        case when_away::closed: return "closed";
        case when_away::open: return "open";
    }
    return "unknown policy";
}

struct fleet_options {
    // How many processes use the limit at one time, at most. It has to be said: the bound and the
    // share of each follow from it.
    std::uint32_t processes = 0;
    when_away away = when_away::local_share;
    // What an idle process keeps in stock, so that first requests for as many units pass. If
    // nothing is said, a quarter of the largest lease, and one at least.
    std::optional<std::uint64_t> least_lease = {};
    const char* thread_name = "weir fleet";  // 15 characters at most, which outlive the limit
};

class [[nodiscard]] fleet_decision {
public:
    constexpr fleet_decision(weir::verdict v, word left, nanoseconds retry_after) noexcept
        : verdict_(v), left_(left), retry_after_(retry_after) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return verdict_ == verdict::admitted; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    // `never` if it asks for more units than a lease ever has.
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return verdict_; }

    // What is left in stock in this process. Redis may have more, and the next lease fetches it.
    [[nodiscard]] constexpr word remaining() const noexcept { return left_; }

    // An estimate: how long it takes until a lease may have come. Zero only if it was admitted, and
    // the longest time if it never will be.
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept { return retry_after_; }

private:
    weir::verdict verdict_;
    word left_;
    nanoseconds retry_after_;
};

// Units that were taken out of the stock, to be given back to it if they are not used.
class [[nodiscard]] fleet_permit {
public:
    constexpr fleet_permit() noexcept = default;
    constexpr fleet_permit(bool passes, word units, word from_stock) noexcept
        : passes_(passes), units_(units), from_stock_(from_stock) {}
    fleet_permit(fleet_permit&& other) noexcept
        : passes_(other.passes_),
          units_(std::exchange(other.units_, 0)),
          from_stock_(std::exchange(other.from_stock_, 0)) {}
    fleet_permit& operator=(fleet_permit&& other) noexcept {
        passes_ = other.passes_;
        units_ = std::exchange(other.units_, 0);
        from_stock_ = std::exchange(other.from_stock_, 0);
        return *this;
    }
    ~fleet_permit() = default;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return passes_; }
    [[nodiscard]] constexpr word units() const noexcept { return units_; }

private:
    friend class fleet_limiter;

    bool passes_ = false;
    word units_ = 0;
    word from_stock_ = 0;  // what passes because everything does comes from nowhere
};

enum class fleet_mode : std::uint8_t {
    not_leased_yet,  // it has never had an answer of Redis
    leased,
    degraded,  // the last call failed, and the policy says what passes
    forked,    // this process is a child of the one that made the limit: nobody fills its stock
};
[[nodiscard]] constexpr const char* describe(fleet_mode mode) noexcept {
    switch (mode) {
        case fleet_mode::not_leased_yet: return "no lease yet";
        case fleet_mode::leased: return "leased";
        case fleet_mode::degraded: return "degraded";
        case fleet_mode::forked: return "forked: make a limit in the child";
    }
    return "unknown mode";
}

struct fleet_state {
    fleet_mode mode = fleet_mode::not_leased_yet;
    redis_error error = redis_error::none;  // of the last call, if that failed
    nanoseconds since{};                    // by the system's monotonic clock: when the mode began
    // Units that this process has let pass in an outage and that Redis has not been told of: by so
    // much it may be beyond what it was leased.
    std::uint64_t beyond = 0;
};
// "leased", "degraded for 1.5 s: there is no connection to Redis ...".
[[nodiscard]] constexpr text to_text(const fleet_state& s) noexcept {
    text t(describe(s.mode));
    if (s.error != redis_error::none) t.add(": ").add(describe(s.error));
    return t;
}

// What the thread has done since the beginning. They may be some units apart.
struct fleet_counts {
    word calls = 0;       // of Redis, answered or not
    word failures = 0;    // of those
    word leases = 0;      // that brought units
    word leased = 0;      // units
    word given_back = 0;  // units
    word lost = 0;        // units of leases whose answer never came: Redis may have counted them
    word minted = 0;      // units of the local share
    word passed = 0;      // units that passed by the policy `open`
    word charged = 0;     // units of those two that Redis was told of afterwards

    friend constexpr bool operator==(const fleet_counts&, const fleet_counts&) = default;
};

}  // namespace weir

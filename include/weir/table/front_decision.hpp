// What a limit that stands in front of a shared one answers, such as `striped`.
#pragma once

#include <optional>

#include <weir/base/duration.hpp>
#include <weir/cell/decision.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

// Admitted by itself, or as the shared limit has decided, or denied by itself.
template <limit Limit>
class [[nodiscard]] front_decision {
public:
    constexpr front_decision() noexcept = default;
    constexpr explicit front_decision(const decision_of<Limit>& its) noexcept : shared_(its) {}
    constexpr explicit front_decision(nanoseconds wait) noexcept : wait_(wait) {}

    [[nodiscard]] constexpr bool admitted() const noexcept {
        return shared_ ? shared_->admitted() : wait_ == nanoseconds{};
    }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept {
        if (shared_) return shared_->verdict();
        return admitted() ? verdict::admitted : verdict::wait;
    }

    // Until the shared limit passes the same request, if nothing else comes. Without a decision of
    // the shared limit, what the one in front says. Zero if it was admitted.
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept {
        return shared_ ? shared_->retry_after() : wait_;
    }

    // What the shared limit has decided, with its `remaining`. Null if it has decided nothing.
    [[nodiscard]] constexpr const decision_of<Limit>* shared() const noexcept {
        return shared_ ? &*shared_ : nullptr;
    }

private:
    std::optional<decision_of<Limit>> shared_{};
    nanoseconds wait_{};
};

}  // namespace weir

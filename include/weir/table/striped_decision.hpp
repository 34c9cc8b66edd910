// What a `striped` limit answers.
#pragma once

#include <optional>

#include <weir/base/duration.hpp>
#include <weir/cell/decision.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

// Admitted by the stripe, or as the shared limit has decided, or held back.
template <limit Limit>
class [[nodiscard]] striped_decision {
public:
    constexpr striped_decision() noexcept = default;
    constexpr explicit striped_decision(const decision_of<Limit>& its) noexcept : shared_(its) {}
    constexpr explicit striped_decision(nanoseconds wait) noexcept : wait_(wait) {}

    [[nodiscard]] constexpr bool admitted() const noexcept {
        return shared_ ? shared_->admitted() : wait_ == nanoseconds{};
    }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept {
        if (shared_) return shared_->verdict();
        return admitted() ? verdict::admitted : verdict::wait;
    }

    // Until the shared limit passes the same request, if nothing else comes; of a stripe that holds
    // back, until it asks again. Zero if it was admitted.
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

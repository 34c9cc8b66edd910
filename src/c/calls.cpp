// SPDX-License-Identifier: MIT
// Calls that have begun and not ended, for C.

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/limiter/begin.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/weir.h>

#include "border.hpp"
#include "limit.hpp"

struct weir_in_flight {
    explicit weir_in_flight(weir::word most) noexcept : calls(most) {}
    weir::in_flight calls;
};

namespace weir::c {

namespace {

// A token lives in C's memory, and C copies it as bytes: see the permits of `held`.
static_assert(sizeof(call_token) <= sizeof(weir_call::inside) &&
              alignof(call_token) <= alignof(weir_call));

[[nodiscard]] weir_status refusal(std::int64_t most) noexcept {
    if (most < 0) return WEIR_NEGATIVE;
    const auto places = static_cast<std::uint64_t>(most);
    return in_flight::refusal(places) == in_flight_error::none ? WEIR_OK : WEIR_NOT_THIS_MANY;
}

[[nodiscard]] call_token& token_of(weir_call& call) noexcept {
    return *std::launder(reinterpret_cast<call_token*>(call.inside));
}

}  // namespace

}  // namespace weir::c

using namespace weir::c;

weir_status weir_in_flight_new(std::int64_t most, weir_in_flight** calls) {
    if (calls == nullptr) return WEIR_NULL;
    *calls = nullptr;
    if (const weir_status s = refusal(most); s != WEIR_OK) return s;
    return make<weir_in_flight>(calls, static_cast<weir::word>(most));
}

void weir_in_flight_free(weir_in_flight* calls) { delete calls; }

bool weir_begin(weir_in_flight* calls, std::int64_t patience_ns, weir_call* call) {
    if (call == nullptr) return false;
    auto& token = *std::construct_at(reinterpret_cast<weir::call_token*>(call->inside));
    if (calls == nullptr || patience_ns < 0) return false;
    token = calls->calls.try_begin();
    if (token || patience_ns == 0) return static_cast<bool>(token);
    // The system may refuse a lock.
    (void)guarded([&] {
        token = weir::begin_for(calls->calls, weir::nanoseconds(patience_ns));
        return WEIR_OK;
    });
    return static_cast<bool>(token);
}

void weir_end(weir_call* call) {
    if (call != nullptr) token_of(*call).end();
}

weir_status weir_set_most(weir_in_flight* calls, std::int64_t most) {
    if (calls == nullptr) return WEIR_NULL;
    if (const weir_status s = refusal(most); s != WEIR_OK) return s;
    (void)calls->calls.set_most(static_cast<weir::word>(most));
    return WEIR_OK;
}

std::int64_t weir_calls_in_use(const weir_in_flight* calls) {
    return calls == nullptr ? 0 : as_signed(calls->calls.approx_in_use());
}

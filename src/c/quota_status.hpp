// SPDX-License-Identifier: MIT
// The numbers of weir.h for why a quota or an option is refused.
#pragma once

#include <weir/cell/quota_error.hpp>
#include <weir/weir.h>

namespace weir::c {

// Each reason has a number that never changes, whatever the order in the enumeration becomes.
[[nodiscard]] constexpr weir_status status_of(quota_error reason) noexcept {
    switch (reason) {
        case quota_error::none: return WEIR_OK;
        case quota_error::units_not_positive: return WEIR_BAD_QUOTA - 1;
        case quota_error::period_not_positive: return WEIR_BAD_QUOTA - 2;
        case quota_error::period_too_long: return WEIR_BAD_QUOTA - 3;
        case quota_error::burst_not_positive: return WEIR_BAD_QUOTA - 4;
        case quota_error::not_a_quota: return WEIR_BAD_QUOTA - 5;
        case quota_error::units_not_whole: return WEIR_BAD_QUOTA - 6;
        case quota_error::units_too_many: return WEIR_BAD_QUOTA - 7;
        case quota_error::period_not_whole: return WEIR_BAD_QUOTA - 8;
        case quota_error::period_unit_unknown: return WEIR_BAD_QUOTA - 9;
        case quota_error::burst_too_long: return WEIR_BAD_QUOTA - 10;
        case quota_error::rate_too_fine: return WEIR_BAD_QUOTA - 11;
        case quota_error::clock_without_frequency: return WEIR_BAD_QUOTA - 12;
        case quota_error::debt_negative: return WEIR_BAD_QUOTA - 13;
        case quota_error::queue_negative: return WEIR_BAD_QUOTA - 14;
        case quota_error::guard_negative: return WEIR_BAD_QUOTA - 15;
        case quota_error::whole_periods_unknown: return WEIR_BAD_QUOTA - 16;
        case quota_error::start_not_in_burst: return WEIR_BAD_QUOTA - 17;
        case quota_error::burst_not_the_window: return WEIR_BAD_QUOTA - 18;
        case quota_error::debt_beyond_the_window: return WEIR_BAD_QUOTA - 19;
        case quota_error::log_too_small: return WEIR_BAD_QUOTA - 20;
        case quota_error::faster_than_the_range: return WEIR_BAD_QUOTA - 21;
        case quota_error::change_negative: return WEIR_BAD_QUOTA - 22;
        case quota_error::change_too_long: return WEIR_BAD_QUOTA - 23;
        case quota_error::anchor_unknown: return WEIR_BAD_QUOTA - 24;
    }
    return WEIR_BAD_QUOTA;
}

}  // namespace weir::c

// SPDX-License-Identifier: MIT
// Planted bugs, one for each target, for the checks that fuzzing finds them. WEIR_FUZZ_MISTAKE says
// which: a gcra that gives a unit more to who asks for just what is left of a large burst (cells),
// one of which a refund brings back a unit that has drained (limits), a schedule that makes more
// delay good than it may (pacer), one who joins an array in shared memory and believes how many
// entries it says it has (segment), a reader of logs that takes nothing for a cost (log), and a
// reader of quotas that cannot read 17, 27, ... (text).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <weir/weir.hpp>

#include "../oracle/cells.hpp"
#include "../oracle/history.hpp"
#include "../oracle/http_story.hpp"
#include "../oracle/mistakes.hpp"
#include "../oracle/quota_text_model.hpp"
#include "../oracle/refund_history.hpp"
#include "../pacer/history.hpp"
#include "fuzz.hpp"
#include "log.hpp"
#include "segment.hpp"

namespace {

std::optional<std::string> of_generous(oracle::dice d) {
    oracle::tally sum;
    return oracle::disagreement<oracle::generous_gcra<65>>(d, sum);
}

class lavish_rate : public weir::gcra<>::rate {
public:
    using base = weir::gcra<>::rate;

    lavish_rate() = default;
    constexpr lavish_rate(const base& b) : base(b) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] static constexpr weir::result<lavish_rate, weir::quota_error>
    make(const weir::quota& q, std::uint64_t hertz, const weir::options& o = {}) noexcept {
        const auto made = base::make(q, hertz, o);
        if (!made) return made.error();
        return lavish_rate(*made);
    }
    [[nodiscard]] constexpr weir::word refundable(weir::word tat, weir::tick now, weir::word end,
                                                  weir::word cost) const noexcept {
        const weir::word back = base::refundable(tat, now, end, cost);
        return back != 0 && back + period() < cost ? back + period() : back;
    }
};
struct lavish_gcra : oracle::showing<weir::one_word<lavish_rate, weir::atomic>> {
    using base = weir::one_word<lavish_rate, weir::atomic>;
};
struct tag;

std::optional<std::string> of_lavish(oracle::dice d) {
    oracle::refund_tally sum;
    return oracle::refund_disagreement<
        weir::limiter<lavish_gcra, weir::manual_clock<tag, 1'000'000'000>>>(d, sum);
}

struct by_hasty_schedule {
    using limit_type = pacing::by_schedule::limit_type;

    [[nodiscard]] static bool keeps(const pacing::recorded& times) {
        return pacing::by_schedule::keeps(times);
    }
    limit_type limit{pacing::fastest,
                     weir::catch_up::within(weir::nanoseconds(5 * pacing::interval))};
};

std::optional<std::string> of_hasty(oracle::dice d) {
    pacing::tally sum;
    return pacing::disagreement<pacing::subject<by_hasty_schedule, 6, 16, 0>>(d, sum);
}

std::optional<std::string> of_believer(fuzz::input data) {
    constexpr std::size_t entries = 5;
    static fuzz::changed_segment segment([](const char* name) {
        return weir::shared_limiter_array<>::open(name, entries, weir::per_second(10));
    });
    (void)segment.change(data);
    weir::shm_segment joined;
    weir::detail::shm_head head{};
    const auto reason = joined.join(weir::detail::shm_path(segment.name()), {}, head);
    if (reason != weir::shm_error::none || head.terms.entries <= entries) return std::nullopt;
    return "an entry that is not there";
}

std::optional<std::string> of_text(const std::string& text) {
    return oracle::disagreement_on(text, [](const std::string& t) {
        const auto q = weir::parse_quota(t);
        return q && q->units() > 10 && q->units() < 100 && q->units() % 10 == 7
                   ? weir::parse_quota("1/s")
                   : q;
    });
}

struct knowing_told : weir::http::told {
    using told::told;

    weir::http::http_error read(std::string_view name, std::string_view value) {
        if (!value.ends_with('k')) return told::read(name, value);
        std::string thousands(value.substr(0, value.size() - 1));
        return told::read(name, thousands.append("000"));
    }
};

struct careless_lines : weir::command::log_lines {
    using log_lines::log_lines;

    found read(std::string_view line, weir::command::logged& to) noexcept {
        if (!line.ends_with(" 0")) return log_lines::read(line, to);
        const found how = log_lines::read(line.substr(0, line.size() - 2), to);
        to.cost = 0;
        return how;
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string_view target = std::getenv("WEIR_FUZZ_MISTAKE");
    if (size == 0) return 0;
    if (target == "text") return fuzz::judge(of_text(std::string(data, data + size)));
    if (target == "http") {
        const std::string text(data, data + size);
        return fuzz::judge(oracle::http_disagreement<knowing_told>(text, oracle::dice(0)));
    }
    if (target == "log") {
        using namespace weir::command;
        return fuzz::judge(fuzz::log_disagreement<careless_lines>(
            std::string(data, data + size), log_format::times, apart_by::key));
    }
    if (target == "segment") return fuzz::judge(of_believer({data, size}));
    const fuzz::history one[] = {target == "cells"    ? of_generous
                                 : target == "limits" ? of_lavish
                                                      : of_hasty};
    return fuzz::play(data, size, one);
}

// SPDX-License-Identifier: MIT
// A provider of an API, as strict as real ones: several rules, each exact, on a clock of its own.
// It answers 429 with headers in its dialect, and bans who goes on. It knows nothing of weir.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace outbound {

using ns = std::int64_t;
inline constexpr ns second = 1'000'000'000;

struct call {
    std::int64_t weight = 1;
    std::int64_t tokens = 0;  // which only the answer tells
    bool is_retry = false;
};

struct header {
    std::string name;
    std::string value;
};
using headers = std::vector<header>;

struct reply {
    int status = 200;  // 200, 429, 418 for who is banned, 503 if the provider is at fault
    headers told;
};

// So many units, whatever a unit is, in some span of time. All times are the provider's.
class rule {
public:
    rule() = default;
    rule(const rule&) = delete;
    rule& operator=(const rule&) = delete;
    virtual ~rule() = default;

    // 0: it fits now. Else how long until it does.
    [[nodiscard]] virtual ns wait(const call& c, ns now) = 0;
    virtual void begin(const call& c, ns now) = 0;
    virtual void end(const call&, ns) {}
    virtual void tell(headers&, ns) {}
};

// Windows that begin at whole periods of the provider's clock.
class aligned final : public rule {
public:
    aligned(std::int64_t units, ns period, std::string header)
        : units_(units), period_(period), header_(std::move(header)) {}

    ns wait(const call& c, ns now) override {
        turn(now);
        return used_ + c.weight <= units_ ? 0 : period_ - now % period_;
    }
    void begin(const call& c, ns now) override {
        turn(now);
        used_ += c.weight;
    }
    void tell(headers& to, ns now) override {
        turn(now);
        if (!header_.empty()) to.push_back({header_, std::to_string(used_)});
    }

private:
    void turn(ns now) {
        if (now / period_ != window_) used_ = 0;
        window_ = now / period_;
    }

    std::int64_t units_;
    ns period_;
    std::string header_;
    ns window_ = -1;
    std::int64_t used_ = 0;
};

// In any interval of this length.
class rolling final : public rule {
public:
    rolling(std::int64_t units, ns period) : units_(units), period_(period) {}

    ns wait(const call& c, ns now) override {
        while (!passed_.empty() && passed_.front().first <= now - period_) {
            used_ -= passed_.front().second;
            passed_.pop_front();
        }
        return used_ + c.weight <= units_ ? 0 : passed_.front().first + period_ - now;
    }
    void begin(const call& c, ns now) override {
        passed_.emplace_back(now, c.weight);
        used_ += c.weight;
    }

private:
    std::int64_t units_;
    ns period_;
    std::int64_t used_ = 0;
    std::deque<std::pair<ns, std::int64_t>> passed_;
};

// A window that opens with its first call, told as GitHub tells its own.
class first_use final : public rule {
public:
    first_use(std::int64_t units, ns period) : units_(units), period_(period) {}

    ns wait(const call& c, ns now) override {
        turn(now);
        return used_ + c.weight <= units_ ? 0 : begin_ + period_ - now;
    }
    void begin(const call& c, ns now) override {
        turn(now);
        if (used_ == 0) begin_ = now;
        used_ += c.weight;
    }
    void tell(headers& to, ns now) override {
        turn(now);
        to.push_back({"X-RateLimit-Limit", std::to_string(units_)});
        to.push_back({"X-RateLimit-Remaining", std::to_string(units_ - used_)});
        const ns reset = (used_ == 0 ? now : begin_) + period_;
        to.push_back({"X-RateLimit-Reset", std::to_string((reset + second - 1) / second)});
    }

private:
    void turn(ns now) {
        if (now >= begin_ + period_) used_ = 0;
    }

    std::int64_t units_;
    ns period_;
    ns begin_ = -1'000'000 * second;
    std::int64_t used_ = 0;
};

// A bucket that fills all the time. Of calls, or of tokens: then a call begins while any are left,
// and its end takes what it has cost.
class bucket final : public rule {
public:
    enum class of { calls, tokens };

    bucket(std::int64_t units, ns period, of what) : units_(units), period_(period), what_(what) {}

    ns wait(const call&, ns now) override {
        fill(now);
        const std::int64_t needed = what_ == of::calls ? period_ : 1;
        return level_ >= needed ? 0 : (needed - level_ + units_ - 1) / units_;
    }
    void begin(const call&, ns now) override {
        fill(now);
        if (what_ == of::calls) level_ -= period_;
    }
    void end(const call& c, ns now) override {
        fill(now);
        if (what_ == of::tokens) level_ -= c.tokens * period_;
    }
    void tell(headers& to, ns now) override {
        fill(now);
        const std::string name = what_ == of::calls ? "requests" : "tokens";
        const std::int64_t left = level_ < 0 ? 0 : level_ / period_;
        const ns reset = (units_ * period_ - level_) / units_;
        to.push_back({"x-ratelimit-limit-" + name, std::to_string(units_)});
        to.push_back({"x-ratelimit-remaining-" + name, std::to_string(left)});
        to.push_back({"x-ratelimit-reset-" + name, std::to_string(reset / 1'000'000 + 1) + "ms"});
    }

private:
    // The level counts units times the period, so nothing is ever rounded.
    void fill(ns now) {
        if (last_ >= 0) level_ += (std::min(now - last_, period_)) * units_;
        if (last_ < 0 || level_ > units_ * period_) level_ = units_ * period_;
        last_ = now;
    }

    std::int64_t units_;
    ns period_;
    of what_;
    ns last_ = -1;
    std::int64_t level_ = 0;
};

// So many calls that have begun and not ended.
class at_once final : public rule {
public:
    explicit at_once(int most) : most_(most) {}

    ns wait(const call&, ns) override { return open_ < most_ ? 0 : second; }
    void begin(const call&, ns) override { ++open_; }
    void end(const call&, ns) override { --open_; }

private:
    int most_;
    int open_ = 0;
};

class provider {
public:
    // After so many refusals within a minute it bans.
    explicit provider(std::size_t patience = 10) : patience_(patience) {}

    template <class Rule, class... Terms>
    provider& with(Terms&&... terms) {
        rules_.push_back(std::make_unique<Rule>(std::forward<Terms>(terms)...));
        return *this;
    }

    // From then on each call fails that is one of so many: 1 is all of them.
    provider& fails_one_in(int calls) {
        fails_one_in_ = calls;
        return *this;
    }

    // A call arrives. If it has begun its end has to be told too. What it refuses to others of
    // the account is not held against the client.
    static constexpr bool asked_by_others = true;
    reply begin(const call& c, ns now, bool by_others = false) {
        reply r;
        ns wait = 0;
        for (const auto& its : rules_) wait = std::max(wait, its->wait(c, now));
        if (now < banned_until_) {
            r.status = 418;
            wait = banned_until_ - now;
        } else if (wait > 0) {
            r.status = 429;
            if (by_others) return r;
            while (!refusals_.empty() && refusals_.front() < now - 60 * second)
                refusals_.pop_front();
            refusals_.push_back(now);
            if (refusals_.size() > patience_) {
                banned_until_ = now + 600 * second;
                ++bans_;
            }
        } else {
            for (const auto& its : rules_) its->begin(c, now);
            if (fails_one_in_ != 0 && ++begun_ % fails_one_in_ == 0) r.status = 503;
            return r;
        }
        r.told.push_back({"Retry-After", std::to_string((wait + second - 1) / second)});
        tell(r.told, now);
        return r;
    }
    [[nodiscard]] static bool has_begun(const reply& r) {
        return r.status == 200 || r.status == 503;
    }
    // It is answered.
    void end(const call& c, reply& r, ns now) {
        for (const auto& its : rules_) its->end(c, now);
        tell(r.told, now);
    }

    [[nodiscard]] int bans() const { return bans_; }

private:
    void tell(headers& to, ns now) {
        const auto seconds = static_cast<std::time_t>(now / second);
        char date[40] = "";
        (void)std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&seconds));
        to.push_back({"Date", date});
        for (const auto& its : rules_) its->tell(to, now);
    }

    std::size_t patience_;
    std::vector<std::unique_ptr<rule>> rules_;
    std::deque<ns> refusals_;
    ns banned_until_ = 0;
    int bans_ = 0;
    int fails_one_in_ = 0;
    int begun_ = 0;
};

}  // namespace outbound

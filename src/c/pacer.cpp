// SPDX-License-Identifier: MIT
// The pacer. Its items are pointers and its sink is two functions of C. One that has a schedule and
// one that asks a limit are two kinds behind one handle.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/pacer/pacer.hpp>

#include "any_limit.hpp"
#include "border.hpp"
#include "limit.hpp"

// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions)
struct weir_lane {
    weir_lane() noexcept = default;
    weir_lane(const weir_lane&) = delete;
    weir_lane& operator=(const weir_lane&) = delete;
    virtual ~weir_lane() = default;

    virtual weir::pushing push(void* item, weir::word cost, std::int64_t within_ns) noexcept = 0;
    virtual std::int64_t estimate_ns() noexcept = 0;
};

// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions)
struct weir_pacer {
    weir_pacer() noexcept = default;
    weir_pacer(const weir_pacer&) = delete;
    weir_pacer& operator=(const weir_pacer&) = delete;
    virtual ~weir_pacer() = default;

    // These may throw: what memory and the system's locks throw.
    virtual weir_status open(const weir_lane_options& o, weir_lane** to) = 0;
    virtual weir_status poll(weir_next_poll* next) = 0;
    virtual weir_status start(const weir::thread_options& o, weir::text& report) = 0;
    virtual weir_status stop() = 0;
    virtual weir_status join() = 0;
    virtual weir_status pause(std::int64_t time_ns) = 0;
    virtual weir_status throttled(std::int64_t retry_after_ns) = 0;
    virtual weir_status resume() = 0;
    virtual weir_status set_rate(const weir::quota& q) = 0;
    virtual weir_status drain(std::int64_t within_ns) = 0;
    virtual weir_status discard() = 0;
    virtual weir_status close() = 0;
    virtual weir_status look(weir_pacer_state& state) = 0;
    // May it be freed now?
    [[nodiscard]] virtual weir_status is_free() const noexcept = 0;
};

namespace weir::c {

namespace {

struct emit_failed {};

struct callbacks {
    weir_emit emit;
    weir_drop drop;
    void* context;
};

// Which pacer calls its callbacks on this thread.
thread_local const void* in_turn = nullptr;
class turn {
public:
    explicit turn(const void* pacer) noexcept : before_(std::exchange(in_turn, pacer)) {}
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { in_turn = before_; }

private:
    const void* before_;
};

class c_sink {
public:
    c_sink(const callbacks& to, const void* pacer) noexcept : to_(to), pacer_(pacer) {}

    // A pacer counts what is thrown here, and goes on.
    void emit(void*&& item) const {
        const turn mine(pacer_);
        if (!to_.emit(to_.context, item)) throw emit_failed{};
    }
    void drop(void*&& item, dropped reason) const {
        const turn mine(pacer_);
        to_.drop(to_.context, item, static_cast<std::int32_t>(reason));
    }

private:
    callbacks to_;
    const void* pacer_;
};
// The other reasons are of lanes that can be steered and of keyed pacers, which C does not have.
static_assert(static_cast<int>(dropped::expired) == WEIR_EXPIRED &&
              static_cast<int>(dropped::never) == WEIR_COSTS_TOO_MUCH &&
              static_cast<int>(dropped::discarded) == WEIR_DISCARDED &&
              static_cast<int>(dropped::abandoned) == WEIR_ABANDONED);
static_assert(static_cast<int>(polled::due) == WEIR_DUE &&
              static_cast<int>(polled::idle) == WEIR_IDLE &&
              static_cast<int>(polled::paused) == WEIR_PAUSED &&
              static_cast<int>(polled::done) == WEIR_DONE);
static_assert(static_cast<int>(waiting::sleep) == WEIR_SLEEP &&
              static_cast<int>(waiting::hybrid) == WEIR_HYBRID &&
              static_cast<int>(waiting::spin) == WEIR_SPIN);
static_assert(static_cast<int>(scheduling::as_usual) == WEIR_AS_USUAL &&
              static_cast<int>(scheduling::fifo) == WEIR_FIFO &&
              static_cast<int>(scheduling::round_robin) == WEIR_ROUND_ROBIN);

[[nodiscard]] constexpr weir_status status_of(pushing how) noexcept {
    switch (how) {
        case pushing::pushed: return WEIR_OK;
        case pushing::full: return WEIR_LANE_FULL;
        case pushing::misused: return WEIR_MISUSED;
        case pushing::closed: return WEIR_CLOSED;
        case pushing::no_lane: return WEIR_NO_LANE;
        case pushing::would_miss_deadline: return WEIR_MISSES_DEADLINE;
        case pushing::never: return WEIR_NEVER;
        case pushing::no_ticket: break;  // of lanes that can be steered, which C does not have
    }
    return WEIR_FAILED;
}
[[nodiscard]] constexpr weir_status status_of(pacer_error reason) noexcept {
    switch (reason) {
        case pacer_error::none: return WEIR_OK;
        case pacer_error::clock_without_frequency:
            return c::status_of(quota_error::clock_without_frequency);
        case pacer_error::rate_too_fine: return c::status_of(quota_error::rate_too_fine);
        case pacer_error::burst_too_long: return c::status_of(quota_error::burst_too_long);
        case pacer_error::lane_without_places: return WEIR_NOT_THIS_MANY;
        case pacer_error::too_many_places:  // of pacers that C does not have
        case pacer_error::no_keys: break;
        case pacer_error::catch_up_negative:
        case pacer_error::frames_not_positive: return WEIR_NEGATIVE;
    }
    return WEIR_FAILED;
}

constexpr std::size_t most_lanes = 64;

template <class Producer>
class held_lane final : public weir_lane {
    using clock_type = typename Producer::clock_type;
    using deadline = typename Producer::deadline;

public:
    held_lane(Producer&& its, std::atomic<std::size_t>& open) noexcept
        : its_(std::move(its)), open_(open) {
        open_.fetch_add(1, std::memory_order_relaxed);
    }
    held_lane(const held_lane&) = delete;
    held_lane& operator=(const held_lane&) = delete;
    // Its pacer may be freed as soon as it is not counted any more. Release: pairs with `is_free`.
    ~held_lane() override {
        its_.close();
        open_.fetch_sub(1, std::memory_order_release);
    }

    pushing push(void* item, word cost, std::int64_t within_ns) noexcept override {
        const auto by =
            within_ns == WEIR_FOREVER ? deadline() : deadline::in(nanoseconds(within_ns));
        return its_.try_push(static_cast<void*&&>(item), cost, by).how();
    }
    std::int64_t estimate_ns() noexcept override {
        const auto now = detail::fresh_now<clock_type>();
        return time_between(now, its_.estimate(now)).count();
    }

private:
    Producer its_;
    std::atomic<std::size_t>& open_;
};

template <class Limit>
class held_pacer final : public weir_pacer {
    using pacer_type = pacer<void*, c_sink, Limit, lanes<most_lanes>>;
    using thread_type = pacer_thread<pacer_type>;
    using lane_type = held_lane<typename pacer_type::producer_type>;
    static constexpr bool has_rate = changes_rate<Limit>;

public:
    held_pacer(Limit limit, const callbacks& to, const pacer_options& o)
        : pacer_(std::move(limit), c_sink(to, this), o) {}

    weir_status open(const weir_lane_options& o, weir_lane** to) override {
        lane_options<Limit> its{.priority = o.priority, .weight = o.weight};
        if (o.budget != nullptr) {
            if constexpr (std::is_same_v<Limit, any_limit>) {
                its.budget = &budget_of(*o.budget);
            } else {
                return WEIR_NOT_SUPPORTED;
            }
        }
        auto lane = pacer_.open(its);
        // A lane of a closed pacer takes nothing, and nor does none.
        if (!lane) return lane.lane() == none ? WEIR_NO_LANE : WEIR_CLOSED;
        return make<lane_type>(to, std::move(lane), open_);
    }
    weir_status poll(weir_next_poll* next) override {
        if (in_turn == this) return WEIR_IN_CALLBACK;
        if (has_thread_) return WEIR_MISUSED;
        const auto n = pacer_.poll();
        if (next == nullptr) return WEIR_OK;
        const auto now = detail::fresh_now<clock>();
        const bool is_due = n.what == polled::due;
        *next = {static_cast<std::int32_t>(n.what), n.wakes ? 1U : 0U,
                 is_due ? time_between(now, n.at).count() : 0, lost_of(n)};
        return WEIR_OK;
    }

    weir_status start(const thread_options& o, text& report) override {
        if (in_turn == this) return WEIR_IN_CALLBACK;
        // One that has ended by itself may begin again; one that runs says so.
        if (!has_thread_) thread_ = std::make_unique<thread_type>(pacer_, o);
        const thread_report r = thread_->start();
        report = to_text(r);
        if (!r.runs()) return WEIR_NOT_STARTED;
        has_thread_ = true;
        return r.well() ? WEIR_OK : WEIR_RUNS_WITHOUT;
    }
    weir_status stop() override {
        if (thread_ != nullptr) thread_->stop();
        if (in_turn != this) has_thread_ = false;
        return WEIR_OK;
    }
    weir_status join() override {
        if (in_turn == this) return WEIR_IN_CALLBACK;
        if (thread_ != nullptr) thread_->join();
        has_thread_ = false;
        return WEIR_OK;
    }

    weir_status pause(std::int64_t time_ns) override {
        return control([time_ns](pacer_type& p) {
            if (time_ns == WEIR_FOREVER) return p.pause();
            p.pause_until(later(detail::fresh_now<clock>(), nanoseconds(time_ns)));
        });
    }
    weir_status throttled(std::int64_t retry_after_ns) override {
        return control(
            [retry_after_ns](pacer_type& p) { p.throttled(nanoseconds(retry_after_ns)); });
    }
    weir_status resume() override {
        return control([](pacer_type& p) { p.resume(); });
    }
    weir_status set_rate(const quota& q) override {
        if constexpr (has_rate) {
            pacer_error reason{};
            const weir_status s = control([&](pacer_type& p) { reason = p.set_rate(q); });
            return s == WEIR_OK ? status_of(reason) : s;
        }
        return WEIR_NOT_SUPPORTED;  // weir_set_quota of its limit
    }
    weir_status drain(std::int64_t within_ns) override {
        return control([within_ns](pacer_type& p) { p.drain_for(nanoseconds(within_ns)); });
    }
    weir_status discard() override {
        return control([](pacer_type& p) { p.discard(); });
    }
    weir_status close() override {
        pacer_.close();
        return WEIR_OK;
    }
    weir_status look(weir_pacer_state& state) override {
        state.waiting = pacer_.approx_size();
        if constexpr (counts_lost_slots<word>) state.lost = pacer_.approx_lost();
        return control([&](pacer_type& p) {
            state.paused = p.paused() ? 1 : 0;
            state.failures = p.failures();
        });
    }

    [[nodiscard]] weir_status is_free() const noexcept override {
        if (in_turn == this) return WEIR_IN_CALLBACK;
        // Acquire: pairs with the release of a lane that closes.
        return open_.load(std::memory_order_acquire) == 0 ? WEIR_OK : WEIR_LANES_OPEN;
    }

private:
    static constexpr std::size_t none = SIZE_MAX;

    template <class Next>
    [[nodiscard]] static std::uint64_t lost_of(const Next& n) noexcept {
        if constexpr (std::is_same_v<decltype(n.lost), word>) return n.lost;
        return 0;
    }

    // Between two polls of its thread, or at once if it has none, or in a callback.
    template <class Act>
    weir_status control(Act act) {
        if (thread_ == nullptr || in_turn == this) {
            act(pacer_);
        } else {
            thread_->run(act);
        }
        return WEIR_OK;
    }

    // A lane keeps the address of its budget for longer than it is open, so budgets stay; and lanes
    // that share one must have the same.
    [[nodiscard]] any_limit& budget_of(weir_limit& its) {
        const std::lock_guard lock(mutex_);
        for (any_limit& b : budgets_) {
            if (&b.handle() == &its) return b;
        }
        return budgets_.emplace_back(its);
    }

    std::mutex mutex_;
    std::deque<any_limit> budgets_;
    std::atomic<std::size_t> open_{0};
    pacer_type pacer_;
    std::unique_ptr<thread_type> thread_;
    std::atomic<bool> has_thread_{false};
};

}  // namespace

}  // namespace weir::c

using namespace weir::c;

namespace {

template <class Limit>
[[nodiscard]] weir_status make_pacer(Limit limit, const weir_pacer_options& o, const callbacks& to,
                                     weir_pacer** pacer) {
    weir::pacer_options its;
    its.capacity = o.capacity;
    its.lowest_gets_one_in = o.lowest_gets_one_in;
    its.most_drops = o.most_drops;
    its.most_failures = o.most_failures;
    return make<held_pacer<Limit>>(pacer, std::move(limit), to, its);
}

// What both kinds are given. The catch-up is the schedule's.
[[nodiscard]] weir_status read(const weir_pacer_options* options, weir_emit emit, weir_drop drop,
                               weir_pacer** pacer, weir_pacer_options& to) noexcept {
    if (pacer == nullptr) return WEIR_NULL;
    *pacer = nullptr;
    if (emit == nullptr || drop == nullptr) return WEIR_NULL;
    if (const weir_status s = weir::c::read(options, to); s != WEIR_OK) return s;
    return to.capacity == 0 ? WEIR_NOT_THIS_MANY : WEIR_OK;
}

// Calls act(pacer), unless there is none.
template <class Act>
[[nodiscard]] weir_status told(weir_pacer* pacer, Act act) noexcept {
    if (pacer == nullptr) return WEIR_NULL;
    return guarded([&] { return act(*pacer); });
}
template <class Act>
[[nodiscard]] weir_status told(weir_pacer* pacer, std::int64_t time_ns, Act act) noexcept {
    return time_ns < 0 ? weir_status{WEIR_NEGATIVE} : told(pacer, act);
}

}  // namespace

weir_status weir_pacer_new(weir_quota quota, const weir_pacer_options* options, weir_emit emit,
                           weir_drop drop, void* context, weir_pacer** pacer) {
    weir_pacer_options o = WEIR_PACER_OPTIONS_INIT;
    if (const weir_status s = read(options, emit, drop, pacer, o); s != WEIR_OK) return s;
    return weir::c::read(quota, [&](const weir::quota& q) {
        auto catch_up = weir::catch_up::half_an_interval();
        if (o.catch_up_ns != WEIR_DEFAULT)
            catch_up = weir::catch_up::within(weir::nanoseconds(o.catch_up_ns));
        const auto made = weir::schedule<weir::c::clock>::make(q, catch_up);
        if (!made) return status_of(made.error());
        return make_pacer(*made, o, callbacks{emit, drop, context}, pacer);
    });
}

weir_status weir_pacer_on(weir_limit* limit, const weir_pacer_options* options, weir_emit emit,
                          weir_drop drop, void* context, weir_pacer** pacer) {
    weir_pacer_options o = WEIR_PACER_OPTIONS_INIT;
    if (const weir_status s = read(options, emit, drop, pacer, o); s != WEIR_OK) return s;
    if (limit == nullptr) return WEIR_NULL;
    if (!limit->is_shared()) return WEIR_NOT_SUPPORTED;
    if (o.catch_up_ns != WEIR_DEFAULT) return WEIR_NO_VALUE;
    return guarded([&] {
        return make_pacer(any_limit(*limit), o, callbacks{emit, drop, context}, pacer);
    });
}

weir_status weir_pacer_free(weir_pacer* pacer) {
    if (pacer == nullptr) return WEIR_OK;
    if (const weir_status s = pacer->is_free(); s != WEIR_OK) return s;
    delete pacer;
    return WEIR_OK;
}

weir_status weir_lane_open(weir_pacer* pacer, const weir_lane_options* options, weir_lane** lane) {
    if (lane == nullptr) return WEIR_NULL;
    *lane = nullptr;
    weir_lane_options o = WEIR_LANE_OPTIONS_INIT;
    if (const weir_status s = weir::c::read(options, o); s != WEIR_OK) return s;
    if (o.priority > weir::priority::last || o.weight == 0 || o.weight > UINT16_MAX)
        return WEIR_NO_VALUE;
    if (o.budget != nullptr && !o.budget->is_shared()) return WEIR_NOT_SUPPORTED;
    return told(pacer, [&](weir_pacer& p) { return p.open(o, lane); });
}

void weir_lane_close(weir_lane* lane) { delete lane; }

bool weir_push(weir_lane* lane, void* item, std::int64_t cost, std::int64_t within_ns,
               weir_status* why) {
    weir_status s = lane == nullptr ? WEIR_NULL : WEIR_OK;
    if (cost < 0 || within_ns < 0) s = WEIR_NEGATIVE;
    if (s == WEIR_OK) s = status_of(lane->push(item, static_cast<weir::word>(cost), within_ns));
    if (why != nullptr) *why = s;
    return s == WEIR_OK;
}

std::int64_t weir_lane_estimate_ns(weir_lane* lane) {
    return lane == nullptr ? 0 : lane->estimate_ns();
}

weir_status weir_pacer_poll(weir_pacer* pacer, weir_next_poll* next) {
    return told(pacer, [&](weir_pacer& p) { return p.poll(next); });
}

weir_status weir_pacer_start(weir_pacer* pacer, const weir_thread_options* options, char* text,
                             std::size_t length) {
    if (text != nullptr && length != 0) text[0] = 0;
    weir_thread_options o = WEIR_THREAD_OPTIONS_INIT;
    if (const weir_status s = weir::c::read(options, o); s != WEIR_OK) return s;
    if (o.how > WEIR_SPIN || o.scheduling > WEIR_ROUND_ROBIN || o.core < -1) return WEIR_NO_VALUE;
    return told(pacer, [&](weir_pacer& p) {
        weir::thread_options its;
        if (o.name != nullptr) its.name = o.name;
        its.how = static_cast<weir::waiting>(o.how);
        its.core = o.core;
        its.by = static_cast<weir::scheduling>(o.scheduling);
        its.priority = o.priority;
        weir::text report;
        const weir_status s = p.start(its, report);
        if (text != nullptr && length != 0) {
            const std::size_t n = std::min(report.size(), length - 1);
            std::memcpy(text, report.c_str(), n);
            text[n] = 0;
        }
        return s;
    });
}

weir_status weir_pacer_stop(weir_pacer* pacer) {
    return told(pacer, [](weir_pacer& p) { return p.stop(); });
}
weir_status weir_pacer_join(weir_pacer* pacer) {
    return told(pacer, [](weir_pacer& p) { return p.join(); });
}

weir_status weir_pacer_pause(weir_pacer* pacer, std::int64_t time_ns) {
    return told(pacer, time_ns, [time_ns](weir_pacer& p) { return p.pause(time_ns); });
}
weir_status weir_pacer_throttled(weir_pacer* pacer, std::int64_t retry_after_ns) {
    return told(pacer, retry_after_ns,
                [retry_after_ns](weir_pacer& p) { return p.throttled(retry_after_ns); });
}
weir_status weir_pacer_resume(weir_pacer* pacer) {
    return told(pacer, [](weir_pacer& p) { return p.resume(); });
}
weir_status weir_pacer_set_rate(weir_pacer* pacer, weir_quota quota) {
    return told(pacer, [&](weir_pacer& p) {
        return weir::c::read(quota, [&](const weir::quota& q) { return p.set_rate(q); });
    });
}
weir_status weir_pacer_drain(weir_pacer* pacer, std::int64_t within_ns) {
    return told(pacer, within_ns, [within_ns](weir_pacer& p) { return p.drain(within_ns); });
}
weir_status weir_pacer_discard(weir_pacer* pacer) {
    return told(pacer, [](weir_pacer& p) { return p.discard(); });
}
weir_status weir_pacer_close(weir_pacer* pacer) {
    return told(pacer, [](weir_pacer& p) { return p.close(); });
}

weir_status weir_pacer_look(weir_pacer* pacer, weir_pacer_state* state) {
    const weir_pacer_state unknown = WEIR_PACER_STATE_INIT;
    return told(pacer, [&](weir_pacer& p) {
        return write(state, unknown, [&](weir_pacer_state& all) { return p.look(all); });
    });
}

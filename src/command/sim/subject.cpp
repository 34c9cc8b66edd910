// SPDX-License-Identifier: MIT
#include "command/sim/subject.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/clock/given.hpp>
#include <weir/pacer/schedule.hpp>

namespace weir::command {
namespace {

static_assert(sizeof(word) == 8, "virtual time counts nanoseconds");

using virtual_time = given_clock<struct simulated, nanoseconds::per_second>;

tick at(std::uint64_t time) { return {static_cast<word>(time)}; }

// The cells of one word, in the order of their keys. A key's begins when it comes first.
template <class Cell>
class cells_by_key {
public:
    explicit cells_by_key(const typename Cell::rate& r) : rate_(r) {}

    [[nodiscard]] Cell* of(const arrival& a) {
        while (cells_.size() <= a.key) {
            cells_.emplace_back();
            cells_.back().start(at(a.time), static_cast<word>(rate_.burst()), rate_);
        }
        return &cells_[a.key];
    }

private:
    typename Cell::rate rate_;
    std::vector<Cell> cells_;
};

// Logs, with as many places each as the quota has units. All together may have so many.
template <log_cell Cell>
class cells_by_key<Cell> {
public:
    explicit cells_by_key(const typename Cell::rate& r) : rate_(r) {}

    [[nodiscard]] Cell* of(const arrival& a) {
        if (cells_.size() <= a.key) cells_.resize(std::size_t{a.key} + 1);
        auto& here = cells_[a.key];
        const std::size_t places = static_cast<std::size_t>(rate_.burst());
        if (!here && places <= left_) {
            left_ -= places;
            here = std::make_unique<placed>(places);
            here->log.start(at(a.time), rate_.burst(), rate_);
        }
        return here ? &here->log : nullptr;
    }

private:
    static constexpr std::size_t most_places = std::size_t{1} << 26U;  // half a gigabyte

    struct placed {
        explicit placed(std::size_t count)
            : places(std::make_unique<atomic<word>[]>(count)), log(places.get(), count) {}
        std::unique_ptr<atomic<word>[]> places;
        Cell log;
    };

    typename Cell::rate rate_;
    std::size_t left_ = most_places;
    std::vector<std::unique_ptr<placed>> cells_;
};

template <class Cell>
class cell_subject final : public subject {
public:
    cell_subject(const limit_terms& terms, const typename Cell::rate& r)
        : subject(terms), rate_(r), cells_(r) {}

    void take(std::span<const arrival> batch) override {
        for (const arrival& a : batch) {
            Cell* const cell = cells_.of(a);
            if (cell == nullptr) {
                ++tally_.without_place;
                continue;
            }
            const auto d = cell->try_acquire(at(a.time), a.cost, rate_);
            if (d.admitted()) {
                pass(a, a.time);
                if (!terms_.only_counts) tally_.worst.pass(a.time, a.key, a.cost);
            } else {
                refuse(a, d.verdict() == verdict::never);
            }
        }
    }

private:
    typename Cell::rate rate_;
    cells_by_key<Cell> cells_;
};

// What those that wait share: they pass later, in the order of these times.
class waiting_subject : public subject {
public:
    using subject::subject;

    void end() override { let_pass(UINT64_MAX); }

protected:
    void pass_later(const arrival& a, std::uint64_t time) {
        pass(a, time);
        if (terms_.only_counts) return;
        tally_.waits.add(static_cast<word>(time - a.time));
        if (time > a.time) tally_.queue.add_span(a.time, time);
        if (waiting_.size() == most_waiting) {
            tally_.worst.forget_one();
            return;
        }
        waiting_.push({time, count_++, a.key, a.cost});
        tally_.longest_queue =
            std::max<std::uint64_t>(tally_.longest_queue, waiting_.size() - (time == a.time));
    }
    // It is that late now.
    void let_pass(std::uint64_t now) {
        while (!waiting_.empty() && waiting_.top().time <= now) {
            const departure& d = waiting_.top();
            tally_.worst.pass(d.time, d.key, d.units);
            waiting_.pop();
        }
    }

private:
    static constexpr std::size_t most_waiting = std::size_t{1} << 22U;

    struct departure {
        std::uint64_t time;
        std::uint64_t number;
        std::uint32_t key;
        std::uint32_t units;
        [[nodiscard]] bool operator>(const departure& b) const noexcept {
            return time != b.time ? time > b.time : number > b.number;
        }
    };
    std::priority_queue<departure, std::vector<departure>, std::greater<>> waiting_;
    std::uint64_t count_ = 0;
};

class queue_subject final : public waiting_subject {
    using cell = gcra<>;

public:
    queue_subject(const limit_terms& terms, const cell::rate& r)
        : waiting_subject(terms),
          rate_(r),
          cells_(r),
          longest_(static_cast<word>(terms.longest_wait.count())) {}

    void take(std::span<const arrival> batch) override {
        for (const arrival& a : batch) {
            let_pass(a.time);
            const auto s = cells_.of(a)->reserve(at(a.time), a.cost, longest_, rate_);
            if (s.verdict == verdict::admitted) {
                pass_later(a, a.time + ticks(s.wait, rate_.shift()));
            } else {
                refuse(a, s.verdict == verdict::never);
            }
        }
    }

private:
    cell::rate rate_;
    cells_by_key<cell> cells_;
    word longest_;
};

class pacer_subject final : public waiting_subject {
    using schedule = weir::schedule<virtual_time>;

public:
    pacer_subject(const limit_terms& terms, const schedule& s)
        : waiting_subject(terms),
          fresh_(s),
          longest_(static_cast<std::uint64_t>(terms.longest_wait.count())) {}

    void take(std::span<const arrival> batch) override {
        for (const arrival& a : batch) {
            let_pass(a.time);
            if (lanes_.size() <= a.key) lanes_.resize(std::size_t{a.key} + 1, fresh_);
            schedule& slots = lanes_[a.key];
            const auto d = slots.peek(a.cost, instant<virtual_time>(a.time));
            const bool never = d.verdict() == verdict::never;
            const std::uint64_t wait = d.ticks().retry_after();
            if (never || wait > longest_) {
                refuse(a, never);
                continue;
            }
            // Slots follow each other, so no item overtakes those before it in its lane.
            const std::uint64_t time = a.time + wait;
            (void)slots.try_acquire(a.cost, instant<virtual_time>(time));
            pass_later(a, time);
        }
    }

private:
    schedule fresh_;
    std::uint64_t longest_;
    std::vector<schedule> lanes_;
};

template <class Kind>
std::unique_ptr<subject> make_cell(const limit_terms& terms, std::string& why) {
    using cell = typename Kind::template cell<0>;
    const auto rate = cell::rate::make(terms.asked, virtual_time::hertz(), options{});
    if (!rate) {
        why = describe(rate.error());
        return nullptr;
    }
    return std::make_unique<cell_subject<cell>>(terms, *rate);
}

std::unique_ptr<subject> make_queue(const limit_terms& terms, std::string& why) {
    const auto rate = gcra<>::rate::make(terms.asked, virtual_time::hertz(), options{});
    if (!rate) {
        why = describe(rate.error());
        return nullptr;
    }
    return std::make_unique<queue_subject>(terms, *rate);
}

std::unique_ptr<subject> make_pacer(const limit_terms& terms, std::string& why) {
    const auto slots = weir::schedule<virtual_time>::make(terms.asked);
    if (!slots) {
        why = describe(slots.error());
        return nullptr;
    }
    return std::make_unique<pacer_subject>(terms, *slots);
}

std::vector<limit_kind> all_kinds() {
    std::vector<limit_kind> all;
    for_each_kind([&](auto kind) {
        using type = decltype(kind);
        all.push_back({type::name, type::character, false, make_cell<type>});
    });
    all.push_back({"queue", "a gcra that lets wait what it has no place for", true, make_queue});
    all.push_back({"pacer", "evenly, one by one; what comes too fast waits", true, make_pacer});
    return all;
}

}  // namespace

std::span<const limit_kind> limit_kinds() {
    static const std::vector<limit_kind> all = all_kinds();
    return all;
}

const limit_kind* find_limit(std::string_view name) {
    const auto all = limit_kinds();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [name](const limit_kind& k) { return k.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace weir::command

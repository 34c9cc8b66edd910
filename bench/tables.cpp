// SPDX-License-Identifier: MIT
// Many limits in one object: an entry of an array beside a bare cell of a bare array, at the same
// random indexes; and one limit for many cores, in stripes. Tables by key are in keys.cpp.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>

#include <weir/adapter/stripe_of_core.hpp>
#include <weir/table/array.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"
#include "harness/rows.hpp"

namespace bench {

namespace {

constexpr std::size_t entries = 1024;

// Random, and no more than the first cache holds beside the entries.
using indexes = std::array<std::uint16_t, 4096>;
[[nodiscard]] const indexes& any_order() {
    static const indexes made = [] {
        indexes all{};
        std::uint32_t x = 2463534242U;
        for (std::uint16_t& i : all) {
            x ^= x << 13U;
            x ^= x >> 17U;
            x ^= x << 5U;
            i = static_cast<std::uint16_t>((x >> 16U) % entries);
        }
        return all;
    }();
    return made;
}

// Asks for one unit of one entry after the other.
template <class Entries, demand Demand, time Time>
class entry_task {
public:
    entry_task() : all_(quota_for<Entries>(Demand)) {}

    void prepare() {
        for (std::size_t i = 0; i < entries; ++i) all_.fill(i, Demand == demand::admit);
        now_ = core_clock::now();
    }
    auto worker(unsigned) {
        return doing(
            [all = &all_, order = &any_order(), now = now_, next = std::size_t{0}]() mutable {
                const std::size_t i = (*order)[next++ % order->size()];
                return all->take(i, time_for<Time>(now)) == (Demand == demand::admit);
            });
    }

private:
    Entries all_;
    weir::instant<core_clock> now_{};
};

class array_entries {
public:
    explicit array_entries(const weir::quota& q) : all_(q) {}
    bool take(std::size_t i, weir::instant<core_clock> now) noexcept {
        return all_[i].try_acquire(1, now).admitted();
    }
    void fill(std::size_t i, bool full) noexcept {
        all_[i].reset();
        if (!full) (void)all_[i].drain();
    }

private:
    weir::limiter_array<entries, weir::gcra<>, core_clock> all_;
};

// What an array of limits would be without anything around its cells.
class bare_cells {
public:
    explicit bare_cells(const weir::quota& q)
        : rate_(weir::gcra<>::rate::make(q, core_clock::hertz()).value()) {}
    bool take(std::size_t i, weir::tick now) noexcept {
        return cells_[i].try_acquire(now, 1, rate_).admitted();
    }
    void fill(std::size_t i, bool full) noexcept {
        cells_[i].fill(core_clock::now(), full ? rate_.burst() : 0, rate_);
    }

private:
    alignas(weir::cache_line) weir::gcra<>::rate rate_;
    alignas(weir::cache_line) std::array<weir::gcra<>, entries> cells_;
};

template <class Entries, demand Demand, time Time>
void entry_row(const std::string& name, const std::string& title, bool headline = false) {
    const bool read = Time == time::read;
    one_thread(
        {.name = name + (Demand == demand::admit ? "/admit" : "/deny") + (read ? "" : "/now_given"),
         .title =
             title + (Demand == demand::admit ? ": admit" : ": deny") + (read ? "" : ", now given"),
         .floor = std::string("floor/") + (read ? "clock_" : "") +
                  (Demand == demand::admit ? "load_cas" : "load"),
         .headline = headline},
        std::make_shared<entry_task<Entries, Demand, Time>>());
}

template <demand Demand>
void entry_rows() {
    entry_row<bare_cells, Demand, time::given>("bare_cells", "one of 1024 bare cells");
    entry_row<array_entries, Demand, time::given>("array", "one of 1024 limits");
    entry_row<array_entries, Demand, time::read>("array", "one of 1024 limits", true);
}

// --- one limit in stripes

// More a second than two threads can spend, or nothing. The default leases are of 256 units at
// most.
constexpr weir::quota without_end{1'000'000'000, weir::seconds(1), 8192};
constexpr weir::quota nothing{1, weir::hours(1), 8192};

using stripes_limiter = weir::limiter<weir::gcra<>, core_clock>;
template <class Policy>
using stripes_of = weir::striped<stripes_limiter, 16, Policy>;

// Leases are counted, so that the row shows how often the shared limit is asked.
template <class Policy, demand Demand>
class striped_task {
public:
    void prepare() {
        all_.reset();
        if (Demand == demand::deny) (void)shared_.drain();
        restocks_ = all_.approx_restocks();
    }
    auto worker(unsigned) {
        return doing(
            [all = &all_] { return all->try_acquire().admitted() == (Demand == demand::admit); });
    }
    // How many calls there are to a restock; a row that is denied has none.
    void count(benchmark::State& state) const requires(Demand == demand::admit) {
        const weir::word restocks = all_.approx_restocks() - restocks_;
        state.counters["restocks"] = benchmark::Counter(static_cast<double>(restocks));
        state.counters["calls_a_restock"] =
            benchmark::Counter(static_cast<double>(state.iterations()) /
                               static_cast<double>(std::max<weir::word>(restocks, 1)));
    }

private:
    stripes_limiter shared_{Demand == demand::admit ? without_end : nothing};
    stripes_of<Policy> all_{shared_};
    weir::word restocks_ = 0;
};

template <class Policy, demand Demand>
void striped_rows(const std::string& stripes, const std::string& title) {
    const std::string demanded = Demand == demand::admit ? "admit" : "deny";
    const std::string name = stripes + "/" + demanded;
    using task = striped_task<Policy, Demand>;
    one_thread({.name = name,
                .title = title + ": " + demanded,
                .floor = "floor/clock_load_cas",
                .headline = true},
               std::make_shared<task>());
    two_threads({.name = name + "/two_threads",
                 .title = title + ": " + demanded,
                 .reference = "one thread",
                 .headline = true},
                std::make_shared<task>(), std::make_shared<task>(), 1);
}

// --- denials that are skipped

// Far more is asked for than the rate brings, by one thread, or `Beside` another that does the
// same. A duel would be too short for it. How much of the rate passes is counted.
template <class Limit, std::int64_t PerSecond, bool Beside>
class saturated_task {
public:
    ~saturated_task() { ends(); }

    void prepare() {
        ends();
        if (Beside) {
            go_on_ = true;
            other_ = std::thread([this] {
                pin(1);
                asking mine{&front_, &passed_[1]};
                for (there_ = true; go_on_.load(std::memory_order_relaxed);) mine();
            });
            while (!there_.exchange(false)) {
            }
        }
        (void)shared_.drain();
        for (int i = 0; i < 1000; ++i) (void)front_.try_acquire(1, core_clock::now());
        before_ = passed();
        began_ = core_clock::now();
    }
    auto worker(unsigned) { return asking{&front_, &passed_[0]}; }
    void count(benchmark::State& state) {
        const auto time = weir::to_time<core_clock>(core_clock::now().count - began_.count);
        const weir::word units = passed() - before_;
        ends();
        const auto due = static_cast<double>(time.count()) * static_cast<double>(PerSecond) * 1e-9;
        state.counters["rate_passed"] = benchmark::Counter(static_cast<double>(units) / due);
    }

private:
    [[nodiscard]] weir::word passed() const {
        return passed_[0].value.load() + passed_[1].value.load();
    }
    void ends() {
        go_on_ = false;
        if (other_.joinable()) other_.join();
    }

    // In line, as a call would take as long as what is called.
    struct asking {
        Limit* front;
        shared_word* passed;

        [[gnu::always_inline]] void operator()() const {
            constexpr auto relaxed = std::memory_order_relaxed;
            if (front->try_acquire()) [[unlikely]]
                passed->value.store(passed->value.load(relaxed) + 1, relaxed);
        }
    };

    stripes_limiter shared_{weir::quota{PerSecond, weir::seconds(1), 8192}};
    Limit front_{shared_};
    std::array<shared_word, 2> passed_{};
    weir::word before_ = 0;
    weir::instant<core_clock> began_{};
    std::atomic<bool> go_on_{false};
    std::atomic<bool> there_{false};
    std::thread other_;
};

// Stripes and what skips them, as one object.
template <class Policy>
class skipping_stripes {
public:
    explicit skipping_stripes(stripes_limiter& shared) : all_(shared) {}
    [[gnu::always_inline]] auto try_acquire() noexcept { return front_.try_acquire(); }
    auto try_acquire(weir::unit_count n, weir::instant<core_clock> now) noexcept {
        return front_.try_acquire(n, now);
    }

private:
    stripes_of<Policy> all_;
    weir::skipping<stripes_of<Policy>> front_{all_};
};

template <class Limit, std::int64_t PerSecond, bool Beside>
void saturated_row(const std::string& name, const std::string& title) {
    if (Beside && cores().size() < 2) return;
    one_thread({.name = name + (Beside ? "/beside_another" : ""),
                .title = title + (Beside ? ", beside another thread" : ""),
                .floor = "floor/clock_load_cas",
                .headline = true},
               std::make_shared<saturated_task<Limit, PerSecond, Beside>>());
}
template <class Limit, std::int64_t PerSecond>
void saturated_rows(const std::string& name, const std::string& title) {
    saturated_row<Limit, PerSecond, false>(name, title);
    saturated_row<Limit, PerSecond, true>(name, title);
}

void skipping_rows() {
    using by_thread = weir::stripe_of_thread;
    using limiter = weir::skipping<stripes_limiter>;
    saturated_rows<stripes_of<by_thread>, 10'000'000>("striped/saturated",
                                                      "one limit in stripes, 10 M/s: saturated");
    saturated_rows<limiter, 100'000>("skipping/limiter_100k", "skipping, 100 k/s: saturated");
    saturated_rows<limiter, 1'000'000>("skipping/limiter_1M", "skipping, 1 M/s: saturated");
    saturated_rows<skipping_stripes<by_thread>, 10'000'000>(
        "skipping/striped", "skipping in stripes, 10 M/s: saturated");
    saturated_rows<skipping_stripes<weir::stripe_of_core>, 10'000'000>(
        "skipping/cores", "skipping, a stripe for each core, 10 M/s: saturated");
}

}  // namespace

void add_table_rows() {
    entry_rows<demand::admit>();
    entry_rows<demand::deny>();

    using by_thread = weir::stripe_of_thread;
    const std::string by_threads = "one limit in stripes, leases of 256";
    striped_rows<by_thread, demand::admit>("striped", by_threads);
    striped_rows<by_thread, demand::deny>("striped", by_threads);
    // Elsewhere these would be the rows above.
    if (weir::stripe_of_core::sections() == weir::core_sections::used)
        striped_rows<weir::stripe_of_core, demand::admit>("cores", "a stripe for each core");
    skipping_rows();
}

}  // namespace bench

// Many limits in one object: an entry of an array beside a bare cell of a bare array, at the same
// random indexes; and one limit for many cores, in stripes. Tables by key are in keys.cpp.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include <weir/table/array.hpp>
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

// When a call is made: now, or at a time that was read before.
template <time Time>
[[nodiscard]] weir::instant<core_clock> time_for(weir::instant<core_clock> given) {
    return Time == time::read ? core_clock::now() : given;
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

// The default leases: of this burst, 256 units at most. They are counted, so that the row shows how
// often the shared limit is asked.
template <demand Demand>
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
        state.counters["calls_a_restock"] = benchmark::Counter(
            static_cast<double>(state.iterations()) /
            static_cast<double>(std::max<weir::word>(all_.approx_restocks() - restocks_, 1)));
    }

private:
    using limiter = weir::limiter<weir::gcra<>, core_clock>;
    using stripes = weir::striped<limiter>;

    // More a second than two threads can spend, or nothing.
    limiter shared_{Demand == demand::admit ? weir::quota{1'000'000'000, weir::seconds(1), 8192}
                                            : weir::quota{1, weir::hours(1), 8192}};
    stripes all_{shared_};
    weir::word restocks_ = 0;
};

template <demand Demand>
void striped_rows(const std::string& demanded) {
    const std::string name = "striped/" + demanded;
    const std::string title = "one limit in stripes, leases of 256: " + demanded;
    using task = striped_task<Demand>;
    one_thread({.name = name, .title = title, .floor = "floor/clock_load_cas", .headline = true},
               std::make_shared<task>());
    two_threads({.name = name + "/two_threads",
                 .title = title,
                 .reference = "one thread",
                 .headline = true},
                std::make_shared<task>(), std::make_shared<task>(), 1);
}

}  // namespace

void add_table_rows() {
    entry_rows<demand::admit>();
    entry_rows<demand::deny>();

    striped_rows<demand::admit>("admit");
    striped_rows<demand::deny>("deny");
}

}  // namespace bench

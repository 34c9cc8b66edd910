// SPDX-License-Identifier: MIT
// A limit for each key: what a decision costs with 100 000, 1 M and 10 M keys, beside a word in a
// random line of a table of the same bytes, found by the same hash; a denial and a newcomer in a
// table that the caches hold; and the bytes that a key takes.

#include "harness/keys.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <weir/table/keyed.hpp>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"
#include "harness/drawn.hpp"
#include "harness/flood.hpp"
#include "harness/rows.hpp"
#include "harness/table.hpp"

namespace bench {

namespace {

using core_instant = weir::instant<core_clock>;

// So full that still no more than 0.01 % of the keys find no place, in either layout.
constexpr std::size_t load_percent = 42;
[[nodiscard]] constexpr std::size_t places_of(std::size_t keys,
                                              std::size_t percent = load_percent) {
    return keys * 100 / percent / 8 * 8 + 8;
}

// Each key as likely as another: the same one comes again after all others.
template <std::size_t Keys>
class uniform {
public:
    explicit uniform(std::uint64_t from) : key_(from % Keys) {}
    std::uint64_t next() { return key_ = (key_ + 618'033) % Keys; }

private:
    std::uint64_t key_;
};

// The k-th key one k-th as likely as the first.
template <std::size_t Keys>
class zipf {
public:
    explicit zipf(std::uint64_t from) : drawn_(&all()), at_(from) {}
    std::uint64_t next() { return (*drawn_)[at_++ % drawn_->size()]; }

private:
    using draws = std::vector<std::uint32_t>;
    [[nodiscard]] static const draws& all() {
        static const draws made = [] {
            draws all(1U << 20U);
            drawn dice;
            for (std::uint32_t& key : all) key = zipf_key(static_cast<double>(Keys), dice.part());
            return all;
        }();
        return made;
    }

    const draws* drawn_;
    std::size_t at_;
};

// So many units that no row exhausts them. A key stays busy for a minute, so all keys are there
// during a row.
constexpr weir::quota plenty_for_a_key{1, weir::seconds(60), 4'000'000};

template <weir::keyed_layout Layout>
class table_of_layout {
public:
    table_of_layout(std::size_t places, demand d)
        : all_(places, d == demand::deny ? weir::per_hour(1) : plenty_for_a_key,
               d == demand::deny ? weir::when_full::deny : weir::when_full::allow, weir::seed(1),
               {.debt = 0}) {}
    bool take(std::uint64_t key, core_instant now) noexcept {
        return all_[key].try_acquire(1, now).admitted();
    }

private:
    weir::keyed_limits<weir::any_size, core_clock, Layout> all_;
};
using keyed_table = table_of_layout<weir::keyed_layout{}>;
using exact_table = table_of_layout<weir::keyed_layout{.exact = true}>;

// The least that any table of this size costs: a load and an exchange in a random line.
class random_lines {
public:
    random_lines(std::size_t places, demand) : hash_(weir::seed(1)), lines_(places / 8) {}
    bool take(std::uint64_t key, weir::tick now) noexcept {
        const std::uint64_t hash = hash_(key);
        auto& place = lines_[((hash >> 32U) * lines_.size()) >> 32U].value;
        weir::word seen = place.load(std::memory_order_relaxed);
        while (!place.compare_exchange_weak(seen, now.count, std::memory_order_relaxed)) {
        }
        return true;
    }

private:
    weir::key_hash hash_;
    std::vector<shared_word> lines_;
};

// Made when the first row of it is measured, as it is large; all keys are there then.
template <class Table, std::size_t Keys, demand Demand>
[[nodiscard]] Table& table_of() {
    static const auto made = [] {
        auto table = std::make_unique<Table>(places_of(Keys), Demand);
        for (std::uint64_t k = 0; k < Keys; ++k)
            (void)table->take(identifier(k), core_clock::now());
        return table;
    }();
    return *made;
}

template <class Table, template <std::size_t> class Order, std::size_t Keys, demand Demand,
          time Time>
class key_task {
public:
    void prepare() {
        (void)table_of<Table, Keys, Demand>();
        now_ = core_clock::now();
    }
    // None meets the keys of the one before it.
    auto worker(unsigned) {
        return doing([table = &table_of<Table, Keys, Demand>(), now = now_,
                      keys = Order<Keys>(from_.fetch_add(387'127))]() mutable {
            return table->take(identifier(keys.next()), time_for<Time>(now)) ==
                   (Demand == demand::admit);
        });
    }

private:
    static inline std::atomic<std::uint64_t> from_ = 0;
    core_instant now_{};
};

struct called {
    std::string name;   // of a row
    std::string title;  // the same for readers
};

template <template <std::size_t> class Order, std::size_t Keys, time Time>
void rows_of(const called& keys) {
    const bool given = Time == time::given;
    const std::string name = "/" + keys.name + (given ? "/now_given" : "");
    const std::string title = keys.title + (given ? ", now given" : "");
    using lines = key_task<random_lines, Order, Keys, demand::admit, Time>;
    using keyed = key_task<keyed_table, Order, Keys, demand::admit, Time>;
    one_thread({.name = "random_lines" + name, .title = "a random line for " + title},
               std::make_shared<lines>());
    one_thread({.name = "keyed" + name,
                .title = "one of " + title,
                .floor = "random_lines" + name,
                .headline = name == "/uniform_1M"},
               std::make_shared<keyed>());
    two_threads({.name = "keyed" + name + "/two_threads",
                 .title = "one of " + title,
                 .reference = "one thread"},
                std::make_shared<keyed>(), std::make_shared<keyed>(), 1);
}

template <std::size_t Keys>
void rows_of_size(const std::string& size) {
    rows_of<uniform, Keys, time::given>({"uniform_" + size, size + " keys"});
    rows_of<uniform, Keys, time::read>({"uniform_" + size, size + " keys"});
    rows_of<zipf, Keys, time::given>({"zipf_" + size, size + " keys, zipf"});
    rows_of<zipf, Keys, time::read>({"zipf_" + size, size + " keys, zipf"});
}

// The exact layout, beside the compact one.
template <std::size_t Keys, time Time>
void exact_row(const called& keys) {
    const bool given = Time == time::given;
    const std::string name = "/" + keys.name + (given ? "/now_given" : "");
    one_thread({.name = "exact_keys" + name,
                .title = "exact layout: one of " + keys.title + (given ? ", now given" : ""),
                .floor = "keyed" + name},
               std::make_shared<key_task<exact_table, uniform, Keys, demand::admit, Time>>());
}

// --- in the first caches

template <class Table, demand Demand>
void row_in_cache(const std::string& name, const std::string& title, const std::string& floor) {
    constexpr std::size_t keys = 1'000;
    one_thread({.name = name, .title = title, .floor = floor},
               std::make_shared<key_task<Table, uniform, keys, Demand, time::given>>());
}

// Each call brings a key that has never been there, so it takes the place of another one.
class newcomer_task {
public:
    void prepare() { now_ = core_clock::now(); }
    auto worker(unsigned) {
        return doing([all = &all_, now = now_, key = &next_] {
            return (*all)[++*key].try_acquire(1, now).admitted();
        });
    }

private:
    weir::keyed_limits<4096, core_clock> all_{weir::per_second(10), weir::when_full::forgive_least,
                                              weir::seed(1)};
    core_instant now_{};
    std::uint64_t next_ = 0;
};

// --- bytes

[[nodiscard]] double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double all = 0;
    double resident = 0;
    file >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Ten million keys in a new table: what share finds no place, and the bytes that each other one
// takes.
struct filled {
    double without;
    double bytes;
};
template <weir::keyed_layout Layout>
[[nodiscard]] filled filled_to(std::size_t percent) {
    constexpr std::uint64_t keys = 10'000'000;
    const double before = resident_bytes();
    weir::keyed_limits<weir::any_size, core_clock, Layout> all(
        places_of(keys, percent), weir::per_hour(1), weir::when_full::deny, weir::seed(1));
    const core_instant now = core_clock::now();
    double without = 0;
    for (std::uint64_t k = 0; k < keys; ++k)
        without += all[identifier(k)].try_acquire(1, now) ? 0 : 1;
    const double bytes = resident_bytes() - before;
    return {without / static_cast<double>(keys), bytes / (static_cast<double>(keys) - without)};
}

}  // namespace

void add_key_rows(bool quick) {
    rows_of_size<100'000>("100k");
    rows_of_size<1'000'000>("1M");
    if (!quick) rows_of_size<10'000'000>("10M");
    exact_row<1'000'000, time::given>({"uniform_1M", "1M keys"});
    exact_row<1'000'000, time::read>({"uniform_1M", "1M keys"});
    if (!quick) exact_row<10'000'000, time::given>({"uniform_10M", "10M keys"});

    const std::string some = "one of 1000 keys, now given: ";
    const std::string admit = "keyed/in_cache/admit";
    row_in_cache<keyed_table, demand::admit>(admit, some + "admit", "");
    row_in_cache<keyed_table, demand::deny>("keyed/in_cache/deny", some + "deny", admit);
    row_in_cache<exact_table, demand::admit>("exact_keys/in_cache/admit",
                                             "exact layout: " + some + "admit", admit);
    row_in_cache<exact_table, demand::deny>("exact_keys/in_cache/deny",
                                            "exact layout: " + some + "deny", admit);
    one_thread({.name = "keyed/newcomers",
                .title = "keys that come once, in 4096 places, now given",
                .floor = "keyed/in_cache/admit"},
               std::make_shared<newcomer_task>());
}

void write_keyed_tables(std::ostream& out) {
    lines table = {{"occupied", "compact: keys without a place", "resident bytes a key",
                    "exact: keys without a place", "resident bytes a key"}};
    for (const std::size_t percent : {30U, 35U, 40U, 45U, 50U, 70U}) {
        const filled compact = filled_to<weir::keyed_layout{}>(percent);
        const filled exact = filled_to<weir::keyed_layout{.exact = true}>(percent);
        table.push_back({text("%.2f", static_cast<double>(percent) / 100),
                         text("%.4f %%", 100 * compact.without), text("%.1f", compact.bytes),
                         text("%.4f %%", 100 * exact.without), text("%.1f", exact.bytes)});
    }
    out << "\nKeyed tables with 10 M keys that are not idle:\n\n";
    write_lines(out, table, {true, true, true, true, true});
    out << "\nA flood of keys that come once, in virtual time:\n\n";
    write_flood(out);
}

}  // namespace bench

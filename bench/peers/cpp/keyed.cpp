// SPDX-License-Identifier: MIT
// A limit for each of a million keys: weir's table, and the hash tables that C++ programs use for
// it, which are maps in shards with a mutex each, and a concurrent map. weir's cells are measured
// in these shards too.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef WEIR_PEERS_ABSL
#include <absl/container/flat_hash_map.h>
#endif
#ifdef WEIR_PEERS_TBB
#include <oneapi/tbb/concurrent_hash_map.h>
#endif

#include <weir/table/keyed.hpp>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "floors.hpp"
#include "harness/drawn.hpp"
#include "harness/task.hpp"
#include "rows.hpp"

namespace bench {

namespace {

using key = std::uint64_t;
using order = std::vector<std::uint32_t>;

// In which order the keys are asked for; so long that no cache keeps it.
struct orders {
    order uniform;  // each key as often as another
    order zipf;     // the k-th key one k-th as often as the first

    explicit orders(std::size_t keys) {
        constexpr std::size_t length = 1U << 20U;
        const auto many = static_cast<double>(keys);
        drawn dice;
        for (std::size_t i = 0; i < length; ++i) {
            const double part = dice.part();
            uniform.push_back(static_cast<std::uint32_t>(part * many));
            zipf.push_back(zipf_key(many, part));
        }
    }
};

template <class Table>
class keyed_task {
public:
    keyed_task(std::shared_ptr<Table> table, const order& in)
        : table_(std::move(table)), order_(&in) {}

    // No sample meets the keys of the one before it, which warmed up the table.
    void prepare() { from_ += 400'000; }
    auto worker(unsigned thread) {
        return asking{table_.get(), order_, from_ + thread * (order_->size() / 2)};
    }

private:
    struct asking {
        Table* table;
        const order* in;
        std::size_t at;
        std::uint64_t asked_already = 0;
        std::uint64_t admitted_already = 0;

        void operator()() {
            const key k = identifier((*in)[at++ & (in->size() - 1)]);
            admitted_already += table->take(k) ? 1U : 0U;
            ++asked_already;
            keep(admitted_already);
        }
        [[nodiscard]] std::uint64_t asked() const { return asked_already; }
        [[nodiscard]] std::uint64_t admitted() const { return admitted_already; }
    };

    std::shared_ptr<Table> table_;
    const order* order_;
    std::size_t from_ = 0;
};

struct empty_table {
    explicit empty_table(const weir::quota&) {}
    static bool take(key k) {
        keep(k);
        return true;
    }
};

// The token bucket that one writes by hand. Whoever calls has its lock.
template <class Clock>
class plain_bucket {
public:
    struct rate {
        double burst;
        double per_tick;
        static rate of(const weir::quota& q) {
            return {static_cast<double>(q.burst()), static_cast<double>(q.units()) * 1e9 /
                                                        static_cast<double>(q.period().count()) /
                                                        static_cast<double>(Clock::hertz())};
        }
    };

    void start(const rate& r) {
        tokens_ = r.burst;
        last_ = Clock::now();
    }
    bool take(const rate& r) {
        const weir::tick now = Clock::now();
        if (weir::earlier(last_, now)) {
            tokens_ += static_cast<double>(now.count - last_.count) * r.per_tick;
            if (tokens_ > r.burst) tokens_ = r.burst;
            last_ = now;
        }
        if (tokens_ < 1) return false;
        tokens_ -= 1;
        return true;
    }

private:
    double tokens_ = 0;
    weir::tick last_;
};

class weir_cell {
public:
    struct rate : weir::gcra<>::rate {
        weir::word burst;
        static rate of(const weir::quota& q) {
            return {weir::gcra<>::rate::make(q, core_clock::hertz()).value(),
                    static_cast<weir::word>(q.burst())};
        }
    };

    void start(const rate& r) { cell_.fill(core_clock::now(), r.burst, r); }
    bool take(const rate& r) { return cell_.try_acquire(core_clock::now(), 1, r).admitted(); }

private:
    weir::gcra<> cell_;
};

// Twice as many places as keys, so that none is ever without one.
class weir_keyed {
public:
    weir_keyed(const weir::quota& q, std::size_t keys)
        : all_(2 * keys, q, weir::when_full::deny, weir::seed(1)) {}

    bool take(key k) { return all_[k].try_acquire().admitted(); }

private:
    weir::keyed_limits<weir::any_size, core_clock> all_;
};

#ifdef WEIR_PEERS_ABSL
template <class Entry>
class sharded_table {
public:
    explicit sharded_table(const weir::quota& q) : rate_(Entry::rate::of(q)) {}

    bool take(key k) {
        const std::size_t hash = absl::Hash<key>()(k);
        shard& its = shards_[hash >> (64 - shard_bits)];  // the map uses the low bits
        const std::lock_guard lock(its.mutex);
        auto found = its.map.find(k, hash);
        if (found == its.map.end()) {
            found = its.map.try_emplace(k).first;
            found->second.start(rate_);
        }
        return found->second.take(rate_);
    }

private:
    static constexpr unsigned shard_bits = 6;
    struct alignas(weir::cache_line) shard {
        std::mutex mutex;
        absl::flat_hash_map<key, Entry> map;
    };

    std::array<shard, 1U << shard_bits> shards_;
    typename Entry::rate rate_;
};
#endif

#ifdef WEIR_PEERS_TBB
// With the allocator of everything else, so that its bytes are counted too.
template <class Entry>
class concurrent_table {
    using map = tbb::concurrent_hash_map<key, Entry, tbb::tbb_hash_compare<key>,
                                         std::allocator<std::pair<const key, Entry>>>;

public:
    explicit concurrent_table(const weir::quota& q) : rate_(Entry::rate::of(q)) {}

    bool take(key k) {
        typename map::accessor entry;  // has the entry's lock
        if (!map_.find(entry, k) && map_.insert(entry, k)) entry->second.start(rate_);
        return entry->second.take(rate_);
    }

private:
    map map_;
    typename Entry::rate rate_;
};
#endif

// Every key is in the table before the first sample.
template <class Table>
void add(peers& to, const std::string& name, const std::string& title, std::size_t keys,
         const orders& in) {
    const std::size_t before = heap_in_use();
    const weir::quota q = quota_for<Table>(demand::admit);
    std::shared_ptr<Table> table;
    if constexpr (std::is_constructible_v<Table, weir::quota, std::size_t>) {
        table = std::make_shared<Table>(q, keys);
    } else {
        table = std::make_shared<Table>(q);
    }
    for (std::size_t i = 0; i < keys; ++i) (void)table->take(identifier(i));
    const auto bytes = static_cast<double>(heap_in_use() - before);
    peer p{name, title, bytes / static_cast<double>(keys)};
    p.answers("uniform", std::make_shared<keyed_task<Table>>(table, in.uniform));
    p.answers("zipf", std::make_shared<keyed_task<Table>>(table, in.zipf));
    to.rows.push_back(p);
}

}  // namespace

void add_keyed_peers(peers& to, std::size_t keys) {
    static const orders in(keys);
    add<empty_table>(to, "empty_keyed", "empty loop, keyed", keys, in);
    add<weir_keyed>(to, "weir_keyed", "weir::keyed_limits", keys, in);
#ifdef WEIR_PEERS_ABSL
    add<sharded_table<weir_cell>>(to, "weir_absl", "weir cells in 64 shards of absl", keys, in);
    add<sharded_table<plain_bucket<core_clock>>>(
        to, "absl_tsc", "buckets in 64 shards of absl, weir's clock", keys, in);
    add<sharded_table<plain_bucket<weir::steady_clock>>>(
        to, "absl", "buckets in 64 shards of absl, steady_clock", keys, in);
#else
    to.left_out.emplace_back("absl::flat_hash_map: not found (Debian: libabsl-dev)");
#endif
#ifdef WEIR_PEERS_TBB
    add<concurrent_table<plain_bucket<core_clock>>>(
        to, "tbb_tsc", "buckets in tbb::concurrent_hash_map, weir's clock", keys, in);
    add<concurrent_table<plain_bucket<weir::steady_clock>>>(
        to, "tbb", "buckets in tbb::concurrent_hash_map, steady_clock", keys, in);
#else
    to.left_out.emplace_back("tbb::concurrent_hash_map: not found (Debian: libtbb-dev)");
#endif
}

}  // namespace bench

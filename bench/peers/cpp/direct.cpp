// SPDX-License-Identifier: MIT
// One limit that all threads share: weir's and the buckets that one writes by hand.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "atomic_bucket.hpp"
#include "demands.hpp"
#include "rows.hpp"
#include "subjects.hpp"

namespace bench {

namespace {

// What the loop itself costs; the driver subtracts it from the other rows.
class empty_subject {
public:
    explicit empty_subject(const weir::quota&) {}
    [[nodiscard]] static weir::tick now() { return {}; }
    static bool take(weir::word n) { return n == 1; }
    void fill(weir::word) {}
};

// On a time that each thread's loop refreshes, once in a thousand decisions.
struct turns {};
using refreshed = weir::cached_clock<turns, core_clock>;
class refreshing_subject : public limiter_subject<weir::limiter<weir::gcra<>, refreshed>> {
public:
    using limiter_subject::limiter_subject;

    bool take(weir::word n) noexcept {
        thread_local unsigned asked = 0;
        if (++asked % 1024 == 0) refreshed::refresh();
        return limiter_subject::take(n);
    }
};

// The same demands of a lease of each thread's own.
template <demand Demand>
class lease_task {
    using limiter = weir::limiter<>;

public:
    void prepare() {
        limit_.reset();
        if constexpr (Demand == demand::deny) {
            (void)limit_.drain();
        } else {
            (void)limit_.try_acquire(static_cast<weir::word>(plenty / 2));
        }
    }

    auto worker(unsigned thread) {
        return asking{weir::lease(limit_, 64), thread * (too_much().size() / 2)};
    }

private:
    struct asking {
        weir::lease<limiter> mine;
        std::size_t at;
        std::uint64_t asked_already = 0;
        std::uint64_t admitted_already = 0;

        void operator()() {
            weir::word n = 1;
            if constexpr (Demand == demand::mixed) {
                n = too_much()[at++ % too_much().size()] ? static_cast<weir::word>(plenty) : 1;
            }
            admitted_already += mine.try_acquire(n) ? 1U : 0U;
            ++asked_already;
            // Not `keep`: what the lease has left may live in a register, as in a user's loop.
            asm volatile("" : "+r"(admitted_already));
        }
        [[nodiscard]] std::uint64_t asked() const { return asked_already; }
        [[nodiscard]] std::uint64_t admitted() const { return admitted_already; }
    };

    limiter limit_{quota_for<limiter>(Demand)};
};

template <class Limit>
double bytes_of_one() {
    std::array<std::unique_ptr<Limit>, 1000> many;
    const std::size_t before = heap_in_use();
    for (auto& one : many) one = std::make_unique<Limit>(quota_for<Limit>(demand::admit));
    return static_cast<double>(heap_in_use() - before) / static_cast<double>(many.size());
}

template <class Subject>
peer row_of(const std::string& name, const std::string& title, double bytes) {
    peer p{name, title, bytes};
    p.answers("admit", std::make_shared<demand_task<Subject, demand::admit>>());
    p.answers("deny", std::make_shared<demand_task<Subject, demand::deny>>());
    p.answers("mixed", std::make_shared<demand_task<Subject, demand::mixed>>());
    return p;
}

template <class Limiter>
peer limiter_row(const std::string& name, const std::string& title) {
    return row_of<limiter_subject<Limiter>>(name, title, bytes_of_one<Limiter>());
}

template <class Bucket>
peer bucket_row(const std::string& name, const std::string& title) {
    return row_of<Bucket>(name, title, bytes_of_one<Bucket>());
}

peer lease_row() {
    peer p{"weir_lease_64", "weir lease of 64", 0};
    p.answers("admit", std::make_shared<lease_task<demand::admit>>());
    p.answers("deny", std::make_shared<lease_task<demand::deny>>());
    p.answers("mixed", std::make_shared<lease_task<demand::mixed>>());
    return p;
}

}  // namespace

void add_direct_peers(peers& to) {
    const auto add = [&](const peer& p) { to.rows.push_back(p); };
    add(row_of<empty_subject>("empty", "empty loop", 0));
    add(limiter_row<weir::limiter<>>("weir", "weir limiter<>"));
    add(limiter_row<weir::limiter<weir::token_bucket<>>>("weir_token_bucket",
                                                         "weir limiter<token_bucket<>>"));
    add(limiter_row<weir::limiter<weir::gcra<>, weir::steady_clock>>(
        "weir_steady_clock", "weir limiter<gcra<>, steady_clock>"));
    add(limiter_row<weir::limiter<weir::gcra<>, weir::coarse_clock>>(
        "weir_coarse_clock", "weir limiter<gcra<>, coarse_clock>"));
    add(row_of<refreshing_subject>("weir_cached_clock", "weir limiter<gcra<>, cached_clock>",
                                   bytes_of_one<weir::limiter<weir::gcra<>, refreshed>>()));
    add(lease_row());
    add(bucket_row<mutex_bucket_by<weir::steady_clock>>("mutex_bucket",
                                                        "mutex bucket, steady_clock"));
    add(bucket_row<mutex_bucket>("mutex_bucket_tsc", "mutex bucket, weir's clock"));
    add(bucket_row<atomic_bucket<weir::steady_clock>>("atomic_bucket",
                                                      "atomic<double> bucket, steady_clock"));
    add(bucket_row<atomic_bucket<core_clock>>("atomic_bucket_tsc",
                                              "atomic<double> bucket, weir's clock"));
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// One limit that all threads share: weir's and the buckets that one writes by hand.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <weir/limiter/lease.hpp>
#include <weir/table/array.hpp>
#include <weir/weir.hpp>

#include "accuracy.hpp"
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

    [[gnu::always_inline]] bool take(weir::word n) noexcept {
        thread_local unsigned asked = 0;
        if (++asked % often == 0) refreshed::refresh();
        return limiter_subject::take(n);
    }

    // At most, if the thread keeps its core: the loop takes less than 50 ns for a decision.
    static std::chrono::nanoseconds step() { return std::chrono::nanoseconds(often * 50); }

private:
    static constexpr unsigned often = 1024;
};

// One entry of an array of limits.
class entry_subject {
    using array = weir::limiter_array<weir::any_size>;

public:
    explicit entry_subject(const weir::quota& q) : all_(1000, q) {}

    [[nodiscard]] static auto now() noexcept { return weir::default_clock::now(); }
    [[gnu::always_inline]] bool take(weir::word n) noexcept {
        return all_[500].try_acquire(n).admitted();
    }
    void fill(weir::word units) noexcept {
        all_.reset();
        const auto burst = static_cast<weir::word>(all_[500].quota().burst());
        (void)all_[500].acquire_up_to(burst - units);
    }

private:
    array all_;
};

[[nodiscard]] double bytes_of_an_entry() {
    constexpr std::size_t many = 1'000'000;
    const std::size_t before = heap_in_use();
    const weir::limiter_array<weir::any_size> all(many, quota_for<weir::gcra<>>(demand::admit));
    return static_cast<double>(heap_in_use() - before) / many;
}

// A limit that it shares with nobody.
class leasing_subject {
public:
    explicit leasing_subject(const weir::quota& q) : limit_(q) {}

    [[gnu::always_inline]] bool take(weir::word n) noexcept { return lease_.try_acquire(n); }

private:
    weir::limiter<> limit_;
    weir::lease<weir::limiter<>> lease_{limit_, 64};
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

        [[gnu::always_inline]] void operator()() {
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

// Of its clock.
template <class Subject>
[[nodiscard]] std::chrono::nanoseconds step_of() {
    if constexpr (std::is_same_v<Subject, refreshing_subject>) return refreshing_subject::step();
    using coarse = weir::limiter<weir::gcra<>, weir::coarse_clock>;
    if constexpr (std::is_same_v<Subject, limiter_subject<coarse>>)
        return weir::coarse_clock::facts().granularity;
    return {};
}

// What can be asked of a limit of any rate.
template <class Subject>
void add_accuracy(peer& to) {
    to.tells["accuracy"] = [](const numbers& of) {
        const auto rate = static_cast<std::int64_t>(of[0]);
        const auto units = static_cast<std::int64_t>(of[1]);
        // A thread that is stopped for a tenth of a second gets all that is due afterwards.
        const auto limit = std::make_unique<Subject>(
            weir::quota{rate, weir::seconds(1), std::max(units, rate / 10)});
        return accuracy(*limit, static_cast<weir::word>(units),
                        std::chrono::milliseconds(static_cast<std::int64_t>(of[2])),
                        step_of<Subject>());
    };
}

template <class Act>
[[nodiscard]] std::string nanoseconds_of(Act act) {
    const auto begin = std::chrono::steady_clock::now();
    act();
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    return std::to_string(taken.count());
}

// In one piece of memory.
template <class Limit>
[[nodiscard]] std::string time_of_making(const numbers& of) {
    std::allocator<Limit> memory;
    Limit* const many = memory.allocate(of[0]);
    std::string told = nanoseconds_of([&] {
        for (std::size_t i = 0; i < of[0]; ++i)
            std::construct_at(many + i, quota_for<Limit>(demand::admit));
    });
    std::destroy_n(many, of[0]);
    memory.deallocate(many, of[0]);
    return told;
}

[[nodiscard]] std::string time_of_making_an_array(const numbers& of) {
    return nanoseconds_of([&] {
        const weir::limiter_array<weir::any_size> many(of[0],
                                                       quota_for<weir::gcra<>>(demand::admit));
        auto last = many[of[0] - 1].peek(1).admitted();
        keep(last);
    });
}

template <class Subject>
[[nodiscard]] std::string time_of_first() {
    return nanoseconds_of([] { (void)Subject(quota_for<Subject>(demand::admit)).take(1); });
}

// By their rows' names. Not told by the rows: they make limits, and so a first decision.
template <class Limiter>
constexpr auto first_of = time_of_first<limiter_subject<Limiter>>;
[[nodiscard]] const std::map<std::string, std::string (*)()>& firsts() {
    using weir::gcra;
    using weir::limiter;
    static const std::map<std::string, std::string (*)()> all = {
        {"weir", first_of<limiter<>>},
        {"weir_token_bucket", first_of<limiter<weir::token_bucket<>>>},
        {"weir_steady_clock", first_of<limiter<gcra<>, weir::steady_clock>>},
        {"weir_coarse_clock", first_of<limiter<gcra<>, weir::coarse_clock>>},
        {"weir_cached_clock", time_of_first<refreshing_subject>},
        {"mutex_bucket", time_of_first<mutex_bucket_by<weir::steady_clock>>},
        {"mutex_bucket_tsc", time_of_first<mutex_bucket>},
        {"atomic_bucket", time_of_first<atomic_bucket<weir::steady_clock>>},
        {"atomic_bucket_tsc", time_of_first<atomic_bucket<core_clock>>},
    };
    return all;
}

template <class Subject>
peer row_of(const std::string& name, const std::string& title, double bytes) {
    peer p{name, title, bytes};
    p.answers("admit", std::make_shared<demand_task<Subject, demand::admit>>());
    p.answers("deny", std::make_shared<demand_task<Subject, demand::deny>>());
    p.answers("mixed", std::make_shared<demand_task<Subject, demand::mixed>>());
    return p;
}

template <class Subject, class Limit = Subject>
peer whole_row(const std::string& name, const std::string& title) {
    peer p = row_of<Subject>(name, title, bytes_of_one<Limit>());
    add_accuracy<Subject>(p);
    p.tells["making"] = time_of_making<Limit>;
    if (firsts().count(name) != 0) {
        p.tells["first"] = [](const numbers&) { return std::string(); };  // is no request
    }
    return p;
}

template <class Limiter>
peer limiter_row(const std::string& name, const std::string& title) {
    return whole_row<limiter_subject<Limiter>, Limiter>(name, title);
}

peer lease_row() {
    peer p{"weir_lease_64", "weir lease of 64", 0};
    p.answers("admit", std::make_shared<lease_task<demand::admit>>());
    p.answers("deny", std::make_shared<lease_task<demand::deny>>());
    p.answers("mixed", std::make_shared<lease_task<demand::mixed>>());
    add_accuracy<leasing_subject>(p);
    return p;
}

peer array_row() {
    peer p =
        row_of<entry_subject>("weir_array", "weir::limiter_array, one entry", bytes_of_an_entry());
    p.tells["making"] = time_of_making_an_array;
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
    add(whole_row<refreshing_subject, weir::limiter<weir::gcra<>, refreshed>>(
        "weir_cached_clock", "weir limiter<gcra<>, cached_clock>"));
    add(array_row());
    add(lease_row());
    add(whole_row<mutex_bucket_by<weir::steady_clock>>("mutex_bucket",
                                                       "mutex bucket, steady_clock"));
    add(whole_row<mutex_bucket>("mutex_bucket_tsc", "mutex bucket, weir's clock"));
    add(whole_row<atomic_bucket<weir::steady_clock>>("atomic_bucket",
                                                     "atomic<double> bucket, steady_clock"));
    add(whole_row<atomic_bucket<core_clock>>("atomic_bucket_tsc",
                                             "atomic<double> bucket, weir's clock"));
}

std::string first_decision(const std::string& name) {
    const auto found = firsts().find(name);
    return found == firsts().end() ? std::string() : found->second();
}

}  // namespace bench

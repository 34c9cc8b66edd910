// SPDX-License-Identifier: MIT
// The same decisions through weir.h: a call into libweir.so, an indirect call in there, and back.
#ifdef WEIR_BENCH_C

#include <memory>
#include <string>

#include <weir/weir.h>
#include <weir/weir.hpp>

#include "demands.hpp"
#include "harness/rows.hpp"
#include "subjects.hpp"

namespace bench {

namespace {

// With what the decision has to say, or without.
template <bool Told>
class c_subject {
public:
    static constexpr bool is_log = false;

    explicit c_subject(const weir::quota& q) {
        if (weir_limit_new({q.units(), q.period().count(), q.burst()}, nullptr, &limit_) != WEIR_OK)
            weir::detail::end_program("no limit was made through weir.h");
    }
    c_subject(const c_subject&) = delete;
    c_subject& operator=(const c_subject&) = delete;
    ~c_subject() { weir_limit_free(limit_); }

    [[nodiscard]] static auto now() noexcept { return weir::default_clock::now(); }
    bool take(weir::word n) noexcept {
        const auto units = static_cast<std::int64_t>(n);
        if constexpr (!Told) return weir_try_acquire(limit_, units, nullptr);
        weir_answer answer;
        const bool admitted = weir_try_acquire(limit_, units, &answer);
        benchmark::DoNotOptimize(answer);
        return admitted;
    }
    void fill(weir::word units) noexcept {
        weir_state s = WEIR_STATE_INIT;
        (void)weir_reset(limit_);
        (void)weir_look(limit_, &s);
        (void)weir_acquire_up_to(limit_, s.quota.burst - static_cast<std::int64_t>(units), nullptr);
    }

private:
    weir_limit* limit_ = nullptr;
};

// In C++, and asked for the same as an answer of C has.
class told_subject : public limiter_subject<weir::limiter<>> {
public:
    using limiter_subject::limiter_subject;

    bool take(weir::word n) noexcept {
        const auto d = limiter().try_acquire(n);
        auto remaining = d.remaining();
        auto wait = d.admitted() ? 0 : d.retry_after().count();
        benchmark::DoNotOptimize(remaining);
        benchmark::DoNotOptimize(wait);
        return d.admitted();
    }
};

// What is built of limits, each of which is asked through its handle.
class built_task {
public:
    built_task(const built_task&) = delete;
    built_task& operator=(const built_task&) = delete;

    void prepare() {
        for (weir_limit* one : parts_) (void)weir_reset(one);
    }
    auto worker(unsigned) {
        return doing([built = built_] { return weir_try_acquire(built, 1, nullptr); });
    }

protected:
    built_task() {
        for (weir_limit*& one : parts_)
            (void)weir_limit_new({1'000'000'000, 1'000'000'000, 4'000'000'000}, nullptr, &one);
    }
    ~built_task() {
        weir_limit_free(built_);
        for (weir_limit* one : parts_) weir_limit_free(one);
    }

    weir_limit* parts_[2]{};
    weir_limit* built_ = nullptr;
};
struct c_lease_task : built_task {
    c_lease_task() { (void)weir_lease_new(parts_[0], 64, WEIR_FOREVER, &built_); }
};
struct c_all_of_task : built_task {
    c_all_of_task() { (void)weir_all_of_new(parts_, 2, &built_); }
};
struct c_striped_task : built_task {
    c_striped_task() { (void)weir_striped_new(parts_[0], WEIR_ALL, &built_); }
};

template <class Task>
void built_row(const std::string& name, const std::string& title) {
    one_thread({.name = name, .title = title + " through weir.h", .floor = "floor/clock_load_cas"},
               std::make_shared<Task>());
}

template <class Subject>
void ask(const std::string& name, const std::string& title) {
    one_thread(
        {.name = name + "/admit", .title = title + ": admit", .floor = "floor/clock_load_cas"},
        std::make_shared<demand_task<Subject, demand::admit>>());
    one_thread({.name = name + "/deny", .title = title + ": deny", .floor = "floor/clock_load"},
               std::make_shared<demand_task<Subject, demand::deny>>());
}

}  // namespace

void add_c_rows() {
    ask<c_subject<false>>("c", "limiter through weir.h");
    ask<told_subject>("told", "limiter, asked for units and wait");
    ask<c_subject<true>>("c_told", "the same through weir.h");
    built_row<c_lease_task>("c_lease_64/spend", "lease of 64: spend,");
    built_row<c_all_of_task>("c_all_of/admit", "all_of two limits: admit,");
    built_row<c_striped_task>("c_striped/admit", "one limit in stripes: admit,");
}

}  // namespace bench

#else

#include "harness/rows.hpp"

namespace bench {

void add_c_rows() {}

}  // namespace bench

#endif

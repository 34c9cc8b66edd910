#include "duel.hpp"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>
#include <vector>

namespace bench {

namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

long duel::switched_out() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

double duel::probe(unsigned me) {
    line& mine = me == 0 ? ping_ : pong_;
    const line& theirs = me == 0 ? pong_ : ping_;
    mine.value.store(0, std::memory_order_relaxed);
    meet();
    const auto start = std::chrono::steady_clock::now();
    for (unsigned trip = 1; trip <= round_trips; ++trip) {
        if (me == 0) mine.value.store(trip, std::memory_order_relaxed);
        while (theirs.value.load(std::memory_order_relaxed) != trip) {
        }
        if (me == 1) mine.value.store(trip, std::memory_order_relaxed);
    }
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    meet();
    return elapsed.count() / (2.0 * round_trips);
}

// A barrier that spins: a sleeping thread would start late and on a cold core. Its orders make the
// tallies of one thread visible to the other; the last to arrive pairs with all who wait.
void duel::meet() noexcept {
    const unsigned generation = generation_.value.load(std::memory_order_acquire);
    if (arrived_.value.fetch_add(1, std::memory_order_acq_rel) == 1) {
        arrived_.value.store(0, std::memory_order_relaxed);
        generation_.value.store(generation + 1, std::memory_order_release);
    } else {
        while (generation_.value.load(std::memory_order_acquire) == generation) weir::spin_hint();
    }
}

void duel::note(const round& r, double before, double after) {
    constexpr double agreement = 1.3;
    const bool steady = std::max(before, after) <= agreement * std::min(before, after);
    if (tallies_[0].switched || tallies_[1].switched || !steady) {
        ++dropped_;
    } else {
        kept_.push_back(r);
    }
}

duel_result duel::result() const {
    std::vector<double> measured;
    std::vector<double> reference;
    std::vector<double> ratio;
    std::vector<double> probe;
    for (const round& r : kept_) {
        measured.push_back(r.measured);
        reference.push_back(r.reference);
        ratio.push_back(r.measured / r.reference);
        probe.push_back(r.probe);
    }
    return {median(measured),
            median(reference),
            median(ratio),
            median(probe),
            static_cast<unsigned>(kept_.size()),
            dropped_,
            tallies_[0].held && tallies_[1].held};
}

}  // namespace bench

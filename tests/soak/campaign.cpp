// SPDX-License-Identifier: MIT
#include "campaign.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

namespace weir::soak {
namespace {

using real_time = std::chrono::steady_clock;

class campaign {
public:
    explicit campaign(const plan& p) : plan_(p) { so_far_.parts.resize(p.parts.size()); }

    results run(const std::function<bool(const results&)>& watch) {
        {
            std::vector<std::jthread> workers;
            workers.reserve(plan_.at_once);
            at_work_ = plan_.at_once;
            const stopping_at_the_end end{stop_};
            for (unsigned i = 0; i < plan_.at_once; ++i) workers.emplace_back([this] { work(); });
            std::unique_lock lock(mutex_);
            while (at_work_ != 0) {
                changed_.wait_for(lock, std::chrono::milliseconds(100));
                so_far_.seconds = std::chrono::duration<double>(real_time::now() - begin_).count();
                const results copy = so_far_;
                lock.unlock();
                if (!watch(copy)) stop_.request_stop();
                lock.lock();
            }
        }
        if (failure_) std::rethrow_exception(failure_);
        return so_far_;
    }

private:
    void work() noexcept {
        try {
            while (!stop_.stop_requested() && real_time::now() < end_) next_round();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            stop_.request_stop();
        }
        const std::lock_guard lock(mutex_);
        --at_work_;
        changed_.notify_all();
    }

    void next_round() {
        const std::uint64_t seed = plan_.seed + next_.fetch_add(1, std::memory_order_relaxed);
        const std::size_t number = seed % plan_.parts.size();
        const part& p = plan_.parts[number];
        std::chrono::nanoseconds length(std::chrono::milliseconds(dice(~seed).magnitude(20, 400)));
        length = std::min<std::chrono::nanoseconds>(length, end_ - real_time::now());
        round r(seed, length, stop_.get_token());
        p.run(r);

        const std::lock_guard lock(mutex_);
        so_far_.parts[number].add(r.sum());
        if (r.broken().empty()) return;
        so_far_.broken.push_back({p.name, seed, r.about(), r.broken()});
        stop_.request_stop();
    }

    plan plan_;
    real_time::time_point begin_ = real_time::now();
    real_time::time_point end_ =
        begin_ + std::chrono::duration_cast<real_time::duration>(plan_.length);
    std::atomic<std::uint64_t> next_{0};
    std::stop_source stop_;

    std::mutex mutex_;  // for what is below
    std::condition_variable changed_;
    results so_far_;
    unsigned at_work_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

tally results::sum() const {
    tally all;
    for (const tally& t : parts) all.add(t);
    return all;
}

results run(const plan& p, const std::function<bool(const results&)>& watch) {
    return campaign(p).run(watch);
}

}  // namespace weir::soak

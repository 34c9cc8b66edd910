// SPDX-License-Identifier: MIT
#include "campaign.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <list>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace weir::soak {
namespace {

using real_time = std::chrono::steady_clock;

class campaign {
public:
    explicit campaign(const plan& p) : plan_(p) { so_far_.parts.resize(p.parts.size()); }

    results run(const std::function<bool(const results&)>& watch,
                const std::function<void(const results&)>& bark) {
        {
            std::vector<std::jthread> workers;
            workers.reserve(plan_.at_once);
            workers_ = plan_.at_once;
            const stopping_at_the_end end{stop_};
            for (unsigned i = 0; i < plan_.at_once; ++i) workers.emplace_back([this] { work(); });
            std::unique_lock lock(mutex_);
            while (workers_ != 0) {
                changed_.wait_for(lock, std::chrono::milliseconds(100));
                so_far_.seconds = std::chrono::duration<double>(real_time::now() - begin_).count();
                const bool stuck = any_is_stuck();
                const results copy = so_far_;
                lock.unlock();
                if (stuck) {
                    bark(copy);
                    std::abort();
                }
                if (!watch(copy)) stop_.request_stop();
                lock.lock();
            }
        }
        if (failure_) std::rethrow_exception(failure_);
        return so_far_;
    }

private:
    // A round that is under way.
    struct under_way {
        const part* its;
        std::uint64_t seed;
        round* what;
    };
    class at_work {
    public:
        at_work(campaign& whose, const part& p, std::uint64_t seed, round& r) : whose_(whose) {
            const std::lock_guard lock(whose_.mutex_);
            its_ = whose_.under_way_.insert(whose_.under_way_.end(), {&p, seed, &r});
        }
        at_work(const at_work&) = delete;
        at_work& operator=(const at_work&) = delete;
        ~at_work() {
            const std::lock_guard lock(whose_.mutex_);
            whose_.under_way_.erase(its_);
        }

    private:
        campaign& whose_;
        std::list<under_way>::iterator its_;
    };

    // Looks at each thread of each round. One that is stuck counts as a broken promise. The lock is
    // held.
    bool any_is_stuck() {
        const unsigned patience = std::max(plan_.patience, 10 * so_far_.longest_pause);
        unsigned longest = 0;
        for (const under_way& u : under_way_) {
            const pulses::found f = u.what->watched().look();
            longest = std::max(longest, f.looks);
            if (f.looks < patience) continue;
            so_far_.broken.push_back({u.its->name, u.seed, u.what->about(),
                                      f.whose + " has made no progress while the watchdog looked " +
                                          std::to_string(f.looks) +
                                          " times, ten times a second at most"});
        }
        // What is over by now was a pause.
        if (longest < pause_) so_far_.longest_pause = std::max(so_far_.longest_pause, pause_);
        pause_ = longest;
        if (so_far_.broken.empty() || longest < patience) return false;
        for (const under_way& u : under_way_) {
            for (watched_thread& t : u.what->watched().threads()) {
                t.whose =
                    std::string(u.its->name) + ", seed " + std::to_string(u.seed) + ", " + t.whose;
                so_far_.threads.push_back(std::move(t));
            }
        }
        return true;
    }

    void work() noexcept {
        try {
            while (!stop_.stop_requested() && real_time::now() < end_) next_round();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            stop_.request_stop();
        }
        const std::lock_guard lock(mutex_);
        --workers_;
        changed_.notify_all();
    }

    void next_round() {
        const std::uint64_t seed = plan_.seed + next_.fetch_add(1, std::memory_order_relaxed);
        const std::size_t number = seed % plan_.parts.size();
        const part& p = plan_.parts[number];
        std::chrono::nanoseconds length(std::chrono::milliseconds(dice(~seed).magnitude(20, 400)));
        length = std::min<std::chrono::nanoseconds>(length, end_ - real_time::now());
        round r(seed, length, stop_.get_token());
        {
            const at_work its(*this, p, seed, r);
            p.run(r);
        }

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
    std::list<under_way> under_way_;
    unsigned pause_ = 0;  // the longest that somebody makes now, in looks
    unsigned workers_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

tally results::sum() const {
    tally all;
    for (const tally& t : parts) all.add(t);
    return all;
}

results run(const plan& p, const std::function<bool(const results&)>& watch,
            const std::function<void(const results&)>& bark) {
    return campaign(p).run(watch, bark);
}

}  // namespace weir::soak

// SPDX-License-Identifier: MIT
// Four services, each a process of its own as if on a machine of its own, share limits in a Redis.
// All customers together may make 2000 calls a second: units of that are leased, and a request
// takes one without asking anybody. Each customer may make 200, whichever service he asks: that is
// exact, and takes a round trip. Redis is killed in the middle and comes back without what it knew.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <weir/adapter/fleet_limiter.hpp>
#include <weir/adapter/redis.hpp>
#include <weir/adapter/std.hpp>

#include "redis.hpp"

namespace {

using namespace std::chrono_literals;

constexpr weir::quota of_all = weir::per_second(2'000).with_burst(200);
constexpr weir::quota of_a_customer = weir::per_second(200).with_burst(20);
constexpr int services = 4;
constexpr std::array customers{"anne", "bert"};

// --- what you copy: a service

class service {
public:
    explicit service(const std::string& socket)
        : redis_(options(socket)),
          all_(options(socket), "all calls", of_all, {.processes = services}) {}

    // May any customer's request be looked at? In nanoseconds, also while Redis is away.
    weir::fleet_decision ask() { return all_.try_acquire(); }
    // May this customer's pass?
    weir::remote_decision ask(std::string_view customer) { return calls_.try_acquire(customer); }

private:
    static weir::redis_options options(const std::string& socket) {
        weir::redis_options o;
        o.socket = socket;  // or host, port, user and password
        return o;
    }

    weir::redis_connection redis_;  // one thread's own
    weir::remote_limiter calls_{redis_, "calls", of_a_customer};
    weir::fleet_limiter all_;  // has a connection and a thread of its own
};

// --- the rest shows that it holds

struct counts {
    std::atomic<long> looked_at{0};
    std::array<std::atomic<long>, customers.size()> admitted{};
    std::atomic<long> refused{0};
    std::atomic<long> failed{0};  // Redis did not answer
};
using all_counts = std::array<counts, services>;

all_counts& shared_counts() {
    void* const memory = mmap(nullptr, sizeof(all_counts), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("fleet");
        _exit(1);
    }
    return *new (memory) all_counts{};
}

long admitted(const all_counts& all) {
    long sum = 0;
    for (const counts& its : all) {
        for (const auto& calls : its.admitted) sum += calls;
    }
    return sum;
}

pid_t start(const std::string& socket, counts& counted) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    service its(socket);
    for (;;) {
        weir::nanoseconds wait = weir::seconds(1);
        for (std::size_t c = 0; c < customers.size(); ++c) {
            if (const auto all = its.ask(); !all) {
                if (all.retry_after() < wait) wait = all.retry_after();
                continue;
            }
            ++counted.looked_at;
            const auto d = its.ask(customers[c]);
            if (d)
                ++counted.admitted[c];
            else if (d.failed())
                ++counted.failed;
            else
                ++counted.refused;
            if (d.retry_after() < wait) wait = d.retry_after();
        }
        std::this_thread::sleep_for(weir::to_chrono(wait));
    }
}

}  // namespace

int main() {
    all_counts& all = shared_counts();
    redis_server redis;
    const auto begin = std::chrono::steady_clock::now();
    std::array<pid_t, services> children{};
    for (int i = 0; i < services; ++i) children[i] = start(redis.socket(), all[i]);
    const auto some_calls = [&] {
        for (const long before = admitted(all); admitted(all) == before;)
            std::this_thread::sleep_for(1s);
    };
    some_calls();
    redis.stop();
    std::this_thread::sleep_for(500ms);
    redis.start();
    some_calls();
    for (const pid_t child : children) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

    for (int i = 0; i < services; ++i) {
        std::printf("service %d: %ld calls refused, %ld failed while Redis was away\n", i,
                    all[i].refused.load(), all[i].failed.load());
    }
    // A Redis that was emptied knows of nothing that was used: that is one more burst. And leases
    // add half of a burst, as their guide tells.
    const auto most = [&](const weir::quota& q, double bursts) {
        return bursts * static_cast<double>(q.burst()) +
               static_cast<double>(q.units()) * took.count();
    };
    const auto holds = [&](const char* whose, long sum, double most) {
        std::printf("%s: %ld calls in %.2f s, of at most %.0f\n", whose, sum, took.count(), most);
        return static_cast<double>(sum) <= most;
    };
    long sum = 0;
    for (const counts& its : all) sum += its.looked_at;
    bool all_hold = holds("looked at", sum, most(of_all, 2.5));
    for (std::size_t c = 0; c < customers.size(); ++c) {
        sum = 0;
        for (const counts& its : all) sum += its.admitted[c];
        all_hold &= holds(customers[c], sum, most(of_a_customer, 2));
    }
    return all_hold ? 0 : 1;
}

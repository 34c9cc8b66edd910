// SPDX-License-Identifier: MIT
// Four workers, each a process of its own, share one limit on this machine: 2000 calls a second, in
// shared memory that they find by its name. One of them is killed in the middle, and another one
// comes with another quota. There is no server, and no worker knows of the others.
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

#include <weir/adapter/shm.hpp>
#include <weir/limiter/acquire.hpp>

namespace {

using namespace std::chrono_literals;

constexpr weir::quota calls = weir::per_second(2'000).with_burst(100);
constexpr int workers = 4;

// --- what you copy: a worker

template <class Call>
void work(const char* name, Call call) {
    auto opened = weir::shared_limiter<>::open(name, calls);  // joins it, or makes it
    if (!opened) {
        std::fprintf(stderr, "host_limit: %s: %s\n", name, describe(opened.error()));
        _exit(1);
    }
    // Waits for its turn, among all threads of all processes.
    while (weir::acquire(*opened)) call();
}

// --- the rest shows that it holds

// How many calls each worker has made; it survives the worker.
using counts = std::array<std::atomic<long>, workers>;

counts& shared_counts() {
    void* const memory =
        mmap(nullptr, sizeof(counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("host_limit");
        _exit(1);
    }
    return *new (memory) counts{};
}

pid_t start(const char* name, std::atomic<long>& made) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work(name, [&made] { ++made; });
    _exit(0);
}
void end(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

}  // namespace

int main() {
    static const std::string name = "/host_limit_" + std::to_string(getpid());
    std::signal(SIGINT, [](int) {  // or the name would stay
        shm_unlink(name.c_str());
        _exit(130);
    });
    counts& made = shared_counts();
    std::array<pid_t, workers> all{};
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < workers; ++i) all[i] = start(name.c_str(), made[i]);

    for (int i = 0; i < workers; ++i) {
        while (made[i] == 0) {
            if (waitpid(all[i], nullptr, WNOHANG) != 0) return 1;  // it has said why
            std::this_thread::sleep_for(10ms);
        }
    }
    std::this_thread::sleep_for(1s);
    end(all[0]);  // in the middle of whatever it does
    const long when_killed = made[0];
    std::this_thread::sleep_for(1s);

    // Who comes with another quota is refused, and the limit stays as it is.
    const auto other = weir::shared_limiter<>::open(name.c_str(), weir::per_second(50'000));
    std::printf("another quota: %s\n", other ? "accepted" : describe(other.error()));
    const auto joined = weir::shared_limiter<>::join(name.c_str());
    if (joined) std::printf("the limit: %s\n", to_text(joined->quota()).c_str());

    for (int i = 1; i < workers; ++i) end(all[i]);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    (void)weir::remove_shared(name.c_str());

    long sum = 0;
    for (int i = 0; i < workers; ++i) {
        std::printf("worker %d: %ld calls%s\n", i, made[i].load(), i == 0 ? ", then killed" : "");
        sum += made[i];
    }
    const double most = calls.burst() + calls.units() * took.count();
    std::printf("together: %ld calls in %.2f s, of at most %.0f\n", sum, took.count(), most);
    const bool holds =
        static_cast<double>(sum) <= most && made[0] == when_killed && !other && joined;
    return holds ? 0 : 1;
}

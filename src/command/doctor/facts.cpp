// SPDX-License-Identifier: MIT
#include "command/doctor/facts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fstream>
#include <pthread.h>
#include <sched.h>
#include <sstream>
#include <sys/prctl.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <weir/adapter/linux_thread.hpp>
#include <weir/adapter/restartable.hpp>
#include <weir/weir.hpp>

namespace weir::command {
namespace {

namespace fs = std::filesystem;
using real_time = std::chrono::steady_clock;
using std::chrono::milliseconds;

// --- the system's files

std::optional<std::string> first_line(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line)) return {};
    return line;
}

std::optional<std::int64_t> number_in(const std::optional<std::string>& text) {
    std::int64_t value = 0;
    if (!text) return {};
    const char* const end = text->data() + text->size();
    const auto [stopped, wrong] = std::from_chars(text->data(), end, value);
    if (wrong != std::errc() || stopped == text->data()) return {};
    return value;
}

// "150000 100000" are one and a half cores; "max 100000" is no bound.
std::optional<double> cores_in_group(const fs::path& root) {
    std::optional<std::int64_t> quota;
    std::optional<std::int64_t> period;
    if (const auto both = first_line(root / "sys/fs/cgroup/cpu.max")) {
        quota = number_in(both);
        const std::size_t space = both->find(' ');
        if (space != both->npos) period = number_in(both->substr(space + 1));
    } else {
        quota = number_in(first_line(root / "sys/fs/cgroup/cpu/cpu.cfs_quota_us"));
        period = number_in(first_line(root / "sys/fs/cgroup/cpu/cpu.cfs_period_us"));
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) return {};
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

// The eighth number of "cpu  3486249 3615121 ...".
std::optional<std::uint64_t> stolen_ticks(const fs::path& root) {
    const auto line = first_line(root / "proc/stat");
    if (!line) return {};
    std::istringstream in(*line);
    std::string name;
    in >> name;
    std::uint64_t value = 0;
    constexpr int steal = 8;
    for (int i = 0; i < steal; ++i) {
        if (!(in >> value)) return {};
    }
    return value;
}

// --- the clock

double to_nanoseconds(double ticks) {
    return ticks * 1e9 / static_cast<double>(default_clock::hertz());
}

// The smallest step between two readings that differ.
double smallest_step() {
    constexpr int readings = 20'000;
    word least = largest<word>;
    word last = default_clock::now().count;
    for (int i = 0; i < readings; ++i) {
        const word now = default_clock::now().count;
        if (now != last && now - last < least) least = now - last;
        last = now;
    }
    return to_nanoseconds(static_cast<double>(least));
}

double longest_gap(milliseconds time) {
    word most = 0;
    const auto begin = default_clock::now();
    const auto end = later(begin, time);
    word last = begin.count;
    for (auto now = begin; earlier(now, end);) {
        now = default_clock::now();
        if (now.count - last < largest<word> / 2) most = std::max<word>(most, now.count - last);
        last = now.count;
    }
    return to_nanoseconds(static_cast<double>(most));
}

double system_clock_cost() {
    constexpr int calls = 10'000;
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        const auto begin = real_time::now();
        for (int i = 0; i < calls; ++i) (void)steady_clock::now();
        const std::chrono::duration<double, std::nano> time = real_time::now() - begin;
        best = std::min(best, time.count() / calls);
    }
    return best;
}

// --- the cores

std::vector<int> usable_cores() {
    cpu_set_t set;
    std::vector<int> cores;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(static_cast<unsigned>(core), &set)) cores.push_back(core);
    }
    return cores;
}

// The time, read neither before what stands in front of it nor after what follows: a core may
// otherwise read its counter before the ball has come.
word read_in_order() {
#if defined(__x86_64__)
    asm volatile("lfence" ::: "memory");
    const word now = default_clock::now().count;
    asm volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
    const word now = default_clock::now().count;
    asm volatile("isb" ::: "memory");
#else
    const word now = default_clock::now().count;
#endif
    return now;
}

// Two threads on two cores throw a ball, and each reads its core's time when it has it. What the
// second one reads lies between two readings of the first one, unless the counters are apart.
class ball_game {
public:
    // False if the threads could not be bound to these cores.
    [[nodiscard]] bool play(int here, int there, milliseconds time) {
        std::atomic<int> refused{0};
        std::thread other([&] {
            refused += linux_thread::set_core(there);
            for (int turn = 1;; turn += 2) {
                if (!await(turn)) return;
                read_there_ = read_in_order();
                // Pairs with the acquire in `await` of the other thread, as there.
                ball_.store(turn + 1, std::memory_order_release);
            }
        });
        std::thread one([&] {
            refused += linux_thread::set_core(here);
            // Where others take the cores away few rounds tell anything; so there are some at
            // least.
            constexpr int fewest = 2 * 200;
            const auto begin = real_time::now();
            int turn = 1;
            for (auto gone = begin - begin; gone < time || (turn < fewest && gone < 10 * time);
                 gone = real_time::now() - begin) {
                const word before = read_in_order();
                ball_.store(turn, std::memory_order_release);  // pairs with `await` of the other
                (void)await(turn + 1);
                note(before, read_there_, read_in_order());
                turn += 2;
            }
            ball_.store(over, std::memory_order_release);  // pairs with `await` of the other
        });
        one.join();
        other.join();
        return refused == 0;
    }

    // Of the second core's time ahead of the first one's, in ticks: it lies between these.
    [[nodiscard]] std::int64_t lowest() const { return lowest_; }
    [[nodiscard]] std::int64_t highest() const { return highest_; }

private:
    static constexpr int over = -1;

    [[nodiscard]] bool await(int turn) {
        for (unsigned i = 1;; ++i) {
            // Pairs with the release of who throws it: what was read there comes along.
            const int seen = ball_.load(std::memory_order_acquire);
            if (seen == turn) return true;
            if (seen == over) return false;
            // Two threads on one core would else wait for the end of a time slice.
            if (i % 4'096 == 0) std::this_thread::yield();
        }
    }
    void note(word before, word there, word after) {
        lowest_ = std::max(lowest_, static_cast<std::int64_t>(there - after));
        highest_ = std::min(highest_, static_cast<std::int64_t>(there - before));
    }

    std::atomic<int> ball_{0};
    word read_there_ = 0;
    std::int64_t lowest_ = INT64_MIN;
    std::int64_t highest_ = INT64_MAX;
};

std::optional<core_skew> skew_of_cores(milliseconds each) {
    constexpr std::size_t most_cores = 17;
    std::vector<int> cores = usable_cores();
    if (cores.size() < 2) return {};
    // Of very many, those that are far from each other.
    while (cores.size() > most_cores) {
        for (std::size_t i = 1; i < cores.size(); ++i) {
            cores.erase(cores.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    core_skew skew{};
    for (std::size_t i = 1; i < cores.size(); ++i) {
        ball_game game;
        if (!game.play(cores[0], cores[i], each)) continue;
        ++skew.cores;
        const auto low = static_cast<double>(game.lowest());
        const auto high = static_cast<double>(game.highest());
        skew.at_least = std::max({skew.at_least, to_nanoseconds(low), to_nanoseconds(-high)});
        skew.at_most = std::max({skew.at_most, to_nanoseconds(-low), to_nanoseconds(high)});
    }
    if (skew.cores == 0) return {};
    return skew;
}

// --- permissions

// Asked in a thread of its own, so that this one stays what it is.
int realtime_refused() {
    int reason = 0;
    std::thread([&reason] { reason = linux_thread::set_class(scheduling::fifo, 1); }).join();
    return reason;
}

std::string hypervisor_of(const fs::path& root) {
#ifdef __x86_64__
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned is_guest = 1U << 31U;
    if (__get_cpuid(1, &a, &b, &c, &d) != 0 && (c & is_guest) != 0) {
        constexpr unsigned vendor = 0x4000'0000;
        __cpuid(vendor, a, b, c, d);
        std::array<char, 13> name{};
        std::memcpy(name.data(), &b, 4);
        std::memcpy(name.data() + 4, &c, 4);
        std::memcpy(name.data() + 8, &d, 4);
        std::string text;
        for (const char* p = name.data(); *p != '\0'; ++p) text += *p > ' ' && *p <= '~' ? *p : '?';
        return text.empty() ? "unnamed" : text;
    }
#endif
    return first_line(root / "sys/hypervisor/type").value_or("");
}

}  // namespace

system_facts read_system(const fs::path& root) {
    system_facts f;
    f.clock_source =
        first_line(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
    f.governor = first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    f.cores_allowed = cores_in_group(root);
    f.realtime_share = number_in(first_line(root / "proc/sys/kernel/sched_rt_runtime_us"));
    f.stolen = stolen_ticks(root);
    std::error_code ignored;
    f.in_container =
        fs::exists(root / ".dockerenv", ignored) || fs::exists(root / "run/.containerenv", ignored);
    return f;
}

doctor_facts look_around(bool quick, const std::function<void(std::string_view)>& begins) {
    doctor_facts f;
    f.quick = quick;
    begins("the machine");
    f.where = this_machine();
    f.system = read_system();
    const auto began = real_time::now();
    f.hypervisor = hypervisor_of("/");
    f.realtime_refused = realtime_refused();
    f.fence_refused = linux_thread::may_fence_all();
    f.has_sections = restartable::sections() == core_sections::used;
    f.sections = describe(restartable::sections());
    const int slack = ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack >= 0) f.timer_slack = slack;
    if (::access("/dev/shm", F_OK) == 0) f.shared_memory = ::access("/dev/shm", W_OK) == 0;

    begins("the clock");
    f.clock_step = smallest_step();
    f.system_clock_read = system_clock_cost();
    f.longest_gap = longest_gap(milliseconds(quick ? 20 : 500));
    begins("the cores");
    f.skew = skew_of_cores(milliseconds(quick ? 3 : 40));
    begins("costs of a decision");
    f.costs = measure_costs(milliseconds(quick ? 50 : 1'000));
    add_pairs(f.costs, measure_rivals(milliseconds(quick ? 50 : 500)));
    for (const waiting how : {waiting::sleep, waiting::hybrid, waiting::spin}) {
        begins(std::string("waiting: ") + describe(how));
        f.waits.push_back(lateness_of(how, quick ? 20 : 300));
    }
    if (const auto after = read_system().stolen; after && f.system.stolen) {
        const std::chrono::duration<double> time = real_time::now() - began;
        const double ticks = static_cast<double>(*after - *f.system.stolen);
        const double all = time.count() * static_cast<double>(::sysconf(_SC_CLK_TCK)) *
                           std::max(1U, std::thread::hardware_concurrency());
        f.stolen_share = std::min(1.0, ticks / all);
    }
    return f;
}

}  // namespace weir::command

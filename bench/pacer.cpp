// SPDX-License-Identifier: MIT
// The pacer: what a push costs beside the bare queue's, how many items it passes on in virtual
// time, and in real time how late it is and what of a core it takes, by each way of waiting; also
// beside processes that want the cores as much.

#include "harness/pacer.hpp"

#ifdef WEIR_BENCH_PACER

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <ostream>
#include <span>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/adapter/tracy.hpp>
#include <weir/clock/manual.hpp>
#include <weir/pacer/keyed_pacer.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/statistics.hpp>
#include <weir/pacer/steered_lane.hpp>
#include <weir/weir.hpp>

namespace bench {

namespace {

using weir::catch_up;
using weir::lanes;
using weir::quota;
using weir::seconds;
using weir::waiting;
using weir::word;

constexpr std::size_t places = 65'536;

[[nodiscard]] double nanoseconds_of(word ticks) {
    return static_cast<double>(weir::to_time<weir::default_clock>(ticks).count());
}

template <class... Values>
void line(std::ostream& out, const char* format, Values... values) {
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    out << text.data();
}

// The fastest of so many times, per operation.
template <class Prepare, class Act>
[[nodiscard]] double fastest(int times, std::size_t operations, Prepare prepare, Act act) {
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < times; ++i) {
        prepare();
        const word begin = weir::default_clock::now().count;
        act();
        const word end = weir::default_clock::now().count;
        best = std::min(best, nanoseconds_of(end - begin) / static_cast<double>(operations));
    }
    return best;
}

// --- virtual time: one lane, items of 8 bytes

using virtual_clock = weir::manual_clock<struct pacer_bench>;

struct one_by_one {
    void emit(word&& i) { sum += i; }
    static void drop(word&&, weir::dropped) {}
    word sum = 0;
};
struct together {
    static constexpr std::size_t most_at_once = 64;
    void emit(std::span<word> items) {
        for (const word i : items) sum += i;
    }
    static void drop(word&&, weir::dropped) {}
    word sum = 0;
};

// Without the push: what the polling thread can do. Through a lane that can be steered it moves
// what waits into places of its own.
template <class Sink, class Observer, class Lanes = lanes<8>>
[[nodiscard]] double passed_on(catch_up c) {
    Sink sink;
    auto p =
        std::make_unique<weir::pacer<word, Sink&, weir::schedule<virtual_clock>, Lanes, Observer>>(
            weir::schedule<virtual_clock>(weir::per_second(100'000'000), c), sink,
            weir::pacer_options{.capacity = places});
    auto mine = p->open();
    return fastest(
        30, places,
        [&] {
            for (word i = 0; i < places; ++i) (void)mine.try_push(word(i));
        },
        [&] {
            for (auto next = p->poll(); next.what == weir::polled::due; next = p->poll()) {
                virtual_clock::set(next.at);
                if (c.half_intervals > 2) virtual_clock::advance(weir::nanoseconds(640));
            }
        });
}

// By a keyed pacer, one item of each key after the other; a key's next one may go a millisecond
// later, so keys wait for their slots while others go.
struct keyed_item {
    word key;
};
struct keyed_sink {
    void emit(keyed_item&& i) { sum += i.key; }
    static void drop(keyed_item&&, weir::dropped) {}
    word sum = 0;
};
[[nodiscard]] double passed_on_by_key(word keys) {
    keyed_sink sink;
    using pacer = weir::keyed_pacer<keyed_item, weir::each<&keyed_item::key>, keyed_sink&,
                                    weir::no_limit<virtual_clock>, lanes<1>>;
    auto p =
        std::make_unique<pacer>(weir::quota{1'000, seconds(1), 1}, weir::no_limit<virtual_clock>{},
                                sink, weir::keyed_pacer_options{.keys = keys, .capacity = places});
    auto mine = p->open();
    word number = 0;
    return fastest(
        30, places,
        [&] {
            for (word i = 0; i < places; ++i) {
                (void)mine.try_push({++number * 0x9E37'79B9'7F4A'7C15 % keys});
            }
        },
        [&] {
            for (auto next = p->poll(); next.what == weir::polled::due; next = p->poll())
                virtual_clock::set(next.at);
        });
}

// --- pushes

[[nodiscard]] double bare_push() {
    boost::lockfree::spsc_queue<word> queue(places);
    return fastest(
        100, places, [&] { queue.reset(); },
        [&] {
            for (word i = 0; i < places; ++i) (void)queue.push(i);
        });
}

struct sink_of_nothing {
    static void emit(word&&) {}
    static void drop(word&&, weir::dropped) {}
};
using real_pacer = weir::pacer<word, sink_of_nothing, weir::schedule<>, lanes<4>>;

// While its pacer emits so many a second on its thread, or is polled by nobody.
[[nodiscard]] double push(std::int64_t rate, bool given_time) {
    auto p =
        std::make_unique<real_pacer>(weir::schedule<>(weir::per_second(rate == 0 ? 1 : rate)),
                                     sink_of_nothing{}, weir::pacer_options{.capacity = places});
    std::unique_ptr<weir::pacer_thread<real_pacer>> runner;
    if (rate != 0) {
        runner = std::make_unique<weir::pacer_thread<real_pacer>>(*p);
        (void)runner->start();
    }
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < 30; ++i) {
        auto mine = p->open();
        (void)mine.try_push(0);
        (void)mine.try_push(0);  // from here on there is a backlog
        if (rate != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        best = std::min(best, fastest(
                                  1, places / 2, [] {},
                                  [&] {
                                      const auto now = weir::default_clock::now();
                                      for (word k = 0; k < places / 2; ++k) {
                                          if (given_time) {
                                              (void)mine.try_push(word(k), 1, {}, now);
                                          } else {
                                              (void)mine.try_push(word(k));
                                          }
                                      }
                                  }));
        mine.close();
        const auto empty = [](auto& its) {
            its.set_rate(weir::per_second(1'000'000'000));
            while (its.poll().what == weir::polled::due) {
            }
        };
        if (runner != nullptr) {
            runner->run(empty);
            runner->run([&](auto& its) { its.set_rate(weir::per_second(rate)); });
        } else {
            empty(*p);
        }
    }
    return best;
}

// --- real time

// Microseconds.
struct percentiles {
    double p50 = 0;
    double p99 = 0;
    double p999 = 0;
    double p9999 = 0;
    double longest = 0;
};

struct lateness {
    double rate = 0;      // of what was asked
    percentiles all;      // from the slot to the sink
    percentiles systems;  // of that, to the end of the thread's wait
    percentiles own;      // and from there to the sink
    double core = 0;      // share
    double sleeps = 0;
    std::array<word, weir::delays> lost{};  // slots
};

[[nodiscard]] double cpu_of_this_thread() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    const auto seconds_of = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

[[nodiscard]] percentiles summed_up(std::vector<double>& late) {
    std::sort(late.begin(), late.end());
    const auto at = [&](double part) {
        return late.empty()
                   ? 0.0
                   : late[static_cast<std::size_t>(part * static_cast<double>(late.size() - 1))];
    };
    return {at(0.5), at(0.99), at(0.999), at(0.9999), at(1)};
}

// What the system alone can do.
[[nodiscard]] lateness bare_sleep(std::int64_t rate, int time) {
    const word interval = 1'000'000'000 / static_cast<word>(rate);
    std::vector<double> late;
    double core = 0;
    std::jthread([&] {
        (void)weir::linux_thread::set_timer_slack(weir::nanoseconds(1));
        word next = weir::steady_clock::now().count;
        for (std::int64_t i = rate * time; i > 0; --i) {
            next += interval;
            const timespec until =
                weir::linux_thread::instant(weir::nanoseconds(static_cast<std::int64_t>(next)));
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
            late.push_back(static_cast<double>(weir::steady_clock::now().count - next) / 1e3);
        }
        core = cpu_of_this_thread() / time;
    }).join();
    lateness l;
    l.all = l.systems = summed_up(late);
    l.core = core;
    return l;
}

// The slot of an item, told by the pacer, when its thread was woken, and when the sink gets it.
struct slots {
    class during : public weir::statistics::during {
    public:
        during(slots& whose, weir::pacer_work what) noexcept
            : weir::statistics::during(whose.counts, what),
              whose_(what == weir::pacer_work::wait ? &whose : nullptr) {}
        during(const during&) = delete;
        during& operator=(const during&) = delete;
        ~during() {
            if (whose_ != nullptr) whose_->woken = weir::default_clock::now().count;
        }

    private:
        slots* whose_;
    };

    void on_emit(weir::tick now, word late, word, word) noexcept { slot = now.count - late; }
    void on_emitted(bool well) noexcept { counts.on_emitted(well); }
    void on_dropped(weir::dropped reason) noexcept { counts.on_dropped(reason); }
    static void on_event(weir::pacer_event) noexcept {}
    void on_lost(word lost, bool in_a_callback) noexcept { counts.on_lost(lost, in_a_callback); }
    void on_polled(weir::tick now, auto items) noexcept { counts.on_polled(now, items); }

    weir::statistics counts;
    word slot = 0;
    word woken = 0;
};
struct timing_sink {
    void emit(word&&) {
        const word now = weir::default_clock::now().count;
        const word slot = slot_of->slot;
        if (first == 0) first = slot;  // or a late first item would make a rate above 1
        last = now;
        // Whoever was awake in time is late by all of it.
        const bool slept = weir::earlier({slot}, {slot_of->woken});
        const word from = slept ? slot_of->woken : slot;
        late.push_back(nanoseconds_of(now - slot) / 1e3);
        systems.push_back(nanoseconds_of(from - slot) / 1e3);
        own.push_back(nanoseconds_of(now - from) / 1e3);
    }
    static void drop(word&&, weir::dropped) {}
    const slots* slot_of = nullptr;
    word first = 0;
    word last = 0;
    std::vector<double> late;
    std::vector<double> systems;
    std::vector<double> own;
};

[[nodiscard]] lateness paced(waiting how, std::int64_t rate, int time,
                             weir::scheduling by = weir::scheduling::as_usual) {
    using pacer = weir::pacer<word, timing_sink&, weir::schedule<>, lanes<1>, slots>;
    timing_sink sink;
    for (auto* times : {&sink.late, &sink.systems, &sink.own})
        times->reserve(static_cast<std::size_t>(rate * time) + places);
    const auto p =
        std::make_unique<pacer>(weir::schedule<>(weir::per_second(rate), catch_up::items(10)), sink,
                                weir::pacer_options{.capacity = places});
    sink.slot_of = &p->observer();
    weir::pacer_thread runner(*p, {.how = how, .by = by});
    if (runner.start().scheduling != 0) return {};
    double before = 0;
    runner.run([&](auto&) { before = cpu_of_this_thread(); });
    const word sleeps = runner.approx_sleeps();
    {
        auto mine = p->open();
        for (std::int64_t left = rate * time; left > 0;) {
            if (mine.try_push(1)) {
                --left;
            } else {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
        }
    }
    while (p->approx_size() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    double after = 0;
    runner.run([&](auto&) { after = cpu_of_this_thread(); });
    runner.stop();
    lateness l;
    l.all = summed_up(sink.late);
    l.systems = summed_up(sink.systems);
    l.own = summed_up(sink.own);
    for (std::size_t i = 0; i < l.lost.size(); ++i)
        l.lost[i] = p->observer().counts.lost_by(static_cast<weir::delay>(i));
    const double took = nanoseconds_of(sink.last - sink.first) / 1e9;
    l.rate = static_cast<double>(sink.late.size() - 1) / took / static_cast<double>(rate);
    l.core = (after - before) / took;
    l.sleeps = static_cast<double>(runner.approx_sleeps() - sleeps) / took;
    return l;
}

// Processes that do nothing but take what they can get of the cores, as long as this lives. They
// end by themselves should nobody be left to end them.
class busy_processes {
public:
    explicit busy_processes(int count) {
        for (int i = 0; i < count; ++i) {
            const pid_t child = fork();
            if (child == 0) {
                alarm(300);
                for (volatile unsigned turns = 0;;) turns = turns + 1;
            }
            if (child > 0) all_.push_back(child);
        }
    }
    busy_processes(const busy_processes&) = delete;
    busy_processes& operator=(const busy_processes&) = delete;
    ~busy_processes() {
        for (const pid_t child : all_) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }

private:
    std::vector<pid_t> all_;
};

// Only the ways of one round can be compared, as all rounds have different neighbours.
void write_beside_busy(std::ostream& out) {
    constexpr int rounds = 8;
    constexpr int time = 2;  // seconds each
    constexpr std::int64_t rate = 10'000;
    constexpr std::array<waiting, 3> ways = {waiting::sleep, waiting::hybrid, waiting::spin};
    std::array<std::vector<lateness>, 3> all;
    {
        const busy_processes others(4);
        for (int i = 0; i < rounds; ++i) {
            for (std::size_t k = 0; k < ways.size(); ++k) {
                const std::size_t way = i % 2 == 0 ? k : ways.size() - 1 - k;
                all[way].push_back(paced(ways[way], rate, time));
            }
        }
    }
    out << "\nThe same at 10 kHz beside four busy processes, in rounds of all three: the share of "
           "the rate\nthat is lost, and how much more of it than by `sleep` in the same round. "
           "Bar: 1 % more by `hybrid`.\n\n"
           "| how    | lost, median |   least |    most | more than `sleep`, median |  core |\n"
           "| ------ | -----------: | ------: | ------: | ------------------------: | ----: |\n";
    const auto middle = [](std::vector<double> v) {
        std::sort(v.begin(), v.end());
        return v[v.size() / 2];
    };
    for (std::size_t way = 0; way < ways.size(); ++way) {
        std::vector<double> lost;
        std::vector<double> more;
        std::vector<double> core;
        for (std::size_t i = 0; i < all[way].size(); ++i) {
            lost.push_back(100 * (1 - all[way][i].rate));
            more.push_back(100 * (all[0][i].rate - all[way][i].rate));
            core.push_back(all[way][i].core);
        }
        line(out, "| %-6s | %10.2f %% | %5.2f %% | %5.2f %% | %23.2f %% | %5.3f |\n",
             describe(ways[way]), middle(lost), *std::min_element(lost.begin(), lost.end()),
             *std::max_element(lost.begin(), lost.end()), middle(more), middle(core));
    }
}

struct timed {
    const char* how;
    std::int64_t rate;
    lateness late;
};

void write_tail(std::ostream& out, const std::vector<timed>& all) {
    out << "\nThe tail of the same. The system's part is from the slot to the end of the thread's "
           "wait; the own\npart is from there to the sink, and includes what the system takes of "
           "the "
           "core meanwhile. At 1 kHz\nthe p99.99 is the second longest. The last columns count "
           "lost "
           "slots, which were later than the\ncatch-up, by what delayed the pacer.\n\n"
           "| how                   |  Hz   |   p99.9 |  p99.99 | longest | system's p99.9 |  "
           "p99.99 "
           "| own p50 |   p99.9 |  p99.99 | late wake | long sink | no poll |\n"
           "| --------------------- | ----: | ------: | ------: | ------: | -------------: | "
           "------: "
           "| ------: | ------: | ------: | --------: | --------: | ------: |\n";
    for (const timed& t : all) {
        const lateness& l = t.late;
        line(out, "| %-21s | %5lld | %7.1f | %7.1f | %7.1f | %14.1f | %7.1f |", t.how,
             static_cast<long long>(t.rate), l.all.p999, l.all.p9999, l.all.longest, l.systems.p999,
             l.systems.p9999);
        const auto lost = [&l](weir::delay by) {
            return static_cast<unsigned long long>(l.lost.at(static_cast<std::size_t>(by)));
        };
        line(out, " %7.2f | %7.1f | %7.1f | %9llu | %9llu | %7llu |\n", l.own.p50, l.own.p999,
             l.own.p9999, lost(weir::delay::late_wake), lost(weir::delay::long_sink),
             lost(weir::delay::no_poll));
    }
}

void write_row(std::ostream& out, const char* what, double value, double bar, const char* unit) {
    line(out, "| %-42s | %8.1f | %8.1f | %-10s |\n", what, value, bar, unit);
}

}  // namespace

void write_pacer(std::ostream& out) {
    out << "\n## The pacer\n\n"
           "| what                                       |          |      bar |            |\n"
           "| ------------------------------------------ | -------: | -------: | ---------- |\n";
    const auto millions = [](double ns) { return 1e3 / ns; };
    const double unwatched = passed_on<one_by_one, weir::unwatched>(catch_up::items(64));
    write_row(out, "lane to sink, one by one", millions(unwatched), 8, "M items/s");
    write_row(out, "the same, with statistics",
              millions(passed_on<one_by_one, weir::statistics>(catch_up::items(64))), 8,
              "M items/s");
#ifdef TRACY_ENABLE
    // An item is four: it is taken, handed on, counted, and polled for.
    const double traced =
        passed_on<one_by_one, weir::pacer_trace<"bench", virtual_clock>>(catch_up::items(64));
    write_row(out, "an event for Tracy, nobody connected", (traced - unwatched) / 4, 3, "ns");
#endif
    write_row(out, "lane to sink, up to 64 at once",
              millions(passed_on<together, weir::unwatched>(catch_up::items(64))), 20, "M items/s");
    write_row(out, "one by one, lanes that can be steered",
              millions(passed_on<one_by_one, weir::unwatched, weir::steered<lanes<8>>>(
                  catch_up::items(64))),
              8, "M items/s");
    write_row(out, "lane to sink by key, one key", millions(passed_on_by_key(1)), 1, "M items/s");
    write_row(out, "lane to sink by key, 100 000 keys", millions(passed_on_by_key(100'000)), 1,
              "M items/s");
    const double bare = bare_push();
    write_row(out, "push into the bare queue", bare, 0, "ns");
    write_row(out, "try_push, nobody polls", push(0, false), bare + 15, "ns");
    write_row(out, "try_push, time given, nobody polls", push(0, true), bare + 15, "ns");
    write_row(out, "try_push, pacer asleep with a backlog", push(1, false), bare + 15, "ns");
    write_row(out, "try_push, pacer emits 10 kHz", push(10'000, false), bare + 15, "ns");

    constexpr int time = 5;  // seconds each
    out << "\nItems emitted in real time, with a catch-up of 10 intervals: the share of the rate "
           "asked "
           "for,\nmicroseconds from the slot to the sink, share of a core, sleeps a second. Bars: "
           "never "
           "above\n1, at least 0.999 and a p50 of 0.2 by `hybrid`; its p99 no more than that of "
           "the "
           "bare loop.\n\n"
           "| how                   |  Hz   |     rate |   p50 |    p99 |  core | sleeps/s |\n"
           "| --------------------- | ----: | -------: | ----: | -----: | ----: | -------: |\n";
    std::vector<timed> all;
    for (const std::int64_t rate : {std::int64_t{1'000}, std::int64_t{10'000}}) {
        all.push_back({"bare clock_nanosleep", rate, bare_sleep(rate, time)});
        all.push_back({"sleep", rate, paced(waiting::sleep, rate, time)});
        all.push_back({"hybrid", rate, paced(waiting::hybrid, rate, time)});
        all.push_back({"spin", rate, paced(waiting::spin, rate, time)});
        const lateness fifo = paced(waiting::hybrid, rate, time, weir::scheduling::fifo);
        if (fifo.rate > 0) all.push_back({"hybrid, SCHED_FIFO", rate, fifo});
    }
    for (const auto& [how, rate, l] : all) {
        line(out, "| %-21s | %5lld | %8.6f | %5.2f | %6.1f | %5.3f | %8.1f |\n", how,
             static_cast<long long>(rate), l.rate, l.all.p50, l.all.p99, l.core, l.sleeps);
    }
    write_tail(out, all);
    write_beside_busy(out);
}

}  // namespace bench

#else

#include <ostream>

namespace bench {

void write_pacer(std::ostream& out) { out << "\nThe pacer was not measured: Boost not found.\n"; }

}  // namespace bench

#endif

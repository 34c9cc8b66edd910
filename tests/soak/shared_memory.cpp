// SPDX-License-Identifier: MIT
// A limit in shared memory: each thread opens it for itself, as a process would, and all of them at
// the same time. Together they have one quota.
#include <atomic>
#include <string>
#include <unistd.h>

#include <weir/adapter/shm.hpp>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {
namespace {

using shared = shared_limiter<gcra<>, default_clock, counters>;

// Gone when the round is over.
class name_of_round {
public:
    name_of_round() {
        static std::atomic<unsigned> last{0};
        text_ = "/weir-soak-" + std::to_string(::getpid()) + "-" + std::to_string(++last);
    }
    name_of_round(const name_of_round&) = delete;
    name_of_round& operator=(const name_of_round&) = delete;
    ~name_of_round() { (void)remove_shared(text_.c_str()); }

    [[nodiscard]] const char* c_str() const { return text_.c_str(); }

private:
    std::string text_;
};

}  // namespace

const char* why_no_shared_memory() {
    static const shm_error reason = [] {
        const name_of_round name;
        const auto made = shared::open(name.c_str(), per_second(1));
        return made ? shm_error::none : made.error();
    }();
    return reason == shm_error::none ? nullptr : describe(reason);
}

void soak_shared_memory_of(round& r, bool each_its_own) {
    terms t{per_second(1), {}, 0};
    do t = any_terms(r.random(), 1'000'000);
    while (shared::refusal(t.asked, t.options) != quota_error::none);
    r.about(in_words(t));
    const name_of_round name;
    const std::vector<name_of_round> own(each_its_own ? t.threads : 0);
    const auto burst = static_cast<word>(t.asked.burst());
    const word most = r.random().magnitude(1, std::min<word>(burst, 64));

    std::vector<asked> each(t.threads);
    std::vector<std::string> wrong(t.threads);
    r.crowd(t.threads, [&](const stop_asked& stop, unsigned number, dice d) {
        asked& mine = each[number];
        mine.passed.reserve(most_passages);
        const manner how(d);
        auto opened =
            shared::open(each_its_own ? own[number].c_str() : name.c_str(), t.asked, t.options);
        if (!opened) {
            wrong[number] = describe(opened.error());
            return;
        }
        while (!stop.stop_requested() && mine.passed.size() < most_passages) {
            ask_once(*opened, d, mine, most, false);
            how.maybe_pause(d);
        }
        if (opened->observer().admitted() != mine.admitted)
            wrong[number] = "its counters differ from what its thread was told";
    });
    asked all;
    for (const asked& one : each) all.add(one);
    for (const std::string& text : wrong) r.promise(text.empty(), text);
    r.count(all.admitted, all.denied + all.never);
    at_their_own_time(all.passed);
    promise_spans<default_clock>(r, all.passed, t.asked, burst);
    auto again = shared::open(name.c_str(), t.asked, t.options);
    r.promise(bool(again), again ? "" : describe(again.error()));
    if (again) promise_answers(r, *again, all.end<default_clock>(), burst);
}

void soak_shared_memory(round& r) { soak_shared_memory_of(r, false); }

}  // namespace weir::soak

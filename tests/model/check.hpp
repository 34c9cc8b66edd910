// SPDX-License-Identifier: MIT
// A check: a scenario under the sentence that it shows to hold, and the searches for a schedule in
// which it does not. A check with a complaint is a planted bug: it must be found, in these words.
//
//     const model::check x("sentence_in_snake_case", {model::every_schedule}, model::make<mine>);
//
// is all it takes: the program lists its checks, and each becomes a test of ctest.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "relacy_atomic.hpp"

namespace model {

inline constexpr std::size_t threads = 3;

// What happens in each schedule: `before`, then all threads, then `after`. It is the same object in
// all schedules. What is shared is made anew in `before`, and nothing may allocate memory.
class scenario {
public:
    scenario() = default;
    scenario(const scenario&) = delete;
    scenario& operator=(const scenario&) = delete;
    virtual ~scenario() = default;

    virtual void before() = 0;
    virtual void thread(std::size_t index) = 0;
    virtual void after() = 0;

    // Asked at the end: a search that came upon little has shown little.
    [[nodiscard]] virtual bool saw_enough() const { return true; }
};

// What the threads of a scenario share. A search that fails stops in the middle of a schedule, so
// that the end of what it has made must not depend on the end of the scenario.
template <class T>
class shared {
public:
    shared() {}   // NOLINT(modernize-use-equals-default): would be deleted
    ~shared() {}  // NOLINT(modernize-use-equals-default): the same
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;

    template <class... Arguments>
    void begin(Arguments&&... arguments) {
        std::construct_at(&value_, std::forward<Arguments>(arguments)...);
    }
    void end() { std::destroy_at(&value_); }

    T* operator->() { return &value_; }
    T& operator*() { return value_; }

private:
    union {
        T value_;
    };
};

// Ends the schedule, and with it the search.
void require(bool kept, const char* otherwise);

struct search {
    rl::scheduler_type_e kind;
    unsigned preemptions = 0;
    rl::iteration_t schedules = 0;
};

// Each schedule, however many there are: a dozen steps make millions. A load may see the value
// before the newest, and each atomic fails once for nothing.
inline constexpr search every_schedule{rl::sched_full};

// The same, of those schedules in which a thread is stopped no more than so many times.
[[nodiscard]] constexpr search preempted(unsigned times) { return {rl::sched_bound, times}; }

// So many schedules by chance, the same ones each time. A load may see one value before that, and
// an atomic fails for nothing one time in four.
[[nodiscard]] constexpr search drawn(rl::iteration_t schedules) {
    return {rl::sched_random, 0, schedules};
}

using searches = std::vector<search>;
using maker = std::function<std::unique_ptr<scenario>()>;

struct check {
    check(std::string name, searches through, maker make, std::string complaint = "");
};

template <class Scenario>
[[nodiscard]] std::unique_ptr<scenario> make() {
    return std::make_unique<Scenario>();
}

}  // namespace model

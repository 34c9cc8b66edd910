// SPDX-License-Identifier: MIT
// <program> <check>: exits with 0 if it passes. Without an argument: the checks, each with the
// complaint that is expected of it.
#include "check.hpp"

#include <iostream>
#include <string_view>

namespace model {

namespace {

struct entry {
    std::string name;
    searches through;
    maker make;
    std::string complaint;
};

// Not a global one, for checks of all units enter themselves before main.
std::vector<entry>& entries() {
    static std::vector<entry> all;
    return all;
}

scenario* present = nullptr;

// Relacy makes one for each schedule.
struct suite : rl::test_suite<suite, threads> {
    void before() { present->before(); }
    void thread(unsigned index) { present->thread(index); }
    void after() { present->after(); }
};

bool passes(const entry& e) {
    const auto made = e.make();
    present = made.get();
    for (const search& s : e.through) {
        rl::test_params params;
        params.search_type = s.kind;
        params.context_bound = s.preemptions;
        params.iteration_count = s.schedules;
        std::cout << rl::format(s.kind) << ": ";
        if (!rl::simulate<suite>(params)) return false;
    }
    return made->saw_enough();
}

}  // namespace

check::check(std::string name, searches through, maker make, std::string complaint) {
    entries().push_back(
        {std::move(name), std::move(through), std::move(make), std::move(complaint)});
}

void require(bool kept, const char* otherwise) {
    if (!kept) rl::ctx().fail_test(otherwise, rl::test_result_user_assert_failed, RL_INFO);
}

}  // namespace model

int main(int count, char** arguments) {
    if (count != 2) {
        for (const auto& e : model::entries()) std::cout << e.name << ' ' << e.complaint << '\n';
        return 0;
    }
    for (const auto& e : model::entries()) {
        if (e.name == std::string_view(arguments[1])) return model::passes(e) ? 0 : 1;
    }
    std::cerr << "no such check: " << arguments[1] << '\n';
    return 2;
}

// SPDX-License-Identifier: MIT
// The claims about turns, of all states that three lanes can reach from their beginning, whatever
// comes: any of them has something, the one whose turn it is gets one to three units or nothing,
// any of them leaves or comes back.
//
//   turns <n> [turns [<claim>]]    each n-th way to set three lanes up
#include "claims/turns.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

namespace {

constexpr std::size_t lanes = 3;
constexpr unsigned costliest = 3;
// Of one way. No way has so many, but with a mistake there may be no end.
constexpr std::size_t most_states = 1'000'000;
constexpr std::size_t enough_states = 100'000;  // to refute a claim
constexpr unsigned every_lane = (1U << lanes) - 1;

using claims = proof::turns<lanes>;
using turns = claims::rule;
using asked = claims::asked;

long failed = 0;
unsigned long long tried = 0;
unsigned long long states = 0;
const char* only = nullptr;  // the claim that is to be refuted: then that is all
bool is_found = false;

// All that makes a difference.
using key = std::array<std::int64_t, 4 * lanes + 4>;
key key_of(const asked& a) {
    const claims::fields f = claims::of(a.state);
    key k{};
    std::size_t end = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
        k[end++] = static_cast<std::int64_t>(f.ahead(i));
        k[end++] = a.costs[i];
        k[end++] = f.has_entered(i) ? 1 : 0;
        k[end++] = f.limits[f.lanes[i].limit].owed;
    }
    k[end++] = static_cast<std::int64_t>(f.turn);
    k[end++] = static_cast<std::int64_t>(f.served);
    return k;
}

unsigned entered(const turns& t) {
    unsigned some = 0;
    for (std::size_t i = 0; i < lanes; ++i) some |= claims::of(t).has_entered(i) ? 1U << i : 0U;
    return some;
}

bool holds(const asked& a) {
    bool all = true;
    ++tried;
#define WEIR_TRY(claim, numbers)                                                                   \
    if (!claims::claim(a)) {                                                                       \
        all = false;                                                                               \
        if (only != nullptr && std::strcmp(only, #claim) == 0) is_found = true;                    \
        if (only == nullptr || is_found)                                                           \
            std::printf("  refuted: %s: ready %u, cost %u\n", #claim, unsigned(a.ready), a.cost);  \
    }
    WEIR_CLAIMS_OF_TURNS(WEIR_TRY)
#undef WEIR_TRY
    if (only != nullptr) return !is_found;
    return all;
}

// False if a claim is refuted.
bool try_all(const asked& beginning) {
    std::set<key> known{key_of(beginning)};
    std::deque<asked> open{beginning};
    const auto found = [&](const asked& a) {
        if (known.insert(key_of(a)).second) open.push_back(a);
    };
    for (; !open.empty(); open.pop_front()) {
        asked a = open.front();
        ++states;
        if (only != nullptr && known.size() > enough_states) return true;
        if (known.size() > most_states) {
            std::printf("  refuted: there are too many states\n");
            return false;
        }
        const unsigned some = entered(a.state);
        for (unsigned ready = 0; ready <= every_lane; ++ready) {
            if ((ready & ~some) != 0) continue;
            a.ready = ready;
            for (a.cost = 1; a.cost <= costliest; ++a.cost) {
                if (!holds(a)) return false;
                asked next = a;
                const std::size_t lane = next.state.pick(ready);
                found(next);  // who had a turn did not take it
                if (lane == turns::nobody) continue;
                next.state.served(lane, a.cost);
                next.costs[lane] = a.cost;
                found(next);
            }
        }
        for (std::size_t i = 0; i < lanes; ++i) {
            asked next = open.front();
            if ((some >> i & 1) != 0) {
                next.state.leave(i);
            } else {
                next.state.enter(i, a.priorities[i], a.weights[i], a.limits[i]);
            }
            found(next);
        }
    }
    return true;
}

}  // namespace

int main(int count, char** words) {
    const int every = count > 1 ? std::atoi(words[1]) : 0;
    only = count > 3 ? words[3] : nullptr;
    if (every < 1) {
        std::fputs("usage: turns <n> [turns [<claim>]]: each n-th way to set three lanes up\n",
                   stderr);
        return 2;
    }
    const int other = 0;  // its address is a limit
    struct kind {
        unsigned priority, weight;
        const void* limit;
    };
    std::vector<kind> kinds;
    for (unsigned priority : {0U, 5U})
        for (unsigned weight : {1U, 2U, 4U})
            for (const void* limit :
                 {static_cast<const void*>(nullptr), static_cast<const void*>(&other)})
                kinds.push_back({priority, weight, limit});
    int ways = 0;
    int chosen = 0;
    for (unsigned one_in : {0U, 2U, 4U})
        for (const kind& a : kinds)
            for (const kind& b : kinds)
                for (const kind& c : kinds) {
                    if (ways++ % every != 0 || is_found) continue;
                    ++chosen;
                    asked begin{};
                    begin.one_in = one_in;
                    begin.costliest = costliest;
                    begin.state.lowest_gets_one_in(one_in);
                    const kind set[lanes] = {a, b, c};
                    for (std::size_t i = 0; i < lanes; ++i) {
                        begin.priorities[i] = set[i].priority;
                        begin.weights[i] = set[i].weight;
                        begin.limits[i] = set[i].limit;
                        begin.state.enter(i, set[i].priority, set[i].weight, set[i].limit);
                    }
                    if (try_all(begin)) continue;
                    ++failed;
                    std::printf("  one in %u for the last class; priority, weight, limit:", one_in);
                    for (const kind& k : set) {
                        std::printf(" %u %u %s;", k.priority, k.weight, k.limit ? "other" : "own");
                    }
                    std::printf("\n");
                }
    std::printf(
        "turns: %d ways of %d to set three lanes up\n%llu states, %llu questions, %ld refuted\n",
        chosen, ways, states, tried, failed);
    return failed == 0 ? 0 : 1;
}

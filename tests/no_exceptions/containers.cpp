// SPDX-License-Identifier: MIT
// Limiters in the containers of the standard library: compiled and run by each compiler that is
// found, with and without exceptions and run-time types. Ends with the line that failed.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#include <version>

#ifdef __cpp_lib_jthread
#include <weir/limiter/adjustable.hpp>
#endif
#include <weir/limiter/all_of.hpp>
#include <weir/pacer/schedule.hpp>
#include <weir/weir.hpp>

namespace {

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            failed = __LINE__;                                                                     \
            return;                                                                                \
        }                                                                                          \
    } while (false)

int failed = 0;  // the line of an expectation that was not met

template <class Limit>
[[nodiscard]] bool passes_exactly(Limit& limit, weir::word units) {
    return limit.try_acquire(units).admitted() && !limit.try_acquire().admitted();
}

template <class Limit>
void in_containers() {
    const weir::quota ten = weir::per_hour(10);

    std::vector<Limit> players;
    for (int i = 0; i < 64; ++i) players.emplace_back(weir::per_hour(10));
    for (Limit& player : players) EXPECT(passes_exactly(player, 10));
    players.push_back(Limit(ten, {.start = 3}));
    players.erase(players.begin());
    EXPECT(players.size() == 64);
    EXPECT(passes_exactly(players.back(), 3));
    std::swap(players.front(), players.back());
    players.back().reset();
    EXPECT(passes_exactly(players.back(), 10));
    players.insert(players.begin(), Limit(ten));
    EXPECT(passes_exactly(players.front(), 10));

    std::array<Limit, 2> pair{Limit(ten), Limit(ten)};
    EXPECT(passes_exactly(pair[1], 10));

    std::deque<Limit> queue;
    queue.emplace_back(weir::per_hour(10));
    queue.emplace_front(weir::per_hour(2), weir::options{.start = 1});
    EXPECT(passes_exactly(queue.front(), 1));

    std::optional<Limit> maybe;
    maybe.emplace(weir::per_hour(10));
    EXPECT(passes_exactly(*maybe, 10));
    maybe = Limit(ten);
    EXPECT(passes_exactly(*maybe, 10));
    maybe = Limit(weir::per_hour(5));
    EXPECT(passes_exactly(*maybe, 5));
    EXPECT(maybe->quota().units() == 5);

    std::map<std::string, Limit> named;
    EXPECT(named.try_emplace("a", weir::per_hour(10)).second);
    EXPECT(!named.try_emplace("a", weir::per_hour(3)).second);
    EXPECT(named.emplace("b", weir::per_hour(3)).second);
    EXPECT(passes_exactly(named.at("a"), 10));
    named.insert_or_assign("a", Limit(ten));
    EXPECT(passes_exactly(named.at("a"), 10));

    std::unordered_map<int, Limit> numbered;
    EXPECT(numbered.try_emplace(7, weir::per_hour(10)).second);
    EXPECT(passes_exactly(numbered.find(7)->second, 10));
}

// As a member, whose quota stands where the member is declared, or comes with the constructor.
struct player {
    int number = 0;
    weir::limiter<> moves{weir::per_hour(10)};
    weir::limiter<weir::token_bucket<>> chat{weir::quota{30, weir::seconds(60), 5}};
};
struct account {
    explicit account(const weir::quota& q) : orders(q) {}
    weir::limiter<> orders;
};

void as_members() {
    std::vector<player> players(64);
    players.resize(100);
    EXPECT(passes_exactly(players[63].moves, 10));
    EXPECT(passes_exactly(players[99].chat, 5));
    players.erase(players.begin());
    EXPECT(passes_exactly(players[98].moves, 10));

    std::array<player, 64> fixed{};
    EXPECT(passes_exactly(fixed[63].moves, 10));

    std::vector<account> accounts;
    accounts.emplace_back(weir::per_hour(4));
    EXPECT(passes_exactly(accounts[0].orders, 4));

    auto* const alone = new player;
    EXPECT(passes_exactly(alone->moves, 10));
    delete alone;
}

// Constructed by the compiler, all 64.
constinit std::array<player, 64> globals;

// Wherever a quota may be written. (Not as a function's default argument: clang 14 refuses to call
// what is consteval there.)
struct settings {
    std::string name;
    weir::quota rate = weir::per_hour(10);
};
[[nodiscard]] weir::quota of_tier(int tier) {
    switch (tier) {
        case 0: return weir::per_hour(1);
        case 1: return weir::per_hour(10).with_burst(2);
        default: return {5, weir::seconds(3600)};
    }
}
constexpr weir::quota tiers[] = {weir::per_hour(1), weir::per_hour(5).with_burst(2)};

void of_quotas_from_all_over(int one) {
    const settings given{.name = "a", .rate = weir::per_hour(5)};
    const settings by_default{.name = "b"};
    const std::map<std::string, weir::quota> named{{"a", weir::per_hour(5)}};
    std::vector<weir::limiter<>> limits;
    for (const weir::quota& q : {given.rate, by_default.rate, named.at("a"), of_tier(one),
                                 tiers[one], one == 1 ? weir::per_hour(7) : weir::per_hour(2)}) {
        limits.emplace_back(q);
    }
    const weir::word bursts[] = {5, 10, 5, 2, 2, 7};
    for (std::size_t i = 0; i < limits.size(); ++i) EXPECT(passes_exactly(limits[i], bursts[i]));
    const auto alone = std::make_unique<weir::limiter<>>(weir::per_hour(10));
    EXPECT(passes_exactly(*alone, 10));
    std::optional<weir::limiter<>> in_place(std::in_place, weir::per_hour(10));
    EXPECT(passes_exactly(*in_place, 10));
    EXPECT(passes_exactly(globals[63].moves, 10));
}

// A quota of the run, as from a file.
void of_quotas_that_are_no_constants(std::int64_t units) {
    std::vector<weir::limiter<>> limits;
    const auto made = weir::quota::make(units, weir::seconds(3600), units);
    EXPECT(made);
    limits.emplace_back(*made);
    EXPECT(passes_exactly(limits[0], static_cast<weir::word>(units)));
}

void locals() {
    weir::limiter<> a{weir::per_hour(10)};
    weir::limiter<> b{weir::per_hour(3)};
    weir::all_of both{a, b};
    weir::schedule paced{weir::per_second(100)};
    EXPECT(paced.try_acquire(1, weir::default_clock::now()));
    EXPECT(both.try_acquire(3));
    EXPECT(both.try_acquire().refused_by() == 1);
}

}  // namespace

int main(int arguments, char**) {
    in_containers<weir::limiter<>>();
    in_containers<weir::limiter<weir::sliding_log<10>>>();
    in_containers<weir::limiter<weir::gcra<>, weir::coarse_clock, weir::counters>>();
    in_containers<weir::limiter<weir::gcra<>, weir::coarse_clock, weir::stats>>();
#ifdef __cpp_lib_jthread  // adjustable needs <stop_token>
    in_containers<weir::adjustable<>>();
#endif
    as_members();
    of_quotas_that_are_no_constants(arguments + 9);
    of_quotas_from_all_over(arguments);
    locals();
    if (failed != 0) std::printf("%s:%d: wrong\n", __FILE__, failed);
    return failed == 0 ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// bench_redis <socket>: what a decision in a Redis costs, beside what hiredis alone costs on the
// same connection's way. The rows take turns, so that all of them meet the same weather; each
// figure is the median of all its calls. Makes keys that begin with weir:5:bench and expire by
// themselves.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <hiredis/hiredis.h>

#include <weir/adapter/redis.hpp>

namespace {

struct row {
    std::string name;
    int decisions;  // in each call
    std::function<bool()> call;
    std::vector<double> microseconds{};

    [[nodiscard]] double at(std::size_t percent) {
        const auto place = static_cast<std::ptrdiff_t>(microseconds.size() * percent / 100);
        std::nth_element(microseconds.begin(), microseconds.begin() + place, microseconds.end());
        return microseconds[static_cast<std::size_t>(place)];
    }
};

bool bare(redisContext* to, const char* text) {
    void* const answer = redisCommand(to, "EVAL %s 0", text);
    const bool good = answer != nullptr;
    if (good) freeReplyObject(answer);
    return good;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::puts("bench_redis <path of Redis's Unix socket>");
        return 2;
    }
    redisContext* const to = redisConnectUnix(arguments[1]);
    weir::redis_options o;
    o.socket = arguments[1];
    o.answer_within = weir::seconds(10);
    weir::redis_connection redis(o);
    if (to == nullptr || to->err != 0 || redis.connect() != weir::redis_error::none) {
        std::puts("there is no Redis");
        return 1;
    }

    std::vector<row> rows;
    rows.push_back({"hiredis: a script that returns 1", 1, [&] { return bare(to, "return 1"); }});
    rows.push_back({"hiredis: a script that reads the time, GET and SET", 1, [&] {
                        return bare(to, "redis.call('TIME') redis.call('GET', 'weir:5:bench:bare') "
                                        "redis.call('SET', 'weir:5:bench:bare', '1', 'PX', '9000') "
                                        "return {0, 1, 2, 3, 4, 5}");
                    }});
    std::vector<weir::remote_limiter> limits;
    limits.reserve(8);
    const std::vector<weir::remote_request> many(256, {"pipelined"});
    for (const auto rule : {weir::remote_rule::gcra, weir::remote_rule::fixed_window,
                            weir::remote_rule::sliding_window, weir::remote_rule::sliding_log}) {
        auto& limit = limits.emplace_back(redis, "bench",
                                          weir::quota{100'000, weir::milliseconds(1000)}, rule);
        const std::string name = describe(rule);
        rows.push_back(
            {name + ": admit", 1, [&limit, name] { return limit.try_acquire(name).admitted(); }});
    }
    auto& empty = limits.emplace_back(redis, "bench", weir::per_hour(1));
    (void)empty.try_acquire("denied");
    rows.push_back({"gcra: deny", 1, [&] {
                        const auto d = empty.try_acquire("denied");
                        return !d.admitted() && !d.failed();
                    }});
    auto& wide = limits.emplace_back(redis, "bench", weir::per_second(10'000'000));
    rows.push_back({"gcra: admit, 256 in a call", 256,
                    [&] { return wide.try_acquire_each(many).back().admitted(); }});

    for (int round = 0; round < 60; ++round) {
        for (row& r : rows) {
            for (int i = 0; i < (r.decisions == 1 ? 100 : 4); ++i) {
                const auto begin = std::chrono::steady_clock::now();
                const bool good = r.call();
                const std::chrono::duration<double, std::micro> took =
                    std::chrono::steady_clock::now() - begin;
                if (!good) {
                    std::printf("%s did not do what it says\n", r.name.c_str());
                    return 1;
                }
                if (round > 0) r.microseconds.push_back(took.count() / r.decisions);
            }
        }
    }
    std::puts("| what | us a decision | of 100 the slowest but one | x a bare script |");
    std::puts("| --- | ---: | ---: | ---: |");
    const double floor = rows.front().at(50);
    for (row& r : rows) {
        std::printf("| %s | %.1f | %.1f | %.2f |\n", r.name.c_str(), r.at(50), r.at(98),
                    r.at(50) / floor);
    }
    redisFree(to);
}

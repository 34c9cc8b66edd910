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
#include <utility>
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

// What hiredis alone does: so many calls of a script by EVALSHA, all of them sent before the first
// answer is read.
class bare {
public:
    bare(redisContext* to, const char* script, std::vector<std::string> keys_and_arguments)
        : to_(to), words_(std::move(keys_and_arguments)) {
        auto* const name = static_cast<redisReply*>(redisCommand(to, "SCRIPT LOAD %s", script));
        if (name != nullptr && name->type == REDIS_REPLY_STRING) {
            words_.insert(words_.begin(), {"EVALSHA", name->str});
            freeReplyObject(name);
        }
        for (const std::string& word : words_) {
            parts_.push_back(word.data());
            sizes_.push_back(word.size());
        }
    }
    bare(const bare&) = delete;
    bare& operator=(const bare&) = delete;

    [[nodiscard]] bool operator()(int calls) {
        const int words = static_cast<int>(parts_.size());
        for (int i = 0; i < calls; ++i)
            redisAppendCommandArgv(to_, words, parts_.data(), sizes_.data());
        bool good = true;
        for (int i = 0; i < calls; ++i) {
            void* answer = nullptr;
            if (redisGetReply(to_, &answer) != REDIS_OK) return false;
            good = good && static_cast<redisReply*>(answer)->type != REDIS_REPLY_ERROR;
            freeReplyObject(answer);
        }
        return good;
    }

private:
    redisContext* to_;
    std::vector<std::string> words_;
    std::vector<const char*> parts_;
    std::vector<std::size_t> sizes_;
};

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
    bare one(to, "return 1", {"0"});
    bare time_get_set(to,
                      "redis.call('TIME') redis.call('GET', KEYS[1]) "
                      "redis.call('SET', KEYS[1], '1', 'PX', '9000') "
                      "return {0, 1, 2, 3, 4, 5}",
                      {"1", "weir:5:bench:bare"});
    bare same(to, weir::detail::redis_script,
              {"1", "weir:5:bench:same", "gcra", "take", "1", "1", "10", "100000"});
    rows.push_back({"hiredis: a script that returns 1", 1, [&] { return one(1); }});
    rows.push_back(
        {"hiredis: a script that reads the time, GET and SET", 1, [&] { return time_get_set(1); }});
    rows.push_back({"hiredis: the script of weir, gcra", 1, [&] { return same(1); }});
    rows.push_back(
        {"hiredis: the time, GET and SET, 256 in a call", 256, [&] { return time_get_set(256); }});
    rows.push_back({"hiredis: the script of weir, 256 in a call", 256, [&] { return same(256); }});
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

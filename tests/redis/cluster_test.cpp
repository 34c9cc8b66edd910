// SPDX-License-Identifier: MIT
// A Redis Cluster of two nodes: what lies on the node that is asked is decided, what lies elsewhere
// is refused, and a name with a hash tag keeps all its keys together.
#include <array>
#include <memory>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "server.hpp"

namespace {

using weir::per_hour;
using weir::redis_error;

class cluster : public testing::Test {
protected:
    // Slots 0 to 8191 and the rest.
    void SetUp() override {
        for (auto& node : nodes_) {
            node = std::make_unique<redis_server>([](int port) {
                return redis_server::words{"--port", std::to_string(port), "--cluster-enabled",
                                           "yes"};
            });
        }
        for (int i = 0; i < 2; ++i) {
            redis_server::words slots{"CLUSTER", "ADDSLOTS"};
            for (int slot = 8192 * i; slot < 8192 * (i + 1); ++slot)
                slots.push_back(std::to_string(slot));
            ASSERT_EQ(node(i).ask(slots), "OK");
        }
        ASSERT_EQ(node(0).ask({"CLUSTER", "MEET", "127.0.0.1", std::to_string(node(1).port())}),
                  "OK");
        for (const auto& each : nodes_) {
            while (each->ask({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos)
                usleep(10'000);
        }
    }
    [[nodiscard]] redis_server& node(int i) { return *nodes_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] int slot_of(const std::string& redis_key) {
        return std::stoi(node(0).ask({"CLUSTER", "KEYSLOT", redis_key}));
    }

    std::array<std::unique_ptr<redis_server>, 2> nodes_;
};

TEST_F(cluster, is_asked_node_by_node) {
    weir::redis_connection first(node(0).options());
    for (const auto rule : {weir::remote_rule::gcra, weir::remote_rule::sliding_log}) {
        weir::remote_limiter limit(first, describe(rule), per_hour(10), rule);
        int here = 0;
        int elsewhere = 0;
        for (int i = 0; i < 40; ++i) {
            const std::string key = std::to_string(i);
            const auto d = limit.try_acquire(key);
            if (slot_of(limit.redis_key(key)) < 8192) {
                ++here;
                EXPECT_TRUE(d) << d;
                EXPECT_EQ(limit.reset(key), redis_error::none);
            } else {
                ++elsewhere;
                EXPECT_EQ(d.error(), redis_error::moved);
                EXPECT_EQ(limit.acquire(key).how, weir::ending::never) << "no wait helps";
                EXPECT_EQ(limit.reset(key), redis_error::moved);
                EXPECT_EQ(node(1).ask({"EXISTS", limit.redis_key(key)}), "0") << "nothing is taken";
            }
        }
        EXPECT_GT(here, 0);
        EXPECT_GT(elsewhere, 0);
    }

    // With a tag in its name a limit is on one node, whatever bytes its keys have.
    int found = 0;
    for (int i = 0; i < 2; ++i) {
        weir::redis_connection redis(node(i).options());
        weir::remote_limiter limit(redis, "{log-ins}", per_hour(10));
        const bool is_here = slot_of(limit.redis_key("")) / 8192 == i;
        found += is_here ? 1 : 0;
        for (const char* key : {"ann", "bob", "{other}", "}", "{", "{}x", "\r\n"}) {
            const auto d = limit.try_acquire(key);
            EXPECT_EQ(d.error(), is_here ? redis_error::none : redis_error::moved) << key;
        }
    }
    EXPECT_EQ(found, 1);

    // A slot on its way to another node says ASK for a key that is not there.
    weir::remote_limiter limit(first, "moves", per_hour(10));
    int k = 0;
    while (slot_of(limit.redis_key(std::to_string(k))) >= 8192) ++k;
    const std::string slot = std::to_string(slot_of(limit.redis_key(std::to_string(k))));
    const std::string to = node(1).ask({"CLUSTER", "MYID"});
    ASSERT_EQ(node(0).ask({"CLUSTER", "SETSLOT", slot, "MIGRATING", to}), "OK");
    EXPECT_EQ(limit.try_acquire(std::to_string(k)).error(), redis_error::moved);
    ASSERT_EQ(node(0).ask({"CLUSTER", "SETSLOT", slot, "STABLE"}), "OK");
    EXPECT_TRUE(limit.try_acquire(std::to_string(k)));
}

}  // namespace

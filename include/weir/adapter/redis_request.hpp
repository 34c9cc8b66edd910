// SPDX-License-Identifier: MIT
// redis_request: a decision that somebody waits for on an executor of Asio. For redis_link.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <weir/adapter/remote_decision.hpp>
#include <weir/adapter/remote_script.hpp>
#include <weir/base/word.hpp>

namespace weir::detail {

// Who waits for a decision. Ends by a post.
class redis_asker {
public:
    redis_asker() = default;
    redis_asker(const redis_asker&) = delete;
    redis_asker& operator=(const redis_asker&) = delete;
    virtual ~redis_asker() = default;
    virtual void end(const remote_decision& d) = 0;
};

struct redis_request {
    std::unique_ptr<redis_asker> whose;  // none: it was cancelled, and its answer is nobody's
    std::shared_ptr<const remote_script> script;
    std::string_view what;
    std::string key;
    word n = 1;
    std::uint64_t number = 0;
    bool is_again = false;  // Redis did not know the script
    bool is_whole = false;  // and was sent it with this
    std::chrono::steady_clock::time_point end{};

    void end_with(const remote_decision& d) {
        if (const auto its = std::move(whose)) its->end(d);
    }
};

}  // namespace weir::detail

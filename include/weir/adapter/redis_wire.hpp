// SPDX-License-Identifier: MIT
// redis_wire: commands go out on a stream, and answers come in, read by hiredis. It never waits: it
// says for what one has to wait. For redis_connection.hpp, which waits by poll, and
// redis_asio.hpp, which lets Asio wait.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include <hiredis/hiredis.h>

#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/adapter/redis_stream.hpp>

namespace weir::detail {

class redis_wire {
    using progress = redis_stream::progress;

public:
    redis_wire(const redis_options& o, int socket)
        : stream_(o.security == nullptr ? std::make_unique<plain_redis_stream>(socket)
                                        : o.security->stream(socket, o.host)),
          reader_(redisReaderCreate(), &redisReaderFree) {}

    [[nodiscard]] bool is_made() const noexcept { return stream_ != nullptr && reader_ != nullptr; }

    [[nodiscard]] redis_stream::step greet() noexcept { return stream_->greet(); }

    // Sends what goes now and takes it off `rest`; done if that is all of it.
    [[nodiscard]] redis_stream::step send(std::string_view& rest) noexcept {
        while (!rest.empty()) {
            const auto step = stream_->send(rest);
            if (step.how != progress::done) return step;
            rest.remove_prefix(step.bytes);
        }
        return {};
    }

    // Receives once, and gives each answer that is whole to each(const redisReply&).
    template <class Each>
    [[nodiscard]] redis_stream::step receive(Each each) {
        char bytes[16384];
        const auto step = stream_->receive(bytes);
        if (step.how != progress::done) return step;
        constexpr redis_stream::step nonsense{progress::failed, 0, redis_error::not_understood};
        if (redisReaderFeed(reader_.get(), bytes, step.bytes) != REDIS_OK) return nonsense;
        for (;;) {
            void* answer = nullptr;
            if (redisReaderGetReply(reader_.get(), &answer) != REDIS_OK) return nonsense;
            if (answer == nullptr) return step;
            const std::unique_ptr<void, decltype(&freeReplyObject)> its(answer, &freeReplyObject);
            each(*static_cast<const redisReply*>(answer));
        }
    }

    // Who ends a connection may have said why, and what was said may still be read.
    [[nodiscard]] redis_error last_word(const redis_stream::step& failed) {
        const auto got = receive([](const redisReply&) {});
        return got.how == progress::failed ? got.reason : failed.reason;
    }

    // Whether nothing has come, which nobody has asked for, and not the end either.
    [[nodiscard]] bool is_quiet() noexcept {
        char byte = 0;
        return stream_->receive({&byte, 1}).how == progress::wants_to_read;
    }

private:
    std::unique_ptr<redis_stream> stream_;
    std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader_;
};

}  // namespace weir::detail

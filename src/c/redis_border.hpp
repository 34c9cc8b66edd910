// SPDX-License-Identifier: MIT
// What C gives to the libraries about Redis, read: where a Redis is, keys, and whether the
// libraries belong together. They hand each other objects of C++ and hold none but public calls of
// libweir, so what one makes the other takes only if both are of one version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/base/duration.hpp>
#include <weir/weir.h>
#include <weir/weir_redis.h>

#include "border.hpp"

// Made by libweir_redis_tls.
struct weir_redis_security {
    constexpr explicit weir_redis_security(const char* of) noexcept : version(of) {}
    weir_redis_security(const char* of,
                        std::shared_ptr<const weir::redis_security> security) noexcept
        : version(of), its(std::move(security)) {}

    const char* version;
    std::shared_ptr<const weir::redis_security> its;
};

namespace weir::c {

[[nodiscard]] inline weir_status of_one_version(const char* version) noexcept {
    if (std::strcmp(version, WEIR_VERSION) != 0) return WEIR_NOT_OF_ONE_VERSION;
    return WEIR_OK;
}

[[nodiscard]] inline const char* text_of(const char* given) noexcept {
    return given == nullptr ? "" : given;
}
[[nodiscard]] inline std::string_view bytes(const void* key, std::size_t size) noexcept {
    return key == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(key), size);
}
// What a call needs that is about an object, a key and n units.
[[nodiscard]] inline weir_status refusal(const void* object, const void* key, std::size_t size,
                                         std::int64_t n) noexcept {
    if (object == nullptr || (key == nullptr && size != 0)) return WEIR_NULL;
    return n < 0 ? WEIR_NEGATIVE : WEIR_OK;
}

// Calls `act` with what C says of a connection. What it throws is a status.
template <class Act>
[[nodiscard]] weir_status with(const weir_redis_options* given, Act act) noexcept {
    weir_redis_options o = WEIR_REDIS_OPTIONS_INIT;
    if (const weir_status s = read(given, o); s != WEIR_OK) return s;
    if (o.port < 0 || o.port > 65535 || o.database < 0 || o.connect_within_ns <= 0 ||
        o.answer_within_ns <= 0)
        return WEIR_NO_VALUE;
    if (o.security != nullptr) {
        if (const weir_status s = of_one_version(o.security->version); s != WEIR_OK) return s;
        if (o.security->its == nullptr) return WEIR_NO_VALUE;
    }
    return guarded([&] {
        redis_options its;
        its.host = text_of(o.host);
        its.socket = text_of(o.socket);
        its.user = text_of(o.user);
        its.password = text_of(o.password);
        its.port = o.port;
        its.database = o.database;
        its.connect_within = nanoseconds(o.connect_within_ns);
        its.answer_within = nanoseconds(o.answer_within_ns);
        if (o.security != nullptr) its.security = o.security->its;
        return act(its);
    });
}

}  // namespace weir::c

// SPDX-License-Identifier: MIT
// redis_tls: a connection to a Redis by TLS 1.2 or newer, on OpenSSL. The certificate of Redis must
// be signed by whom the client trusts, valid now, and for the host's name: there is no switch that
// turns that off.
//
//     weir::redis_options to;
//     to.host = "redis.internal";
//     to.security = weir::redis_tls::make({.authorities = "/etc/redis/ca.crt"}).value();
//
// Only who includes this links OpenSSL. OpenSSL's own way to a socket raises SIGPIPE where the
// other side has gone, so the bytes go by one of weir's, which does not.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <netinet/in.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#if !__has_include(<openssl/ssl.h>)
#error "weir/adapter/redis_tls.hpp needs the headers of OpenSSL (Debian: libssl-dev)"
#endif
// Engines define macros of these names; OpenSSL has members of them.
#pragma push_macro("check")
#pragma push_macro("verify")
#undef check
#undef verify
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#pragma pop_macro("verify")
#pragma pop_macro("check")

#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_stream.hpp>
#include <weir/base/result.hpp>

namespace weir {

// Paths are of files in the PEM format.
struct redis_tls_options {
    std::string authorities = {};  // whom to trust; empty: whom the system trusts
    std::string certificate = {};  // of this client, and those above it; empty: none
    std::string key = {};          // of that certificate, without a password
    std::string server_name = {};  // for which the certificate must be; empty: the option `host`
};

namespace detail {

// Why a handshake or a receive failed, by what OpenSSL says last.
[[nodiscard]] inline redis_error tls_reason_of(const SSL* tls) noexcept {
    switch (SSL_get_verify_result(tls)) {
        case X509_V_OK: break;
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH: return redis_error::another_host;
        case X509_V_ERR_CERT_HAS_EXPIRED:
        case X509_V_ERR_CERT_NOT_YET_VALID: return redis_error::not_valid_now;
        default: return redis_error::not_trusted;
    }
    const unsigned long error = ERR_peek_error();
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return redis_error::cut_off;
    switch (ERR_GET_REASON(error)) {
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:  // TLS 1.2 says no more if one is missing
        case SSL_R_SSLV3_ALERT_NO_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA: return redis_error::certificate_wanted;
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: return redis_error::cut_off;
        default: return redis_error::no_tls;
    }
}

class tls_redis_stream final : public redis_stream {
public:
    // Nothing is sent to a server whose name nobody has said.
    tls_redis_stream(SSL_CTX* context, const BIO_METHOD* way, int socket, const std::string& name)
        : socket_(socket), tls_(SSL_new(context)) {
        BIO* const bytes = BIO_new(way);
        if (tls_ == nullptr || bytes == nullptr) {
            BIO_free(bytes);
            return;
        }
        BIO_set_data(bytes, this);
        BIO_set_init(bytes, 1);
        SSL_set_bio(tls_, bytes, bytes);
        SSL_set_connect_state(tls_);
        SSL_set_hostflags(tls_, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        if (name.empty() || name.find('\0') != std::string::npos) return;
        in6_addr address;
        const bool is_address = inet_pton(AF_INET, name.c_str(), &address) == 1 ||
                                inet_pton(AF_INET6, name.c_str(), &address) == 1;
        has_name_ = is_address
                        ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_), name.c_str()) == 1
                        : SSL_set1_host(tls_, name.c_str()) == 1 &&
                              SSL_set_tlsext_host_name(tls_, name.c_str()) == 1;
    }
    ~tls_redis_stream() override { SSL_free(tls_); }

    [[nodiscard]] bool is_made() const noexcept { return tls_ != nullptr; }

    [[nodiscard]] step greet() noexcept override {
        if (!has_name_) return {progress::failed, 0, redis_error::another_host};
        ERR_clear_error();
        return step_of(SSL_do_handshake(tls_), 0);
    }
    [[nodiscard]] step send(std::string_view bytes) noexcept override {
        ERR_clear_error();
        std::size_t sent = 0;
        const int good = SSL_write_ex(tls_, bytes.data(), bytes.size(), &sent);
        return step_of(good, sent);
    }
    [[nodiscard]] step receive(std::span<char> into) noexcept override {
        ERR_clear_error();
        std::size_t got = 0;
        const int good = SSL_read_ex(tls_, into.data(), into.size(), &got);
        return step_of(good, got);
    }

    // How OpenSSL's bytes go: without a signal, and without a wait.
    static int write(BIO* by, const char* bytes, int size) noexcept {
        BIO_clear_retry_flags(by);
        const ssize_t sent = ::send(socket_of(by), bytes, static_cast<std::size_t>(size),
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && is_only_slow(errno)) BIO_set_retry_write(by);
        return static_cast<int>(sent);
    }
    static int read(BIO* by, char* into, int size) noexcept {
        BIO_clear_retry_flags(by);
        const ssize_t got =
            ::recv(socket_of(by), into, static_cast<std::size_t>(size), MSG_DONTWAIT);
        if (got < 0 && is_only_slow(errno)) BIO_set_retry_read(by);
        return static_cast<int>(got);
    }
    static long control(BIO*, int what, long, void*) noexcept { return what == BIO_CTRL_FLUSH; }

private:
    [[nodiscard]] static int socket_of(BIO* by) noexcept {
        return static_cast<const tls_redis_stream*>(BIO_get_data(by))->socket_;
    }

    [[nodiscard]] step step_of(int good, std::size_t bytes) const noexcept {
        if (good == 1) return {progress::done, bytes};
        switch (SSL_get_error(tls_, good)) {
            case SSL_ERROR_WANT_READ: return {progress::wants_to_read};
            case SSL_ERROR_WANT_WRITE: return {progress::wants_to_write};
            case SSL_ERROR_SSL: return {progress::failed, 0, tls_reason_of(tls_)};
            default: return {progress::failed, 0, redis_error::cut_off};
        }
    }

    int socket_;
    SSL* tls_;
    bool has_name_ = false;
};

}  // namespace detail

// Reads its files once; several connections, of several threads, may share it.
class redis_tls final : public redis_security {
public:
    [[nodiscard]] static result<std::shared_ptr<const redis_security>, redis_error>
    make(redis_tls_options o) {
        std::shared_ptr<redis_tls> made(new redis_tls(std::move(o.server_name)));
        const redis_error reason = made->read(o);
        if (reason != redis_error::none) return reason;
        return std::shared_ptr<const redis_security>(std::move(made));
    }
    ~redis_tls() override {
        SSL_CTX_free(context_);
        BIO_meth_free(way_);
    }

    [[nodiscard]] std::unique_ptr<redis_stream> stream(int socket,
                                                       const std::string& host) const override {
        auto made = std::make_unique<detail::tls_redis_stream>(
            context_, way_, socket, server_name_.empty() ? host : server_name_);
        if (!made->is_made()) return nullptr;
        return made;
    }

private:
    explicit redis_tls(std::string server_name)
        : context_(SSL_CTX_new(TLS_client_method())),
          way_(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "weir")),
          server_name_(std::move(server_name)) {}

    [[nodiscard]] redis_error read(const redis_tls_options& o) {
        // No memory, or an OpenSSL that its own configuration has broken.
        if (context_ == nullptr || way_ == nullptr) return redis_error::authorities_not_read;
        BIO_meth_set_write(way_, &detail::tls_redis_stream::write);
        BIO_meth_set_read(way_, &detail::tls_redis_stream::read);
        BIO_meth_set_ctrl(way_, &detail::tls_redis_stream::control);
        SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
        SSL_CTX_set_mode(context_,
                         SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        // A key with a password would ask for it on the terminal.
        SSL_CTX_set_default_passwd_cb(context_, [](char*, int, int, void*) { return 0; });
        const auto is_read = [this](auto function, const std::string& file, auto... more) {
            return function(context_, file.c_str(), more...) == 1;
        };
        const bool trusts = o.authorities.empty()
                                ? SSL_CTX_set_default_verify_paths(context_) == 1
                                : is_read(SSL_CTX_load_verify_locations, o.authorities, nullptr);
        redis_error reason = redis_error::none;
        if (SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION) != 1 || !trusts) {
            reason = redis_error::authorities_not_read;
        } else if (o.certificate.empty() && o.key.empty()) {
            // Redis may ask for none.
        } else if (!is_read(SSL_CTX_use_certificate_chain_file, o.certificate)) {
            reason = redis_error::certificate_not_read;
        } else if (!is_read(SSL_CTX_use_PrivateKey_file, o.key, SSL_FILETYPE_PEM) ||
                   SSL_CTX_check_private_key(context_) != 1) {
            reason = redis_error::key_not_read;
        }
        ERR_clear_error();
        return reason;
    }

    SSL_CTX* context_;
    BIO_METHOD* way_;
    std::string server_name_;
};

}  // namespace weir

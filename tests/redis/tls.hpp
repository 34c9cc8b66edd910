// SPDX-License-Identifier: MIT
// A Redis by TLS on a port of its own, with certificates that are made anew for each run.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <weir/adapter/redis_options.hpp>
#include <weir/adapter/redis_tls.hpp>

#include "server.hpp"

// Authorities, and certificates that they have signed.
class papers {
public:
    papers() {
        std::string name = (std::filesystem::temp_directory_path() / "weir_tls_XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) folder_ = name;
        authority("ca");
        authority("other_ca");
        certificate("good", "ca", "subjectAltName=DNS:redis.test,IP:127.0.0.1", "2");
        certificate("named", "ca", "subjectAltName=DNS:redis.test,DNS:*.cluster.test", "2");
        certificate("over", "ca", "subjectAltName=IP:127.0.0.1", "-1");
        certificate("client", "ca", "extendedKeyUsage=clientAuth", "2");
        certificate("stranger", "other_ca", "extendedKeyUsage=clientAuth", "2");
    }
    papers(const papers&) = delete;
    papers& operator=(const papers&) = delete;
    ~papers() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }

    static const papers& of_this_run() {
        static const papers its;
        return its;
    }

private:
    void openssl(const std::string& arguments) const {
        const std::string all = "cd " + folder_ + " && " WEIR_OPENSSL " " + arguments +
                                " > log 2>&1 || { cat log; false; }";
        if (std::system(all.c_str()) != 0)  // NOLINT(concurrency-mt-unsafe): one thread
            throw std::runtime_error("openssl failed");
    }
    static constexpr char new_key[] =
        " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ";
    void authority(const std::string& name) const {
        openssl("req -x509 -days 2 -subj '/CN=" + name + "'" + new_key + name + ".key -out " +
                name + ".crt");
    }
    void certificate(const std::string& name, const std::string& by, const std::string& extension,
                     const std::string& days) const {
        std::ofstream(file(name + ".ext")) << extension << "\n";
        openssl("req -subj '/CN=" + name + "'" + new_key + name + ".key -out " + name + ".csr");
        openssl("x509 -req -in " + name + ".csr -CA " + by + ".crt -CAkey " + by +
                ".key -CAcreateserial -days " + days + " -extfile " + name + ".ext -out " + name +
                ".crt");
    }

    std::string folder_;
};

inline std::string file(const std::string& name) { return papers::of_this_run().file(name); }

inline weir::redis_options to(int port, const weir::redis_tls_options& tls) {
    weir::redis_options o;
    o.port = port;
    o.connect_within = weir::seconds(600);
    o.answer_within = weir::seconds(600);
    o.security = weir::redis_tls::make(tls).value();
    return o;
}
class tls_server {
public:
    explicit tls_server(const std::string& certificate, const redis_server::words& more = {})
        : its_([&](int port) {
              redis_server::words all{"--tls-port",         std::to_string(port),
                                      "--tls-cert-file",    file(certificate + ".crt"),
                                      "--tls-key-file",     file(certificate + ".key"),
                                      "--tls-ca-cert-file", file("ca.crt"),
                                      "--tls-auth-clients", "no"};
              all.insert(all.end(), more.begin(), more.end());
              return all;
          }) {}
    [[nodiscard]] int port() const { return its_.port(); }
    [[nodiscard]] redis_server& redis() { return its_; }

private:
    redis_server its_;
};

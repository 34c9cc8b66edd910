// SPDX-License-Identifier: MIT
// A real nginx on a free port of 127.0.0.1, with a folder of its own. It ends with the object, and
// with the program if that is killed.
#pragma once

#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

class nginx {
public:
    explicit nginx(int calls_per_second) {
        std::string name = (std::filesystem::temp_directory_path() / "api_client_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) fail("no folder");
        folder_ = name;
        std::filesystem::create_directory(folder_ + "/files");
        std::ofstream(folder_ + "/files/call") << "ok\n";
        for (int tries = 0; tries < 5; ++tries) {  // somebody else may take the port meanwhile
            port_ = free_port();
            configure(calls_per_second);
            if (started()) return;
        }
        fail("nginx does not start: see its log in the folder");
    }
    nginx(const nginx&) = delete;
    nginx& operator=(const nginx&) = delete;
    ~nginx() {
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    // Another limit, without an interruption. It holds some milliseconds later.
    void set_limit(int calls_per_second) const {
        configure(calls_per_second);
        kill(pid_, SIGHUP);
    }
    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(port_) + "/call";
    }

private:
    [[noreturn]] void fail(const char* why) const {
        std::fprintf(stderr, "api_client: %s: %s\n", why, folder_.c_str());
        _exit(1);
    }
    void configure(int calls_per_second) const {
        std::ofstream(folder_ + "/conf") << (geteuid() == 0 ? "user root;\n" : "") << R"(daemon off;
worker_processes 1;
pid nginx.pid;
error_log log;
events {}
http {
    access_log off;
    client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
    keepalive_requests 1000000;
    limit_req_zone $binary_remote_addr zone=api:1m rate=)"
                                         << calls_per_second << R"(r/s;
    limit_req_status 429;
    server {
        listen 127.0.0.1:)" << port_ << R"(;
        location / {
            root files;
            limit_req zone=api;
            error_page 429 = @later;
        }
        location @later {
            add_header Retry-After 1 always;
            return 429;
        }
    }
}
)";
    }
    [[nodiscard]] static int bound(sockaddr_in& a, int (*how)(int, const sockaddr*, socklen_t)) {
        const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        a.sin_family = AF_INET;
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof a;
        auto* const its = reinterpret_cast<sockaddr*>(&a);
        const bool well = how(s, its, size) == 0 && getsockname(s, its, &size) == 0;
        close(s);
        return well ? ntohs(a.sin_port) : 0;
    }
    [[nodiscard]] static int free_port() {
        sockaddr_in any{};
        return bound(any, &bind);
    }
    [[nodiscard]] bool answers() const {
        sockaddr_in its{};
        its.sin_port = htons(static_cast<std::uint16_t>(port_));
        return bound(its, &connect) != 0;
    }
    [[nodiscard]] bool started() {
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            execl(NGINX, "nginx", "-p", folder_.c_str(), "-c", "conf", "-e", "log", nullptr);
            _exit(127);
        }
        while (!answers()) {
            if (waitpid(pid_, nullptr, WNOHANG) == pid_) return false;
            usleep(5'000);
        }
        return true;
    }

    std::string folder_;
    int port_ = 0;
    pid_t pid_ = -1;
};

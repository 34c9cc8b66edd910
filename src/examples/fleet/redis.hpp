// SPDX-License-Identifier: MIT
// A real Redis that keeps nothing on disk, on a Unix socket in a folder of its own. It ends with
// the object, and with the program if that is killed.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weir/adapter/redis.hpp>

class redis_server {
public:
    redis_server() {
        std::string name = (std::filesystem::temp_directory_path() / "fleet_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            std::perror("fleet");
            _exit(1);
        }
        folder_ = name;
        start();
    }
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;
    ~redis_server() {
        stop();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    void start() {
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const int log = open((folder_ + "/log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
            dup2(log, 1);
            dup2(log, 2);
            execl(REDIS, "redis-server", "--port", "0", "--unixsocket", socket().c_str(), "--save",
                  "", "--dir", folder_.c_str(), nullptr);
            _exit(127);
        }
        weir::redis_options to;
        to.socket = socket();
        while (weir::redis_connection(to).connect() != weir::redis_error::none) {
            if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
                std::fprintf(stderr, "fleet: %s does not start\n", REDIS);
                _exit(1);
            }
            usleep(5'000);
        }
    }
    // At once, and what it knew is gone.
    void stop() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    [[nodiscard]] std::string socket() const { return folder_ + "/socket"; }

private:
    std::string folder_;
    pid_t pid_ = -1;
};

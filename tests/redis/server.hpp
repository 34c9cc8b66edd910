// SPDX-License-Identifier: MIT
// A Redis of the test's own: on a Unix socket in a folder of its own, which keeps nothing on disk.
// It ends with the object, and with the test's process if that is killed.
#pragma once

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <netinet/in.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <weir/adapter/redis_connection.hpp>

class redis_server {
public:
    using words = std::vector<std::string>;

    // `environment` has words such as "NAME=value".
    explicit redis_server(const words& more = {}, const words& environment = {})
        : environment_(environment) {
        make_folder();
        start(more);
    }
    // On a port as well, for which `more(port)` has the options. Another program may take a port
    // that is free before Redis does, so several are tried.
    template <class More>
    explicit redis_server(More more) {
        make_folder();
        for (int i = 0; i < 20 && !is_alive(); ++i) {
            port_ = free_port();
            try_start(more(port_));
        }
        if (!is_alive()) ADD_FAILURE() << "redis-server did not start: see " << folder_ << "/log";
    }
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;
    ~redis_server() {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    // Starts it (again), and returns when it answers. It ends with the thread that starts it.
    void start(const words& more = {}) {
        try_start(more);
        if (!is_alive()) ADD_FAILURE() << "redis-server did not start: see " << folder_ << "/log";
    }
    void try_start(const words& more) {
        words all{"redis-server", "--port", "0",     "--unixsocket", socket(),     "--save", "",
                  "--appendonly", "no",     "--dir", folder_,        "--loglevel", "warning"};
        all.insert(all.end(), more.begin(), more.end());
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const int log = open((folder_ + "/log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
            dup2(log, 1);
            dup2(log, 2);
            for (std::string& word : environment_) putenv(word.data());
            std::vector<char*> arguments;
            for (std::string& word : all) arguments.push_back(word.data());
            arguments.push_back(nullptr);
            execv(WEIR_REDIS_SERVER, arguments.data());
            _exit(127);
        }
        while (ask({"PING"}).empty() && is_alive()) usleep(2'000);
    }

    // Stops it as it is, and goes on when it stands still.
    void hold_up() const {
        signal(SIGSTOP);
        waitpid(pid_, nullptr, WUNTRACED);
    }
    void go_on() const { signal(SIGCONT); }
    void kill() {
        if (pid_ <= 0) return;
        signal(SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

    // An answer as text, by a connection of its own; empty if there is none.
    [[nodiscard]] std::string ask(const words& command) const {
        redisContext* const to = redisConnectUnix(socket().c_str());
        std::string text;
        if (to != nullptr && to->err == 0) {
            std::vector<const char*> parts;
            std::vector<std::size_t> sizes;
            for (const std::string& word : command) {
                parts.push_back(word.data());
                sizes.push_back(word.size());
            }
            void* const answer =
                redisCommandArgv(to, static_cast<int>(parts.size()), parts.data(), sizes.data());
            if (answer != nullptr) {
                const auto& its = *static_cast<redisReply*>(answer);
                if (its.type == REDIS_REPLY_INTEGER)
                    text = std::to_string(its.integer);
                else if (its.str != nullptr)
                    text.assign(its.str, its.len);
                else if (its.type == REDIS_REPLY_ARRAY)
                    text = std::to_string(its.elements) + " elements";
                freeReplyObject(answer);
            }
        }
        if (to != nullptr) redisFree(to);
        return text;
    }

    [[nodiscard]] std::string socket() const { return folder_ + "/socket"; }
    [[nodiscard]] int port() const { return port_; }
    // Patient, since a busy machine is slow and that is no outage.
    [[nodiscard]] weir::redis_options options() const {
        weir::redis_options o;
        o.socket = socket();
        o.connect_within = weir::seconds(600);
        o.answer_within = weir::seconds(600);
        return o;
    }

private:
    void make_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "weir_redis_XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) folder_ = name;
    }
    [[nodiscard]] static int free_port() {
        const int any = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const its = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(any, its, size), 0);
        EXPECT_EQ(::getsockname(any, its, &size), 0);
        ::close(any);
        return ntohs(address.sin_port);
    }
    void signal(int number) const { ::kill(pid_, number); }

    [[nodiscard]] bool is_alive() {
        if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
        return pid_ > 0;
    }

    words environment_;
    std::string folder_;
    int port_ = 0;
    pid_t pid_ = -1;
};

// SPDX-License-Identifier: MIT
// A Redis of one's own: on a Unix socket in a folder of its own, which keeps nothing on disk. It
// ends with the object, and with the process if that is killed. Knows no test, so the bench has it
// too.
#pragma once

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <hiredis/hiredis.h>

class redis_process {
public:
    using words = std::vector<std::string>;

    // Starts nothing yet. `environment` has words such as "NAME=value".
    explicit redis_process(std::string program, words environment = {})
        : program_(std::move(program)), environment_(std::move(environment)) {
        std::string name = (std::filesystem::temp_directory_path() / "weir_redis_XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) folder_ = name;
    }
    redis_process(const redis_process&) = delete;
    redis_process& operator=(const redis_process&) = delete;
    ~redis_process() {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    // Starts it (again), and returns when it answers; false if it has ended before. It ends with
    // the thread that starts it.
    bool start(const words& more = {}) {
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
            execvp(program_.c_str(), arguments.data());
            _exit(127);
        }
        while (ask({"PING"}).empty() && is_alive()) usleep(2'000);
        return is_alive();
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
    // Where it says why it did not start.
    [[nodiscard]] std::string log() const { return folder_ + "/log"; }

protected:
    [[nodiscard]] bool is_alive() {
        if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
        return pid_ > 0;
    }

private:
    void signal(int number) const { ::kill(pid_, number); }

    std::string program_;
    words environment_;
    std::string folder_;
    pid_t pid_ = -1;
};

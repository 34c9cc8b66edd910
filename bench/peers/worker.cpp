// SPDX-License-Identifier: MIT
#include "worker.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "harness/cores.hpp"

namespace bench {

worker::worker(const std::string& program, std::size_t keys) : program_(program) {
    std::vector<std::string> words = {program, std::to_string(keys)};
    for (const int core : cores()) words.push_back(std::to_string(core));
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    // No worker keeps the pipes of another one open.
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execv(program.c_str(), arguments.data());
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    std::signal(SIGPIPE, SIG_IGN);  // a worker that has ended is found out when it does not answer
    to_.reset(fdopen(in[1], "w"));
    from_.reset(fdopen(out[0], "r"));
    if (process_ < 0 || !to_ || !from_) throw std::runtime_error("cannot start " + program);
    listen();
}

worker::~worker() {
    to_.reset();
    if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string worker::line() {
    std::string text;
    for (int c = std::fgetc(from_.get()); c != '\n'; c = std::fgetc(from_.get())) {
        if (c == EOF) throw std::runtime_error(program_ + " has ended");
        text += static_cast<char>(c);
    }
    return text;
}

void worker::listen() {
    for (std::string text = line(); text != "ready"; text = line()) {
        std::istringstream words(text);
        std::string kind;
        words >> kind >> std::ws;
        if (kind == "left_out") {
            std::string sentence;
            std::getline(words, sentence);
            left_out_.push_back(sentence);
            continue;
        }
        if (kind == "by") {
            std::getline(words, by_);
            continue;
        }
        worker_row row;
        std::string demands;
        words >> row.name >> row.bytes >> demands >> std::ws;
        std::getline(words, row.title);
        if (kind != "row" || !words) throw std::runtime_error(program_ + " says: " + text);
        std::istringstream each(demands);
        for (std::string demand; std::getline(each, demand, ',');) row.demands.push_back(demand);
        rows_.push_back(row);
    }
}

std::string worker::answer_to(const std::string& request) {
    std::fprintf(to_.get(), "%s\n", request.c_str());
    std::fflush(to_.get());
    return line();
}

answer worker::ask(const request& r) {
    const std::string text =
        answer_to(r.row + ' ' + r.demand + ' ' + std::to_string(r.threads) + ' ' +
                  std::to_string(r.decisions) + (r.tail ? " p99.99" : " average"));
    std::istringstream words(text);
    answer a;
    words >> a.ns >> a.asked >> a.admitted >> a.switches;
    if (!words) throw std::runtime_error(program_ + " says: " + text);
    return a;
}

std::vector<double> worker::ask(const std::string& row, const std::string& demand,
                                const std::vector<std::uint64_t>& of) {
    std::string request = row + ' ' + demand;
    for (const std::uint64_t number : of) request += ' ' + std::to_string(number);
    const std::string text = answer_to(request);
    std::istringstream words(text);
    std::vector<double> numbers;
    for (double number = 0; words >> number;) numbers.push_back(number);
    if (numbers.empty() || !words.eof()) throw std::runtime_error(program_ + " says: " + text);
    return numbers;
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// worker: a program that measures the peers of one language when it is asked to.
//
// It is started as `<program> <keys> <core> [<core>]`, and tells by lines of text what it has:
//
//   row <name> <bytes> <demand>[,<demand>...] <title>    bytes of the heap per limiter or key, or 0
//   by <what>                                            the versions of language and libraries
//   left_out <sentence>                                  a peer that is missing here, and why
//   ready
//
// The demands of one limit that all threads share are `admit` (half of a large burst is there),
// `deny` (nothing is there) and `mixed` (every other request, at random, is for more than is
// there). Those of a table with so many keys, each with a large burst, are `uniform` and `zipf`.
// The rows `empty` and `empty_keyed` make no decision: they are the language's loop.
//
// Each further line that it reads is a request, which it answers by one line:
//
//   <name> <demand> <threads> <decisions> average
//   <ns per decision and thread> <asked> <admitted> <involuntary switches>
//
// or, with a read of the core's counter before and after each decision,
//
//   <name> <demand> <threads> <decisions> p99.99
//   <ns that one decision in ten thousand exceeds, of two threads the worse> <asked> ...
//
// Other demands are answered on a thread that is on no core in particular. `accuracy` asks for so
// many units at a time without pause. A turn is a call that was admitted after one that was
// refused, so it could not have been admitted sooner: of the surest turn of each half of the time
// the worker tells the units that were admitted between them, the time between them, and how wrong
// that may be. They are 0 if there were no turns.
//
//   <name> accuracy <units per second> <units at a time> <milliseconds>
//   <units> <ns> <ns>
//
// `waiting` tells the CPU time of the process, how many calls there were, and for each when the
// call before it returned, since the first time:
//
//   <name> waiting <calls per second> <milliseconds>
//   <ns> <calls> <ns> ...
//
// `making` makes so many limiters, and tells how long it took. `first` is for a process that has
// made none yet, so that is not a request: `<program> first <name>` makes one, decides once, prints
// how long both took, and ends.
//
//   <name> making <many>
//   <ns>
//
// For the average and the p99.99 it makes a quarter of the decisions before it takes the time, and
// as many as it was asked for after that, in `threads` threads, each kept on its core. If there are
// two they begin together, and the first one that is through stops the other. It ends at the end of
// its input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {

struct request {
    std::string row;
    std::string demand;
    unsigned threads;
    unsigned decisions;
    bool tail;  // p99.99 instead of the average
};

struct answer {
    double ns = 0;
    std::uint64_t asked = 0;
    std::uint64_t admitted = 0;
    long switches = 0;
};

struct worker_row {
    std::string name;
    double bytes = 0;
    std::vector<std::string> demands;
    std::string title;
};

class worker {
public:
    worker(const std::string& program, std::size_t keys);
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker();

    [[nodiscard]] const std::vector<worker_row>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }
    [[nodiscard]] const std::string& by() const { return by_; }  // empty if it was not told

    [[nodiscard]] pid_t process() const { return process_; }

    [[nodiscard]] const std::string& program() const { return program_; }

    // Throws std::runtime_error if the answer is none.
    [[nodiscard]] answer ask(const request& r);

    // The numbers that answer one of the other demands; throws too.
    [[nodiscard]] std::vector<double> ask(const std::string& row, const std::string& demand,
                                          const std::vector<std::uint64_t>& of);

private:
    struct closing {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    [[nodiscard]] std::string line();
    [[nodiscard]] std::string answer_to(const std::string& request);
    void listen();

    std::string program_;
    pid_t process_ = -1;
    std::unique_ptr<std::FILE, closing> to_;
    std::unique_ptr<std::FILE, closing> from_;
    std::vector<worker_row> rows_;
    std::vector<std::string> left_out_;
    std::string by_;
};

}  // namespace bench

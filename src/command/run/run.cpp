// SPDX-License-Identifier: MIT
#include "command/run/run.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include <weir/adapter/shm.hpp>
#include <weir/limiter/acquire.hpp>

#include "command/limits/name.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "command/run/options.hpp"
#include "command/run/program.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

constexpr int not_admitted = 75;  // EX_TEMPFAIL of sysexits.h: try again later
constexpr int cannot_be_run = 126;
constexpr int not_there = 127;

using shared = shared_limiter<>;

// The limit without its places. A process that is killed while it has a place keeps those behind
// it waiting for nothing; one that only asks again leaves nothing behind.
class without_places {
public:
    using clock_type = shared::clock_type;
    using instant = weir::instant<clock_type>;

    explicit without_places(shared& limit) : limit_(limit) {}

    auto try_acquire(word n, instant now) noexcept { return limit_.try_acquire(n, now); }
    [[nodiscard]] auto peek(word n, instant now) const noexcept { return limit_.peek(n, now); }

private:
    shared& limit_;
};

std::string quoted(const quota& q) { return "'" + std::string(to_text(q).c_str()) + "'"; }

// Somebody has made it with other terms.
[[noreturn]] void refuse_terms(const run_options& o) {
    const auto its = shared::join(opened_name(o.name).c_str(), o.access);
    const int error = errno;
    if (!its) throw std::runtime_error(sentence_of(o.name, its.error(), error));
    if (its->quota() == *o.quota) {
        throw std::runtime_error("limit " + o.name +
                                 " was made with options of its own: leave "
                                 "out --quota to take it as it is");
    }
    throw std::runtime_error("limit " + o.name + " is " + quoted(its->quota()) + " and not " +
                             quoted(*o.quota) +
                             ": leave out --quota, or first remove it by weir "
                             "limits --remove " +
                             o.name);
}

shared open(const run_options& o) {
    const std::string name = opened_name(o.name);
    if (o.quota) {
        const quota_error reason = shared::refusal(*o.quota);
        if (reason != quota_error::none) {
            throw usage_error("--quota " + quoted(*o.quota) + " is refused: " + describe(reason));
        }
    }
    auto opened = o.quota ? shared::open(name.c_str(), *o.quota, {}, o.access)
                          : shared::join(name.c_str(), o.access);
    const int error = errno;
    if (opened) return std::move(*opened);
    if (opened.error() == shm_error::another_quota) refuse_terms(o);
    if (opened.error() == shm_error::not_there && !o.quota) {
        throw usage_error("limit " + o.name +
                          " is not there yet: make it by --quota, as in "
                          "--quota 5/s");
    }
    throw std::runtime_error(sentence_of(o.name, opened.error(), error));
}

int cannot_run(const std::string& program, int reason) {
    complain("weir run: " + program + ": " + std::generic_category().message(reason));
    return reason == ENOENT ? not_there : cannot_be_run;
}

// How long it is still to wait; 0 if it is admitted.
nanoseconds wait_for(shared& limit, const run_options& o) {
    without_places its(limit);
    acquisition a = acquire_for(its, 1, nanoseconds{}, waiting::sleep);
    if (a || a.wait > o.wait) return a.wait;
    progress line(0, true);
    line.show("weir run: waiting " + rounded_up(a.wait) + " for " + o.name);
    a = acquire_for(its, 1, o.wait, waiting::sleep);
    return a.wait;
}

}  // namespace

int run_run(arguments all) {
    const run_options o = parse_run(all);
    if (o.help) {
        write_out(run_help);
        return 0;
    }
    // Before a unit is taken for a word that is misspelt.
    const std::string& program = o.command.front();
    if (const int reason = look_for_program(program); reason != 0) {
        return cannot_run(program, reason);
    }
    {
        shared limit = open(o);
        const nanoseconds wait = wait_for(limit, o);
        if (wait != nanoseconds{}) {
            complain("weir run: limit " + o.name + " admits the next in " + rounded_up(wait));
            return not_admitted;
        }
    }
    return cannot_run(program, become(o.command));
}

}  // namespace weir::command

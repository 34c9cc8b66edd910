// SPDX-License-Identifier: MIT
#include "command/sim/sim.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "command/file.hpp"
#include "command/interruption.hpp"
#include "command/output.hpp"
#include "command/progress.hpp"
#include "command/sim/generated.hpp"
#include "command/sim/options.hpp"
#include "command/sim/results.hpp"
#include "command/sim/trace.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

constexpr const char* standard_input = "standard input";

// Arrivals that are kept for suggestions: 256 MB of them.
constexpr std::size_t most_kept = std::size_t{1} << 24U;

// A quota to begin with where none was asked for: only its period and the relation of its burst to
// its units count.
quota any_quota() { return per_second(1); }

std::vector<simulated_limit> limits_of(const sim_options& o) {
    std::vector<simulated_limit> all;
    for (const std::string& name : o.limits) {
        const limit_kind* const kind = find_limit(name);
        std::string why;
        auto made = kind->make(
            {o.asked.value_or(any_quota()), o.longest_wait, false, o.svg.has_value()}, why);
        if (made == nullptr && o.all_limits) continue;
        if (made == nullptr)
            throw usage_error(std::string("--limit ").append(name).append(": ").append(why));
        if (o.asked) {
            all.push_back({kind, std::move(made)});
        } else {
            all.push_back({kind, nullptr});
        }
    }
    if (all.empty()) throw usage_error("--limit all: none of them can hold this quota");
    return all;
}

// A path that cannot be written is best told before a long run.
void look_where_to_write(const std::optional<std::string>& path) {
    if (!path) return;
    const std::filesystem::path target(*path);
    std::error_code ignored;
    const bool exists = std::filesystem::exists(target, ignored);
    const std::string folder = target.parent_path().empty() ? "." : target.parent_path().string();
    if (std::filesystem::is_directory(target, ignored)) {
        errno = EISDIR;
    } else if (::access(exists ? path->c_str() : folder.c_str(), W_OK) == 0) {
        return;
    }
    throw std::system_error(errno, std::generic_category(), "cannot write " + *path);
}

std::string arrivals_text(const sim_options& o, arguments all) {
    if (o.log) return o.log->path == "-" ? standard_input : o.log->path;
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
        constexpr std::string_view name = "--arrivals";
        std::string_view what;
        if (all[i] == name && i + 1 < all.size()) what = all[++i];
        if (all[i].starts_with("--arrivals=")) what = all[i].substr(name.size() + 1);
        if (!what.empty()) text += (text.empty() ? "" : " + ") + std::string(what);
    }
    return text + " for " + to_text(o.length).c_str();
}

bool has_chance(const sim_options& o) {
    for (const pattern& p : o.patterns) {
        if (p.how == pattern::kind::poisson || p.how == pattern::kind::on_off) return true;
    }
    return false;
}

// How far it is, ten times a second.
class sim_progress {
public:
    explicit sim_progress(const trace* log) : log_(log) {}

    void show(std::uint64_t requests) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        const double seconds = std::chrono::duration<double>(now - begin_).count();
        const std::uint64_t count = log_ != nullptr ? log_->lines_so_far() : requests;
        std::string text = log_ != nullptr ? plural(count, "line") : plural(count, "request");
        if (log_ != nullptr) {
            if (const auto share = log_->share_so_far())
                text += ", " + fixed(100 * *share, 0) + " %";
        }
        text += ", " + fixed(static_cast<double>(count) / seconds / 1e6, 1) + " M/s";
        line_.show(text);
    }
    void show(std::string text) { line_.show(std::move(text)); }
    void erase() noexcept { line_.erase(); }

private:
    const trace* log_;
    progress line_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_ = begin_;
};

void count(sim_results& r, const std::vector<arrival>& batch) {
    if (r.requests == 0) r.begin = batch.front().time;
    r.requests += batch.size();
    for (const arrival& a : batch) {
        r.units += a.cost;
        r.came.add(a.time, a.cost);
        if (a.key >= r.came_by_key.size()) r.came_by_key.resize(std::size_t{a.key} + 1);
        ++r.came_by_key[a.key];
    }
    r.end = batch.back().time;
}

void run_all(source& from, sim_results& r, std::vector<arrival>* kept, sim_progress& line,
             const interruption& asked) {
    std::vector<arrival> batch;
    while (!from.is_over() || !batch.empty()) {
        if (asked) break;
        from.read(batch);
        line.show(r.requests);
        if (batch.empty()) continue;
        count(r, batch);
        for (simulated_limit& l : r.limits) {
            if (l.limit) l.limit->take(batch);
        }
        if (kept == nullptr || kept->size() >= most_kept) continue;
        kept->insert(kept->end(), batch.begin(), batch.end());
    }
    for (simulated_limit& l : r.limits) {
        if (l.limit) l.limit->end();
    }
}

void suggest_all(const sim_options& o, sim_results& r, const std::vector<arrival>& kept,
                 sim_progress& line, const interruption& asked) {
    r.suggested_of = kept.size();
    r.share = *o.suggest;
    const suggestion_terms terms = {*o.suggest, o.asked.value_or(any_quota()), o.longest_wait};
    for (const simulated_limit& l : r.limits) {
        line.show("a quota for " + std::string(l.kind->name));
        r.suggestions.push_back(suggest(*l.kind, kept, terms, [&] { return !asked; }));
    }
}

std::string written(const std::string& path, const std::string& text) {
    replace_file(path, text);
    return std::filesystem::absolute(path).lexically_normal().string();
}

// By what a compressed file begins with.
const char* unpacker_of(std::string_view text) {
    using namespace std::string_view_literals;
    if (text.starts_with("\x1f\x8b")) return "zcat";
    if (text.starts_with("\xfd"
                         "7zXZ"))
        return "xzcat";
    if (text.starts_with("\x28\xb5\x2f\xfd")) return "zstdcat";
    if (text.starts_with("BZh")) return "bzcat";
    return nullptr;
}

void look_whether_it_made_sense(const sim_results& r) {
    const trace_facts& f = *r.log;
    if (f.not_understood == 0) return;
    // By chance some of its bytes may be a line.
    const char* const unpacker = f.first_line == 1 ? unpacker_of(f.first_text) : nullptr;
    if (unpacker != nullptr) {
        const std::string file = r.arrivals == standard_input ? "FILE" : r.arrivals;
        throw std::runtime_error(r.arrivals + " is compressed: " + unpacker + " " + file +
                                 " | weir sim --arrivals trace:-");
    }
    if (r.requests != 0) return;
    throw std::runtime_error("no line of " + r.arrivals + " is understood, of " + grouped(f.lines) +
                             "; the first that is not: " + f.first_reason +
                             (f.first_text.empty() ? "" : ": " + f.first_text));
}

}  // namespace

int run_sim(arguments all) {
    const sim_options o = parse_sim(all);
    if (o.help) {
        write_out(sim_help());
        return 0;
    }
    const style out = style_of_output();
    sim_results r;
    r.limits = limits_of(o);
    r.top = o.top;
    r.arrivals = arrivals_text(o, all);
    look_where_to_write(o.svg);
    look_where_to_write(o.csv);

    std::unique_ptr<source> from;
    trace* log = nullptr;
    if (o.log) {
        r.known = std::make_unique<keys>(o.most_keys);
        r.by = o.log->by;
        auto opened = std::make_unique<trace>(*o.log, *r.known);
        log = opened.get();
        from = std::move(opened);
    } else {
        // 32 bits, which are enough to be different each time and short enough to be typed.
        const std::uint64_t seed = o.seed ? *o.seed : std::random_device()();
        if (has_chance(o)) r.seed = seed;
        from = std::make_unique<generated>(o.patterns, o.length, seed);
        r.came.begin_at(0);
        for (simulated_limit& l : r.limits) {
            if (l.limit) l.limit->begin_at(0);
        }
    }

    sim_progress line(log);
    const interruption asked;
    std::vector<arrival> kept;
    run_all(*from, r, o.suggest ? &kept : nullptr, line, asked);
    if (log != nullptr) {
        r.log = log->facts();
        r.format = log->format();
    } else {
        r.begin = 0;
        if (!asked) r.end = static_cast<std::uint64_t>(o.length.count());
    }
    if (r.log && !asked) look_whether_it_made_sense(r);
    if (o.suggest) suggest_all(o, r, kept, line, asked);
    r.interrupted = bool(asked);
    line.erase();
    if (o.svg) r.svg = written(*o.svg, sim_svg(r));
    if (o.csv) r.csv = written(*o.csv, sim_csv(r));
    write_out(o.json ? sim_json(r) : sim_text(r, out));
    asked.end_by_it();
    return 0;
}

}  // namespace weir::command

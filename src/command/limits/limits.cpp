// SPDX-License-Identifier: MIT
#include "command/limits/limits.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/adapter/shm_segment.hpp>

#include "command/json.hpp"
#include "command/limits/found.hpp"
#include "command/limits/name.hpp"
#include "command/limits/options.hpp"
#include "command/output.hpp"
#include "command/style.hpp"
#include "command/table.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

std::string next_text(const found_limit& l) {
    if (!l.next) return "";
    return *l.next == nanoseconds{} ? "now" : "in " + rounded_up(*l.next);
}

std::string table_text(const std::vector<found_limit>& all) {
    if (all.empty()) return "no limits in /dev/shm\n";
    table rows({"limit", "kind", "quota", "there", "next"});
    std::string wrong;
    for (const found_limit& l : all) {
        const auto q = l.quota();
        rows.add({printable(l.name), printable(l.kind()), q ? std::string(to_text(*q).c_str()) : "",
                  l.there ? grouped(*l.there) : "", next_text(l)});
        if (l.wrong != shm_error::none)
            wrong += sentence_of(printable(l.name), l.wrong, l.error) + "\n";
    }
    return rows.text(style_of_output().width) + wrong;
}

template <class Value>
void put(json& j, std::string_view name, const std::optional<Value>& value) {
    if (value) {
        j.member(name, *value);
    } else {
        j.key(name).null();
    }
}

std::string json_text(const std::vector<found_limit>& all) {
    json j;
    j.begin_array();
    for (const found_limit& l : all) {
        j.begin_object()
            .member("name", std::string_view(l.name))
            .member("path", std::string_view(l.path))
            .member("kind", std::string_view(l.kind()));
        put(j, "quota", l.quota());
        put(j, "there", l.there);
        j.key("next_ns");
        if (l.next) {
            j.value(static_cast<std::uint64_t>(l.next->count()));
        } else {
            j.null();
        }
        j.member("bytes", l.head.bytes).key("wrong");
        if (l.wrong == shm_error::none) {
            j.null();
        } else {
            j.value(describe(l.wrong));
        }
        j.end_object();
    }
    j.end_array();
    return j.text() + "\n";
}

// What is not weir's is not removed: a path may be that of any file.
void remove(const std::string& name) {
    const found_limit l = look_at_limit(name);
    shm_error reason = l.is_weirs() ? remove_shared(opened_name(name).c_str()) : l.wrong;
    const int error = l.is_weirs() ? errno : l.error;
    if (reason != shm_error::none) throw std::runtime_error(sentence_of(name, reason, error));
}

}  // namespace

int run_limits(arguments all) {
    const limits_options o = parse_limits(all);
    if (o.help) {
        write_out(limits_help);
        return 0;
    }
    if (o.remove) {
        for (const std::string& name : o.names) remove(name);
        return 0;
    }
    std::vector<found_limit> found;
    for (const std::string& name : o.names) {
        found.push_back(look_at_limit(name));
        const found_limit& l = found.back();
        if (!l.is_weirs()) throw std::runtime_error(sentence_of(name, l.wrong, l.error));
    }
    if (o.names.empty()) found = find_limits();
    write_out(o.json ? json_text(found) : table_text(found));
    return 0;
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// What another rate limiter promises, told as a story that weir's limits are played through: what
// is asked at what time, and what must be answered. The peers' files beside this one hold them.
//
//     case: five at once, then one a second
//     quota: 1/s, burst 5
//     0   take 5         yes left 0 new 5s
//     0   take 1         no 1s
//
// `case:` begins a story and names it. Lines `key: text` say what it is played on:
//     rule: gcra (the default), adjustable, or token_bucket, which refills by whole periods
//     quota: as parse_quota reads it; two of them are two limits that must both admit
//     start: units that are there at first; the whole burst if nothing is said
// Every other line is a step: the time since the beginning, what is asked, what is answered.
//     take N             yes, no or never
//     peek N             the same, and takes nothing
//     up_to N            the number that was taken
//     charge N           yes, or no beyond the debt allowed
//     reserve N as NAME  at TIME, no or never; `within TIME` is the longest wait
//     cancel NAME        the number that went back
//     quota Q            of an adjustable: the new one holds; nothing is answered
// Behind the answer may stand how long to wait, `left N`, and `new TIME` until it is as good as
// new. Behind a semicolon stands what the peer answers in its place, and why we do not.
#pragma once

#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <weir/cell/options.hpp>
#include <weir/cell/quota_text.hpp>

namespace oracle {

struct peer_step {
    std::uint64_t time = 0;  // nanoseconds
    std::string what;        // take, peek, ...
    std::string text;        // the whole line, for complaints
    std::uint64_t units = 0;
    std::string name;
    std::string quota;
    weir::nanoseconds within = weir::nanoseconds::longest();
    std::string answer;
    std::string theirs;  // if they answer otherwise
};

struct peer_story {
    std::string peer;
    std::string name;
    std::string rule = "gcra";
    std::vector<weir::quota> quotas;
    std::int64_t start = weir::options::whole_burst;
    std::vector<peer_step> steps;

    friend void PrintTo(const peer_story& story, std::ostream* out) {
        *out << story.peer << ": " << story.name;
    }
};

// A length of time as quotas have it: 250ms, 1.5s; or 0.
inline weir::nanoseconds peer_time(const std::string& text) {
    if (text.find_first_not_of("0nums") == std::string::npos) return {};  // 0, or 0s
    return weir::parse_quota("1/" + text).value().period();
}

inline peer_step peer_step_of(const std::string& line) {
    peer_step step;
    step.text = line;
    const std::size_t end = line.find(';');
    if (end != std::string::npos) {
        // "; Bucket4j: yes, since it ..."
        const std::size_t begin = line.find(':', end) + 2;
        step.theirs = line.substr(begin, line.find(',', begin) - begin);
    }
    std::istringstream in(line.substr(0, end));
    std::string word;
    in >> word >> step.what;
    step.time = static_cast<std::uint64_t>(peer_time(word).count());
    if (step.what == "quota") {
        std::getline(in >> std::ws, step.quota);
        return step;
    }
    if (step.what == "cancel")
        in >> step.name;
    else
        in >> step.units;
    while (in >> word) {
        if (word == "as") {
            in >> step.name;
        } else if (word == "within") {
            in >> word;
            step.within = peer_time(word);
        } else {
            step.answer += step.answer.empty() ? word : " " + word;
        }
    }
    return step;
}

// All stories of a text. A line that is none of the above ends the program with a sentence.
inline std::vector<peer_story> peer_stories(const std::string& peer, std::string_view text) {
    std::vector<peer_story> stories;
    std::istringstream in{std::string(text)};
    std::string line;
    while (std::getline(in, line)) {
        const std::size_t colon = line.find(": ");
        const std::string key = line.substr(0, colon == std::string::npos ? 0 : colon);
        const std::string value = line.substr(colon == std::string::npos ? 0 : colon + 2);
        if (line.empty() || line.starts_with('#')) continue;
        if (key == "case") {
            stories.emplace_back();
            stories.back().peer = peer;
            stories.back().name = value;
        } else if (key == "rule")
            stories.back().rule = value;
        else if (key == "quota")
            stories.back().quotas.push_back(weir::parse_quota(value).value());
        else if (key == "start")
            stories.back().start = std::stoll(value);
        else
            stories.back().steps.push_back(peer_step_of(line));
    }
    return stories;
}

}  // namespace oracle

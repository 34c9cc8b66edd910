// SPDX-License-Identifier: MIT
// weir beside what other rate limiters promise: their published examples, played on weir's limits.
// Where weir answers otherwise, the story says what the peer answers and why weir does not.
#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

#include "bucket4j.hpp"
#include "governor.hpp"
#include "juju.hpp"
#include "servers.hpp"
#include "story.hpp"
#include "throttled.hpp"
#include "x_time_rate.hpp"

namespace {

using namespace oracle;

struct told_by_the_story {};
using story_clock = weir::manual_clock<told_by_the_story>;
using gcra = weir::limiter<weir::gcra<>, story_clock>;
using bucket = weir::limiter<weir::token_bucket<>, story_clock>;
using adjustable = weir::adjustable<story_clock>;

// In the words of the stories.
std::string in_words(weir::nanoseconds time) {
    std::string text = to_text(time).c_str();
    std::erase(text, ' ');
    return text;
}

// Times are compared by their length, all other words as they are.
bool is_same(const std::string& told, const std::string& word) {
    if (told == word) return true;
    const auto is_time = [](const std::string& w) {
        return std::isdigit(static_cast<unsigned char>(w.front())) != 0 &&
               (std::isalpha(static_cast<unsigned char>(w.back())) != 0 || w == "0");
    };
    return is_time(told) && is_time(word) && peer_time(told) == peer_time(word);
}

template <class Decision>
std::string answer_of(const Decision& d) {
    if (d.verdict() == weir::verdict::never) return "never";
    return d ? "yes" : "no " + in_words(d.retry_after());
}

template <class Limit>
std::string played(Limit& limit, const peer_step& step) {
    const auto n = static_cast<weir::word>(step.units);
    const weir::instant<story_clock> now(static_cast<weir::word>(step.time));
    std::string told;
    if (step.what == "take") {
        told = answer_of(limit.try_acquire(n, now));
    } else if (step.what == "peek") {
        told = answer_of(limit.peek(n, now));
    } else if constexpr (requires {
                             limit.acquire_up_to(n, now);
                             limit.charge(n, now);
                         }) {
        if (step.what == "up_to") told = std::to_string(limit.acquire_up_to(n, now).units);
        if (step.what == "charge") told = answer_of(limit.charge(n, now));
    }
    const auto after = limit.peek(weir::word{0}, now);
    return told + " left " + std::to_string(after.remaining()) + " new " +
           in_words(after.reset_after());
}

// A limit, and the permits that were given by it.
template <class Limit>
class with_permits {
public:
    template <class... Arguments>
    explicit with_permits(Arguments&&... arguments) : limit_(arguments...) {}

    std::string play(const peer_step& step) {
        const weir::instant<story_clock> now(static_cast<weir::word>(step.time));
        const auto n = static_cast<weir::word>(step.units);
        if (step.what == "reserve") {
            auto permit = limit_.reserve(n, step.within, now);
            std::string told = answer_of_permit(permit, step.time);
            permits_[step.name] = std::move(permit);
            return told;
        }
        if (step.what == "cancel") {
            const weir::refunded back =
                limit_.refund(std::move(permits_[step.name]), weir::largest<weir::word>, now);
            return std::to_string(back.units());
        }
        if constexpr (requires { limit_.set_quota(limit_.quota()); }) {
            if (step.what == "quota") {
                story_clock::set(weir::tick{static_cast<weir::word>(step.time)});
                EXPECT_EQ(limit_.set_quota(weir::parse_quota(step.quota).value()),
                          weir::quota_error::none);
                return "";
            }
        }
        return played(limit_, step);
    }

private:
    template <class Permit>
    static std::string answer_of_permit(const Permit& p, std::uint64_t now) {
        if (p.verdict() == weir::verdict::never) return "never";
        if (!p) return "no " + in_words(p.wait());
        return "at " + in_words(weir::nanoseconds(static_cast<std::int64_t>(now)) + p.wait());
    }

    Limit limit_;
    std::map<std::string, typename Limit::permit_type> permits_;
};

// Both must admit.
template <class Limit>
class of_two {
public:
    of_two(const peer_story& story, const weir::options& o)
        : first_(story.quotas[0], o), second_(story.quotas[1], o) {}
    std::string play(const peer_step& step) {
        weir::all_of both{first_, second_};
        return played(both, step);
    }

private:
    Limit first_;
    Limit second_;
};

// Each word that the story tells comes in what was answered, in the same order.
bool holds(const std::string& told, const std::string& answer) {
    std::istringstream expected(told);
    std::istringstream in(answer);
    std::string wanted;
    std::string word;
    bool first = true;
    while (expected >> wanted) {
        do {
            if (!(in >> word)) return false;
        } while (!is_same(wanted, word) && !first);
        if (!is_same(wanted, word)) return false;
        first = false;
    }
    return true;
}

template <class Limit>
void play(Limit&& limit, const peer_story& story) {
    for (const peer_step& step : story.steps) {
        const std::string answer = limit.play(step);
        EXPECT_TRUE(holds(step.answer, answer)) << step.text << "\nanswers: " << answer;
        if (!step.theirs.empty()) {
            EXPECT_FALSE(holds(step.theirs, answer)) << "no difference: " << step.text;
        }
    }
}

class peers : public testing::TestWithParam<peer_story> {};

TEST_P(peers, promise_and_weir_answers) {
    const peer_story& story = GetParam();
    weir::options o;
    o.start = story.start;
    o.whole_periods = story.rule == "token_bucket";
    story_clock::set(weir::tick{0});
    ASSERT_FALSE(story.steps.empty());
    if (story.quotas.size() == 2 && story.rule == "token_bucket")
        play(of_two<bucket>(story, o), story);
    else if (story.quotas.size() == 2)
        play(of_two<gcra>(story, o), story);
    else if (story.rule == "token_bucket")
        play(with_permits<bucket>(story.quotas[0], o), story);
    else if (story.rule == "adjustable")
        play(with_permits<adjustable>(story.quotas[0], o), story);
    else
        play(with_permits<gcra>(story.quotas[0], o), story);
}

std::vector<peer_story> all_stories() {
    std::vector<peer_story> all;
    const auto add = [&](const char* peer, const char* text) {
        for (const peer_story& story : peer_stories(peer, text)) all.push_back(story);
    };
    add("throttled", throttled_stories);
    add("x_time_rate", x_time_rate_stories);
    add("juju", juju_stories);
    add("governor", governor_stories);
    add("bucket4j", bucket4j_stories);
    add("envoy", envoy_stories);
    add("nginx", nginx_stories);
    return all;
}

std::string name_of(const testing::TestParamInfo<peer_story>& info) {
    std::string name = info.param.peer + "_" + info.param.name;
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(oracle, peers, testing::ValuesIn(all_stories()), name_of);

}  // namespace

// SPDX-License-Identifier: MIT
// An item that is refused for its deadline would have missed it: in random histories, each refused
// item is put into a twin of the pacer all the same, and however that one is polled from then on,
// the item does not go in time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/pacer.hpp>

#include "../oracle/complaint.hpp"
#include "../oracle/dice.hpp"
#include "../oracle/effort.hpp"
#include "limits.hpp"

namespace {

using namespace pacing::some;
using clock = pacing::some::clock;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;
using weir::word;

constexpr std::size_t lane_count = 4;

struct event {
    word at;
    enum { push, poll, pause } what;
    std::size_t lane;
    word cost;
    word by;  // of a push: 0 is no deadline; of a pause: its end
};
struct history {
    word start;
    seat seats[lane_count];
    weir::pacer_options options;
    std::vector<event> events;
};

[[nodiscard]] history any_history(oracle::dice& d) {
    history h{d.next(), {}, {.capacity = 64}, {}};
    for (seat& s : h.seats) {
        s = {static_cast<unsigned>(d.roll(3)), static_cast<unsigned>(1 + d.roll(3)),
             static_cast<std::size_t>(d.roll(4) / 2)};
    }
    h.options.lowest_gets_one_in = d.chance(30) ? 4 : 0;
    h.options.most_drops = static_cast<unsigned>(1 + d.roll(3));
    const std::uint64_t lanes = 1 + d.roll(lane_count);
    const unsigned hurried = static_cast<unsigned>(d.roll(101));  // percent with a deadline
    const bool dear = d.chance(50);
    word at = 1;  // from the start, as all times here
    for (std::uint64_t n = 5 + d.roll(80); n > 0; --n) {
        at += d.chance(50) ? 0 : d.roll(d.chance(10) ? 30 * interval : 2 * interval);
        const word face = d.roll(20);
        if (face < 13) {
            const word cost = !dear || d.chance(60) ? 1 : d.roll(9);
            const word by = d.chance(hurried) ? at + d.roll(25 * interval) : 0;
            h.events.push_back(
                {at, event::push, static_cast<std::size_t>(d.roll(lanes)), cost, by});
        } else if (face < 19) {
            h.events.push_back({at, event::poll, 0, 0, 0});
        } else {
            h.events.push_back({at, event::pause, 0, 0, at + d.roll(10 * interval)});
        }
    }
    return h;
}

template <class Subject>
class world {
    using limit_type = typename Subject::limit_type;
    struct writing {
        void emit(std::size_t&& i) { to->emitted.push_back({i, clock::now().count - to->start_}); }
        static void drop(std::size_t&&, weir::dropped) {}
        world* to;
    };
    using pacer = weir::pacer<std::size_t, writing, limit_type&, weir::lanes<lane_count>>;

public:
    explicit world(const history& h)
        : start_(h.start),
          pacer_(limits_[0].limit, writing{this}, h.options),
          lanes_(open_lanes(pacer_, h.seats, limits_)) {}

    // How a push ended; `anyway`: whatever its deadline.
    weir::pushing play(const event& e, std::size_t number, bool anyway) {
        if (e.what == event::poll) poll(e.at);
        clock::set({start_ + e.at});
        if (e.what == event::pause) pacer_.pause_until(instant{start_ + e.by});
        if (e.what != event::push) return weir::pushing::pushed;
        const bool has_one = e.by != 0 && !anyway;
        const auto by = has_one ? weir::deadline(instant{start_ + e.by}) : weir::deadline<clock>();
        return lanes_[e.lane].try_push(std::size_t{number}, e.cost, by).how();
    }
    void poll(word at) {
        clock::set({start_ + at});
        for (next_poll next = pacer_.poll();
             next.what == weir::polled::due && !weir::earlier(clock::now(), next.at);
             next = pacer_.poll()) {
        }
    }

    std::vector<std::pair<std::size_t, word>> emitted;

private:
    struct beginning {
        explicit beginning(word at) { clock::set({at}); }
    };
    word start_;
    beginning begins_{start_};  // before the limits, which begin with their clock
    Subject limits_[2] = {Subject(interval), Subject(90)};
    pacer pacer_;
    std::vector<typename pacer::producer_type> lanes_;
};

// When the item goes that was refused there, if it is pushed all the same.
template <class Subject>
[[nodiscard]] std::optional<word> goes_at(const history& h, std::size_t refused,
                                          const std::vector<word>& polls) {
    world<Subject> twin(h);
    for (std::size_t i = 0; i <= refused; ++i) {
        if (twin.play(h.events[i], i, i == refused) != weir::pushing::pushed && i == refused) {
            return std::nullopt;  // there is no room for it
        }
    }
    for (const word at : polls) twin.poll(at);
    for (const auto& [item, at] : twin.emitted) {
        if (item == refused) return at;
    }
    return std::nullopt;
}

[[nodiscard]] std::string text_of(const history& h, std::size_t last) {
    std::string text = text_of(h.options, h.seats);
    for (std::size_t i = 0; i <= last; ++i) {
        static constexpr const char* names[] = {"push into lane ", "poll ", "pause "};
        const event& e = h.events[i];
        text += std::to_string(e.at) + ": " + names[e.what] + std::to_string(e.lane) + ", cost " +
                std::to_string(e.cost) + ", by " + std::to_string(e.by) + "\n";
    }
    return text;
}

template <class Subject>
class pacer_deadline : public testing::Test {};
TYPED_TEST_SUITE(pacer_deadline, of_each_kind);

TYPED_TEST(pacer_deadline, refuses_only_what_would_have_missed_it) {
    const std::uint64_t enough = oracle::only_seed() ? 1 : oracle::scaled(3'000);
    std::size_t refused = 0;
    for (std::uint64_t i = 0; i < enough && !this->HasFailure(); ++i) {
        const std::uint64_t seed = oracle::only_seed().value_or((oracle::series() << 32U) + i);
        oracle::dice d(seed);
        const history h = any_history(d);
        std::vector<std::size_t> late;
        {
            world<TypeParam> w(h);
            for (std::size_t e = 0; e < h.events.size(); ++e) {
                const auto how = w.play(h.events[e], e, false);
                if (how == weir::pushing::would_miss_deadline) late.push_back(e);
            }
        }
        for (const std::size_t e : late) {
            ++refused;
            const event& its = h.events[e];
            for (int fate = 0; fate < 4; ++fate) {
                std::vector<word> polls{its.by};
                for (std::uint64_t n = d.roll(4); n > 0; --n) {
                    polls.push_back(its.at + d.roll(its.by - its.at + 1));
                }
                if (fate == 0) {
                    for (word at = its.at; at < its.by; ++at) polls.push_back(at);
                }
                std::sort(polls.begin(), polls.end());
                const auto at = goes_at<TypeParam>(h, e, polls);
                if (!at) continue;
                oracle::expect_no(text_of(h, e) + "goes at " + std::to_string(*at) + ", polled " +
                                      (fate == 0 ? "at every tick" : "now and then"),
                                  seed, "pacer_tests");
                break;
            }
            if (this->HasFailure()) break;
        }
    }
    std::cout << refused << " refused\n";
    if (oracle::only_seed()) return;
    // A limit of two tells neither its rate nor its next slot.
    EXPECT_GT(refused, (std::is_same_v<TypeParam, of_two> ? 1 : 3) * enough / 10);
}

}  // namespace

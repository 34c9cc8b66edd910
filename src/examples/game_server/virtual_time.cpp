// SPDX-License-Identifier: MIT
// Twenty seconds of a game in virtual time: 9 900 honest players, 100 who send a thousand commands
// a second, and strangers who send 200 000 packets a second from ever new addresses. No honest
// player is refused anything; nobody gets more than his quota.
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>

#include <weir/clock/manual.hpp>

#include "server.hpp"

namespace {

constexpr std::uint32_t abusive = 100;  // the first slots
constexpr int frames = 20 * frames_per_second;
constexpr int ticks_a_frame = 1'000;
using frame_time =
    weir::manual_clock<struct simulated, std::uint64_t{frames_per_second} * ticks_a_frame>;

struct nowhere {
    void operator()(std::uint64_t, const update&) const {}
};

// What an honest player says in a frame: he moves 20 times a second, shoots twice, and chats every
// five seconds. That is 30 units a second, of 40.
template <class Say>
void play(std::uint32_t slot, int frame, Say say) {
    const std::uint32_t at = static_cast<std::uint32_t>(frame) + slot;
    if (at % 3 == 0) say(slot, command::move);
    if (at % 30 == 0) say(slot, command::shoot);
    if (at % 300 == 0) say(slot, command::chat);
}

bool holds(const char* what, bool it) {
    if (!it) std::printf("DOES NOT HOLD: %s\n", what);
    return it;
}

}  // namespace

int main() {
    static game_server<frame_time, nowhere> server({}, weir::seed(1));
    static std::array<int, most_players> heard{};  // up to which frame
    std::mt19937 dice(1);
    const auto say = [&](std::uint32_t slot, command what) {
        server.on_packet({slot, token_of(slot), what}, slot + 1);
    };
    count asked = 0;  // of each abusive player
    for (int frame = 1; frame <= frames; ++frame) {
        frame_time::set(weir::instant<frame_time>(frame * ticks_a_frame));
        // What an honest player says comes up to ten frames late, and then together.
        for (std::uint32_t slot = abusive; slot < most_players; ++slot) {
            const int until = frame - static_cast<int>(dice() % 11);
            while (heard[slot] < until) play(slot, ++heard[slot], say);
        }
        for (int i = 0; i < 1'000 / frames_per_second; ++i, ++asked) {
            for (std::uint32_t slot = 0; slot < abusive; ++slot) say(slot, command::shoot);
        }
        for (int i = 0; i < 200'000 / frames_per_second; ++i) {
            const std::uint64_t address = std::uint64_t{dice()} << 16 | dice() % 65'536;
            server.on_packet({0, 0, command::move}, address);
        }
        server.end_frame();
    }

    constexpr int seconds = frames / frames_per_second;
    const auto most = [](const weir::quota& q, count time) {
        return static_cast<count>(q.burst()) + static_cast<count>(q.units()) * time;
    };
    count honest_refused = 0;
    count least_refused = asked;
    for (std::uint32_t slot = 0; slot < most_players; ++slot) {
        if (slot >= abusive)
            honest_refused += server.refused(slot);
        else if (server.refused(slot) < least_refused)
            least_refused = server.refused(slot);
    }
    const counts& c = server.counted();
    std::printf("%u honest players: %llu commands refused\n", most_players - abusive,
                honest_refused);
    std::printf(
        "%u abusive players: each sent %llu commands, of which at least %llu were refused\n",
        abusive, asked, least_refused);
    std::printf("strangers: %llu packets looked at, %llu refused\n", c.strangers,
                c.strangers_refused);
    std::printf("packets out: %.0f a second\n", static_cast<double>(c.sent) / seconds);

    const auto out = static_cast<count>(of_packets_out.units());
    bool all = holds("no honest player is refused", honest_refused == 0);
    all &= holds("no abusive one gets more than his quota",
                 (asked - least_refused) * costs[1] <= most(of_a_player, seconds));
    all &= holds("strangers together have their quota",
                 c.strangers <= most(of_all_strangers, seconds));
    all &= holds("packets go out at their rate",
                 c.sent <= out * seconds + 2 * out / frames_per_second + 1 &&
                     c.sent >= out * seconds * 99 / 100);
    return all ? 0 : 1;
}

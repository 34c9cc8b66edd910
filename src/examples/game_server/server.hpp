// SPDX-License-Identifier: MIT
// The limits of a game server, and its outgoing packets. One thread runs it, 60 times a second.
//
//   a player      has so many units a second, and each kind of command costs some of them
//   a stranger    is whoever sends no valid token; he may ask to join now and then
//   all strangers together make the server look at no more than so many packets a second
//   packets out   go at a constant rate, those that matter first
//
// So whatever a player or a stranger sends, he takes nothing from others: an honest player is
// refused only by his own limit. A refusal costs a nanosecond or two, as no clock is read for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/limiter/all_of.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/table/array.hpp>
#include <weir/table/keyed.hpp>
#include <weir/weir.hpp>

inline constexpr std::uint32_t most_players = 10'000;
inline constexpr int frames_per_second = 60;

enum class command : std::uint32_t { move, shoot, chat };
inline constexpr std::array<std::uint32_t, 3> costs{1, 4, 10};

// From a player to the server.
struct packet {
    std::uint32_t slot;
    std::uint32_t token;  // proves that it is this player
    command what;
};
// In a real game the token is a secret that was made at random when the player joined.
constexpr std::uint32_t token_of(std::uint32_t slot) { return slot * 2'654'435'761U + 1; }

// And back.
struct update {
    std::uint32_t slot;
    std::uint32_t number;
};

inline constexpr weir::quota of_a_player = weir::per_second(40);
inline constexpr weir::quota of_a_stranger = weir::per_second(2);
inline constexpr weir::quota of_all_strangers = weir::per_second(5'000);
inline constexpr weir::quota of_packets_out = weir::per_second(30'000);

using count = unsigned long long;

struct counts {
    count admitted = 0;
    count strangers = 0;  // whom the server looked at
    count strangers_refused = 0;
    count sent = 0;
    count not_sent = 0;  // updates for which there was no room; newer ones come
};

// Wire: called with an address and an update for each packet that goes out.
template <class Clock, class Wire>
class game_server {
public:
    game_server(Wire wire, weir::seed seed)
        : wire_(wire), per_stranger_(of_a_stranger, weir::when_full::forgive_least, seed) {
        // The first decision makes things ready. It must not happen in the first frame.
        (void)commands_[0].peek();
    }
    game_server(const game_server&) = delete;
    game_server& operator=(const game_server&) = delete;

    // `from`: the sender's address, as a number.
    void on_packet(const packet& p, std::uint64_t from) {
        const bool is_known = p.slot < most_players && p.token == token_of(p.slot);
        const auto what = static_cast<std::size_t>(p.what);
        if (!is_known || what >= costs.size()) return on_stranger(from);
        if (!commands_[p.slot].try_acquire(costs[what])) {
            ++refused_[p.slot];  // who is refused very often may be thrown out
            return;
        }
        ++counted_.admitted;
        address_[p.slot] = from;
        if (p.what == command::shoot) send(shots_, p.slot);
    }
    // At the end of each frame: some players are told how the world looks, and what is due goes.
    void end_frame() {
        for (int i = 0; i < 250; ++i) send(world_, next_player_++ % most_players);
        // A poll lets 256 packets go. There may be more in a frame.
        auto next = out_.poll();
        while (next.what == weir::polled::due && !weir::earlier(Clock::now(), next.at))
            next = out_.poll();
    }

    [[nodiscard]] const counts& counted() const { return counted_; }
    [[nodiscard]] count refused(std::uint32_t slot) const { return refused_[slot]; }

private:
    struct sink {
        game_server* whose;
        void emit(update&& u) {
            ++whose->counted_.sent;
            whose->wire_(whose->address_[u.slot], u);
        }
        void drop(update&&, weir::dropped) {}
    };
    // No heap: the places of the lanes are part of the type.
    using pacer_type = weir::pacer<update, sink, weir::schedule<Clock>, weir::lanes<2, 2048>>;
    using lane = typename pacer_type::producer_type;

    void on_stranger(std::uint64_t from) {
        if (weir::all_of(per_stranger_[from], all_strangers_).try_acquire()) {
            ++counted_.strangers;  // here he would be asked who he is
        } else {
            ++counted_.strangers_refused;
        }
    }
    void send(lane& to, std::uint32_t slot) {
        if (address_[slot] == 0) return;
        if (!to.try_push({slot, ++number_})) ++counted_.not_sent;
    }

    Wire wire_;
    counts counted_;
    std::uint32_t number_ = 0;
    std::uint32_t next_player_ = 0;
    std::array<count, most_players> refused_{};
    std::array<std::uint64_t, most_players> address_{};  // 0: not heard of yet
    weir::limiter_array<most_players, weir::gcra<>, Clock> commands_{of_a_player};
    weir::keyed_limits<16'384, Clock> per_stranger_;
    weir::limiter<weir::gcra<>, Clock> all_strangers_{of_all_strangers};
    pacer_type out_{
        weir::schedule<Clock>{of_packets_out, weir::catch_up::frames_per_second(frames_per_second)},
        sink{this}};
    lane shots_ = out_.open({.priority = weir::priority::first});
    lane world_ = out_.open();
};

// SPDX-License-Identifier: MIT
// A polled pacer as a microcontroller has it: one lane of 16 places, milliseconds in 32 bits, and a
// sink of two functions. Measured; nothing here is run.
#include <cstdint>

#include <weir/pacer/pacer.hpp>
#include <weir/pacer/schedule.hpp>

extern "C" {
std::uint32_t milliseconds();
void wire(std::uint32_t);
void lost(std::uint32_t);
}

struct board_clock {
    static constexpr std::uint64_t lowest_hertz = 1'000;
    static constexpr std::uint64_t highest_hertz = 1'000;
    [[nodiscard]] static weir::instant<board_clock> now() noexcept {
        return weir::instant<board_clock>(milliseconds());
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return 1'000; }
    [[nodiscard]] static constexpr weir::clock_facts facts() noexcept {
        return {"board", 1'000, weir::nanoseconds(1'000'000), true};
    }
};

struct radio {
    static void emit(std::uint32_t&& packet) { wire(packet); }
    static void drop(std::uint32_t&& packet, weir::dropped) { lost(packet); }
};

using schedule = weir::schedule<board_clock>;
using radio_pacer = weir::pacer<std::uint32_t, radio, schedule, weir::lanes<1, 16>>;

constexpr schedule twenty(*schedule::make(weir::quota{20, weir::seconds(1), 5}));

// As static storage without a destructor: firmware does not end.
union storage {
    storage() noexcept : p(schedule(twenty), radio{}) {}
    ~storage() {}  // NOLINT(modernize-use-equals-default): would be deleted
    radio_pacer p;
};
union holding {
    holding() noexcept : lane() {}
    ~holding() {}  // NOLINT(modernize-use-equals-default): would be deleted
    radio_pacer::producer_type lane;
};

storage pacing;
holding held;

extern "C" {

void begin() { held.lane = pacing.p.open(); }

bool push(std::uint32_t packet, std::uint32_t by) {
    return static_cast<bool>(held.lane.try_push(std::uint32_t(packet), 1,
                                                weir::deadline(weir::instant<board_clock>(by))));
}

// Milliseconds until the next poll is due.
std::uint32_t poll() {
    const auto next = pacing.p.poll();
    return next.what == weir::polled::due ? next.at.count - milliseconds() : UINT32_MAX;
}
}

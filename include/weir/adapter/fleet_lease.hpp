// SPDX-License-Identifier: MIT
// fleet_lease: how many units a process leases of a limit that machines share, and when. A rule
// without a thread, a clock or a connection: it is told the time and what is left in stock, and
// says what to do.
//
//     looks at the stock       every 4 to 5 ms; every 20 ms when nothing has been asked for 1 s
//     a lease is               4 x what was spent since the last look; doubled when the stock was
//                              empty or a request was denied, and no less than that request wants
//     halved                   when for 20 ms less than an eighth of it was spent in a look
//     asks for more            when half of the lease is left, or a request was denied
//     when Redis had less      asks for an eighth more than its share, for 100 ms; and no sooner
//                              than its share has brought a unit, nor so often that all processes
//                              together make more than 50 000 calls a second
//     gives back               what is beyond a lease, when that is more than a lease
//     calls when it is idle    once in a second, which also shows whether Redis is there
//     after it got nothing     waits as long as Redis says, and no longer than a second
//
// So there are at most 250 calls in a second. Two things keep shares equal when the limit is used
// up. The time between two looks is random: in a fixed order, whoever looks first would get what
// came together since the last look of anybody, and the next one what came since then. And nobody
// asks for much more than the share that came since its own last look; who had more than that asks
// for less the next time.
//
// One thread's own. Each call is wait-free and allocates nothing.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/limiter/jitter.hpp>

namespace weir {

// What to do now. To lease no units is a call too.
struct fleet_turn {
    enum class act : unsigned char { nothing, lease, give_back };

    act what = act::nothing;
    word units = 0;
};

class fleet_lease {
public:
    static constexpr nanoseconds shortest_look = milliseconds(4);
    static constexpr nanoseconds longest_look = milliseconds(5);
    static constexpr nanoseconds idle_look = milliseconds(20);
    static constexpr nanoseconds idle_after = milliseconds(1000);
    static constexpr nanoseconds halved_after = milliseconds(20);
    static constexpr nanoseconds give_back_after = milliseconds(100);
    static constexpr nanoseconds dry_for = milliseconds(100);
    static constexpr nanoseconds longest_silence = milliseconds(1000);

    // What one of so many processes may count on, in units a nanosecond. A billionth less makes up
    // for what is rounded.
    [[nodiscard]] static constexpr double share_of(const quota& q,
                                                   std::uint32_t processes) noexcept {
        return static_cast<double>(q.units()) / static_cast<double>(q.period().count()) /
               static_cast<double>(processes) * (1 - 1e-9);
    }
    // The largest lease: all of them together have half of the burst. 0 if the burst is too small.
    [[nodiscard]] static constexpr std::uint64_t largest(const quota& q,
                                                         std::uint32_t processes) noexcept {
        return static_cast<std::uint64_t>(q.burst()) / 2 / processes;
    }

    // Leases have `least` to `most` units. An idle process keeps `least` to twice as many. `share`
    // is the process's, in units a nanosecond, of a fleet of so many `processes`.
    constexpr fleet_lease(word least, word most, double share, std::uint32_t processes,
                          std::uint64_t seed) noexcept
        : least_(least),
          most_(most),
          size_(larger(least, most / 16)),
          share_(share),
          dry_wait_(waits_when_dry(share, processes)),
          spread_(seed, nanoseconds(longest_look.count() - shortest_look.count())) {}

    // At times that do not go back. `stock` is what is left, and `wanted` the largest number of
    // units that was denied since the last look.
    [[nodiscard]] constexpr fleet_turn look(nanoseconds now, word stock, word wanted) noexcept {
        const word spent = filled_ > stock ? filled_ - stock : 0;
        if (now_ == nanoseconds{}) halved_at_ = busy_at_ = now;  // the first one
        filled_ = stock;
        resize(now, spent, stock, wanted);
        now_ = now;
        const bool idle = since(busy_at_, now) >= idle_after;
        next_look_ = now + (idle ? idle_look : spread_.after(shortest_look));
        return turn(now, stock, wanted);
    }

    // What came of a lease that was asked for at `now`, and what is in stock after it. `retry` is
    // how long Redis has nothing, if it gave nothing.
    constexpr void leased(nanoseconds now, word asked, word got, nanoseconds retry,
                          word stock) noexcept {
        called_at_ = now;
        filled_ = stock;
        next_lease_ = now;
        const double rest = credit_ - static_cast<double>(got);
        const double least = -share_ * static_cast<double>(dry_for.count());
        credit_ = rest > least ? rest : least;
        if (got >= asked) return;
        dry_at_ = now;
        if (got != 0) return;
        const nanoseconds wait = retry < longest_silence ? retry : longest_silence;
        // All who wait are told the same instant, and none of them is to be first each time.
        next_lease_ = now + wait + nanoseconds(4 * spread_.after(nanoseconds{}).count());
    }
    // Something else has put units there.
    constexpr void filled(word stock) noexcept { filled_ = stock; }
    constexpr void gave_back(nanoseconds now, word stock) noexcept {
        called_at_ = now;
        filled_ = stock;
    }

    // When to look again.
    [[nodiscard]] constexpr nanoseconds next_look() const noexcept { return next_look_; }
    // From a look, how long it takes until units may have come.
    [[nodiscard]] constexpr nanoseconds wait() const noexcept {
        nanoseconds until = next_lease_ > next_look_ ? next_lease_ : next_look_;
        if (is_dry(now_) && called_at_ + dry_wait_ > until) until = called_at_ + dry_wait_;
        const nanoseconds wait = since(now_, until);
        return wait > longest_look ? wait : longest_look;
    }
    // The units that it wants to have in stock.
    [[nodiscard]] constexpr word size() const noexcept { return size_; }
    [[nodiscard]] constexpr word least() const noexcept { return least_; }
    [[nodiscard]] constexpr word most() const noexcept { return most_; }

private:
    [[nodiscard]] static constexpr nanoseconds since(nanoseconds then, nanoseconds now) noexcept {
        return nanoseconds(now.count() - then.count());
    }
    [[nodiscard]] static constexpr nanoseconds waits_when_dry(double share,
                                                              std::uint32_t processes) noexcept {
        const double unit = 1 / share;
        const double all = 20'000.0 * processes;
        const double wait = unit > all ? unit : all;
        const double longest = static_cast<double>(dry_for.count());
        return nanoseconds(static_cast<std::int64_t>(wait < longest ? wait : longest));
    }
    [[nodiscard]] static constexpr word larger(word a, word b) noexcept { return a < b ? b : a; }
    [[nodiscard]] constexpr word times(word n, word factor) const noexcept {
        return n > most_ / factor ? most_ : n * factor;
    }

    constexpr void resize(nanoseconds now, word spent, word stock, word wanted) noexcept {
        if (spent != 0 || wanted != 0) {
            busy_at_ = now;
            const bool lacks = stock == 0 || wanted != 0;
            const word grown = larger(times(spent, 4), lacks ? times(size_, 2) : 0);
            size_ = smaller(larger(size_, larger(grown, wanted)), most_);
            most_spent_ = larger(most_spent_, lacks ? size_ : spent);
        }
        if (since(halved_at_, now) < halved_after) return;
        if (times(most_spent_, 4) <= size_ / 2) size_ = larger(size_ / 2, least_);
        most_spent_ = 0;
        halved_at_ = now;
    }

    [[nodiscard]] constexpr bool is_dry(nanoseconds now) const noexcept {
        return since(dry_at_, now) < dry_for;
    }
    [[nodiscard]] constexpr bool may_ask(nanoseconds now) const noexcept {
        return now >= next_lease_ && (!is_dry(now) || since(called_at_, now) >= dry_wait_);
    }
    // What it may ask for, of what it wants.
    [[nodiscard]] constexpr word fair(nanoseconds now, word wants, word wanted) noexcept {
        const nanoseconds time = since(called_at_, now);
        const nanoseconds counts = time < dry_for ? time : dry_for;
        const double came = credit_ + share_ * static_cast<double>(counts.count());
        const double most = share_ * static_cast<double>(dry_for.count()) + 1;
        credit_ = came < most ? came : most;
        const double may = credit_ > 0 ? 1.125 * credit_ : 0;
        if (!is_dry(now) || may >= static_cast<double>(wants)) return wants;
        return smaller(wants, larger(larger(static_cast<word>(may), 1), wanted));
    }

    [[nodiscard]] constexpr fleet_turn turn(nanoseconds now, word stock, word wanted) noexcept {
        using enum fleet_turn::act;
        const bool busy = since(busy_at_, now) < halved_after;
        const bool lacks = wanted > stock || (busy && stock <= size_ / 2);
        if (lacks && stock < size_ && may_ask(now))
            return {lease, fair(now, size_ - stock, wanted)};
        if (stock / 2 >= size_ && stock != 2 * size_ && since(called_at_, now) >= give_back_after)
            return {give_back, stock - size_};
        if (since(called_at_, now) >= longest_silence && now >= next_lease_)
            return {lease, stock < least_ ? size_ - stock : 0};
        return {};
    }

    word least_;
    word most_;
    word size_;
    double share_;
    double credit_ = 0;  // units of the share that it has not had, or has had beyond it
    nanoseconds dry_wait_;
    word filled_ = 0;      // what was in stock after the last look or fill
    word most_spent_ = 0;  // in a look, since `halved_at_`
    nanoseconds now_{};
    nanoseconds busy_at_{};
    nanoseconds halved_at_{};
    nanoseconds called_at_{};
    nanoseconds dry_at_ = nanoseconds(-dry_for.count());
    nanoseconds next_look_{};
    nanoseconds next_lease_{};
    jitter spread_;
};

}  // namespace weir

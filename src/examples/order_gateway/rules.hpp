// SPDX-License-Identifier: MIT
// What the exchange demands, and the message that goes there. Both sides include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rules {

inline constexpr int accounts = 8;
inline constexpr std::int64_t window = 1'000'000'000;  // in nanoseconds of the exchange's clock
inline constexpr int of_a_session = 500;               // messages in any such window
inline constexpr int of_an_account = 150;

struct message {
    std::uint32_t number;
    std::uint16_t account;
    bool is_cancel;
    std::uint8_t unused = 0;  // what is sent has no gaps
};

// So many in any window, exactly: it remembers when each of them was received.
class rolling_window {
public:
    explicit rolling_window(int most) : received_(static_cast<std::size_t>(most), -window) {}

    // False if this one is one too many.
    bool receive(std::int64_t now) {
        std::int64_t& oldest = received_[next_];
        next_ = (next_ + 1) % received_.size();
        const bool fits = now - oldest >= window;
        oldest = now;
        return fits;
    }
    // How many of the last window there are, with the one that was received last.
    [[nodiscard]] int counted(std::int64_t now) const {
        int n = 0;
        for (const std::int64_t at : received_) n += now - at < window ? 1 : 0;
        return n;
    }

private:
    std::vector<std::int64_t> received_;
    std::size_t next_ = 0;
};

// A session ends with the first message that is one too many, for itself or for an account.
class session {
public:
    bool receive(const message& m, std::int64_t now) {
        ++messages_;
        const bool fits_account = each_[m.account].receive(now);
        return all_.receive(now) && fits_account;
    }
    [[nodiscard]] long messages() const { return messages_; }
    [[nodiscard]] int counted(std::int64_t now) const { return all_.counted(now); }

private:
    rolling_window all_{of_a_session};
    std::vector<rolling_window> each_{accounts, rolling_window(of_an_account)};
    long messages_ = 0;
};

}  // namespace rules

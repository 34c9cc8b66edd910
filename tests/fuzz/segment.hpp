// SPDX-License-Identifier: MIT
// A segment of shared memory as an input of the fuzzer says: what lies in a sound one, changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include <weir/adapter/shm.hpp>
#include <weir/adapter/shm_table.hpp>

#include "../oracle/dice.hpp"
#include "../shm_names.hpp"

namespace fuzz {

using input = std::span<const std::uint8_t>;

// Its first byte says whether the head is changed and whether its sum is right nevertheless, and
// the second one whether the file is shorter than it was. What follows is what is changed of the
// head (a zero changes nothing), and then dice.
class changed_segment {
public:
    template <class Open>
    explicit changed_segment(Open open) {
        if (!open(name_.c_str())) std::abort();
        file_ = ::open(name_.file().c_str(), O_RDWR | O_CLOEXEC);
        sound_.resize(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)));
        if (pread(file_, sound_.data(), sound_.size(), 0) < 0) std::abort();
    }

    // Returns the dice that are left.
    oracle::dice change(input data) {
        if (data.size() < 2) return oracle::dice(input{});
        const bool is_summed = data[0] % 8 != 0;
        const bool is_changed = data[0] % 8 < 4;
        const std::size_t other = data[1] < 224 ? 0U : data[1] - 224U;
        data = data.subspan(2);
        std::vector<std::uint8_t> bytes = sound_;
        const std::size_t heads =
            is_changed ? std::min(data.size(), sizeof(weir::detail::shm_head)) : 0;
        for (std::size_t i = 0; i < heads; ++i) bytes[i] ^= data[i];
        oracle::dice d(data.subspan(heads));
        const std::size_t body = weir::shm_segment::head_bytes;
        const std::size_t words = (bytes.size() - body) / sizeof(std::uint64_t);
        for (std::uint64_t left = d.roll(8); left > 0; --left) {
            const std::size_t at = body + sizeof(std::uint64_t) * d.roll(d.chance(50) ? 1 : words);
            const std::uint64_t change = d.chance(25) ? d.next() : d.magnitude(1, UINT64_MAX / 2);
            std::uint64_t word = 0;
            __builtin_memcpy(&word, bytes.data() + at, sizeof word);
            word ^= change;
            __builtin_memcpy(bytes.data() + at, &word, sizeof word);
        }
        if (is_summed) {
            weir::detail::shm_head head;
            __builtin_memcpy(&head, bytes.data(), sizeof head);
            head.sum = head.sum_of_words();
            __builtin_memcpy(bytes.data(), &head, sizeof head);
        }
        const std::size_t length = other == 0 ? bytes.size() : bytes.size() / other;
        if (ftruncate(file_, 0) != 0) std::abort();
        if (pwrite(file_, bytes.data(), length, 0) != static_cast<ssize_t>(length)) std::abort();
        return d;
    }
    [[nodiscard]] const char* name() const { return name_.c_str(); }

private:
    own_name name_;
    int file_ = -1;
    std::vector<std::uint8_t> sound_;
};

}  // namespace fuzz

// SPDX-License-Identifier: MIT
// Rules as functions of integers, to compare what the translator makes of them with what runs:
// tests/proof/run asks both the same random questions.
#include <cstdint>

#include "claims/backlog.hpp"
#include "claims/log.hpp"

namespace {

template <class Claims, class Word>
Word answered(unsigned what, const proof::asked<typename Claims::rate>& a) {
    const auto now = proof::at(a.now);
    const auto taken = a.rate.take(a.state, now, a.n);
    const auto reserved = a.rate.reserve(a.state, now, a.n, a.x);
    const auto lowered = a.rate.lowered(a.state, now, a.n, a.x, false);
    const auto answer = a.rate.answer(taken, now);
    switch (what % 12) {
        case 0: return taken.next;
        case 1: return taken.wait;
        case 2: return static_cast<Word>(taken.verdict);
        case 3: return reserved.next;
        case 4: return reserved.wait;
        case 5: return lowered.next;
        case 6: return lowered.ticks;
        case 7: return answer.remaining();
        case 8: return answer.retry_after();
        case 9: return answer.reset_after();
        case 10: return a.rate.debt(a.state, now);
        default: return a.rate.level(a.state, now);
    }
}

}  // namespace

#define WEIR_TRANSLATED(name, Word, Claims)                                                        \
    extern "C" [[gnu::flatten]] Word name(                                                         \
        std::uint8_t what, Word period, Word depth, Word horizon, Word deepest, Word longest,      \
        std::uint8_t shift, Word state, Word now, Word n, Word x) {                                \
        const Claims::fields made{period,  depth,                                                  \
                                  horizon, deepest,                                                \
                                  longest, static_cast<std::uint8_t>(shift % (sizeof(Word) * 6))}; \
        if (period == 0) return 0;                                                                 \
        return answered<Claims, Word>(what, {Claims::made_of(made), state, now, n, x, 0});         \
    }
using backlog_64 = proof::backlog<std::uint64_t, 3>;
using backlog_32 = proof::backlog<std::uint32_t, 0>;
WEIR_TRANSLATED(translated_64, std::uint64_t, backlog_64)
WEIR_TRANSLATED(translated_32, std::uint32_t, backlog_32)

// A planted bug, for the check that fuzzing finds it: a gcra that gives a unit more to who asks for
// just what is left of a large burst.
#include <cstddef>
#include <cstdint>

#include "../oracle/cells.hpp"
#include "../oracle/history.hpp"
#include "fuzz.hpp"

namespace {

class generous_rate : public weir::gcra<>::rate {
public:
    using base = weir::gcra<>::rate;

    generous_rate() = default;
    constexpr generous_rate(const base& b) : base(b) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] static constexpr weir::result<generous_rate>
    make(const weir::quota& q, std::uint64_t hertz, const weir::options& o = {}) noexcept {
        const auto made = base::make(q, hertz, o);
        if (!made) return made.error();
        return generous_rate(*made);
    }
    [[nodiscard]] static constexpr generous_rate closed() noexcept { return base::closed(); }

    [[nodiscard]] weir::step<weir::word> take(weir::word tat, weir::tick now,
                                              weir::word n) const noexcept {
        const auto s = base::take(tat, now, n);
        const bool last = s.verdict == weir::verdict::wait && s.wait <= period() && n > 64;
        return last ? weir::step<weir::word>{weir::verdict::admitted, tat + cost(n), 0} : s;
    }
};

class generous : public weir::one_word<generous_rate, weir::atomic> {};

std::optional<std::string> of_generous(oracle::dice d) {
    oracle::tally sum;
    return oracle::disagreement<generous>(d, sum);
}

constexpr fuzz::history all[] = {of_generous};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::play(data, size, all);
}

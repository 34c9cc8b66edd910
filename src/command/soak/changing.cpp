// A quota that changes while threads acquire: in no span more than the rates that were valid in it
// bring, the largest burst, and a grain for each change.
#include <chrono>

#include <weir/limiter/adjustable.hpp>

#include "command/soak/cells.hpp"
#include "command/soak/parts.hpp"

namespace weir::command::soak {
namespace {

using shared = adjustable<steady_clock, counters>;

quota any_quota(dice& d) {
    return per_second(static_cast<std::int64_t>(d.magnitude(1, 1'000'000)))
        .with_burst(static_cast<std::int64_t>(d.magnitude(1, 10'000)));
}

// The highest rate that may be valid at each time: while it changes, that of either quota.
class rates {
public:
    rates(tick now, const quota& q) : brought_(now.count, per_tick(q)), highest_(per_tick(q)) {}

    void begins(tick now, const quota& next) {
        if (changing_ && until_ < now.count) brought_.change(until_, highest_ = last_);
        changing_ = false;
        highest_ = std::max(highest_, per_tick(next));
        brought_.change(now.count, highest_);
    }
    void has_begun(tick now, const quota& next, nanoseconds over) {
        changing_ = true;
        until_ = now.count + static_cast<word>(over.count());
        last_ = per_tick(next);
    }

    [[nodiscard]] const income& brought() const { return brought_; }

private:
    [[nodiscard]] static word per_tick(const quota& q) {
        return price_of<steady_clock>(q).per_tick;
    }

    income brought_;
    word highest_;
    bool changing_ = false;
    word until_ = 0;
    word last_ = 0;
};

}  // namespace

void soak_adjustable(round& r) {
    dice& d = r.random();
    quota present = any_quota(d);
    const unsigned threads = r.threads();
    r.about(exactly(present) + " at first, " + std::to_string(threads) + " threads");
    const tick begin = steady_clock::now();
    shared limit{present};
    rates highest(begin, present);
    word burst = static_cast<word>(present.burst());
    word changes = 0;

    const asked all = ask_together(
        r, threads, [&](dice& own, asked& mine) { ask_once(limit, own, mine, 16, false); },
        [&] {
            for (auto times = d.magnitude(1, 16) - 1; times > 0; --times) {
                present = any_quota(d);
                const nanoseconds over(
                    d.one_in(3) ? static_cast<std::int64_t>(d.magnitude(1, 20'000'000)) : 0);
                burst = std::max(burst, static_cast<word>(present.burst()));
                highest.begins(steady_clock::now(), present);
                const error refused = limit.set_quota(present, over);
                highest.has_begun(steady_clock::now(), present, over);
                r.promise(refused == error::none,
                          std::string("a quota was refused: ") + describe(refused));
                ++changes;
            }
        });
    r.promise(limit.observer().admitted() == all.admitted,
              "its counters differ from what its threads were told");
    r.promise(limit.limit() == present, "it does not know the quota that it was told last");

    const word unit = price_of<steady_clock>(present).per_unit;
    const wide most = multiply(burst, unit) + multiply(changes + 2, unit >> grain_bits);
    const busiest worst = busiest_span(all.passed, highest.brought(), unit);
    r.uses(ratio_of(worst.excess, most));
    r.promise(worst.excess <= most,
              in_words(worst, steady_clock::hertz()) + ", more than its rates brought and " +
                  std::to_string(burst) + ", after " + std::to_string(changes) + " changes");
    promise_answers(r, limit, steady_clock::now(), static_cast<word>(present.burst()));
}

}  // namespace weir::command::soak

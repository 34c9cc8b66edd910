// SPDX-License-Identifier: MIT
// A race: the threads of a script at one cell, the shipped one, with Relacy's atomics. In each
// schedule that is searched
//   - they get together no less and no more than the script promises,
//   - nothing is written but by who got something,
//   - each is told, and the cell is left, as if one thread had done it all in some order that keeps
//     each thread's own: a cell of one word promises this, since its word has one order of changes;
// and the search must come upon everything that one thread could be told, or it was none.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <iostream>
#include <map>

#include "check.hpp"
#include "script.hpp"

namespace model {

struct outcome {
    std::array<std::array<told, actions>, threads> answers{};
    told left{};

    friend constexpr auto operator<=>(const outcome&, const outcome&) = default;
};

// `Cell` with Relacy's atomics against `Lone`, the same with the machine's.
template <class Cell, class Lone>
class race final : public scenario {
public:
    explicit race(const script& s)
        : script_(s), rate_(Lone::rate::make(s.limit, hertz, s.options).value()) {
        std::array<std::size_t, threads> done{};
        try_orders({}, done);
    }

    void before() override {
        cell_.begin();
        if (script_.used) cell_->fill({begin}, script_.there, rate_);
        got_ = {};
        writes = 0;
    }

    void thread(std::size_t index) override {
        for (std::size_t i = 0; i < actions; ++i) {
            got_.answers[index][i] = perform(*cell_, script_.asked[index][i], rate_);
        }
    }

    void after() override {
        const unsigned written = writes;
        word units = 0;
        unsigned writers = 0;
        for (std::size_t t = 0; t < threads; ++t) {
            for (std::size_t i = 0; i < actions; ++i) {
                const ask what = script_.asked[t][i].what;
                const word got = got_.answers[t][i].units;
                units += got;
                writers += got != 0 || what == ask::fill || what == ask::start ? 1U : 0U;
            }
        }
        require(units >= script_.least, "they got less than promised");
        require(units <= script_.most, "they got more than promised");
        require(written <= writers, "who got nothing has written");
        got_.left = perform(*cell_, peek(1), rate_);
        const auto known = outcomes_.find(got_);
        require(known != outcomes_.end(), "one thread is not told this in any order");
        known->second = true;
        cell_.end();
    }

    [[nodiscard]] bool saw_enough() const override {
        std::size_t unseen = 0;
        for (const auto& [known, seen] : outcomes_) unseen += seen ? 0U : 1U;
        std::cout << outcomes_.size() << " outcomes of one thread, never seen: " << unseen << '\n';
        return unseen == 0;
    }

private:
    struct turn {
        std::size_t thread;
        std::size_t action;
    };

    // What one thread is told in each order that begins with these turns.
    void try_orders(const std::vector<turn>& turns, const std::array<std::size_t, threads>& done) {
        bool over = true;
        for (std::size_t t = 0; t < threads; ++t) {
            if (done[t] == actions || script_.asked[t][done[t]].what == ask::nothing) continue;
            over = false;
            auto further = turns;
            further.push_back({t, done[t]});
            auto then = done;
            ++then[t];
            try_orders(further, then);
        }
        if (over) outcomes_.emplace(told_in_order(turns), false);
    }

    [[nodiscard]] outcome told_in_order(const std::vector<turn>& turns) const {
        Lone cell;
        outcome o;
        if (script_.used) cell.fill({begin}, script_.there, rate_);
        for (const turn& t : turns) {
            o.answers[t.thread][t.action] = perform(cell, script_.asked[t.thread][t.action], rate_);
        }
        o.left = perform(cell, peek(1), rate_);
        return o;
    }

    script script_;
    typename Lone::rate rate_;
    std::map<outcome, bool> outcomes_;  // of one thread, and whether the search has come upon it
    shared<Cell> cell_;
    outcome got_;
};

}  // namespace model

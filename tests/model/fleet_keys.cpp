// SPDX-License-Identifier: MIT
// The keys of a fleet: two threads take units of a key, or of two, while the supplier is told of
// them, gives them units, lets them rest and takes them out. In each schedule the supplier reads
// the text and the credit of the key that it is told of, is told once, and no unit comes or goes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <type_traits>

#include <weir/adapter/fleet_key_table.hpp>
#include <weir/base/word.hpp>
#include <weir/table/key_hash.hpp>

#include "check.hpp"
#include "weaker.hpp"

namespace {

using model::check;
using model::drawn;
using model::exchanges_relaxed;
using model::make;
using model::relacy_atomic;
using model::require;
using model::searches;
using weir::word;

constexpr std::array<std::string_view, 2> texts = {"a", "b"};
constexpr word credit = 2;

// Memory where the table begins its atomics in each schedule, and none before.
template <class T, std::size_t Size>
class memory_for {
public:
    memory_for() {}   // NOLINT(modernize-use-equals-default): would be deleted
    ~memory_for() {}  // NOLINT(modernize-use-equals-default): the same
    memory_for(const memory_for&) = delete;
    memory_for& operator=(const memory_for&) = delete;

    using array = T[Size];
    array& operator*() { return all_; }
    void end() { std::destroy(std::begin(all_), std::end(all_)); }

private:
    union {
        array all_;
    };
};

template <template <class> class Atomic>
class keys_of_a_fleet : public model::scenario {
    using table = weir::fleet_key_table<Atomic>;

public:
    void before() override {
        table_.begin(*lines_, *notes_, word{8}, credit, weir::seed(1));
        table_->meet_newcomers(table::newcomers::credited, 1);
        known_ = {};
        given_ = {};
        spent_ = {};
        prepare();
    }
    void thread(std::size_t index) override {
        if (index == 2) {
            // For as long as the others need to enter a key.
            for (int i = 0; i < 40; ++i) listen();
            return supply();
        }
        take(index, 0, 1);
        take(index, second(index), 2);
    }
    [[nodiscard]] bool saw_enough() const override { return told_meanwhile_ > 1'000; }
    void after() override {
        const std::size_t before = told_meanwhile_;
        listen();
        told_meanwhile_ = before;
        for (std::size_t k = 0; k < texts.size(); ++k) {
            word left = 0;
            std::size_t places = 0;
            for (std::uint32_t place = 0; place < known_.size(); ++place) {
                if (known_[place].key != texts[k]) continue;
                ++places;
                left += table_->units(place);
            }
            require(places <= 1, "a key has two places");
            require(spent_[0][k] + spent_[1][k] + left == given_[k], "a unit comes or goes");
        }
        table_.end();
        notes_.end();
        lines_.end();
    }

protected:
    [[nodiscard]] virtual std::size_t second(std::size_t index) const { return index; }
    virtual void prepare() {}

    void take(std::size_t thread, std::size_t k, word n) {
        if (table_->take(texts[k], n).passes) spent_[thread][k] += n;
    }
    void listen() {
        table_->each_told([&](std::uint32_t place) {
            entry& e = known_.at(place);
            const std::string_view text = table_->beside(place).text();
            const std::size_t k = text == texts[0] ? 0 : 1;
            require(text == texts[k], "a text is not written");
            require(!e.is_told, "it is told of a key twice");
            ++told_meanwhile_;
            if (e.key.empty()) {
                require(table_->beside(place).credit() == credit, "a credit is not written");
                given_[k] += credit;
            }
            require(e.key.empty() || e.key == text, "a place has another key");
            e = {texts[k], true};
        });
    }
    void supply() {
        listen();
        for (std::uint32_t place = 0; place < known_.size(); ++place) {
            entry& e = known_[place];
            if (e.key.empty()) continue;
            const std::size_t k = e.key == texts[0] ? 0 : 1;
            given_[k] += table_->put(place, 1, 1);
            const word units = table_->units(place);
            if (!e.is_told || !table_->rest(place, units)) continue;
            e.is_told = false;
            if (!table_->forget(place, units)) continue;
            given_[k] -= units;
            e = {};
        }
        listen();
    }

private:
    struct entry {
        std::string_view key{};
        bool is_told = false;
    };

    memory_for<typename table::line, 1> lines_;
    memory_for<typename table::note, 4> notes_;
    model::shared<table> table_;
    std::size_t told_meanwhile_ = 0;
    std::array<entry, 4> known_{};
    std::array<word, 2> given_{};
    std::array<std::array<word, 2>, 2> spent_{};
};

// It is there, and may go away while both take units of it.
template <template <class> class Atomic>
class known_key : public keys_of_a_fleet<Atomic> {
    [[nodiscard]] std::size_t second(std::size_t) const override { return 0; }
    void prepare() override {
        this->take(0, 0, 1);
        this->supply();
    }
};

// Of the stack alone.
template <class T>
using stack_relaxed =
    std::conditional_t<std::is_same_v<T, std::uint32_t>, exchanges_relaxed<T>, relacy_atomic<T>>;

const searches many{drawn(100'000)};

const check new_ones("keys_of_a_fleet_are_told_of_once_and_whole", many,
                     make<keys_of_a_fleet<relacy_atomic>>);
const check known("a_known_key_of_a_fleet_keeps_its_units", many, make<known_key<relacy_atomic>>);
const check pushed("finds_keys_of_a_fleet_that_are_told_of_relaxed", many,
                   make<keys_of_a_fleet<stack_relaxed>>, "a credit is not written");
const check entered("finds_keys_of_a_fleet_that_are_entered_relaxed", many,
                    make<keys_of_a_fleet<exchanges_relaxed>>, "a key has two places");

}  // namespace

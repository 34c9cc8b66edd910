// SPDX-License-Identifier: MIT
// emitter: hands items to the sink, one by one or together, and catches what the sink throws. It
// knows the sink, the batch that is being filled, and how often `emit` threw in a row; nothing of
// lanes, limits or times.
//
// Invariant: each item that it is given is handed to the sink exactly once, also if the sink
// throws, and in the order in which it was given. So a batch goes before anything is dropped.
//
// The thread that polls calls it. A call runs the sink's function, and takes as long as that.
#pragma once

#include <cstddef>
#include <utility>

#include <weir/pacer/batch.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/sink.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

template <class Item, class Sink>
class emitter {
public:
    // So many emissions in a row that threw are too many; 0: never.
    emitter(Sink&& to, unsigned most_failures)
        : sink_(std::forward<Sink>(to)), most_failures_(most_failures) {}

    // The item goes to the sink now, or when its batch is full or flushed; with the token of its
    // call, if it has one. A sink that throws ends the call, unless it has moved the token away.
    template <class Observer, class... Token>
    void emit(Item&& item, Observer& observer, Token&&... token) noexcept {
        if constexpr (at_once == 0) {
            hand_over(std::move(item), observer, std::forward<Token>(token)...);
        } else {
            batch_.add(std::move(item));
            if (batch_.size() == at_once) (void)flush(observer);
        }
    }

    // False if nothing was kept back.
    template <class Observer>
    bool flush(Observer& observer) noexcept {
        if constexpr (at_once != 0) {
            if (batch_.size() == 0) return false;
            hand_over(batch_.all(), observer);
            batch_.clear();
            return true;
        } else {
            return false;
        }
    }
    [[nodiscard]] bool all_handed_over() const noexcept {
        if constexpr (at_once == 0)
            return true;
        else
            return batch_.size() == 0;
    }

    // Only if all is handed over.
    template <class Observer>
    void drop(Item&& item, dropped reason, Observer& observer) noexcept {
        observer.on_dropped(reason);
        (void)runs_well([&] { sink_.drop(std::move(item), reason); });
    }

    // Emissions in a row that threw.
    [[nodiscard]] unsigned failures() const noexcept { return failures_; }
    [[nodiscard]] bool fails_too_often() const noexcept {
        return most_failures_ != 0 && failures_ >= most_failures_;
    }
    void forget_failures() noexcept { failures_ = 0; }

    [[nodiscard]] Sink& to() noexcept { return sink_; }

private:
    static constexpr std::size_t at_once = most_at_once<Sink>;

    template <class Items, class Observer, class... Token>
    void hand_over(Items&& items, Observer& observer, Token&&... token) noexcept {
        [[maybe_unused]] const typename Observer::during emitting(observer, pacer_work::emit);
        const bool well = runs_well(
            [&] { sink_.emit(std::forward<Items>(items), std::forward<Token>(token)...); });
        failures_ = well ? 0 : failures_ + 1;
        observer.on_emitted(well);
    }

    // False if it threw.
    template <class Callback>
    static bool runs_well(Callback callback) noexcept {
#ifdef __cpp_exceptions
        try {
            callback();
            return true;
        } catch (...) {
            return false;
        }
#else
        callback();
        return true;
#endif
    }

    Sink sink_;
    unsigned most_failures_;
    unsigned failures_ = 0;
    [[no_unique_address]] batch<Item, at_once> batch_;
};

}  // namespace weir

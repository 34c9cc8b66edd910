// SPDX-License-Identifier: MIT
// Random histories of keyed pacers in virtual time, against a model of its own: plain lists, and
// the rule of each key in whole ticks. Whatever happens, from outside and out of callbacks, each
// item that was accepted comes out once and for the reason that the model knows; in the order of
// its key; never faster than its key's quota or the overall one; what may go goes when the pacer
// has said that it is due; and from the moment at which a key may go, each other key goes once at
// most before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weir/clock/manual.hpp>
#include <weir/pacer/keyed_pacer.hpp>
#include <weir/pacer/schedule.hpp>

#include "../oracle/dice.hpp"
#include "recorded.hpp"

namespace keyed {

using clock = weir::manual_clock<struct keyed_histories>;
using instant = weir::instant<clock>;
using weir::dropped;
using weir::word;

constexpr word interval = 10'000;         // of a unit of a key
constexpr word overall_interval = 4'000;  // of all together
constexpr word burst = 3;                 // of a key
constexpr std::size_t all_keys = 7;       // that there are; fewer have a place
constexpr std::size_t places = 5;         // of a lane
constexpr std::size_t lanes = 2;

[[nodiscard]] inline weir::quota one_in(word ticks, word at_once) {
    return {1, weir::nanoseconds(static_cast<std::int64_t>(ticks)),
            static_cast<std::int64_t>(at_once)};
}

struct free_of_all {
    using type = weir::no_limit<clock>;
    static constexpr bool has_overall = false;
    static constexpr std::size_t at_once = 0;
    static constexpr auto same = nullptr;
    [[nodiscard]] static type make() { return {}; }
};
struct all_together : free_of_all {
    using type = weir::schedule<clock>;
    static constexpr bool has_overall = true;
    [[nodiscard]] static type make() {
        return type(one_in(overall_interval, burst), weir::catch_up::none());
    }
};
struct in_batches : free_of_all {
    static constexpr std::size_t at_once = 3;
};

struct tally {
    std::uint64_t events = 0;
    std::uint64_t emitted = 0;
    std::uint64_t of[weir::drop_reasons] = {};
    std::uint64_t full = 0;
    std::uint64_t deeds = 0;
    std::uint64_t most_before = 0;  // turns of another key before one that could go
};

// An item is its number; what is known of it stands in the model.
struct item {
    std::unique_ptr<std::size_t> number;
    std::size_t key;
    std::size_t subject;
    [[nodiscard]] std::size_t about() const { return subject; }
};
// The same subjects are replaced, where the subject says so.
struct replacing : all_together {
    static constexpr auto same = &item::subject;
};

enum class state : unsigned char { refused, sent, waiting, withdrawn, out };
struct known {
    std::size_t key;
    std::size_t subject;
    std::size_t lane;
    word cost;
    weir::deadline<clock> by;
    weir::ticket ticket;
    state now = state::refused;
    dropped reason{};  // if withdrawn
    int deed = 0;      // what its callback does
};

struct known_key {
    std::deque<std::size_t> items;
    word tat = 0;  // its limit is full from then on
    word held_until = 0;
    std::optional<word> due_since{};  // it may go from then on, as far as its own limit says
    word before[all_keys] = {};       // turns of others since
    pacing::recorded times{};
};

struct asked {
    weir::requested what;
    std::size_t lane;
    std::size_t number;
};

template <class Subject>
class world {
    struct sink {
        static constexpr std::size_t most_at_once = Subject::at_once;
        void emit(std::span<item> some) { to->emitted(some); }
        void drop(item&& one, dropped reason) { to->dropped_one(one, reason); }
        world* to;
    };
    struct one_by_one {
        void emit(item&& one) { to->emitted({&one, 1}); }
        void drop(item&& one, dropped reason) { to->dropped_one(one, reason); }
        world* to;
    };
    using sink_type = std::conditional_t<Subject::at_once == 0, one_by_one, sink>;
    using plain = weir::lanes<lanes, places>;
    static constexpr bool replaces = !std::is_null_pointer_v<decltype(Subject::same)>;
    using lanes_type = std::conditional_t<replaces, weir::steered<plain, Subject::same>, plain>;
    using pacer_type = weir::keyed_pacer<item, weir::each<&item::key>, sink_type,
                                         typename Subject::type, lanes_type>;

public:
    world(oracle::dice& d, tally& sum) : dice_(d), sum_(sum) {
        now_ = 1'000'000'000 + roll(1'000'000);
        clock::set({now_});
        keys_ = 2 + roll(4);
        crowd_ = 1 + roll(4);
        pacer_.emplace(one_in(interval, burst), Subject::make(), sink_type{this},
                       weir::keyed_pacer_options{.keys = keys_,
                                                 .items_of_a_key = crowd_,
                                                 .most_drops = static_cast<unsigned>(d.roll(3)),
                                                 .most_failures = 0});
        for (auto& p : producers_) p = pacer_->open();
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() { ending_ = true; }

    // Nothing, or what is wrong.
    [[nodiscard]] std::string play() {
        const std::uint64_t length = 50 + dice_.roll(1'000);
        for (std::uint64_t i = 0; i < length && trouble_.empty() && !dice_.over(); ++i) {
            ++sum_.events;
            const word face = dice_.roll(100);
            if (face < 55) {
                act(face < 40 ? 0 : static_cast<int>(1 + dice_.roll(6)));
            } else if (face < 85) {
                const bool waits =
                    last_.what == weir::polled::due && weir::earlier(instant{now_}, last_.at);
                if (waits) now_ = last_.at.count;
                if (dice_.roll(8) == 0) now_ += dice_.roll(4 * interval);
                poll();
            } else {
                now_ += dice_.roll(face == 99 ? 100 * interval : interval);
                poll();
            }
        }
        if (trouble_.empty() && dice_.roll(4) != 0) finish();
        ending_ = true;
        pacer_.reset();
        for (const known& k : items_) {
            require(k.now == state::refused || k.now == state::out, "lost an item");
        }
        for (const known_key& k : all_) {
            require(k.times.keeps(1, interval, 2 * (burst - 1)), "a key was too fast");
        }
        if (Subject::has_overall) {
            require(overall_.keeps(1, overall_interval, 0), "all together were too fast");
        }
        return trouble_;
    }

private:
    [[nodiscard]] std::size_t roll(std::size_t n) {
        return static_cast<std::size_t>(dice_.roll(n));
    }
    void require(bool kept, const std::string& otherwise) {
        if (!kept && trouble_.empty()) trouble_ = otherwise;
    }

    // --- what happens

    // 0: a push. Also out of callbacks.
    void act(int what) {
        // Lanes are read one after the other, nobody knows when; so callbacks use one of them.
        const std::size_t lane = polling_ ? 0 : roll(lanes);
        const std::size_t key = roll(all_keys);
        switch (what) {
            case 1:
            case 2: {
                if (items_.empty()) return;
                const std::size_t number =
                    items_.size() - 1 - roll(std::min<std::size_t>(items_.size(), 12));
                const known& k = items_[number];
                if (k.now == state::refused) return;
                if (what == 1 && (k.lane == 0 || !polling_)) {
                    if (producers_[k.lane].cancel(k.ticket) == weir::pushing::pushed) {
                        asked_[k.lane].push_back({weir::requested::cancel, k.lane, number});
                    }
                } else {
                    catch_up();
                    const bool waits = k.now == state::waiting;
                    require(pacer_->cancel(k.ticket) == waits, "cancelled what does not wait");
                    if (waits) withdraw(number, dropped::cancelled);
                }
                return;
            }
            case 3:
                if (dice_.roll(4) != 0) return;
                if (producers_[lane].clear() == weir::pushing::pushed) {
                    asked_[lane].push_back({weir::requested::clear, lane, 0});
                }
                return;
            case 4:
                if (dice_.roll(4) != 0) return;
                catch_up();
                pacer_->clear_key(key);
                while (!all_[key].items.empty())
                    withdraw(all_[key].items.front(), dropped::cleared);
                return;
            case 5: {
                if (dice_.roll(4) != 0) return;
                catch_up();
                const word time = dice_.roll(8 * interval);
                const bool has_room = has_place(key) || busy() < keys_;
                require(pacer_->throttled_key(
                            key, weir::nanoseconds(static_cast<std::int64_t>(time))) == has_room,
                        "holds a key for which there is no place");
                if (!has_room) return;
                all_[key].held_until = std::max(all_[key].held_until, now_ + time);
                settle(key, true);
                return;
            }
            case 6:
                if (dice_.roll(8) == 0) {
                    pacer_->pause();
                } else {
                    pacer_->resume();
                }
                return;
            default: push(lane, key);
        }
    }
    void push(std::size_t lane, std::size_t key) {
        const word face = dice_.roll(12);
        const word cost = face < 8 ? 1 : face - 7;  // up to 4, which never goes
        const auto by = dice_.roll(4) == 0
                            ? weir::deadline<clock>(instant{now_ + dice_.roll(6 * interval)})
                            : weir::deadline<clock>();
        const std::size_t number = items_.size();
        items_.push_back({key, roll(3), lane, cost, by, {}});
        known& k = items_.back();
        if (dice_.roll(8) == 0) k.deed = static_cast<int>(1 + dice_.roll(7));
        const auto pushed = producers_[lane].try_push(
            item{std::make_unique<std::size_t>(number), key, k.subject}, cost, by);
        if (pushed.how() == weir::pushing::full) {
            ++sum_.full;
            const auto held = std::count_if(items_.begin(), items_.end(), [&](const known& i) {
                return i.lane == lane && i.now != state::refused && i.now != state::out;
            });
            require(static_cast<std::size_t>(held) >= places || asked_[lane].size() >= 2 * places,
                    "is full, and is not");
            return;
        }
        require(pushed.how() == (closed_ ? weir::pushing::closed : weir::pushing::pushed) ||
                    (pushed.how() == weir::pushing::would_miss_deadline && by.is_set()),
                "refused a push");
        if (!pushed) return;
        k.now = state::sent;
        k.ticket = pushed.ticket();
        asked_[lane].push_back({weir::requested::push, lane, number});
    }

    void poll_once() {
        clock::set({now_});
        catch_up();
        handed_out_ = 0;
        polling_ = true;
        last_ = pacer_->poll();
        polling_ = false;
    }
    void poll() {
        poll_once();
        if (last_.what == weir::polled::due && !weir::earlier(instant{now_}, last_.at)) {
            return require(handed_out_ != 0, "is busy with nothing");
        }
        catch_up();
        require(withdrawn_ == 0, "was not handed back");
        if (pacer_->paused()) return require(last_.what == weir::polled::paused, "is not paused");
        check_answer();
    }
    // Nothing can go now; and what can go next, or expires, goes when it has said.
    void check_answer() {
        std::optional<word> first;
        bool some_due = false;
        for (std::size_t key = 0; key < all_keys; ++key) {
            const known_key& k = all_[key];
            if (k.items.empty()) continue;
            const known& oldest = items_[k.items.front()];
            require(!oldest.by.missed(instant{now_}) || Subject::has_overall,
                    "did not drop what has expired");
            word then = earliest(key);
            if (then <= now_) some_due = true;
            if (oldest.by.is_set()) then = std::min(then, oldest.by.missed_at().count);
            first = std::min(first.value_or(then), then);
        }
        if (!first) return require(last_.what == weir::polled::idle, "is not idle");
        require(last_.what == weir::polled::due, "is not due");
        if (!some_due) return require(last_.at.count == *first, "is due at another time");
        require(Subject::has_overall, "did not let go what may go");
        require(last_.at.count <= overall_next_ && last_.at.count > now_, "waits too long for all");
    }
    void finish() {
        pacer_->resume();
        pacer_->close();
        closed_ = true;
        for (int i = 0; i < 10'000 && last_.what != weir::polled::done && trouble_.empty(); ++i) {
            pacer_->resume();
            if (last_.what == weir::polled::due) now_ = std::max(now_, last_.at.count);
            poll_once();
        }
        require(last_.what == weir::polled::done, "does not end");
    }

    // --- the model

    // What was asked for before, lane by lane. Time stands still until it has been read.
    void catch_up() {
        for (auto& of_lane : asked_) {
            for (; !of_lane.empty(); of_lane.pop_front()) obey(of_lane.front());
        }
    }
    void obey(const asked& a) {
        switch (a.what) {
            case weir::requested::push: accept(a.number); break;
            case weir::requested::cancel:
                if (items_[a.number].now == state::waiting) withdraw(a.number, dropped::cancelled);
                break;
            case weir::requested::clear:
                for (std::size_t i = 0; i < items_.size(); ++i) {
                    if (items_[i].lane == a.lane && items_[i].now == state::waiting)
                        withdraw(i, dropped::cleared);
                }
        }
    }
    [[nodiscard]] bool has_place(std::size_t key) const {
        const known_key& k = all_[key];
        return !k.items.empty() || k.tat > now_ || k.held_until > now_;
    }
    [[nodiscard]] std::size_t busy() const {
        std::size_t count = 0;
        for (std::size_t key = 0; key < all_keys; ++key) count += has_place(key) ? 1U : 0U;
        return count;
    }
    void accept(std::size_t number) {
        known& k = items_[number];
        known_key& its = all_[k.key];
        const auto refuse = [&](dropped reason) {
            k.now = state::withdrawn;
            k.reason = reason;
            ++withdrawn_;
        };
        if (!has_place(k.key) && busy() >= keys_) return refuse(dropped::no_place);
        k.now = state::waiting;
        if (replaces) {
            for (std::size_t& other : its.items) {
                if (items_[other].subject != k.subject) continue;
                items_[other].now = state::withdrawn;
                items_[other].reason = dropped::replaced;
                ++withdrawn_;
                other = number;
                return settle(k.key, true);
            }
        }
        if (its.items.size() >= crowd_) return refuse(dropped::crowded);
        its.items.push_back(number);
        settle(k.key, true);
    }
    void withdraw(std::size_t number, dropped reason) {
        known& k = items_[number];
        auto& queue = all_[k.key].items;
        queue.erase(std::find(queue.begin(), queue.end(), number));
        k.now = state::withdrawn;
        k.reason = reason;
        ++withdrawn_;
        settle(k.key, true);
    }

    // When the oldest item of the key may go by its own limit; what costs too much is dropped at
    // once.
    [[nodiscard]] word earliest(std::size_t key) const {
        const known_key& k = all_[key];
        const word cost = items_[k.items.front()].cost;
        if (cost > burst) return std::max(now_, k.held_until);
        const word full = k.tat + cost * interval;
        const word then = full > burst * interval ? full - burst * interval : 0;
        return std::max({then, k.held_until, now_});
    }
    // Something has changed. A key that may go keeps its turn, unless it has had it.
    void settle(std::size_t key, bool keeps_turn) {
        known_key& k = all_[key];
        if (!keeps_turn || k.items.empty()) k.due_since.reset();
        if (k.items.empty()) return;
        const word then = earliest(key);
        if (!k.due_since || then > now_) {
            k.due_since = then;
            std::fill(std::begin(k.before), std::end(k.before), 0);
        }
    }
    // What its callback does, at the end of its turn.
    void had_its_turn(std::size_t key) {
        for (std::size_t other = 0; other < all_keys; ++other) {
            known_key& k = all_[other];
            if (other == key || k.items.empty() || !k.due_since || *k.due_since > now_) continue;
            sum_.most_before = std::max<std::uint64_t>(sum_.most_before, ++k.before[key]);
            require(k.before[key] <= 1, "a key had two turns before another one");
        }
        settle(key, false);
    }

    // --- what the sink is told

    void emitted(std::span<item> some) {
        require(polling_, "emitted without a poll");
        require(Subject::at_once != 0 || !pacer_->paused(), "emitted while it was paused");
        catch_up();
        for (const item& one : some) {
            known& k = items_[*one.number];
            known_key& its = all_[k.key];
            require(k.now == state::waiting, "emitted what does not wait");
            if (k.now != state::waiting) return;
            require(its.items.front() == *one.number, "out of order in its key");
            require(!k.by.missed(instant{now_}), "emitted what had expired");
            require(k.cost <= burst, "emitted what never goes");
            require(earliest(k.key) <= now_, "emitted too early");
            its.items.pop_front();
            its.tat = std::max(its.tat, now_) + k.cost * interval;
            k.now = state::out;
            ++sum_.emitted;
            ++handed_out_;
            its.times.add(now_, k.cost);
            overall_.add(now_, k.cost);
            overall_next_ = std::max(overall_next_, now_) + k.cost * overall_interval;
            had_its_turn(k.key);
        }
        for (const item& one : some) do_deed(*one.number);
    }
    void dropped_one(const item& one, dropped reason) {
        if (!ending_) catch_up();
        known& k = items_[*one.number];
        ++sum_.of[static_cast<std::size_t>(reason)];
        ++handed_out_;
        if (ending_) {
            // What is unread is read first.
            require(k.now != state::out && k.now != state::refused, "dropped it twice");
            k.now = state::out;
            return;
        }
        require(k.now == state::waiting || k.now == state::withdrawn, "dropped what is not there");
        if (k.now == state::withdrawn) {
            require(reason == k.reason, "dropped for another reason");
            --withdrawn_;
            k.now = state::out;
        } else {
            known_key& its = all_[k.key];
            require(its.items.front() == *one.number, "out of order in its key");
            if (reason == dropped::expired) {
                require(k.by.missed(instant{now_}), "was not expired");
            } else {
                require(reason == dropped::never && k.cost > burst,
                        std::string("dropped for no reason: ") + describe(reason));
            }
            its.items.pop_front();
            k.now = state::out;
            settle(k.key, false);
        }
        do_deed(*one.number);
    }
    void do_deed(std::size_t number) {
        const int deed = items_[number].deed;
        if (deed == 0) return;
        ++sum_.deeds;
        act(deed == 7 ? 0 : deed);
    }

    oracle::dice& dice_;
    tally& sum_;
    std::size_t keys_ = 0;
    std::size_t crowd_ = 0;
    word now_ = 0;
    std::vector<known> items_;
    std::deque<asked> asked_[lanes];
    known_key all_[all_keys];
    pacing::recorded overall_;
    word overall_next_ = 0;
    weir::next_poll<clock> last_{weir::polled::idle, instant(), true};
    std::size_t withdrawn_ = 0;
    std::uint64_t handed_out_ = 0;  // in this poll
    bool polling_ = false;
    bool closed_ = false;
    bool ending_ = false;
    std::string trouble_;
    std::optional<pacer_type> pacer_;
    typename pacer_type::producer_type producers_[lanes];
};

}  // namespace keyed

// SPDX-License-Identifier: MIT
// What is built of limits: several together, leases, stripes. Each looks at its limits through
// `any_limit`, so it is compiled once and not for each kind of limit.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/table/striped.hpp>

#include "any_limit.hpp"
#include "border.hpp"
#include "held.hpp"
#include "limit.hpp"

namespace weir::c {

namespace {

template <std::size_t>
using member = any_limit;
constexpr std::size_t most_members = 8;
using members = std::array<weir_limit*, most_members>;
using numbers = std::array<std::uint8_t, most_members>;

// Its members are in another order than the program gave them: those that take back come first.
template <class Limit>
class held_all_of final : public weir_limit {
public:
    template <std::size_t... I>
    held_all_of(const members& all, const numbers& given, std::index_sequence<I...>)
        : limit_(*all[I]...),
          quiet_(any_limit(*all[I], any_limit::telling::whether)...),
          given_(given) {}

    bool try_acquire(word n, weir_answer* answer) noexcept override {
        if (answer == nullptr) return quiet_.try_acquire(n).admitted();
        return told(limit_.try_acquire(n), answer);
    }
    bool try_acquire_at(word n, now_type now, weir_answer* answer) noexcept override {
        return told(limit_.try_acquire(n, now), answer);
    }
    bool peek_at(word n, now_type now, weir_answer* answer) noexcept override {
        return told(limit_.peek(n, now), answer);
    }
    bool acquire(word n, nanoseconds patience, weir_answer* answer) override {
        return c::tell(answer, acquire_for(limit_, n, patience));
    }
    weir_status look(weir_state& state) noexcept override {
        state.remaining = as_signed(limit_.peek(0).remaining());
        return WEIR_OK;
    }
    weir_status reset_at(now_type) noexcept override { return WEIR_NOT_SUPPORTED; }

private:
    template <class Decision>
    [[gnu::always_inline]] bool told(const Decision& d, weir_answer* answer) const noexcept {
        c::tell(answer, d);
        if (answer != nullptr && !d.admitted()) answer->refused_by = given_[d.refused_by()];
        return d.admitted();
    }

    Limit limit_;
    Limit quiet_;  // the same limits
    numbers given_;
};

template <std::size_t... I>
[[nodiscard]] weir_status make_all_of(const members& all, const numbers& given,
                                      std::index_sequence<I...> each, weir_limit** to) {
    return make<held_all_of<all_of<member<I>...>>>(to, all, given, each);
}

template <std::size_t Count = 2>
[[nodiscard]] weir_status make_all_of(std::size_t count, const members& all, const numbers& given,
                                      weir_limit** to) {
    if (count == Count) return make_all_of(all, given, std::make_index_sequence<Count>(), to);
    if constexpr (Count < most_members) return make_all_of<Count + 1>(count, all, given, to);
    return WEIR_NOT_THIS_MANY;
}

class held_lease final : public weir_limit {
public:
    held_lease(weir_limit& from, word units, nanoseconds time_to_live)
        : lease_(from, units, time_to_live),
          from_(from),
          ages_(time_to_live != nanoseconds::longest()) {}

    bool try_acquire(word n, weir_answer* answer) noexcept override {
        return told(ages_ ? lease_.try_acquire(n, clock::now()) : lease_.try_acquire(n), n, answer);
    }
    bool try_acquire_at(word n, now_type now, weir_answer* answer) noexcept override {
        return told(lease_.try_acquire(n, now), n, answer);
    }
    bool peek_at(word n, now_type now, weir_answer* answer) noexcept override {
        const word left = lease_.left();
        if (n > left && n <= from_.burst()) return from_.peek_at(n - left, now, answer);
        if (n > left) return from_.peek_at(n, now, answer);
        tell_left(answer);
        return true;
    }
    weir_status look(weir_state& state) noexcept override {
        state.remaining = as_signed(lease_.left());
        return WEIR_OK;
    }
    weir_status reset_at(now_type) noexcept override { return WEIR_NOT_SUPPORTED; }
    weir_status give_back() noexcept override {
        lease_.give_back();
        return WEIR_OK;
    }
    [[nodiscard]] bool is_shared() const noexcept override { return false; }

private:
    // A lease only says no. Why, its limit says.
    [[gnu::always_inline]] bool told(bool admitted, word n, weir_answer* answer) noexcept {
        if (answer != nullptr) {
            if (admitted) {
                tell_left(answer);
            } else if (peek_at(n, clock::now(), answer)) {
                *answer = {WEIR_WAIT, 0, 0, 0};  // others were first, and units are there again
            }
        }
        return admitted;
    }
    void tell_left(weir_answer* answer) const noexcept {
        if (answer != nullptr) *answer = {WEIR_OK, 0, as_signed(lease_.left()), 0};
    }

    lease<any_limit> lease_;
    weir_limit& from_;
    bool ages_;
};

// What is not about stripes is the shared limit's.
class held_striped final : public weir_limit {
public:
    using striped_type = striped<any_limit>;

    held_striped(weir_limit& shared, word largest_lease)
        : striped_(shared, largest_lease), shared_(shared) {}

    bool try_acquire(word n, weir_answer* answer) noexcept override {
        return told(striped_.try_acquire(n), answer);
    }
    bool try_acquire_at(word n, now_type now, weir_answer* answer) noexcept override {
        return told(striped_.try_acquire(n, now), answer);
    }
    bool peek_at(word n, now_type now, weir_answer* answer) noexcept override {
        return told(striped_.peek(n, now), answer);
    }
    bool charge(word n, weir_answer* answer) noexcept override { return shared_.charge(n, answer); }
    word acquire_up_to(word n, weir_answer* answer) noexcept override {
        return shared_.acquire_up_to(n, answer);
    }
    bool acquire(word n, nanoseconds patience, weir_answer* answer) override {
        return shared_.acquire(n, patience, answer);
    }
    bool reserve_at(word n, nanoseconds longest, now_type now,
                    weir_permit& permit) noexcept override {
        return shared_.reserve_at(n, longest, now, permit);
    }
    bool take_at(word least, word most, now_type now, weir_permit& permit) noexcept override {
        return shared_.take_at(least, most, now, permit);
    }
    weir_status time_left(const weir_permit& permit, std::int64_t& time) noexcept override {
        return shared_.time_left(permit, time);
    }
    weir_status refund(weir_permit& permit, word units, std::int64_t& back) noexcept override {
        return shared_.refund(permit, units, back);
    }
    void refund_at(weir_permit& permit, word units, now_type now) noexcept override {
        shared_.refund_at(permit, units, now);
    }
    void undo(weir_permit& permit) noexcept override { shared_.undo(permit); }
    [[nodiscard]] word burst() const noexcept override { return shared_.burst(); }
    weir_status reset_at(now_type now) noexcept override {
        striped_.reset(now);
        return WEIR_OK;
    }
    weir_status give_back() noexcept override {
        striped_.give_back();
        return WEIR_OK;
    }
    weir_status set_quota(const quota& q, nanoseconds over) override {
        return shared_.set_quota(q, over);
    }
    weir_status look_at_fleet(weir_fleet_state& state) noexcept override {
        return shared_.look_at_fleet(state);
    }
    weir_status look(weir_state& state) noexcept override {
        const weir_status s = shared_.look(state);
        state.remaining = as_signed(static_cast<word>(state.remaining) + striped_.approx_left());
        return s;
    }
    [[nodiscard]] bool reserves() const noexcept override { return shared_.reserves(); }
    [[nodiscard]] bool undoes() const noexcept override { return shared_.undoes(); }
    [[nodiscard]] bool lends() const noexcept override { return true; }

private:
    template <class Decision>
    [[gnu::always_inline]] bool told(const Decision& d, weir_answer* answer) const noexcept {
        c::tell(answer, d);
        if (answer != nullptr && d.shared() != nullptr) c::tell(answer, *d.shared());
        return d.admitted();
    }

    striped_type striped_;
    weir_limit& shared_;
};

[[nodiscard]] weir_status lends(const weir_limit* from, std::int64_t units) noexcept {
    if (from == nullptr) return WEIR_NULL;
    if (units < 0) return WEIR_NEGATIVE;
    return from->lends() ? WEIR_OK : WEIR_NOT_SUPPORTED;
}

}  // namespace

}  // namespace weir::c

using namespace weir::c;

weir_status weir_all_of_new(weir_limit* const* limits, std::size_t count, weir_limit** limit) {
    if (limit == nullptr) return WEIR_NULL;
    *limit = nullptr;
    if (limits == nullptr) return WEIR_NULL;
    if (count < 2 || count > most_members) return WEIR_NOT_THIS_MANY;
    for (std::size_t i = 0; i < count; ++i) {
        if (limits[i] == nullptr) return WEIR_NULL;
        if (!limits[i]->is_shared()) return WEIR_NOT_SUPPORTED;
        for (std::size_t k = 0; k < i; ++k) {
            if (limits[k]->identity() == limits[i]->identity()) return WEIR_GIVEN_TWICE;
        }
    }
    numbers given{};
    for (std::size_t i = 0; i < count; ++i) given[i] = static_cast<std::uint8_t>(i);
    std::stable_sort(given.begin(), given.begin() + count, [&](std::uint8_t a, std::uint8_t b) {
        return limits[a]->undoes() && !limits[b]->undoes();
    });
    members all{};
    for (std::size_t i = 0; i < count; ++i) all[i] = limits[given[i]];
    return guarded([&] { return make_all_of(count, all, given, limit); });
}

weir_status weir_lease_new(weir_limit* from, std::int64_t units, std::int64_t time_to_live_ns,
                           weir_limit** limit) {
    if (limit == nullptr) return WEIR_NULL;
    *limit = nullptr;
    if (const weir_status s = lends(from, units); s != WEIR_OK) return s;
    if (time_to_live_ns < 0) return WEIR_NEGATIVE;
    return guarded([&] {
        return make<held_lease>(limit, *from, as_units(units), weir::nanoseconds(time_to_live_ns));
    });
}

weir_status weir_striped_new(weir_limit* shared, std::int64_t largest_lease, weir_limit** limit) {
    if (limit == nullptr) return WEIR_NULL;
    *limit = nullptr;
    if (const weir_status s = lends(shared, largest_lease); s != WEIR_OK) return s;
    return guarded([&] { return make<held_striped>(limit, *shared, as_units(largest_lease)); });
}

weir_status weir_striped_quota(weir_quota whole, std::int64_t largest_lease, weir_quota* shared) {
    if (shared == nullptr) return WEIR_NULL;
    if (largest_lease < 0) return WEIR_NEGATIVE;
    return read(whole, [&](const weir::quota& q) {
        *shared = as_c(held_striped::striped_type::shared_quota(q, as_units(largest_lease)));
        return WEIR_OK;
    });
}

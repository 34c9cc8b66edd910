// SPDX-License-Identifier: MIT
// joint_decision: what an all_of answers. With an in_flight among its members a request that is
// admitted is a call that has begun, and the answer has its token.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/limiter/in_flight.hpp>

namespace weir {

// What each member said; the whole is as strict as the strictest of them.
template <class... Decisions>
class [[nodiscard]] joint_decision {
public:
    // The first member that refused, or their number.
    constexpr joint_decision(std::size_t refused_by, const Decisions&... each) noexcept
        : refused_by_(refused_by), each_(each...) {}

    [[nodiscard]] constexpr bool admitted() const noexcept {
        return refused_by_ == sizeof...(Decisions);
    }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept {
        const auto least = admitted() ? verdict::admitted : verdict::wait;
        return fold(least, [](auto worst, const auto& d) {
            return d.verdict() == verdict::never ? verdict::never : worst;
        });
    }

    // Which member refused, the first of them counting from 0; their number if none did.
    [[nodiscard]] constexpr std::size_t refused_by() const noexcept { return refused_by_; }

    // Units that could still pass every member.
    [[nodiscard]] constexpr word remaining() const noexcept {
        return fold(largest<word>, [](word least, const auto& d) {
            const auto units = units_of(d);
            return units < least ? static_cast<word>(units) : least;
        });
    }

    // Until all members are as good as new, and until each that refused would not; zero after a
    // race that left enough for another try. Nobody knows when a call ends: an in_flight that
    // refuses says a millisecond, and then is to be looked at again.
    [[nodiscard]] constexpr nanoseconds reset_after() const noexcept {
        return fold(nanoseconds{}, [](nanoseconds most, const auto& d) {
            return d.reset_after() > most ? d.reset_after() : most;
        });
    }
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept {
        return fold(nanoseconds{}, [](nanoseconds most, const auto& d) {
            return d.retry_after() > most ? d.retry_after() : most;
        });
    }

    // The same for the members that know: without an in_flight.
    [[nodiscard]] constexpr nanoseconds quota_wait() const noexcept {
        return fold(nanoseconds{}, [](nanoseconds most, const auto& d) {
            return !is_place<decltype(d)> && d.retry_after() > most ? d.retry_after() : most;
        });
    }
    // Does an in_flight refuse?
    [[nodiscard]] constexpr bool place_refused() const noexcept {
        return fold(false, [](bool refused, const auto& d) {
            return refused || (is_place<decltype(d)> && !d.admitted());
        });
    }

    // What one member said.
    template <std::size_t Member>
    [[nodiscard]] constexpr const auto& of() const noexcept {
        return std::get<Member>(each_);
    }

private:
    template <class Decision>
    static constexpr bool is_place = std::is_same_v<Decision, const place_decision&>;

    template <class Result, class Next>
    [[gnu::always_inline]] constexpr Result fold(Result r, Next next) const noexcept {
        std::apply([&](const auto&... each) { ((r = next(r, each)), ...); }, each_);
        return r;
    }

    // A place is for a call, however many units it takes.
    [[nodiscard]] static constexpr word units_of(const place_decision& d) noexcept {
        return d.admitted() ? largest<word> : 0;
    }
    template <class Decision>
    [[nodiscard]] static constexpr auto units_of(const Decision& d) noexcept {
        return d.remaining();
    }

    std::size_t refused_by_;
    std::tuple<Decisions...> each_;
};

// The same with the token of the call that has begun. The call ends with the answer, or with the
// token if that is taken out.
template <class Joint>
class [[nodiscard]] joint_call : Joint {
public:
    joint_call(const Joint& said, call_token its) noexcept : Joint(said), token_(std::move(its)) {}

    [[nodiscard]] bool admitted() const& noexcept { return Joint::admitted(); }
    [[nodiscard]] explicit operator bool() const& noexcept { return admitted(); }
    template <class Answer = Joint>
    bool admitted() && noexcept {
        return static_cast<bool>(std::move(*this));
    }
    template <class Answer = Joint>
    explicit operator bool() && noexcept {
        static_assert(sizeof(Answer) == 0, "the call would end at once: give the answer a name, "
                                           "if (auto d = limits.try_acquire()) ...");
        return false;
    }

    // Once; then it is the token's end that ends the call. A false token if it was refused.
    [[nodiscard]] call_token take_token() noexcept { return std::move(token_); }

    using Joint::of;
    using Joint::place_refused;
    using Joint::quota_wait;
    using Joint::refused_by;
    using Joint::remaining;
    using Joint::reset_after;
    using Joint::retry_after;
    using Joint::verdict;

private:
    call_token token_;
};

}  // namespace weir

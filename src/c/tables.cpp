// SPDX-License-Identifier: MIT
// Tables: limits by index and by key. Each kind of table is a class behind its handle.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

#include <weir/adapter/random_seed.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/table/array.hpp>
#include <weir/table/keyed.hpp>

#include "border.hpp"
#include "cells.hpp"
#include "held.hpp"
#include "limit.hpp"

// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions)
struct weir_array {
    weir_array() noexcept = default;
    weir_array(const weir_array&) = delete;
    weir_array& operator=(const weir_array&) = delete;
    virtual ~weir_array() = default;

    [[nodiscard]] virtual std::size_t size() const noexcept = 0;
    virtual bool try_acquire(std::size_t index, weir::word n, weir_answer* answer) noexcept = 0;
    virtual weir_limit* at(std::size_t index, weir_view& view) noexcept = 0;
    virtual void reset() noexcept = 0;
};

// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions)
struct weir_keyed {
    weir_keyed() noexcept = default;
    weir_keyed(const weir_keyed&) = delete;
    weir_keyed& operator=(const weir_keyed&) = delete;
    virtual ~weir_keyed() = default;

    virtual bool try_acquire(std::string_view key, weir::word n, weir_answer* answer) noexcept = 0;
    virtual bool try_acquire(std::uint64_t key, weir::word n, weir_answer* answer) noexcept = 0;
    virtual weir_limit* at(std::string_view key, weir_view& view) noexcept = 0;
    virtual weir_limit* at(std::uint64_t key, weir_view& view) noexcept = 0;
    virtual weir::keyed_statistics statistics() noexcept = 0;
    virtual void clear_idle() noexcept = 0;
};

namespace weir::c {

namespace {

template <class Place>
using memory_of = std::unique_ptr<Place[]>;

// Without memory it is empty: what tables allocate by themselves may throw, and may be more than
// there is on any machine.
template <class Place>
[[nodiscard]] memory_of<Place> allocate(std::size_t size) noexcept {
    if (size > SIZE_MAX / 2 / sizeof(Place)) return nullptr;
    return memory_of<Place>(new (std::nothrow) Place[size]);
}
template <class Place>
struct span {
    Place* first;
    std::size_t count;
    [[nodiscard]] Place* data() const noexcept { return first; }
    [[nodiscard]] std::size_t size() const noexcept { return count; }
};

template <class Cell, bool Refunds>
class held_array final : public weir_array {
    using array_type = limiter_array<any_size, Cell, clock, array_layout{.refunds = Refunds}>;

public:
    using place = typename array_type::place;

    [[nodiscard]] static weir_status make_one(std::size_t size, const quota& q, const options& o,
                                              weir_array** to) {
        if (const auto reason = array_type::refusal(q, o); reason != quota_error::none)
            return status_of(reason);
        memory_of<place> memory = allocate<place>(size);
        if (memory == nullptr) return WEIR_NO_MEMORY;
        return make<held_array>(to, std::move(memory), size, q, o);
    }
    held_array(memory_of<place> memory, std::size_t size, const quota& q, const options& o)
        : memory_(std::move(memory)), array_(span<place>{memory_.get(), size}, q, o) {}

    [[nodiscard]] std::size_t size() const noexcept override { return array_.size(); }
    bool try_acquire(std::size_t index, word n, weir_answer* answer) noexcept override {
        if (index >= array_.size()) [[unlikely]]
            return refuse(answer, WEIR_NO_INDEX);
        return decided([this, index, n] { return array_[index].try_acquire(n); }, answer);
    }
    weir_limit* at(std::size_t index, weir_view& view) noexcept override {
        return index < array_.size() ? put_view(array_[index], view) : nullptr;
    }
    void reset() noexcept override { array_.reset(); }

private:
    memory_of<place> memory_;
    array_type array_;
};

template <class Cell>
[[nodiscard]] weir_status make_array(std::size_t size, const quota& q, const options& o,
                                     bool refunds, weir_array** to) {
    if constexpr (refunding_cell<Cell>) {
        if (refunds) return held_array<Cell, true>::make_one(size, q, o, to);
    }
    if (refunds) return WEIR_NOT_SUPPORTED;
    return held_array<Cell, false>::make_one(size, q, o, to);
}

template <bool Exact>
class held_keyed final : public weir_keyed {
    using table_type = keyed_limits<any_size, clock, keyed_layout{.exact = Exact}>;
    using line = typename table_type::line;

public:
    [[nodiscard]] static weir_status make_one(std::size_t places, const quota& q, when_full policy,
                                              seed s, const keyed_options& o, weir_keyed** to) {
        if (const auto reason = table_type::refusal(q, o); reason != quota_error::none)
            return status_of(reason);
        constexpr std::size_t in_line = table_type::places_in_line;
        const std::size_t lines = places / in_line + (places % in_line != 0 ? 1U : 0U);
        if (lines == 0 || lines > UINT32_MAX) return WEIR_NOT_THIS_MANY;
        memory_of<line> memory = allocate<line>(lines);
        if (memory == nullptr) return WEIR_NO_MEMORY;
        return make<held_keyed>(to, std::move(memory), lines, q, policy, s, o);
    }
    held_keyed(memory_of<line> memory, std::size_t lines, const quota& q, when_full policy, seed s,
               const keyed_options& o)
        : memory_(std::move(memory)), table_(span<line>{memory_.get(), lines}, q, policy, s, o) {}

    bool try_acquire(std::string_view key, word n, weir_answer* answer) noexcept override {
        return ask(table_[key], n, answer);
    }
    bool try_acquire(std::uint64_t key, word n, weir_answer* answer) noexcept override {
        return ask(table_[key], n, answer);
    }
    weir_limit* at(std::string_view key, weir_view& view) noexcept override {
        return put_view(table_[key], view);
    }
    weir_limit* at(std::uint64_t key, weir_view& view) noexcept override {
        return put_view(table_[key], view);
    }
    keyed_statistics statistics() noexcept override { return table_.statistics(); }
    void clear_idle() noexcept override { table_.clear_idle(); }

private:
    [[gnu::always_inline]] static bool ask(typename table_type::entry its, word n,
                                           weir_answer* answer) noexcept {
        return decided([its, n]() mutable { return its.try_acquire(n); }, answer);
    }

    memory_of<line> memory_;
    table_type table_;
};

[[nodiscard]] bool is_well(const void* table, const void* key, std::size_t length,
                           std::int64_t n) noexcept {
    return table != nullptr && (key != nullptr || length == 0) && n >= 0;
}
[[nodiscard]] std::string_view text_of(const void* key, std::size_t length) noexcept {
    return length == 0 ? std::string_view("")
                       : std::string_view(static_cast<const char*>(key), length);
}

}  // namespace

}  // namespace weir::c

using namespace weir::c;

weir_status weir_array_new(std::size_t size, weir_quota quota, const weir_options* options,
                           weir_array** array) {
    if (array == nullptr) return WEIR_NULL;
    *array = nullptr;
    if (size == 0) return WEIR_NOT_THIS_MANY;
    return read(quota, [&](const weir::quota& q) {
        return with_options(options, [&](const char* name, const weir::options& o, bool refunds) {
            return with_cell(name, [&](auto kind) {
                using cell = typename decltype(kind)::template cell<1>;
                if constexpr (weir::log_cell<cell>) {
                    return weir_status{WEIR_NO_CELL};
                } else {
                    return make_array<cell>(size, q, o, refunds, array);
                }
            });
        });
    });
}

void weir_array_free(weir_array* array) { delete array; }

std::size_t weir_array_size(const weir_array* array) {
    return array == nullptr ? 0 : array->size();
}

bool weir_array_try_acquire(weir_array* array, std::size_t index, std::int64_t n,
                            weir_answer* answer) {
    if (array == nullptr || n < 0) [[unlikely]]
        return refuse(answer, array == nullptr ? WEIR_NULL : WEIR_NEGATIVE);
    return array->try_acquire(index, static_cast<weir::word>(n), answer);
}

weir_limit* weir_array_at(weir_array* array, std::size_t index, weir_view* view) {
    return array == nullptr || view == nullptr ? nullptr : array->at(index, *view);
}

weir_status weir_array_reset(weir_array* array) {
    if (array == nullptr) return WEIR_NULL;
    array->reset();
    return WEIR_OK;
}

weir_status weir_keyed_new(std::size_t places, weir_quota quota, const weir_keyed_options* options,
                           weir_keyed** table) {
    if (table == nullptr) return WEIR_NULL;
    *table = nullptr;
    weir_keyed_options o = WEIR_KEYED_OPTIONS_INIT;
    if (const weir_status s = read(options, o); s != WEIR_OK) return s;
    if (o.when_full > WEIR_WHEN_FULL_ALLOW || o.exact > 1) return WEIR_NO_VALUE;
    return read(quota, [&](const weir::quota& q) {
        weir::keyed_options to;
        if (o.debt != WEIR_DEFAULT) to.debt = o.debt;
        if (o.guard_ns != WEIR_DEFAULT) to.guard = weir::nanoseconds(o.guard_ns);
        const auto policy = static_cast<weir::when_full>(o.when_full);
        const weir::seed s = o.seed == 0 ? weir::random_seed() : weir::seed(o.seed);
        return o.exact != 0 ? held_keyed<true>::make_one(places, q, policy, s, to, table)
                            : held_keyed<false>::make_one(places, q, policy, s, to, table);
    });
}

void weir_keyed_free(weir_keyed* table) { delete table; }

bool weir_keyed_try_acquire(weir_keyed* table, const void* key, std::size_t length, std::int64_t n,
                            weir_answer* answer) {
    if (!is_well(table, key, length, n)) [[unlikely]]
        return refuse(answer, n < 0 ? WEIR_NEGATIVE : WEIR_NULL);
    return table->try_acquire(text_of(key, length), static_cast<weir::word>(n), answer);
}

bool weir_keyed_try_acquire_number(weir_keyed* table, std::uint64_t key, std::int64_t n,
                                   weir_answer* answer) {
    if (!is_well(table, table, 0, n)) [[unlikely]]
        return refuse(answer, n < 0 ? WEIR_NEGATIVE : WEIR_NULL);
    return table->try_acquire(key, static_cast<weir::word>(n), answer);
}

weir_limit* weir_keyed_at(weir_keyed* table, const void* key, std::size_t length, weir_view* view) {
    if (!is_well(table, key, length, 0) || view == nullptr) return nullptr;
    return table->at(text_of(key, length), *view);
}

weir_limit* weir_keyed_at_number(weir_keyed* table, std::uint64_t key, weir_view* view) {
    return table == nullptr || view == nullptr ? nullptr : table->at(key, *view);
}

weir_status weir_keyed_look(weir_keyed* table, weir_keyed_state* state) {
    if (table == nullptr) return WEIR_NULL;
    const weir_keyed_state unknown = WEIR_KEYED_STATE_INIT;
    return write(state, unknown, [&](weir_keyed_state& all) {
        const weir::keyed_statistics s = table->statistics();
        all.places = s.places;
        all.occupied = s.occupied;
        all.steals = s.steals;
        all.full = s.full;
        all.forgiven_ns = s.forgiven.count();
        return WEIR_OK;
    });
}

weir_status weir_keyed_clear_idle(weir_keyed* table) {
    if (table == nullptr) return WEIR_NULL;
    table->clear_idle();
    return WEIR_OK;
}

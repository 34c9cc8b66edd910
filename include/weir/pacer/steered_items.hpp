// SPDX-License-Identifier: MIT
// steered_items: the items that wait in queues which can be steered: a pool of places, in lists,
// which finds an item by its ticket and, if items have keys, by its key. What was withdrawn
// (cancelled, cleared, replaced) waits in a list of its own until it is handed back.
//
// The thread that polls uses it; plain integers. It allocates when it is constructed, if its size
// is not part of its type, and never again. Invariant: each place is free, in one list, or
// withdrawn; the indices hold exactly those in a list. All functions take constant time, on average
// where they look something up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <weir/base/word.hpp>
#include <weir/pacer/place_index.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/table/key_hash.hpp>

namespace weir {

namespace detail {

// What `Key` names of an item: a member, or what a function answers. nullptr: nothing.
template <auto Key>
inline constexpr bool names_a_key = !std::is_null_pointer_v<decltype(Key)>;

template <auto Key, class Item>
[[nodiscard]] decltype(auto) key_of(const Item& item) noexcept {
    if constexpr (std::is_member_object_pointer_v<decltype(Key)>) {
        return (item.*Key);
    } else if constexpr (std::is_member_function_pointer_v<decltype(Key)>) {
        return (item.*Key)();
    } else {
        return Key(item);
    }
}

// One that key_hash can hash and that can be compared. Two pointers to text would be compared by
// where it lies.
template <class K>
concept item_key = !std::is_pointer_v<K> && requires(const key_hash& hash, const K& key) {
    hash(key);
    key == key;
};

template <class Queued, auto Key>
inline constexpr bool keys_can_be_found = [] {
    if constexpr (names_a_key<Key>) {
        using item_type = std::remove_cvref_t<decltype(std::declval<Queued&>().item)>;
        using key_type = decltype(key_of<Key>(std::declval<const item_type&>()));
        return item_key<std::remove_cvref_t<key_type>>;
    }
    return true;
}();

}  // namespace detail

// So many items; 0: as many as it is constructed for. Queued has the `item` of which Key names the
// key.
template <class Queued, std::size_t Capacity, auto Key>
class steered_items {
    static constexpr bool has_keys = detail::names_a_key<Key>;
    using none = detail::pool_places<1, unsigned char>;

    static_assert(detail::keys_can_be_found<Queued, Key>,
                  "an item's key is a number, an enumeration, or a text with its size, such as a "
                  "string_view");

public:
    struct list {
        place_number first = nowhere;
        place_number last = nowhere;
    };
    struct withdrawn_item {
        Queued queued;
        dropped reason;
        std::uint32_t lane;
    };

    explicit steered_items(std::size_t capacity, seed s = seed(0x5EED))
        : places_(capacity), by_ticket_(capacity), by_key_(capacity), hash_(s) {
        for (std::size_t i = places_.size(); i > 0; --i) {
            places_[i - 1].next = free_;
            free_ = static_cast<place_number>(i - 1);
        }
    }
    steered_items(const steered_items&) = delete;
    steered_items& operator=(const steered_items&) = delete;
    ~steered_items() {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i].number != 0) places_[i].queued.~Queued();
        }
    }

    // --- one item

    // Puts it into a place, which is in no list yet; only if one is free. `owner` is whose list it
    // goes into, `lane` the lane that it came out of, `number` its ticket's.
    [[nodiscard]] place_number add(Queued&& queued, word number, std::uint32_t lane,
                                   std::uint32_t owner) noexcept {
        const place_number p = free_;
        place& its = places_[p];
        free_ = its.next;
        std::construct_at(&its.queued, std::move(queued));
        its.number = number;
        its.lane = lane;
        its.owner = owner;
        return p;
    }
    [[nodiscard]] Queued& operator[](place_number p) noexcept { return places_[p].queued; }
    [[nodiscard]] std::uint32_t lane_of(place_number p) const noexcept { return places_[p].lane; }
    [[nodiscard]] std::uint32_t owner_of(place_number p) const noexcept { return places_[p].owner; }

    [[nodiscard]] place_number with_ticket(word number, std::uint32_t lane) const noexcept {
        return by_ticket_.find(mixed(number, lane), [&](place_number other) {
            return places_[other].number == number && places_[other].lane == lane;
        });
    }
    // Another one of the same owner and key that is in a list.
    [[nodiscard]] place_number with_key_of(place_number p) const noexcept {
        if constexpr (!has_keys) {
            return nowhere;
        } else {
            const auto& key = key_at(p);
            return by_key_.find(key_hash_at(p), [&](place_number other) {
                return places_[other].owner == places_[p].owner && key_at(other) == key;
            });
        }
    }

    // --- lists

    void append(list& to, place_number p) noexcept {
        link(to, p, to.last, nowhere);
        enter(p);
    }
    // The older one is withdrawn, and the newer one has its place in the list.
    void replace(list& in, place_number older, place_number newer) noexcept {
        const place_number before = places_[older].before;
        const place_number next = places_[older].next;
        withdraw(in, older, dropped::replaced);
        link(in, newer, before, next);
        enter(newer);
    }
    // The oldest one leaves the list and the pool; only if there is one.
    [[nodiscard]] Queued take_first(list& from) noexcept {
        const place_number p = from.first;
        leave(from, p);
        return release(p);
    }
    void withdraw(list& from, place_number p, dropped reason) noexcept {
        leave(from, p);
        refuse(p, reason);
    }

    // One that is in no list is not taken at all.
    void refuse(place_number p, dropped reason) noexcept {
        places_[p].reason = reason;
        link(withdrawn_, p, withdrawn_.last, nowhere);
    }
    // Calls act(place) for each that is in a list. It looks at all places.
    template <class Act>
    void for_each(Act act) noexcept {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i].waits) act(static_cast<place_number>(i));
        }
    }

    // --- what was withdrawn

    [[nodiscard]] bool any_withdrawn() const noexcept { return withdrawn_.first != nowhere; }
    // The one that was withdrawn first; only if there is one.
    [[nodiscard]] withdrawn_item take_withdrawn() noexcept {
        const place_number p = withdrawn_.first;
        unlink(withdrawn_, p);
        const dropped reason = places_[p].reason;
        const std::uint32_t lane = places_[p].lane;
        return {release(p), reason, lane};
    }

    // What it takes of memory for so many items.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t items) noexcept {
        return items * sizeof(place) + (has_keys ? 2 : 1) * place_index<0>::bytes_for(items);
    }

private:
    struct place {
        place() noexcept {}  // NOLINT(modernize-use-equals-default): would be deleted
        ~place() {}          // NOLINT(modernize-use-equals-default): the same
        place(const place&) = delete;
        place& operator=(const place&) = delete;

        union {
            Queued queued;
        };
        word number = 0;  // of its ticket; 0: free
        place_number before = nowhere;
        place_number next = nowhere;  // of a free one too
        std::uint32_t lane = 0;
        std::uint32_t owner = 0;
        dropped reason{};
        bool waits = false;  // in a list
    };

    // Numbers follow each other, so any odd factor spreads them.
    [[nodiscard]] static std::uint64_t mixed(word number, std::uint32_t lane) noexcept {
        const std::uint64_t x =
            (std::uint64_t{number} ^ (std::uint64_t{lane} << 48)) * 0x9E37'79B9'7F4A'7C15;
        return x ^ (x >> 32);
    }
    [[nodiscard]] std::uint64_t ticket_hash_at(place_number p) const noexcept {
        return mixed(places_[p].number, places_[p].lane);
    }
    [[nodiscard]] decltype(auto) key_at(place_number p) const noexcept {
        return detail::key_of<Key>(places_[p].queued.item);
    }
    [[nodiscard]] std::uint64_t key_hash_at(place_number p) const noexcept {
        return hash_(key_at(p)) + places_[p].owner * 0x9E37'79B9'7F4A'7C15;
    }

    void enter(place_number p) noexcept {
        places_[p].waits = true;
        by_ticket_.add(ticket_hash_at(p), p);
        if constexpr (has_keys) by_key_.add(key_hash_at(p), p);
    }
    void leave(list& from, place_number p) noexcept {
        places_[p].waits = false;
        unlink(from, p);
        by_ticket_.remove(ticket_hash_at(p), p,
                          [&](place_number other) { return ticket_hash_at(other); });
        if constexpr (has_keys) {
            by_key_.remove(key_hash_at(p), p,
                           [&](place_number other) { return key_hash_at(other); });
        }
    }

    void link(list& in, place_number p, place_number before, place_number next) noexcept {
        places_[p].before = before;
        places_[p].next = next;
        (before == nowhere ? in.first : places_[before].next) = p;
        (next == nowhere ? in.last : places_[next].before) = p;
    }
    void unlink(list& in, place_number p) noexcept {
        const place_number before = places_[p].before;
        const place_number next = places_[p].next;
        (before == nowhere ? in.first : places_[before].next) = next;
        (next == nowhere ? in.last : places_[next].before) = before;
    }

    // It is in no list any more.
    [[nodiscard]] Queued release(place_number p) noexcept {
        place& its = places_[p];
        Queued queued(std::move(its.queued));
        its.queued.~Queued();
        its.number = 0;
        its.next = free_;
        free_ = p;
        return queued;
    }

    detail::pool_places<Capacity, place> places_;
    place_index<Capacity> by_ticket_;
    [[no_unique_address]] std::conditional_t<has_keys, place_index<Capacity>, none> by_key_;
    key_hash hash_;
    place_number free_ = nowhere;
    list withdrawn_;
};

}  // namespace weir

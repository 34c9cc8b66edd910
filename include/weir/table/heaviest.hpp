// SPDX-License-Identifier: MIT
// heaviest: which keys are refused most often, so that an operator sees who hammers.
//
//     weir::heaviest<std::uint32_t> hammering{weir::random_seed()};
//     if (!per_address[a].try_acquire()) hammering.note(a);
//     ...
//     for (const auto& [key, most, least] : hammering.top<10>()) show(key, least);
//
// It is written where something was refused, and nowhere else. Its size is fixed, whoever comes,
// and it keeps the keys themselves: numbers, or up to 64 bytes that are equal where keys are equal,
// such as a std::array of the bytes of an address.
//
// A key belongs to one of several buckets of eight places. It is counted in its place. A key that
// has none takes the place with the lowest count, and goes on from there (Space-Saving: Metwally,
// Agrawal, El Abbadi, 2005). So:
//
//     a key was refused at least `least` times and at most `most` times, but for `missed`
//     most - least is no more than an eighth of the refusals in its bucket
//     a key that was refused more often than that has a place
//
// Any number of threads may call everything, and nobody waits. If two threads enter keys in one
// bucket at once, one of the two refusals is counted as `missed` instead. A thread that dies while
// it enters a key leaves a bucket that takes no more keys, but counts those that it has.
//
// Invariant: the counts of a bucket are together all refusals that were counted there, and no key
// without a place had more of them than the lowest count. For counts never fall; one thread at a
// time enters a key, so none has two places; and it takes a place by an exchange of the count that
// it has found to be the lowest. A refusal linearises at the exchange that counts it. Relaxed order
// suffices where that exchange decides whether what was read is the present.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/table/key_hash.hpp>

namespace weir {

template <class Key = std::uint64_t, std::size_t Buckets = 32,
          template <class> class Atomic = atomic>
class heaviest {
    static_assert(std::is_trivially_copyable_v<Key> &&
                      std::has_unique_object_representations_v<Key> && sizeof(Key) <= 64,
                  "a key is a number, or up to 64 bytes without padding");
    static_assert(Buckets != 0, "there is one bucket at least");

public:
    struct refused_key {
        Key key;
        std::uint64_t most;   // it was refused no more often
        std::uint64_t least;  // it was refused no less often
    };

    template <std::size_t K>
    class top_keys {
    public:
        [[nodiscard]] const refused_key* begin() const noexcept { return keys_; }
        [[nodiscard]] const refused_key* end() const noexcept { return keys_ + size_; }
        [[nodiscard]] std::size_t size() const noexcept { return size_; }
        [[nodiscard]] const refused_key& operator[](std::size_t i) const noexcept {
            return keys_[i];
        }

    private:
        friend heaviest;
        // In the order of `least`, which is certain: a key that came once may have taken a place
        // with a high count. The highest K stay.
        void add(refused_key k) noexcept {
            if (size_ < K) keys_[size_++] = {k.key, 0, 0};
            for (std::size_t i = 0; i < size_; ++i) {
                if (k.least <= keys_[i].least) continue;
                const refused_key lower = keys_[i];
                keys_[i] = k;
                k = lower;
            }
        }
        refused_key keys_[K]{};
        std::size_t size_ = 0;
    };

    // With a seed that nobody else knows, nobody can choose keys that meet in one bucket.
    explicit heaviest(seed s) noexcept : hash_(s) {}

    // A key was refused. Lock-free: it tries again only if another refusal of the key was counted.
    void note(const Key& key) noexcept {
        const words of(key);
        bucket& in = buckets_[static_cast<std::size_t>(hash_(of) % Buckets)];
        if (count(in, of)) return;
        std::uint64_t nobody = 0;
        // Acquire: sees the keys that were entered before. Pairs with the release below.
        if (!in.entering.try_exchange_acq_rel(nobody, 1)) return missed_one();
        const bool is_counted = count(in, of) || enter(in, of);
        in.entering.store_release(0);  // pairs with the exchange above
        if (!is_counted) missed_one();
    }

    // The K keys that were refused most often, the highest `least` first. A racy snapshot.
    template <std::size_t K>
    [[nodiscard]] top_keys<K> top() const noexcept {
        top_keys<K> all;
        for (const bucket& in : buckets_) {
            for (const place& p : in.at) {
                refused_key k;
                if (read(p, k)) all.add(k);
            }
        }
        return all;
    }

    // Refusals that were not counted for their key, as its place was changing hands.
    [[nodiscard]] std::uint64_t missed() const noexcept { return missed_.load_relaxed(); }

private:
    static constexpr std::size_t places = 8;
    static constexpr std::size_t size_in_words = (sizeof(Key) + 7) / 8;

    // A key as words.
    struct words {
        explicit words(const Key& key) noexcept { __builtin_memcpy(of, &key, sizeof key); }
        // As key_hash reads it.
        [[nodiscard]] const unsigned char* data() const noexcept {
            return reinterpret_cast<const unsigned char*>(of);
        }
        [[nodiscard]] static constexpr std::size_t size() noexcept { return sizeof of; }

        std::uint64_t of[size_in_words]{};
    };

    // The count of a place; in its low bits how often the place has changed hands, twice, or odd
    // while it does. So whoever read a key knows by an exchange of this word that it is the place's
    // key still. Zero: nobody has been here.
    using state = std::uint64_t;
    static constexpr unsigned change_bits = 16;
    static constexpr state in_changes = (state{1} << change_bits) - 1;
    [[nodiscard]] static constexpr std::uint64_t count_of(state s) noexcept {
        return s >> change_bits;
    }
    [[nodiscard]] static constexpr bool is_changing(state s) noexcept { return (s & 1U) != 0; }
    // With that count, and the change begun, or completed.
    [[nodiscard]] static constexpr state changed(state s, std::uint64_t count) noexcept {
        return count << change_bits | ((s + 1) & in_changes);
    }

    struct place {
        Atomic<state> now{0};
        Atomic<std::uint64_t> before{0};  // what was counted of other keys
        Atomic<std::uint64_t> key[size_in_words];

        [[nodiscard]] bool is_of(const words& k) const noexcept {
            for (std::size_t i = 0; i < size_in_words; ++i) {
                if (key[i].load_relaxed() != k.of[i]) return false;
            }
            return true;
        }
    };
    struct alignas(cache_line) bucket {
        place at[places];
        Atomic<std::uint64_t> entering{0};  // 1 while a thread enters a key
    };

    void missed_one() noexcept { missed_.fetch_add_relaxed(1); }

    // False if the key has no place. The exchange is acq_rel: it pairs with the one that begins a
    // change, so the key that was compared is not a later one.
    [[nodiscard]] bool count(bucket& in, const words& key) noexcept {
        for (place& p : in.at) {
            // Pairs with the release that completes a change.
            state seen = p.now.load_acquire();
            while (count_of(seen) != 0 && !is_changing(seen) && p.is_of(key)) {
                const state next = seen + (state{1} << change_bits);
                // Pairs with itself in `enter`; after a loss the key is looked at again.
                if (p.now.try_exchange_acq_rel(seen, next)) return true;
            }
        }
        return false;
    }

    // By one thread at a time. False if the lowest place was counted in meanwhile.
    [[nodiscard]] bool enter(bucket& in, const words& key) noexcept {
        place* lowest = &in.at[0];
        state seen = lowest->now.load_relaxed();
        for (place& p : in.at) {
            const state here = p.now.load_relaxed();
            if (count_of(here) >= count_of(seen)) continue;
            lowest = &p;
            seen = here;
        }
        const std::uint64_t before = count_of(seen);
        const state begun = changed(seen, before);
        // Acquire: whoever has compared the former key has done so before. Pairs with `count`.
        if (!lowest->now.try_exchange_acq_rel(seen, begun)) return false;
        lowest->before.store_release(
            before);  // after `begun`; pairs with the second load in `read`
        for (std::size_t i = 0; i < size_in_words; ++i)
            lowest->key[i].store_release(key.of[i]);            // the same
        lowest->now.store_release(changed(begun, before + 1));  // pairs with `count` and `read`
        return true;
    }

    // False if nobody is there, or the place is changing hands.
    [[nodiscard]] static bool read(const place& from, refused_key& to) noexcept {
        const state seen = from.now.load_acquire();  // pairs with the end of `enter`
        if (count_of(seen) == 0 || is_changing(seen)) return false;
        words key(Key{});
        // If either is of a later change, the last load sees that it has begun: pairs with `enter`.
        const std::uint64_t before = from.before.load_acquire();
        for (std::size_t i = 0; i < size_in_words; ++i) key.of[i] = from.key[i].load_acquire();
        const state again = from.now.load_relaxed();
        if ((again & in_changes) != (seen & in_changes)) return false;
        __builtin_memcpy(&to.key, key.of, sizeof to.key);
        to.most = count_of(seen);
        to.least = to.most - before;
        return true;
    }

    key_hash hash_;
    bucket buckets_[Buckets];
    alignas(cache_line) Atomic<std::uint64_t> missed_{0};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// Limits in memory that processes share: who makes them, who joins, and what is refused. What
// becomes of them when processes are stopped and killed is in tests/stress.
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/shm.hpp>
#include <weir/adapter/shm_table.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "../../oracle/dice.hpp"
#include "../../shm_names.hpp"

namespace {

using weir::per_second;
using weir::quota;
using weir::seconds;
using weir::shm_error;
using weir::word;

// A counter that all processes read, and whose frequency each of them has measured.
struct measured_clock {
    static constexpr std::uint64_t lowest_hertz = 1'000'000;
    static constexpr std::uint64_t highest_hertz = 10'000'000'000;
    static constexpr bool is_of_machine = true;

    static weir::instant<measured_clock> now() noexcept {
        return weir::instant<measured_clock>(ticks_);
    }
    static std::uint64_t hertz() noexcept { return frequency_; }
    static weir::clock_facts facts() noexcept {
        return {source_, frequency_, weir::nanoseconds(1), true};
    }

    static inline word ticks_ = 1'000'000'000'000;
    static inline std::uint64_t frequency_ = 1'000'000'000;
    static inline const char* source_ = "a counter";
};

using limiter = weir::shared_limiter<weir::gcra<>, measured_clock>;
using array = weir::shared_limiter_array<weir::gcra<>, measured_clock>;
using keyed = weir::shared_keyed_limits<measured_clock>;

class shared : public testing::Test {
protected:
    void SetUp() override {
        measured_clock::ticks_ = 1'000'000'000'000;
        measured_clock::frequency_ = 1'000'000'000;
        measured_clock::source_ = "a counter";
    }

    // What a process of its own answers, from 0 to 255.
    static int elsewhere(const std::function<int()>& act) {
        const pid_t pid = fork();
        if (pid == 0) _exit(act());
        int state = 0;
        while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
        }
        return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    }

    own_name name_;
};

TEST_F(shared, limiter_is_made_by_the_first_and_joined_by_the_others) {
    auto first = limiter::open(name_.c_str(), per_second(100));
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_EQ(first->acquire_up_to(30).units, 30U);
    EXPECT_EQ(elsewhere([&] {
                  auto other = limiter::open(name_.c_str(), per_second(100));
                  return other ? static_cast<int>(other->acquire_up_to(200).units) : 255;
              }),
              70);
    EXPECT_FALSE(first->try_acquire());
    EXPECT_EQ(first->quota(), per_second(100));
}

TEST_F(shared, limiter_moves_and_is_a_value) {
    limiter moved = limiter::open(name_.c_str(), per_second(10)).value();
    auto place = moved.reserve(4);
    limiter again = std::move(moved);
    EXPECT_EQ(again.refund(std::move(place)).units(), 4U);
    EXPECT_EQ(again.peek(0).remaining(), 10U);
    auto other = limiter::join(name_.c_str());
    auto kept = std::move(other);
    EXPECT_EQ(kept->peek(0).remaining(), 10U);
}

TEST_F(shared, limiter_is_told_by_one_process_what_a_server_says_to_all) {
    auto first = limiter::open(name_.c_str(), per_second(100));
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_EQ(elsewhere([&] {
                  auto other = limiter::join(name_.c_str());
                  return other ? static_cast<int>(other->lower_remaining(7).remaining()) : 255;
              }),
              7);
    EXPECT_EQ(first->peek(0).remaining(), 7U);
    EXPECT_EQ(first->set_remaining(9).remaining(), 9U);
}

TEST_F(shared, limiter_begins_with_the_units_that_are_asked_for) {
    auto few = weir::shared_limiter<weir::token_bucket<>, measured_clock>::open(
        name_.c_str(), per_second(10), {.start = 3});
    EXPECT_EQ(few->peek(0).remaining(), 3U);
    measured_clock::ticks_ += 500'000'000;
    auto later = decltype(few)(
        weir::shared_limiter<weir::token_bucket<>, measured_clock>::join(name_.c_str()));
    EXPECT_EQ(later->peek(0).remaining(), 8U);
    later->reset();
    EXPECT_EQ(few->peek(0).remaining(), 3U);
}

// The shift differs for these two frequencies. Who used its own would read the word wrongly.
TEST_F(shared, limits_count_by_the_frequency_of_who_made_them) {
    constexpr std::uint64_t makers = 2'596'000'000;
    constexpr std::uint64_t others = 2'596'000'123;
    constexpr quota q{10'000, seconds(1)};
    using rate = weir::gcra<>::rate;
    ASSERT_EQ(rate::make(q, makers)->shift(), 3U);
    ASSERT_EQ(rate::make(q, others)->shift(), 7U);

    measured_clock::frequency_ = makers;
    auto first = limiter::open(name_.c_str(), q);
    EXPECT_EQ(first->acquire_up_to(9'990).units, 9'990U);
    const own_name of_array;
    auto entries = array::open(of_array.c_str(), 3, q);
    EXPECT_EQ((*entries)[2].acquire_up_to(9'990).units, 9'990U);
    const own_name of_keys;
    auto keys = keyed::open(of_keys.c_str(), 64, q, weir::when_full::deny);
    EXPECT_EQ((*keys)["somebody"].acquire_up_to(9'990).units, 9'990U);
    EXPECT_EQ(elsewhere([&] {
                  measured_clock::frequency_ = others;
                  auto other = limiter::open(name_.c_str(), q);
                  return other ? static_cast<int>(other->acquire_up_to(100).units) : 255;
              }),
              10);
    EXPECT_EQ(elsewhere([&] {
                  measured_clock::frequency_ = others;
                  auto other = array::join(of_array.c_str());
                  return other ? static_cast<int>((*other)[2].acquire_up_to(100).units) : 255;
              }),
              10);
    EXPECT_EQ(elsewhere([&] {
                  measured_clock::frequency_ = others;
                  auto other = keyed::join(of_keys.c_str());
                  return other ? static_cast<int>((*other)["somebody"].acquire_up_to(100).units)
                               : 255;
              }),
              10);
    // The same in one process, so that waits can be compared.
    measured_clock::frequency_ = others;
    auto other = limiter::join(name_.c_str());
    EXPECT_EQ(other->peek(7).ticks().retry_after(), first->peek(7).ticks().retry_after());
    measured_clock::ticks_ += makers / 1'000;
    EXPECT_EQ(other->peek(0).remaining(), 10U);
}

TEST_F(shared, limiter_of_another_quota_is_refused_unless_it_is_joined) {
    auto first = limiter::open(name_.c_str(), per_second(100));
    ASSERT_TRUE(first);
    const auto refused = [&](const quota& q, const weir::options& o = {}) {
        return limiter::open(name_.c_str(), q, o).error();
    };
    EXPECT_EQ(refused(per_second(100)), shm_error::none);
    EXPECT_EQ(refused(per_second(10)), shm_error::another_quota);
    EXPECT_EQ(refused(per_second(100).with_burst(1)), shm_error::another_quota);
    EXPECT_EQ(refused(quota{100, seconds(2)}), shm_error::another_quota);
    EXPECT_EQ(refused(per_second(100), {.start = 1}), shm_error::another_quota);
    EXPECT_EQ(refused(per_second(100), {.debt = 1}), shm_error::another_quota);
    EXPECT_EQ(refused(per_second(100), {.queue = 1}), shm_error::another_quota);
    EXPECT_EQ(refused(per_second(100), {.guard = seconds(1)}), shm_error::another_quota);
    EXPECT_EQ(limiter::join(name_.c_str())->quota(), per_second(100));
}

TEST_F(shared, limiter_that_is_not_there_is_not_joined) {
    EXPECT_EQ(limiter::join(name_.c_str()).error(), shm_error::not_there);
    EXPECT_EQ(array::join(name_.c_str()).error(), shm_error::not_there);
    EXPECT_EQ(keyed::join(name_.c_str()).error(), shm_error::not_there);
    EXPECT_EQ(weir::remove_shared(name_.c_str()), shm_error::not_there);
    EXPECT_EQ(limiter::open("/no/such/folder", per_second(1)).error(), shm_error::folder_not_there);
    EXPECT_EQ(limiter::join("/no/such/folder").error(), shm_error::not_there);
    const auto no_policy = static_cast<weir::when_full>(9);
    EXPECT_EQ(keyed::open(name_.c_str(), 64, per_second(1), no_policy).error(),
              shm_error::policy_unknown);
    EXPECT_EQ(keyed::join(name_.c_str()).error(), shm_error::not_there) << "nothing was made";
}

TEST_F(shared, limiter_that_was_removed_goes_on_beside_the_next_one) {
    auto first = limiter::open(name_.c_str(), per_second(10));
    EXPECT_EQ(weir::remove_shared(name_.c_str()), shm_error::none);
    auto second = limiter::open(name_.c_str(), per_second(20));
    EXPECT_EQ(first->drain(), 10U);
    EXPECT_EQ(second->drain(), 20U);
}

TEST_F(shared, limiter_lies_in_any_file) {
    const own_folder folder;
    const std::string path = folder / "limit";
    auto first = limiter::open(path.c_str(), per_second(10));
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_TRUE(first->try_acquire());
    EXPECT_EQ(limiter::join(path.c_str())->peek(0).remaining(), 9U);
    EXPECT_EQ(folder.files(), 1) << "nothing else is left there";
}

TEST_F(shared, array_is_of_the_size_of_who_made_it) {
    auto first = array::open(name_.c_str(), 1'000, per_second(5), {.start = 2});
    ASSERT_TRUE(first) << describe(first.error());
    for (const std::size_t i : {0U, 500U, 999U}) EXPECT_EQ((*first)[i].drain(), 2U) << i;
    EXPECT_EQ(array::open(name_.c_str(), 999, per_second(5), {.start = 2}).error(),
              shm_error::another_quota);
    auto other = array::join(name_.c_str());
    ASSERT_EQ(other->size(), 1'000U);
    EXPECT_EQ((*other)[500].peek(0).remaining(), 0U);
    EXPECT_EQ((*other)[501].peek(0).remaining(), 2U);
    EXPECT_EQ((*other)[7].quota(), per_second(5));
    auto moved = std::move(other);
    moved->reset();
    EXPECT_EQ((*first)[500].peek(0).remaining(), 2U);
}

TEST_F(shared, array_gives_back_if_its_layout_says_so) {
    constexpr weir::array_layout with{.refunds = true};
    using refunding = weir::shared_limiter_array<weir::gcra<>, measured_clock, with>;
    auto first = refunding::open(name_.c_str(), 2, per_second(5));
    ASSERT_TRUE(first);
    auto place = (*first)[1].reserve(3);
    EXPECT_EQ((*first)[1].refund(std::move(place)).units(), 3U);
    EXPECT_EQ(array::join(name_.c_str()).error(), shm_error::another_kind);
}

template <class Table>
class shared_keys : public shared {};
using tables =
    testing::Types<keyed,
                   weir::shared_keyed_limits<measured_clock, weir::keyed_layout{.exact = true}>>;
TYPED_TEST_SUITE(shared_keys, tables);

TYPED_TEST(shared_keys, are_found_by_all) {
    const char* const name = this->name_.c_str();
    auto first = TypeParam::open(name, 100, per_second(5), weir::when_full::deny);
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_EQ(first->size(), (TypeParam::places_in_line == 8 ? 104U : 100U)) << "whole lines";
    auto other = TypeParam::join(name);
    for (unsigned key = 0; key < 20; ++key) {
        EXPECT_EQ((*first)[key].acquire_up_to(2).units, 2U);
        EXPECT_EQ((*other)[key].acquire_up_to(9).units, 3U);
    }
    EXPECT_EQ(other->statistics().occupied, 20U);
    EXPECT_EQ((*other)[3].quota(), per_second(5));
    const auto refused = [&](std::size_t places, const quota& q, weir::when_full policy,
                             const weir::keyed_options& o) {
        return TypeParam::open(name, places, q, policy, o).error();
    };
    EXPECT_EQ(refused(100, per_second(5), weir::when_full::deny, {}), shm_error::none);
    EXPECT_EQ(refused(200, per_second(5), weir::when_full::deny, {}), shm_error::another_quota);
    EXPECT_EQ(refused(100, per_second(6), weir::when_full::deny, {}), shm_error::another_quota);
    EXPECT_EQ(refused(100, per_second(5), weir::when_full::allow, {}), shm_error::another_quota);
    EXPECT_EQ(refused(100, per_second(5), weir::when_full::deny, {.debt = 1}),
              shm_error::another_quota);
}

TYPED_TEST(shared_keys, of_two_tables_have_two_seeds) {
    const own_name other_name;
    auto a = TypeParam::open(this->name_.c_str(), 64, per_second(1), weir::when_full::deny);
    auto b = TypeParam::open(other_name.c_str(), 64, per_second(1), weir::when_full::deny);
    auto again = TypeParam::join(this->name_.c_str());
    if constexpr (requires { a->hash_of(1); }) {
        EXPECT_NE(a->hash_of(1), b->hash_of(1));
        EXPECT_EQ(a->hash_of(1), again->hash_of(1));
    }
}

// --- it is a limit as any other

static_assert(weir::limit<limiter> && weir::lending<limiter> && weir::reserving<limiter> &&
              weir::undoing<limiter> && !weir::moving_places<limiter>);
static_assert(weir::machine_clock<weir::default_clock> && weir::machine_clock<weir::steady_clock> &&
              weir::machine_clock<weir::coarse_clock> && weir::machine_clock<weir::utc_clock> &&
              weir::machine_clock<weir::cached_clock<struct frames>>);
static_assert(!weir::machine_clock<weir::manual_clock<struct frames>> &&
              !weir::machine_clock<weir::given_clock<struct frames, 60>>);

TEST_F(shared, limiter_serves_wherever_a_limit_does) {
    auto all = limiter::open(name_.c_str(), per_second(10));
    weir::limiter<weir::gcra<>, measured_clock> own{per_second(100)};
    {
        weir::all_of both(*all, own);
        EXPECT_TRUE(both.try_acquire(3));
        weir::lease mine(*all, 4);
        EXPECT_TRUE(mine.try_acquire());
        EXPECT_EQ(all->peek(0).remaining(), 3U);
    }
    EXPECT_EQ(all->peek(0).remaining(), 6U) << "the lease has given back";
    EXPECT_TRUE(weir::acquire(*all, 6));
    EXPECT_EQ(weir::acquire_for(*all, 1, weir::milliseconds(1)).how, weir::ending::too_late);
}

template <class Cell>
class every_shared : public shared {};
struct is_one_word {
    template <class Cell>
    static constexpr bool has = sizeof(Cell) == sizeof(typename Cell::word_type);
};
using one_word_cells = weir::only<is_one_word, weir::every_cell<1, word>>;
TYPED_TEST_SUITE(every_shared, one_word_cells::as<testing::Types>);

template <class A, class B>
void expect_same(const A& a, const B& b) {
    ASSERT_EQ(a.verdict(), b.verdict());
    ASSERT_EQ(a.remaining(), b.remaining());
    ASSERT_EQ(a.ticks().retry_after(), b.ticks().retry_after());
    ASSERT_EQ(a.ticks().reset_after(), b.ticks().reset_after());
}

// One limiter of the process's own, and two that share: whichever of the two is asked.
TYPED_TEST(every_shared, limiter_answers_as_one_of_the_process_does) {
    using own_type = weir::limiter<TypeParam, measured_clock>;
    using shared_type = weir::shared_limiter<TypeParam, measured_clock>;
    constexpr quota q{50, seconds(1)};
    auto one = shared_type::open(this->name_.c_str(), q);
    auto two = shared_type::join(this->name_.c_str());
    ASSERT_TRUE(one && two);
    own_type own{q};
    (void)own.peek();
    oracle::dice d(1);
    for (int i = 0; i < 20'000; ++i) {
        measured_clock::ticks_ += static_cast<word>(d.magnitude(300'000'000));
        shared_type& asked = d.chance(50) ? *one : *two;
        const word n = d.roll(60);
        switch (d.roll(8)) {
            case 0: expect_same(asked.charge(n), own.charge(n)); break;
            case 1: {
                const auto a = asked.acquire_up_to(n);
                const auto b = own.acquire_up_to(n);
                ASSERT_EQ(a.units, b.units);
                expect_same(a.after, b.after);
                break;
            }
            case 2: expect_same(asked.peek(n), own.peek(n)); break;
            case 3: ASSERT_EQ(asked.debt(), own.debt()); break;
            case 4:
                if constexpr (weir::reserving<own_type>) {
                    auto a = asked.reserve(n);
                    auto b = own.reserve(n);
                    ASSERT_EQ(static_cast<bool>(a), static_cast<bool>(b));
                    if (d.chance(50)) {
                        ASSERT_EQ(asked.refund(std::move(a)).units(),
                                  own.refund(std::move(b)).units());
                    }
                }
                break;
            case 5:
                if (d.one_in(10)) {
                    asked.reset();
                    own.reset();
                }
                break;
            case 6: {
                const auto saved = asked.save();
                ASSERT_EQ(saved, own.save());
                break;
            }
            default: expect_same(asked.try_acquire(n), own.try_acquire(n));
        }
        if (this->HasFatalFailure()) return;
    }
    EXPECT_EQ(one->quota(), own.quota());
    EXPECT_EQ(one->burst(), own.burst());
}

// Whatever somebody has written there, nobody gets more units than were asked for: a caller may
// have room for no more.
TYPED_TEST(every_shared, limiter_gives_no_more_than_is_asked_for_whatever_is_there) {
    constexpr quota q{50, seconds(1)};
    auto opened = weir::shared_limiter<TypeParam, measured_clock>::open(this->name_.c_str(), q);
    ASSERT_TRUE(opened);
    const auto r = TypeParam::rate::make(q, measured_clock::frequency_);
    const int file = ::open(this->name_.file().c_str(), O_RDWR | O_CLOEXEC);
    oracle::dice d(1);
    for (int i = 0; i < 20'000 && !this->HasFatalFailure(); ++i) {
        measured_clock::ticks_ += d.roll(2) * d.roll(1'000'000'000);
        word its = d.next();
        if (d.chance(80)) its = r->filled(measured_clock::now(), d.roll(51)) ^ (d.next() & 63U);
        ASSERT_EQ(pwrite(file, &its, sizeof its, weir::shm_segment::head_bytes),
                  static_cast<ssize_t>(sizeof its));
        const word n = d.roll(80);
        switch (d.roll(3)) {
            case 0: ASSERT_LE(opened->acquire_up_to(n).units, n) << std::hex << its; break;
            case 1: ASSERT_LE(opened->take(1, n, measured_clock::now()).units(), n); break;
            default: ASSERT_LE(opened->drain(), opened->burst());
        }
    }
    close(file);
}

TYPED_TEST(every_shared, limiter_is_not_one_of_another_cell) {
    using shared_type = weir::shared_limiter<TypeParam, measured_clock>;
    ASSERT_TRUE(shared_type::open(this->name_.c_str(), per_second(10)));
    const shm_error of_gcra = limiter::join(this->name_.c_str()).error();
    EXPECT_EQ(of_gcra, (std::is_same_v<TypeParam, weir::gcra<>> ? shm_error::none
                                                                : shm_error::another_kind));
    EXPECT_EQ(array::join(this->name_.c_str()).error(), shm_error::another_kind);
    EXPECT_EQ(keyed::join(this->name_.c_str()).error(), shm_error::another_kind);
}

// --- what is refused

TEST_F(shared, names_and_permissions_are_looked_at) {
    const auto reason = [](const char* name, unsigned permissions = 0600) {
        return limiter::open(name, per_second(1), {}, {.permissions = permissions}).error();
    };
    for (const char* bad : {"", "word", "/", "/a/", "."})
        EXPECT_EQ(reason(bad), shm_error::name_not_allowed) << bad;
    EXPECT_EQ(reason(nullptr), shm_error::name_not_allowed);
    EXPECT_EQ(reason(("/" + std::string(300, 'a')).c_str()), shm_error::name_not_allowed);
    EXPECT_EQ(reason(("/a/" + std::string(5'000, 'a')).c_str()), shm_error::name_not_allowed);
    EXPECT_EQ(weir::remove_shared("word"), shm_error::name_not_allowed);
    for (const unsigned bad : {0U, 0400U, 0066U, 01600U})
        EXPECT_EQ(reason(name_.c_str(), bad), shm_error::permissions_not_allowed) << bad;
}

TEST_F(shared, limits_that_cannot_be_held_are_not_made) {
    EXPECT_EQ(limiter::open(name_.c_str(), per_second(10), {.start = 11}).error(),
              shm_error::quota_refused);
    using windows = weir::shared_limiter<weir::aligned_window<>>;
    EXPECT_EQ(windows::refusal(per_second(10), {.anchor = weir::seconds(1)}),
              weir::quota_error::anchor_unknown)
        << "a process could not tell the others where it has moved the windows to";
    EXPECT_EQ(limiter::refusal(per_second(10), {.start = 11}),
              weir::quota_error::start_not_in_burst);
    EXPECT_EQ(array::open(name_.c_str(), 1, per_second(10), {.debt = -1}).error(),
              shm_error::quota_refused);
    EXPECT_EQ(
        keyed::open(name_.c_str(), 8, per_second(10), weir::when_full::deny, {.debt = -1}).error(),
        shm_error::quota_refused);
    EXPECT_EQ(array::open(name_.c_str(), 0, per_second(10)).error(), shm_error::size_refused);
    EXPECT_EQ(array::open(name_.c_str(), SIZE_MAX, per_second(10)).error(),
              shm_error::size_refused);
    for (const std::size_t bad : {std::size_t{0}, SIZE_MAX}) {
        EXPECT_EQ(keyed::open(name_.c_str(), bad, per_second(1), weir::when_full::deny).error(),
                  shm_error::size_refused);
    }
    EXPECT_EQ(limiter::join(name_.c_str()).error(), shm_error::not_there);
}

TEST_F(shared, array_for_which_there_is_no_space_is_not_made) {
    struct statvfs all = {};
    ASSERT_EQ(statvfs("/dev/shm", &all), 0);
    const std::uint64_t bytes = all.f_blocks * all.f_frsize;
    if (bytes == 0 || bytes > PTRDIFF_MAX) GTEST_SKIP() << "this system's has no limit";
    const auto entries = static_cast<std::size_t>(bytes / 8);
    EXPECT_EQ(array::open(name_.c_str(), entries, per_second(1)).error(), shm_error::no_space);
    EXPECT_EQ(limiter::join(name_.c_str()).error(), shm_error::not_there);
}

// No page of it is missing when it is used.
TEST_F(shared, table_has_its_memory_from_the_beginning) {
    ASSERT_TRUE(keyed::open(name_.c_str(), 100'000, per_second(1), weir::when_full::deny));
    struct stat is = {};
    ASSERT_EQ(stat(name_.file().c_str(), &is), 0);
    EXPECT_GE(is.st_size, 800'000);
    EXPECT_GE(is.st_blocks * 512, is.st_size);
}

TEST_F(shared, array_that_is_longer_than_files_may_be_is_not_made) {
    EXPECT_EQ(elsewhere([&] {
                  const rlimit few{10'000, 10'000};
                  if (setrlimit(RLIMIT_FSIZE, &few) != 0) return 255;
                  return static_cast<int>(array::open(name_.c_str(), 2'000, per_second(1)).error());
              }),
              static_cast<int>(shm_error::no_space));
}

TEST_F(shared, folder_that_has_no_files_without_names_is_refused) {
    EXPECT_EQ(limiter::open("/proc/limit", per_second(1)).error(), shm_error::file_system_unfit);
}

TEST_F(shared, limiter_has_the_permissions_that_are_given) {
    const mode_t before = umask(0077);
    auto wide = limiter::open(name_.c_str(), per_second(1), {}, {.permissions = 0660});
    umask(before);
    struct stat is = {};
    ASSERT_EQ(stat(name_.file().c_str(), &is), 0);
    EXPECT_EQ(is.st_mode & 07777, 0660U) << "whatever the umask";
    EXPECT_EQ(limiter::open(name_.c_str(), per_second(1)).error(), shm_error::open_to_others);
    EXPECT_EQ(limiter::join(name_.c_str()).error(), shm_error::open_to_others);
    EXPECT_TRUE(limiter::join(name_.c_str(), {.permissions = 0666}));
    const own_name narrow;
    ASSERT_TRUE(limiter::open(narrow.c_str(), per_second(1)));
    ASSERT_EQ(stat(narrow.file().c_str(), &is), 0);
    EXPECT_EQ(is.st_mode & 07777, 0600U);
}

TEST_F(shared, limiter_of_another_user_is_refused) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    ASSERT_TRUE(limiter::open(name_.c_str(), per_second(1)));
    ASSERT_EQ(chown(name_.file().c_str(), 4'711, 4'711), 0);
    EXPECT_EQ(limiter::join(name_.c_str()).error(), shm_error::of_another_user);
    EXPECT_TRUE(limiter::join(name_.c_str(), {.permissions = 0660})) << "they trust their group";
    EXPECT_EQ(elsewhere([&] {
                  if (setgid(4'712) != 0 || setuid(4'712) != 0) return 255;
                  return static_cast<int>(limiter::join(name_.c_str()).error());
              }),
              static_cast<int>(shm_error::not_permitted));
    EXPECT_EQ(elsewhere([&] {
                  if (setgid(4'711) != 0 || setuid(4'711) != 0) return 255;
                  return static_cast<int>(limiter::join(name_.c_str()).error());
              }),
              0);
}

TEST_F(shared, limiter_is_no_folder_no_socket_and_no_link) {
    const own_folder folder;
    EXPECT_EQ(limiter::join((folder / ".").c_str()).error(), shm_error::not_a_file);
    const std::string real = folder / "real";
    ASSERT_TRUE(limiter::open(real.c_str(), per_second(1)));
    const std::string link = folder / "link";
    ASSERT_EQ(symlink(real.c_str(), link.c_str()), 0);
    EXPECT_EQ(limiter::join(link.c_str()).error(), shm_error::not_a_file);
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(limiter::join(pipe.c_str()).error(), shm_error::not_a_file);
    EXPECT_EQ(weir::remove_shared((folder / ".").c_str()), shm_error::not_a_file);
}

TEST_F(shared, what_the_system_refuses_is_told_by_errno) {
    EXPECT_EQ(elsewhere([&] {
                  const rlimit none{3, 3};
                  if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 255;
                  const shm_error reason = limiter::open(name_.c_str(), per_second(1)).error();
                  return reason == shm_error::system_refused ? errno : 255;
              }),
              EMFILE);
}

TEST_F(shared, limits_of_the_systems_clock_are_of_a_time_namespace) {
    struct stat is = {};
    const bool has = stat("/proc/self/ns/time", &is) == 0;
    EXPECT_EQ(weir::detail::shm_clock<weir::steady_clock>().time_namespace != 0, has);
    EXPECT_EQ(weir::detail::shm_clock<weir::utc_clock>().time_namespace, 0U);
    EXPECT_EQ(weir::detail::shm_clock<measured_clock>().time_namespace, 0U);
}

TEST_F(shared, limiter_needs_the_number_of_the_boot) {
    char boot[40];
    EXPECT_EQ(weir::detail::shm_read_boot(boot), shm_error::none);
    EXPECT_EQ(std::strlen(boot), 36U);
    EXPECT_EQ(weir::detail::shm_read_boot(boot, "/proc/no such file"), shm_error::boot_unknown);
    std::ofstream(name_.file()) << "too short";
    EXPECT_EQ(weir::detail::shm_read_boot(boot, name_.file().c_str()), shm_error::boot_unknown);
}

// A file with what a limiter of 100 a second says of itself, changed in one place.
class damaged : public shared {
protected:
    using head = weir::detail::shm_head;

    void SetUp() override {
        shared::SetUp();
        ASSERT_TRUE(limiter::open(name_.c_str(), per_second(100)));
        file_ = ::open(name_.file().c_str(), O_RDWR | O_CLOEXEC);
        ASSERT_GE(file_, 0);
        ASSERT_EQ(pread(file_, &made_, sizeof made_, 0), static_cast<ssize_t>(sizeof made_));
    }
    void TearDown() override { close(file_); }

    void write(const head& h) const {
        ASSERT_EQ(pwrite(file_, &h, sizeof h, 0), static_cast<ssize_t>(sizeof h));
    }
    // With a sum that fits.
    template <class Change>
    shm_error after(Change change) const {
        head h = made_;
        change(h);
        h.sum = h.sum_of_words();
        write(h);
        return limiter::join(name_.c_str()).error();
    }
    shm_error at_length(off_t length) const {
        EXPECT_EQ(ftruncate(file_, length), 0);
        return limiter::join(name_.c_str()).error();
    }

    int file_ = -1;
    head made_{};
};

TEST_F(damaged, head_is_refused) {
    EXPECT_EQ(after([](head&) {}), shm_error::none);
    EXPECT_EQ(after([](head& h) { h.magic ^= 1; }), shm_error::foreign);
    EXPECT_EQ(after([](head& h) { h.version += 1; }), shm_error::too_new);
    EXPECT_EQ(after([](head& h) { h.version = 0; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.bytes += 4'096; }), shm_error::cut_off);
    EXPECT_EQ(after([](head& h) { h.form.what = 2; }), shm_error::another_kind);
    EXPECT_EQ(after([](head& h) { h.form.cell[0] = 'x'; }), shm_error::another_kind);
    EXPECT_EQ(after([](head& h) { h.form.entry_bytes = 0; }), shm_error::another_kind);
    EXPECT_EQ(after([](head& h) { h.boot[3] ^= 1; }), shm_error::another_boot);
    EXPECT_EQ(after([](head& h) { h.clock.source[0] ^= 1; }), shm_error::another_clock);
    EXPECT_EQ(after([](head& h) { h.clock.time_namespace ^= 1; }), shm_error::another_clock);
    EXPECT_EQ(after([](head& h) { h.hertz = 0; }), shm_error::another_clock);
    EXPECT_EQ(after([](head& h) { h.hertz += h.hertz / 100; }), shm_error::another_clock);
    EXPECT_EQ(after([](head& h) { h.hertz -= h.hertz / 100; }), shm_error::another_clock);
    EXPECT_EQ(after([](head& h) { h.terms.entries = 0; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.terms.entries = UINT64_MAX; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.terms.units = 0; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.terms.period = -1; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.terms.burst = INT64_MIN; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.terms.start = -1; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.terms.guard = -1; }), shm_error::corrupt);
    EXPECT_EQ(after([](head& h) { h.terms.units = 10; }), shm_error::another_arithmetic);
    EXPECT_EQ(after([](head& h) { h.arithmetic ^= 1; }), shm_error::another_arithmetic);
    EXPECT_EQ(after([](head&) {}), shm_error::none);
}

// Whatever bit is damaged, except in what nobody reads.
TEST_F(damaged, bits_are_noticed) {
    for (std::size_t at = 0; at < sizeof(head); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            head h = made_;
            reinterpret_cast<unsigned char*>(&h)[at] ^= static_cast<unsigned char>(1U << bit);
            write(h);
            ASSERT_NE(limiter::join(name_.c_str()).error(), shm_error::none) << at << '.' << bit;
        }
    }
}

TEST_F(damaged, length_is_noticed) {
    const auto whole = static_cast<off_t>(made_.bytes);
    EXPECT_EQ(at_length(whole), shm_error::none);
    EXPECT_EQ(at_length(whole + 1), shm_error::cut_off);
    EXPECT_EQ(at_length(whole - 1), shm_error::cut_off);
    EXPECT_EQ(at_length(sizeof(head) - 1), shm_error::cut_off);
    EXPECT_EQ(at_length(16), shm_error::cut_off);
    EXPECT_EQ(at_length(7), shm_error::foreign);
    EXPECT_EQ(at_length(0), shm_error::cut_off);
}

TEST_F(shared, limiter_is_no_other_file) {
    std::ofstream(name_.file()) << std::string(10'000, 'x');
    EXPECT_EQ(limiter::open(name_.c_str(), per_second(1)).error(), shm_error::foreign);
    EXPECT_EQ(keyed::open(name_.c_str(), 64, per_second(1), weir::when_full::deny).error(),
              shm_error::foreign);
}

TEST_F(shared, limiter_is_of_one_clock) {
    ASSERT_TRUE(limiter::open(name_.c_str(), per_second(1)));
    measured_clock::source_ = "another counter";
    EXPECT_EQ(limiter::join(name_.c_str()).error(), shm_error::another_clock);
    measured_clock::source_ = "a counter";
    // What was measured may be wrong by some millionths.
    measured_clock::frequency_ = 1'001'000'000;
    EXPECT_TRUE(limiter::join(name_.c_str()));
    measured_clock::frequency_ = 1'003'000'000;
    EXPECT_EQ(limiter::join(name_.c_str()).error(), shm_error::another_clock);
    const own_name usual;
    ASSERT_TRUE(weir::shared_limiter<>::open(usual.c_str(), per_second(1)));
    EXPECT_TRUE(weir::shared_limiter<>::join(usual.c_str()));
    using by_utc_clock = weir::shared_limiter<weir::gcra<>, weir::utc_clock>;
    EXPECT_EQ(by_utc_clock::join(usual.c_str()).error(), shm_error::another_clock);
}

// If this fails, what other programs have made would be misread: then the version has to be another
// one (`present_version` of shm_head.hpp), and these numbers too.
TEST(shm_version, is_another_one_if_what_lies_there_is) {
    using weir::detail::shm_arithmetic;
    using head = weir::detail::shm_head;
    ASSERT_EQ(head::present_version, 1U);
    EXPECT_EQ(sizeof(head), 288U);
    EXPECT_EQ(offsetof(head, terms), 184U);
    EXPECT_EQ(weir::shm_segment::head_bytes, 512U);
    const auto gcra = weir::gcra<>::rate::make(per_second(100), 2'596'000'000);
    EXPECT_EQ(shm_arithmetic(*gcra), 9'015'461'801'326'937'203U);
    const auto keys = weir::key_word::rate::make(per_second(100), 2'596'000'000);
    EXPECT_EQ(shm_arithmetic(*keys), 15'552'719'558'022'502'692U);
    const weir::key_hash hash(weir::seed(1));
    EXPECT_EQ(hash(12'345), 4'656'607'034'650'481'773U);
    // A text is read by words, as the machine reads them.
    EXPECT_EQ(hash("a text of some length"), std::endian::native == std::endian::little
                                                 ? 15'308'419'295'010'945'747U
                                                 : 11'004'991'008'458'313'478U);
}

TEST(shm_errors, have_a_sentence_each) {
    std::vector<std::string> all;
    for (int i = 0; i <= static_cast<int>(shm_error::another_quota); ++i) {
        const std::string sentence = describe(static_cast<shm_error>(i));
        EXPECT_NE(sentence, "unknown error") << i;
        for (const std::string& other : all) EXPECT_NE(sentence, other);
        all.push_back(sentence);
    }
    EXPECT_STREQ(describe(static_cast<shm_error>(200)), "unknown error");
}

}  // namespace

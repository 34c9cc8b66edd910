// SPDX-License-Identifier: MIT
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "command/file.hpp"
#include "program.hpp"

namespace {

using weir::command::replace_file;

TEST(replace_file, writes_a_new_file_and_replaces_an_old_one) {
    const scratch_folder folder;
    replace_file(folder.path() / "a", "one");
    replace_file(folder.path() / "a", "two");
    EXPECT_EQ(content_of(folder.path() / "a"), "two");
    EXPECT_EQ(folder.files(), std::vector<std::string>{"a"});
}

TEST(replace_file, gives_it_the_usual_permissions) {
    const scratch_folder folder;
    const mode_t mask = ::umask(022);
    replace_file(folder.path() / "a", "one");
    ::umask(mask);
    struct stat s {};
    ASSERT_EQ(::stat((folder.path() / "a").c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 0777U, 0644U);
}

TEST(replace_file, follows_a_link_and_keeps_it) {
    const scratch_folder folder;
    replace_file(folder.path() / "a", "one");
    std::filesystem::create_symlink("a", folder.path() / "link");
    replace_file(folder.path() / "link", "two");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
    EXPECT_EQ(content_of(folder.path() / "a"), "two");
}

TEST(replace_file, leaves_the_old_file_and_nothing_else_if_the_disk_is_full) {
    const scratch_folder folder;
    replace_file(folder.path() / "a", "old");
    // A limit of this process stands for the full disk.
    const auto previous = ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small = {1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(replace_file(folder.path() / "a", std::string(5000, 'x')), std::system_error);
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, previous);
    EXPECT_EQ(content_of(folder.path() / "a"), "old");
    EXPECT_EQ(folder.files(), std::vector<std::string>{"a"});
}

TEST(replace_file, does_not_turn_a_device_into_a_file) {
    replace_file("/dev/null", "nothing");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace

# Writes weir/adapter/redis_script.hpp of limit.lua, which is the one source of both:
#   cmake -DHEADER=<file> -P src/redis/header.cmake
cmake_minimum_required(VERSION 3.25)
set(script ${CMAKE_CURRENT_LIST_DIR}/limit.lua)
file(READ ${script} text)
file(SHA1 ${script} sha1)
file(WRITE ${HEADER} "// SPDX-License-Identifier: MIT
// redis_script: the script that decides in Redis, and its name there. A test compares it with
// src/redis/limit.lua, of which it is made:
//     cmake -DHEADER=include/weir/adapter/redis_script.hpp -P src/redis/header.cmake
// It is long because it is one script, so that all limits need one to be loaded.
#pragma once

// clang-format off
namespace weir::detail {

inline constexpr char redis_script_sha1[] = \"${sha1}\";
inline constexpr char redis_script[] = R\"lua(${text})lua\";

}  // namespace weir::detail
")

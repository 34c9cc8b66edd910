# Each file that a compiler reads begins with the line that says its licence, so that a file which is copied
# alone says it too:
#   cmake -DROOT=<repository> -P licence.cmake

cmake_minimum_required(VERSION 3.25)

set(line "// SPDX-License-Identifier: MIT")
set(count 0)
set(breaches "")
foreach(folder include src tests bench toolchains)
    foreach(kind hpp cpp h c rs)
        file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.${kind})
        foreach(file IN LISTS files)
            file(STRINGS ${ROOT}/${file} first LIMIT_COUNT 1)
            if(NOT first STREQUAL line)
                string(APPEND breaches "${file}: does not begin with ${line}\n")
            endif()
            math(EXPR count "${count} + 1")
        endforeach()
    endforeach()
endforeach()
if(breaches)
    message(NOTICE "${breaches}")
    message(FATAL_ERROR "files do not say their licence")
endif()
message(STATUS "${count} files say their licence")

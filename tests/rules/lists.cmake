# No list of cells is kept by hand, since a new cell would be missing from it:
#   cmake -DROOT=<repository> -P lists.cmake
# A list is where three cells are named within six lines of code. Whoever takes every cell reads the
# catalogue: weir/cell/kinds.hpp, or toolchains/catalogue.cmake.

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../toolchains/catalogue.cmake) # of this tree, whatever ROOT is

# Where each cell has a line of its own because it is told something of its own.
set(allowed
    include/weir/cell/catalogue.hpp
    include/weir/adapter/asio.hpp             # a sentence of the compiler
    include/weir/adapter/redis_script.hpp     # rules of a script, not cells
    include/weir/adapter/remote_decision.hpp  # the same
    bench/redis/redis.cpp                     # the same
    src/c/redis.cpp                           # the same
    tests/redis/asio_test.cpp                 # the same
    tests/redis/clock_test.cpp                # the same
    tests/redis/limiter_test.cpp              # the same
    tests/redis/outage_test.cpp               # the same
    tests/redis/processes_test.cpp            # the same
    tests/redis/quota_change_test.cpp         # the same
    tests/redis/script_test.cpp               # the same
    bench/pictures/pictures.cmake             # four for the front page
    tests/oracle/boundary_test.cpp            # how much passes each window in the worst case
    tests/oracle/window_quantisation_test.cpp # the largest quotas that each window holds
    tests/stress/all_of_contention_test.cpp   # pairs
    tests/fuzz/limits.cpp                     # pairs
    tests/command/shapes_test.cpp             # which cells pass the same
    tests/pacer/limits.hpp                    # a pacer needs a limit of each kind, not each cell
    tests/kernels/init.cpp                    # an emulated kernel is too slow for all of them
    tests/rules/CMakeLists.txt)               # what this rule must find

string(JOIN "|" names ${WEIR_CELLS})

# Sets `result` to the first line of six that name three cells, or to nothing.
function(find_list path result)
    set(${result} "" PARENT_SCOPE)
    file(READ ${ROOT}/${path} text)
    string(REGEX MATCHALL "${names}" named "${text}")
    list(REMOVE_DUPLICATES named)
    list(LENGTH named count)
    if(count LESS 3)
        return()
    endif()
    string(REGEX REPLACE "[][;\\]" " " text "${text}") # all of which CMake's lists take for theirs
    string(REPLACE "\n" ";" lines "${text}")
    set(number 0)
    foreach(cell IN LISTS WEIR_CELLS)
        set(last_${cell} -6)
    endforeach()
    foreach(line IN LISTS lines)
        math(EXPR number "${number} + 1")
        if(NOT line MATCHES "${names}" OR line MATCHES "^ *# *include")
            continue()
        endif()
        string(REGEX REPLACE "//.*$" "" code "${line}")
        if(path MATCHES "[.]cmake$|CMakeLists")
            string(REGEX REPLACE "#.*$" "" code "${line}")
        endif()
        set(near 0)
        foreach(cell IN LISTS WEIR_CELLS)
            if(" ${code} " MATCHES "[^a-z0-9_]${cell}[^a-z0-9_]")
                set(last_${cell} ${number})
            endif()
            math(EXPR distance "${number} - ${last_${cell}}")
            if(distance LESS 6)
                math(EXPR near "${near} + 1")
            endif()
        endforeach()
        if(near GREATER_EQUAL 3)
            set(${result} ${number} PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()

set(breaches "")
foreach(folder include src bench tests toolchains)
    foreach(kind hpp cpp cmake txt)
        file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.${kind})
        foreach(file IN LISTS files)
            find_list(${file} line)
            if(file IN_LIST allowed)
                if(NOT line)
                    string(APPEND breaches "${file}: may have a list of cells and has none\n")
                endif()
            elseif(line)
                string(APPEND breaches
                    "${file}:${line}: a list of cells; read the catalogue, see include/weir/cell/kinds.hpp\n")
            endif()
        endforeach()
    endforeach()
endforeach()
if(breaches)
    message(NOTICE "${breaches}")
    message(FATAL_ERROR "lists of cells are kept by hand")
endif()

# A new cell is its header, its lines in the catalogue and its unit test. This adds such a cell to a copy of
# the tree, and finds it in all that takes every cell:
#   cmake -DROOT=<repository> -DTREE=<copy> -DCOMPILER=<c++> -DLAUNCHER=<what it is run by> -DNM=<nm>
#       -DGTEST=<folders of its headers> -DGTEST_LIBRARIES=<files> -DBENCHMARK=<folder of its headers>
#       -P new_cell.cmake
# Lists are separated by |, and BENCHMARK may be empty. All is compiled without optimisation, and
# linked and run only where that shows more than the symbols do.

cmake_minimum_required(VERSION 3.25)
cmake_policy(SET CMP0057 NEW)

foreach(list LAUNCHER GTEST GTEST_LIBRARIES BENCHMARK)
    string(REPLACE "|" ";" ${list} "${${list}}")
endforeach()

# --- the cell

file(REMOVE_RECURSE ${TREE})
file(COPY ${ROOT}/include ${ROOT}/src ${ROOT}/bench ${ROOT}/tests ${ROOT}/toolchains DESTINATION ${TREE}
    PATTERN corpus EXCLUDE)

file(WRITE ${TREE}/include/weir/cell/toy_cell.hpp [[
// toy_cell: gcra's rule by another name.
#pragma once

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/backlog.hpp>
#include <weir/cell/one_word.hpp>

namespace weir {

template <class Word = word, template <class> class Atomic = atomic>
class toy_cell : public one_word<backlog_rate<Word>, Atomic> {};

static_assert(cell<toy_cell<>>);

}  // namespace weir
]])
set(catalogue ${TREE}/include/weir/cell/catalogue.hpp)
file(READ ${catalogue} text)
string(REPLACE "\n#include <weir/cell/token_bucket.hpp>"
    "\n#include <weir/cell/token_bucket.hpp>\n#include <weir/cell/toy_cell.hpp>" text "${text}")
string(REPLACE "\n    CELL(sliding_log,"
    "\n    CELL(toy_cell, 32, 38, 38, 38, 36, \"a toy\") \\\n    CELL(sliding_log," text "${text}")
file(WRITE ${catalogue} "${text}")
file(WRITE ${TREE}/tests/unit/cell/toy_cell_test.cpp [[
#include <gtest/gtest.h>
#include <weir/weir.hpp>

TEST(toy_cell, is_in_the_umbrella_header) {
    weir::limiter<weir::toy_cell<>> limit{weir::per_hour(2)};
    EXPECT_TRUE(limit.try_acquire(2));
    EXPECT_FALSE(limit.try_acquire());
}
]])

# --- what CMake reads

function(must_succeed what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${what}:\n${said}")
    endif()
    set(said "${said}" PARENT_SCOPE)
endfunction()

include(${TREE}/toolchains/catalogue.cmake)
if(NOT toy_cell IN_LIST WEIR_CELLS OR NOT "${WEIR_toy_cell_BUDGETS}" STREQUAL "38;38;38;36")
    message(FATAL_ERROR "CMake does not read the line of the catalogue")
endif()
must_succeed("the house's rules" ${CMAKE_COMMAND} -DROOT=${TREE} -P ${TREE}/tests/rules/check.cmake)
must_succeed("lists of cells" ${CMAKE_COMMAND} -DROOT=${TREE} -P ${TREE}/tests/rules/lists.cmake)

# --- what is compiled

set(flags -std=c++20 -O0 -I${TREE}/include -I${TREE}/src -I${TREE}/bench)
foreach(folder IN LISTS GTEST BENCHMARK)
    if(NOT folder STREQUAL "/usr/include") # which the compiler knows, and at its place
        list(APPEND flags -isystem ${folder})
    endif()
endforeach()
set(objects ${TREE}/objects)

function(compile source)
    string(REPLACE "/" "_" object ${source})
    set(object ${objects}/${object}.o)
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    must_succeed(${source} ${LAUNCHER} ${COMPILER} ${flags} -c ${TREE}/${source} -o ${object})
    set(object ${object} PARENT_SCOPE)
endfunction()

# The object has a function of this cell: `pattern` matches one of its demangled names.
function(takes_it source pattern)
    compile(${source})
    must_succeed(${source} ${NM} --demangle ${object})
    if(NOT said MATCHES "${pattern}")
        message(FATAL_ERROR "${source} does not take the new cell: it has nothing like ${pattern}")
    endif()
    message(STATUS "${source} takes it")
endfunction()

set(cell "weir::toy_cell<")
takes_it(tests/stress/contention_test.cpp "contention_[a-z_]*_Test<${cell}unsigned int.*::TestBody")
takes_it(tests/stress/killed_test.cpp "killed_[a-z_]*_Test<weir::limiter<${cell}.*::TestBody")
takes_it(tests/oracle/cells_test.cpp "cell_oracle_[a-z_]*_Test<${cell}.*::TestBody")
takes_it(tests/oracle/time_test.cpp "usual<${cell}unsigned int")
takes_it(tests/fuzz/cells.cpp "of_cell<${cell}")
takes_it(tests/hot_path/hot_cells.cpp "hot<${cell}.*::try_one")
takes_it(tests/hot_path/hot_limiters.cpp "hot_limiter<weir::limiter<${cell}.*::try_one")
takes_it(tests/hot_path/budget.cpp "run<${cell}")
takes_it(bench/tails.cpp "cell_subject<${cell}")
if(BENCHMARK)
    takes_it(bench/cells.cpp "ask_all<bench::cell_subject<${cell}")
endif()
takes_it(bench/harness/bars.cpp "add_multiples_of_gcra<weir::kinds::toy_cell>")
takes_it(bench/sizes/cells.cpp "code_toy_cell")
takes_it(src/command/demo/shapes.cpp "pass<weir::kinds::toy_cell>")
takes_it(tests/soak/cell_parts.cpp "soak_cell<weir::kinds::toy_cell>")
takes_it(tests/soak/parts.cpp "U void weir::soak::soak_cell<weir::kinds::toy_cell>")

# --- what runs

foreach(source every_cell_test toy_cell_test)
    compile(tests/unit/cell/${source}.cpp)
    list(APPEND unit ${object})
endforeach()
must_succeed(unit ${COMPILER} ${unit} ${GTEST_LIBRARIES} -pthread -o ${TREE}/unit)
must_succeed(unit ${TREE}/unit)
if(NOT said MATCHES "TypeParam = ${cell}.*TypeParam = ${cell}unsigned int" OR NOT said MATCHES "toy_cell[.]is_in")
    message(FATAL_ERROR "the unit tests do not run the new cell:\n${said}")
endif()

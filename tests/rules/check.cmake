# The house rules, checked by reading the files:
#   cmake -DROOT=<repository> -P check.cmake
# Prints each breach as "<path>: <what is wrong>" and fails if there was any.

cmake_minimum_required(VERSION 3.25)

set(folders include src bench tests toolchains build) # build/ is never committed
set(layers base clock cell limiter table pacer adapter)     # a layer includes none that comes later
include(${CMAKE_CURRENT_LIST_DIR}/../../toolchains/catalogue.cmake) # of this tree, whatever ROOT is
set(core_layers base clock cell limiter table weir.hpp)

# What a header may not pull into the core: text, heap containers, locks, the system's clocks.
string(JOIN "|" hosted_headers
    atomic memory chrono iostream string functional thread mutex shared_mutex condition_variable future
    vector deque list map set unordered_map unordered_set sstream fstream)
string(JOIN "|" outside_headers
    hiredis/.* openssl/.* tracy/.* .*/Tracy.hpp Tracy.*
    unistd.h pthread.h sched.h fcntl.h poll.h semaphore.h signal.h spawn.h dlfcn.h mqueue.h netdb.h
    termios.h sys/.* linux/.* netinet/.* arpa/.* net/.*)

function(breach path what)
    set_property(GLOBAL APPEND_STRING PROPERTY breaches "${path}: ${what}\n")
endfunction()

# Sets `result` to what a file includes, each as <name> or "name".
function(read_includes path result)
    file(READ ${ROOT}/${path} text)
    string(REGEX MATCHALL "\n[ \t]*#[ \t]*include[ \t]*[<\"][^>\"\n]+[>\"]" lines "\n${text}")
    list(TRANSFORM lines REPLACE "^[^<\"]+" "")
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

function(check_length path)
    file(READ ${ROOT}/${path} text)
    string(REGEX REPLACE "[^\n]" "" ends "${text}")
    string(LENGTH "${ends}" lines)
    file(STRINGS ${ROOT}/${path} excuse LIMIT_COUNT 10 REGEX "long because")
    if(lines GREATER 300 AND NOT excuse)
        breach(${path} "${lines} lines; split it, or say at the top 'long because ...'")
    endif()
endfunction()

# An atomic operation with an order names its partner in a comment beside it or on the four lines
# above: "pairs with ...", or "no partner" where the order comes along unasked. A header with
# relaxed ones says somewhere why they suffice. The atomics themselves only pass an order on.
string(JOIN "|" ordered
    "(load|store|exchange|fetch_[a-z]+|again)_(consume|acquire|release|acq_rel|seq_cst)[(]"
    "memory_order(_|::)(consume|acquire|release|acq_rel|seq_cst)"
    "__ATOMIC_(CONSUME|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)"
    "[Ff]ences::[a-z]+[(]" "::fence_all[(]")
set(relaxed "_relaxed[(]|memory_order(_|::)relaxed|__ATOMIC_RELAXED")
set(atomics include/weir/base/atomic.hpp include/weir/base/masked.hpp)

function(check_orders path)
    file(READ ${ROOT}/${path} text)
    if(path IN_LIST atomics OR NOT text MATCHES "${ordered}|${relaxed}")
        return()
    endif()
    if(path MATCHES "^include/" AND text MATCHES "${relaxed}"
            AND NOT text MATCHES "//[^\n]*[Rr]elaxed")
        breach(${path} "no comment says why relaxed order suffices")
    endif()
    string(REGEX REPLACE "[][;\\]" " " text "${text}") # all of which CMake's lists take for theirs
    string(REPLACE "\n" ";" lines "${text}")
    set(number 0)
    set(named -5)
    foreach(line IN LISTS lines)
        math(EXPR number "${number} + 1")
        if(line MATCHES "//.*([Pp]airs with|no partner)")
            set(named ${number})
        endif()
        math(EXPR distance "${number} - ${named}")
        string(REGEX REPLACE "//.*$" "" code "${line}")
        if(code MATCHES "${ordered}" AND distance GREATER 4)
            breach(${path}:${number} "an order without a partner; write 'pairs with ...' at most four lines above")
        endif()
    endforeach()
endfunction()

function(check_weir_include path layer included)
    if(included MATCHES "^weir/([a-z_]+)/")
        set(other ${CMAKE_MATCH_1})
    else()
        set(other limiter) # weir/weir.hpp is base .. limiter in one
        if(layer IN_LIST core_layers AND NOT layer STREQUAL weir.hpp)
            breach(${path} "includes ${included}, which includes it")
        endif()
    endif()
    set(own ${layer})
    if(own STREQUAL weir.hpp)
        set(own limiter)
    endif()
    list(FIND layers ${own} own_place)
    list(FIND layers ${other} other_place)
    if(other_place EQUAL -1)
        breach(${path} "includes ${included}, which is in no layer")
    elseif(other_place GREATER own_place)
        breach(${path} "layer ${own} may not include layer ${other}")
    endif()
    if(layer STREQUAL cell AND included MATCHES "^weir/cell/(.*)[.]hpp$"
            AND CMAKE_MATCH_1 IN_LIST WEIR_CELL_HEADERS
            AND NOT path STREQUAL include/weir/cell/catalogue.hpp)
        breach(${path} "a cell may not include the cell ${CMAKE_MATCH_1}")
    endif()
endfunction()

# The base is the machine's: whoever reads it need not know what is built on it.
function(check_base_words path)
    file(READ ${ROOT}/${path} text)
    if(text MATCHES "[Qq]uota|[Bb]urst|[Ll]imiter|[Pp]acer|[Rr]efund")
        breach(${path} "base names nothing of limits: ${CMAKE_MATCH_0}")
    endif()
endfunction()

# Boost.System has the error codes with which Boost.Asio answers.
function(check_boost_include path layer include)
    if(include MATCHES "^<boost/lockfree/" AND path STREQUAL include/weir/pacer/lane.hpp)
        return()
    elseif(include MATCHES "^<boost/(asio|system)/" AND layer STREQUAL adapter)
        return()
    endif()
    breach(${path} "only pacer/lane.hpp may include Boost.Lockfree and only adapter/ Boost.Asio: ${include}")
endfunction()

# weir in C is no layer: it knows C alone, and src/c knows the layers.
function(check_c_header path)
    check_length(${path})
    read_includes(${path} includes)
    foreach(include IN LISTS includes)
        if(NOT include MATCHES "^<(std(bool|def|int)|weir/weir(_redis)?)[.]h>$")
            breach(${path} "a header for C includes what C has: ${include}")
        endif()
    endforeach()
endfunction()

function(check_header path)
    if(path MATCHES "^include/weir/weir(_redis(_tls)?)?[.]h$")
        check_c_header(${path})
        return()
    endif()
    string(REGEX REPLACE "^include/weir/([^/]+).*$" "\\1" layer ${path})
    if(NOT layer IN_LIST layers AND NOT layer STREQUAL weir.hpp)
        breach(${path} "is in no layer")
    endif()
    check_length(${path})
    check_orders(${path})
    if(layer STREQUAL base)
        check_base_words(${path})
    endif()
    read_includes(${path} includes)
    file(STRINGS ${ROOT}/${path} hosted LIMIT_COUNT 10 REGEX "hosted because")
    foreach(include IN LISTS includes)
        string(REGEX REPLACE "[<>\"]" "" name ${include})
        if(include MATCHES "^\"" OR include MATCHES "^<[.]")
            breach(${path} "write ${include} as <weir/...>")
        elseif(name MATCHES "^weir/")
            check_weir_include(${path} ${layer} ${name})
        elseif(name MATCHES "^boost/")
            check_boost_include(${path} ${layer} ${include})
        elseif(name MATCHES "^(${outside_headers})$" AND NOT layer STREQUAL adapter)
            breach(${path} "only adapter/ and src/ may include ${include}")
        elseif(name MATCHES "^(${hosted_headers})$" AND layer IN_LIST core_layers
                AND NOT (layer STREQUAL limiter AND hosted))
            breach(${path} "the core may not include ${include}")
        endif()
    endforeach()
endfunction()

file(GLOB entries RELATIVE ${ROOT} ${ROOT}/*)
foreach(entry IN LISTS entries)
    if(IS_DIRECTORY ${ROOT}/${entry} AND NOT entry MATCHES "^[.]" AND NOT entry IN_LIST folders)
        breach(${entry} "is not one of the top-level folders")
    endif()
endforeach()

file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/include/*.hpp ${ROOT}/include/*.h)
foreach(header IN LISTS headers)
    check_header(${header})
endforeach()

file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/src/*.hpp ${ROOT}/src/*.cpp)
foreach(source IN LISTS sources)
    check_orders(${source})
    read_includes(${source} includes)
    if(includes MATCHES "<boost/")
        breach(${source} "only pacer/lane.hpp and adapter/ may include Boost")
    endif()
endforeach()

list(LENGTH headers count)
get_property(breaches GLOBAL PROPERTY breaches)
if(breaches)
    message(NOTICE "${breaches}")
    message(FATAL_ERROR "the house rules are broken")
endif()
message(STATUS "${count} headers keep the rules")

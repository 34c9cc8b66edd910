# The catalogue of cells for CMake: reads the lines of include/weir/cell/catalogue.hpp into
#   WEIR_CELLS                    the names, in order
#   WEIR_<name>_BITS              of the narrowest word that holds it
#   WEIR_<name>_BUDGETS           the most instructions in each of WEIR_CASES
#   WEIR_CELL_HEADERS             the headers of the cells, without folder and .hpp

set(catalogue ${CMAKE_CURRENT_LIST_DIR}/../include/weir/cell/catalogue.hpp)
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${catalogue})
endif()

set(WEIR_CELLS "")
set(WEIR_CASES admit deny refill idle)
file(READ ${catalogue} text)
string(REGEX REPLACE "[][;\\]" " " text "${text}") # all of which CMake's lists take for theirs
string(REGEX MATCHALL "\n +CELL[(][^\n]*" lines "${text}")
foreach(line IN LISTS lines)
    if(NOT line MATCHES
            "^\n +CELL[(]([a-z_]+), +(32|64), +([0-9]+), +([0-9]+), +([0-9]+), +([0-9]+), +\"")
        message(FATAL_ERROR "${catalogue} has a line that CMake cannot read:\n${line}")
    endif()
    list(APPEND WEIR_CELLS ${CMAKE_MATCH_1})
    set(WEIR_${CMAKE_MATCH_1}_BITS ${CMAKE_MATCH_2})
    set(WEIR_${CMAKE_MATCH_1}_BUDGETS
        ${CMAKE_MATCH_3} ${CMAKE_MATCH_4} ${CMAKE_MATCH_5} ${CMAKE_MATCH_6})
endforeach()

file(STRINGS ${catalogue} WEIR_CELL_HEADERS REGEX "^#include <weir/cell/")
list(TRANSFORM WEIR_CELL_HEADERS REPLACE "^#include <weir/cell/([a-z_]+)[.]hpp>.*$" "\\1")

if(NOT WEIR_CELLS OR NOT WEIR_CELL_HEADERS)
    message(FATAL_ERROR "${catalogue} has no cells")
endif()

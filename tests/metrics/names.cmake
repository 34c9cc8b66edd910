# The guide's table has each metric of the example's page, with its type, and no other:
#   cmake -DEXAMPLE=<program> -DGUIDE=<metrics.md> -P names.cmake

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${EXAMPLE} --prometheus OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "# TYPE [a-z_]+ [a-z]+" told "${page}")
list(TRANSFORM told REPLACE "# TYPE ([a-z_]+) ([a-z]+)" "\\1 \\2")
file(STRINGS ${GUIDE} rows REGEX "^\\| `weir_")
list(TRANSFORM rows REPLACE "^\\| `([a-z_]+)` \\| ([a-z]+) .*$" "\\1 \\2")
if(NOT told OR NOT told STREQUAL rows)
    message(FATAL_ERROR "the page has\n  ${told}\nand the guide\n  ${rows}")
endif()

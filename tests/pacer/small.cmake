# Compiles small.cpp with COMPILER for a Cortex-M3: no heap, no exceptions, no run-time types, no
# operating system, and no more than MOST bytes of code.

set(flags -std=c++20 -mcpu=cortex-m3 -mthumb -Os -DNDEBUG
    -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit)
execute_process(
    COMMAND ${COMPILER} ${flags} -I${INCLUDE} -I${BOOST} -c ${SOURCE} -o ${OUTPUT}
    COMMAND_ERROR_IS_FATAL ANY)

string(REGEX REPLACE "g[+][+]$" "nm" nm ${COMPILER})
execute_process(COMMAND ${nm} -u ${OUTPUT} OUTPUT_VARIABLE needs COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "U [^\n]+" needs "${needs}")
foreach(symbol IN LISTS needs)
    # The program's own, what a compiler may always call, and the place that destructors are
    # registered with.
    if(NOT symbol MATCHES "^U (milliseconds|wire|lost|mem(cpy|set)|__dso_handle|atexit)$")
        message(FATAL_ERROR "the pacer calls ${symbol}")
    endif()
endforeach()

string(REGEX REPLACE "g[+][+]$" "size" size ${COMPILER})
execute_process(COMMAND ${size} ${OUTPUT} OUTPUT_VARIABLE sizes COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "\n *([0-9]+)" code "${sizes}")
message(STATUS "${CMAKE_MATCH_1} bytes of code")
if(CMAKE_MATCH_1 GREATER MOST)
    message(FATAL_ERROR "more than ${MOST} bytes of code: ${CMAKE_MATCH_1}")
endif()

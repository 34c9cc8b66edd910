# Runs `weir soak --json` for some seconds and reads what it prints:
#   cmake -DPROGRAM=<command, its words separated by |> -P soak_json.cmake

cmake_minimum_required(VERSION 3.25)

string(REPLACE "|" ";" program "${PROGRAM}")
execute_process(
    COMMAND ${program} soak --minutes 0.05 --seed 26 --json
    RESULT_VARIABLE status
    OUTPUT_VARIABLE text
    ERROR_VARIABLE errors)
if(NOT status EQUAL 0 OR errors)
    message(FATAL_ERROR "status ${status}: ${errors}${text}")
endif()

function(expect expected)
    string(JSON value GET "${text}" ${ARGN})
    if(NOT value STREQUAL expected)
        message(FATAL_ERROR "${ARGN} is ${value} instead of ${expected}")
    endif()
endfunction()

expect(26 seed)
expect(3 seconds_asked)
expect(ON kept)
expect(OFF interrupted)

string(JSON broken LENGTH "${text}" broken)
if(NOT broken EQUAL 0)
    message(FATAL_ERROR "${broken} broken promises")
endif()
string(JSON parts LENGTH "${text}" parts)
math(EXPR last "${parts} - 1")
set(rounds 0)
foreach(i RANGE ${last})
    string(JSON name GET "${text}" parts ${i} name)
    list(APPEND names ${name})
    string(JSON more GET "${text}" parts ${i} rounds)
    math(EXPR rounds "${rounds} + ${more}")
    foreach(member admitted denied bound_used)
        string(JSON value GET "${text}" parts ${i} ${member})
    endforeach()
endforeach()
if(rounds EQUAL 0)
    message(FATAL_ERROR "no round was made")
endif()
foreach(name gcra sliding_log adjustable)
    if(NOT name IN_LIST names)
        message(FATAL_ERROR "no part ${name} among ${names}")
    endif()
endforeach()

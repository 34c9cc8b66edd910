# Runs `weir soak --json` for some seconds and reads what it prints:
#   cmake -DPROGRAM=<command, its words separated by |> -P json.cmake

cmake_minimum_required(VERSION 3.25)

set(ARGUMENTS soak --minutes 0.05 --seed 26 --json)
include(${CMAKE_CURRENT_LIST_DIR}/../command/read_json.cmake)

expect(26 seed)
expect(3 seconds_asked)
expect(ON kept)
expect(OFF interrupted)

expect_length(0 broken)
string(JSON parts LENGTH "${text}" parts)
math(EXPR last "${parts} - 1")
set(rounds 0)
foreach(i RANGE ${last})
    get(name parts ${i} name)
    list(APPEND names ${name})
    get(more parts ${i} rounds)
    math(EXPR rounds "${rounds} + ${more}")
    foreach(member admitted denied bound_used)
        get(value parts ${i} ${member})
    endforeach()
endforeach()
if(rounds EQUAL 0)
    message(FATAL_ERROR "no round was made")
endif()
foreach(name gcra "gcra, wrapped" "gcra, 32 bits" sliding_log adjustable keyed_limits)
    if(NOT name IN_LIST names)
        message(FATAL_ERROR "no part ${name} among ${names}")
    endif()
endforeach()

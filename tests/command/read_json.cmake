# Runs PROGRAM, its words separated by |, with ARGUMENTS, and reads the JSON that it prints.

string(REPLACE "|" ";" program "${PROGRAM}")
execute_process(
    COMMAND ${program} ${ARGUMENTS}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE text
    ERROR_VARIABLE errors)
if(NOT status EQUAL 0 OR errors)
    message(FATAL_ERROR "status ${status}: ${errors}${text}")
endif()

# Sets `result`; fails if there is no such member.
function(get result)
    string(JSON value GET "${text}" ${ARGN})
    set(${result} "${value}" PARENT_SCOPE)
endfunction()

function(expect expected)
    get(value ${ARGN})
    if(NOT value STREQUAL expected)
        message(FATAL_ERROR "${ARGN} is ${value} instead of ${expected}")
    endif()
endfunction()

function(expect_length expected)
    string(JSON length LENGTH "${text}" ${ARGN})
    if(NOT length EQUAL expected)
        message(FATAL_ERROR "${ARGN} has ${length} items instead of ${expected}")
    endif()
endfunction()

# Runs PROGRAM in QEMU, twice: it must end with exit code 0 and say the same both times. If FUNCTION
# is given, the program has said which addresses an interrupt has hit, and every instruction of the
# function of that name must be among them.

foreach(run first second)
    execute_process(
        COMMAND ${QEMU} ${PROGRAM}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE ${run}
        ERROR_VARIABLE ${run})
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "exit code ${status}:\n${${run}}")
    endif()
endforeach()
if(NOT first STREQUAL second)
    message(FATAL_ERROR "two runs differ:\n${first}\n${second}")
endif()
string(REGEX REPLACE "hit [0-9]+\n" "" said "${first}")
message("${said}")

if(NOT FUNCTION)
    return()
endif()

execute_process(
    COMMAND ${OBJDUMP} --disassemble --demangle --no-show-raw-insn ${PROGRAM}
    OUTPUT_VARIABLE listing
    COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[][;]" "_" listing "${listing}")
string(REPLACE "\n" ";" listing "${listing}")

set(inside FALSE)
set(masked FALSE)
set(instructions 0)
set(missed "")
foreach(line IN LISTS listing)
    if(line MATCHES "^[0-9a-f]+ <(.*)>:$")
        string(REGEX MATCH "${FUNCTION}" inside "${CMAKE_MATCH_1}")
    elseif(inside AND line MATCHES "^ *([0-9a-f]+):\t")
        math(EXPR address "0x${CMAKE_MATCH_1}")
        math(EXPR instructions "${instructions} + 1")
        string(FIND "${first}" "hit ${address}\n" place)
        # From cpsid on nothing is interrupted, until after each msr; and it is not meant to be.
        if(line MATCHES "\tmsr\tPRIMASK")
            set(masked TRUE)
        endif()
        if(masked AND NOT place EQUAL -1)
            list(APPEND missed "hit although interrupts are masked: ${line}")
        elseif(NOT masked AND place EQUAL -1)
            list(APPEND missed "never hit: ${line}")
        endif()
        if(line MATCHES "\tcpsid")
            set(masked TRUE)
        elseif(line MATCHES "\tmsr\tPRIMASK")
            set(masked FALSE)
        endif()
    endif()
endforeach()
if(instructions EQUAL 0)
    message(FATAL_ERROR "no function ${FUNCTION}")
endif()
if(missed)
    list(JOIN missed "\n" missed)
    message(FATAL_ERROR "${missed}")
endif()
message("${instructions} instructions")

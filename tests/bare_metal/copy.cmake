# What a reader does: copies EXAMPLE out of the repository, builds the copy with weir's toolchain file
# and nothing else from here, and, if QEMU is given, runs PROGRAM of it with KEYS typed. The firmware
# must tell of PRESSES of its button, and have sent no more than its limit: 5 and one for each 100 ms.
#   cmake -DEXAMPLE=<folder> -DCOPY=<folder to write to> -DTOOLCHAIN=<file> -DGENERATOR=<of CMake>
#       -DPROGRAM=<name> [-DQEMU=<program> -DBOARD=<of it> -DKEYS=<text> -DPRESSES=<number>] -P copy.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${COPY})
file(COPY ${EXAMPLE}/ DESTINATION ${COPY})
execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${COPY} -B ${COPY}/build -G ${GENERATOR} --toolchain ${TOOLCHAIN}
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${COPY}/build COMMAND_ERROR_IS_FATAL ANY)
if(NOT QEMU)
    return()
endif()

file(WRITE ${COPY}/keys "${KEYS}")
execute_process(
    COMMAND ${QEMU} -M ${BOARD} -icount shift=0,sleep=off -display none -monitor none -serial stdio
        -semihosting -kernel ${COPY}/build/${PROGRAM}
    INPUT_FILE ${COPY}/keys
    RESULT_VARIABLE status
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "ends with ${status}:\n${said}")
endif()
string(REGEX MATCHALL "(sent|wait)\n" told "${said}")
list(LENGTH told presses)
if(NOT presses EQUAL PRESSES)
    message(FATAL_ERROR "tells of ${presses} presses, not of ${PRESSES}:\n${said}")
elseif(NOT said MATCHES "([0-9]+) messages in ([0-9]+) ms")
    message(FATAL_ERROR "does not say how much it has sent:\n${said}")
endif()
math(EXPR most "5 + ${CMAKE_MATCH_2} / 100")
if(CMAKE_MATCH_1 GREATER most)
    message(FATAL_ERROR "no more than ${most} messages may go in that time:\n${said}")
endif()
message("${said}")

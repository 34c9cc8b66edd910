# Compiles SOURCE without a warning, and runs what comes out (if need be by EMULATOR) unless OBJECT
# says that nothing can run it. Fails with the compiler's words or with the program's.
#   cmake -DCOMPILER=<c++> "-DFLAGS=<list>" -DSOURCE=<file> -DPROGRAM=<file to write>
#       [-DOBJECT=ON | -DEMULATOR=<list>] -P run.cmake
if(OBJECT)
    list(APPEND FLAGS -c)
endif()
execute_process(
    COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Werror -I${CMAKE_CURRENT_LIST_DIR}/../../include
        ${FLAGS} ${SOURCE} -o ${PROGRAM}
    RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "does not compile, see above")
elseif(NOT OBJECT)
    execute_process(COMMAND ${EMULATOR} ${PROGRAM} RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "compiles, but ends with ${status}")
    endif()
endif()

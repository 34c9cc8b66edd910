# The example EXAMPLE prints a page in a FORMAT, which READER (a command, in parts between colons) must
# accept without a word:
#   cmake -DEXAMPLE=<program> -DFORMAT=<its argument> -DCHANGE=<for sed> -DPAGE=<file> -DREADER=... -P read.cmake

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${EXAMPLE} ${FORMAT} OUTPUT_FILE ${PAGE} COMMAND_ERROR_IS_FATAL ANY)
if(CHANGE)
    execute_process(COMMAND sed -i ${CHANGE} ${PAGE} COMMAND_ERROR_IS_FATAL ANY)
endif()
string(REPLACE ":" ";" reader "${READER}")
execute_process(COMMAND ${reader} INPUT_FILE ${PAGE}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0 OR output)
    message(FATAL_ERROR "${output}")
endif()

# `weir demo` draws the picture that the README shows:
#   cmake -DPROGRAM=<command, its words separated by |> -DPICTURE=<the README's> -DDRAWN=<to write to> -P picture.cmake

string(REPLACE "|" ";" PROGRAM "${PROGRAM}") # with what it runs under, if anything
execute_process(COMMAND ${PROGRAM} demo --quick --svg=${DRAWN}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${DRAWN} ${PICTURE} RESULT_VARIABLE differs)
if(differs)
    message(FATAL_ERROR "weir demo --svg=bench/results/shapes.svg draws another picture")
endif()

# The committed pictures are those that bench/pictures/pictures.cmake draws:
#   cmake -DROOT=<repository> -DWEIR=<command> -DBENCH_PICTURES=<program> -DDRAWN=<folder to write to> -P drawn.cmake

cmake_minimum_required(VERSION 3.25)
set(pictures ${ROOT}/bench/results/pictures)
file(REMOVE_RECURSE ${DRAWN})
execute_process(COMMAND ${CMAKE_COMMAND} -DWEIR=${WEIR} -DBENCH_PICTURES=${BENCH_PICTURES} -DOUT=${DRAWN}
    -P ${ROOT}/bench/pictures/pictures.cmake COMMAND_ERROR_IS_FATAL ANY)

file(GLOB names RELATIVE ${pictures} ${pictures}/*)
file(GLOB drawn RELATIVE ${DRAWN} ${DRAWN}/*)
if(NOT names STREQUAL drawn)
    message(FATAL_ERROR "there are the pictures ${names}, and drawn are ${drawn}: toolchains/bootstrap pictures")
endif()
foreach(name IN LISTS names)
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${DRAWN}/${name} ${pictures}/${name}
        RESULT_VARIABLE differs)
    if(differs)
        message(SEND_ERROR "${name} is drawn otherwise today: toolchains/bootstrap pictures")
    endif()
endforeach()

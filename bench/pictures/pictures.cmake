# cmake -DWEIR=<command> -DBENCH_PICTURES=<program> -DOUT=<folder> -P bench/pictures/pictures.cmake: makes all
# pictures of the pages. toolchains/bootstrap pictures does it for bench/results/pictures.
# (The words of a command are separated by |, with what it runs under, if anything.) With -DFLEET=<bench_fleet_keys> it
# simulates a fleet besides, which takes longer, and draws bench/results/fleet.svg.

cmake_minimum_required(VERSION 3.25)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
include(${root}/toolchains/catalogue.cmake)
foreach(program WEIR BENCH_PICTURES)
    string(REPLACE "|" ";" ${program} "${${program}}")
endforeach()
file(MAKE_DIRECTORY ${OUT})

# The same arrivals and the same quota for all: a fifth of the quota, and from shortly before the border of a
# second on five times as much, for a second.
function(draw file limits)
    execute_process(
        COMMAND ${WEIR} sim --quota 100/s --arrivals even:20/s@0.3s --arrivals even:500/s@2.8s+1s
            --for 10s --limit ${limits} --svg ${OUT}/${file}.svg
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
foreach(limit IN LISTS WEIR_CELLS ITEMS queue pacer)
    draw(${limit} ${limit})
endforeach()
draw(limits gcra,fixed_window,sliding_log,pacer)

execute_process(COMMAND ${BENCH_PICTURES} ${root}/bench/results/amd-epyc-2.md
    ${root}/bench/results/amd-epyc-2-peers.md ${OUT} COMMAND_ERROR_IS_FATAL ANY)
if(DEFINED FLEET)
    execute_process(COMMAND ${FLEET} fleets --svg=${root}/bench/results/fleet.svg COMMAND_ERROR_IS_FATAL ANY)
endif()

# cmake -P bench/sizes/sizes.cmake: how large one decision is on each target, into build/sizes.md; with
# -DOUT=bench/results before the -P into the file that the pages show. Needs the compilers of all
# targets, which toolchains/bootstrap installs for their presets; says which one is missing.

cmake_minimum_required(VERSION 3.25)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(object ${root}/build/sizes.o)
set(OUT ${root}/build CACHE PATH "The folder for sizes.md")
get_filename_component(out ${OUT} ABSOLUTE BASE_DIR ${root})
file(MAKE_DIRECTORY ${root}/build ${out})
include(${root}/toolchains/catalogue.cmake)

set(header "| target | word")
set(rule "| --- | ---:")
foreach(cell IN LISTS WEIR_CELLS)
    string(REPLACE "sliding_log" "sliding_log<16>" title ${cell})
    string(APPEND header " | ${title}")
    string(APPEND rule " | ---:")
endforeach()
set(code "${header} |\n${rule} |\n")
set(state "${code}")

function(measure target compiler nm)
    execute_process(
        COMMAND ${compiler} ${ARGN} -std=c++20 -fno-ipa-icf -fno-exceptions -fno-rtti -I${root}/include
            -c ${CMAKE_CURRENT_LIST_DIR}/cells.cpp -o ${object}
        RESULT_VARIABLE status
        ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${target}: cannot compile with ${compiler}: ${status}\n${error}")
    endif()
    execute_process(COMMAND ${nm} --print-size --radix=d ${object} OUTPUT_VARIABLE symbols
        COMMAND_ERROR_IS_FATAL ANY)
    macro(size_of symbol)
        set(size "")
        if(symbols MATCHES "[0-9]+ 0*([0-9]+) [A-Za-z] ${symbol}\n")
            set(size ${CMAKE_MATCH_1})
        endif()
    endmacro()
    size_of(state_gcra)
    math(EXPR bits "${size} * 8")
    set(code_row "| ${target} | ${bits}")
    set(state_row "${code_row}")
    foreach(cell IN LISTS WEIR_CELLS)
        size_of(code_${cell})
        if(NOT size)
            set(size "-")
        endif()
        string(APPEND code_row " | ${size}")
        size_of(state_${cell})
        set(ram "${size}")
        size_of(rate_${cell})
        if(ram)
            string(APPEND state_row " | ${ram} + ${size}")
        else()
            string(APPEND state_row " | -")
        endif()
    endforeach()
    set(code "${code}${code_row} |\n" PARENT_SCOPE)
    set(state "${state}${state_row} |\n" PARENT_SCOPE)
endfunction()

set(arm -ffreestanding -mthumb -Os)
measure("x86-64" g++ nm -O2)
measure("AArch64" aarch64-linux-gnu-g++ aarch64-linux-gnu-nm -O2)
measure("AArch64 with LSE" aarch64-linux-gnu-g++ aarch64-linux-gnu-nm -O2 -march=armv8.1-a)
measure("ARMv7-A" arm-linux-gnueabihf-g++ arm-linux-gnueabihf-nm -O2)
measure("ARMv6K" arm-linux-gnueabihf-g++ arm-linux-gnueabihf-nm -O2 -march=armv6k+fp -marm)
measure("Cortex-M4" arm-none-eabi-g++ arm-none-eabi-nm ${arm} -mcpu=cortex-m4)
measure("Cortex-M3" arm-none-eabi-g++ arm-none-eabi-nm ${arm} -mcpu=cortex-m3)
measure("Cortex-M0" arm-none-eabi-g++ arm-none-eabi-nm ${arm} -mcpu=cortex-m0
    -DWEIR_MASK_INTERRUPTS)
include(${root}/toolchains/rv32imac.cmake)
separate_arguments(rv32 UNIX_COMMAND "${WEIR_CORE_FLAGS}")
measure("RV64GC" riscv64-linux-gnu-g++ riscv64-linux-gnu-nm -O2)
measure("RV32IMAC" ${CMAKE_CXX_COMPILER} ${WEIR_TRIPLE}-nm -ffreestanding -Os ${rv32})
file(REMOVE ${object})

execute_process(COMMAND arm-none-eabi-g++ -dumpfullversion
    OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND g++ -dumpfullversion
    OUTPUT_VARIABLE host OUTPUT_STRIP_TRAILING_WHITESPACE)
file(WRITE ${out}/sizes.md
"# How large a decision is

By `cmake -P bench/sizes/sizes.cmake`, with GCC ${host}, and GCC ${version} for the Cortex-M. A unit
is asked for at a given time, with the quota in a variable; -O2, and -Os for 32-bit words; the Cortex-M's
code is Thumb. Windows of the clock need a 64-bit word.

## Bytes of code: `try_acquire`

${code}
## Bytes of state: the cell + its quota

The first is what each limit takes in RAM. The quota is shared by all limits of a kind, and lies in
flash or in the code itself where the compiler knows it.

${state}")
message("${out}/sizes.md")

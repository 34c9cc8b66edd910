# 32-bit RISC-V with multiplication and atomics (GD32VF103, ESP32-C6, SiFive E31), by Debian's compiler
# and picolibc. Debian has no C++ library for it. Its headers are templates, the same for each machine
# without a system, and are taken from the one for ARM.
#   cmake --toolchain <weir>/toolchains/rv32imac.cmake
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(WEIR_CORE rv32imac)
set(WEIR_TRIPLE riscv64-unknown-elf)
set(WEIR_SPECS picolibc)
file(GLOB headers /usr/include/newlib/c++/*)
set(WEIR_CORE_FLAGS "-march=rv32imac -mabi=ilp32")
foreach(folder IN LISTS headers)
    string(APPEND WEIR_CORE_FLAGS " -isystem ${folder} -isystem ${folder}/arm-none-eabi")
endforeach()
string(APPEND WEIR_CORE_FLAGS " -idirafter /usr/lib/picolibc/${WEIR_TRIPLE}/include")
include(${CMAKE_CURRENT_LIST_DIR}/bare_metal.cmake)

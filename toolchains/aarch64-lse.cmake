# Linux on 64-bit ARM from ARMv8.1 on (Raspberry Pi 5, Graviton 2, Ampere, Apple): a compare-exchange
# is one instruction, in line.
#   cmake --toolchain <weir>/toolchains/aarch64-lse.cmake
set(CMAKE_C_FLAGS_INIT "-march=armv8.1-a")
set(CMAKE_CXX_FLAGS_INIT "-march=armv8.1-a")
include(${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake)

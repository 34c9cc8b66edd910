# Linux on 64-bit ARM. Each compare-exchange calls __aarch64_cas*, which takes the one instruction of
# ARMv8.1 (LSE) where the core has it and a pair of exclusives where it has not.
#   cmake --toolchain <weir>/toolchains/aarch64.cmake
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(WEIR_TRIPLE aarch64-linux-gnu)
set(WEIR_QEMU qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)

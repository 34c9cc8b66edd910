# Cortex-M4 (STM32F3, STM32F4, STM32G4, nRF52), also without its floating point: exclusives for
# 32-bit words, a cycle counter.
#   cmake --toolchain <weir>/toolchains/cortex-m4.cmake
set(WEIR_CORE cortex-m4)
include(${CMAKE_CURRENT_LIST_DIR}/bare_metal.cmake)

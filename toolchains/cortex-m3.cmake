# Cortex-M3 (STM32F1, STM32F2, LPC17xx): exclusives for 32-bit words, a cycle counter.
#   cmake --toolchain <weir>/toolchains/cortex-m3.cmake
set(WEIR_CORE cortex-m3)
include(${CMAKE_CURRENT_LIST_DIR}/bare_metal.cmake)

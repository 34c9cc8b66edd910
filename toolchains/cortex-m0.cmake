# Cortex-M0 and M0+ (STM32F0, STM32G0, nRF51, RP2040): no exclusives, so a program says with
# WEIR_MASK_INTERRUPTS that one core alone uses its cells (see include/weir/base/masked.hpp).
#   cmake --toolchain <weir>/toolchains/cortex-m0.cmake
set(WEIR_CORE cortex-m0)
include(${CMAKE_CURRENT_LIST_DIR}/bare_metal.cmake)

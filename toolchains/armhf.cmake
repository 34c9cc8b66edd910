# Linux on 32-bit ARM from ARMv7-A on, hardware floating point: Debian's armhf, Raspberry Pi OS in
# 32 bits from the Pi 2 on.
#   cmake --toolchain <weir>/toolchains/armhf.cmake
set(CMAKE_SYSTEM_PROCESSOR arm)
set(WEIR_TRIPLE arm-linux-gnueabihf)
set(WEIR_QEMU qemu-arm)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)

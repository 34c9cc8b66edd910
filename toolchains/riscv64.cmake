# Linux on 64-bit RISC-V with RVA20's extensions and up (VisionFive 2, Debian's riscv64).
#   cmake --toolchain <weir>/toolchains/riscv64.cmake
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(WEIR_TRIPLE riscv64-linux-gnu)
set(WEIR_QEMU qemu-riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)

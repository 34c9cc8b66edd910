# Linux on IBM Z, whose words begin with their highest byte.
#   cmake --toolchain <weir>/toolchains/s390x.cmake
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(WEIR_TRIPLE s390x-linux-gnu)
set(WEIR_QEMU qemu-s390x)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)

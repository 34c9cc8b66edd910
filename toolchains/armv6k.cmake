# Linux on ARMv6K, the first Raspberry Pi and the Zero: object code only. It has 64-bit exclusives,
# but Debian's libraries for its calling convention are built for ARMv7, so programs are linked on,
# or with the libraries of, the target's own system.
#   cmake --toolchain <weir>/toolchains/armv6k.cmake
set(CMAKE_C_FLAGS_INIT "-march=armv6k+fp -marm -mfloat-abi=hard")
set(CMAKE_CXX_FLAGS_INIT "-march=armv6k+fp -marm -mfloat-abi=hard")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(WEIR_OBJECT_CODE_ONLY TRUE) # to weir's own tests
include(${CMAKE_CURRENT_LIST_DIR}/armhf.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR)

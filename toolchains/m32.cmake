# Linux on 32-bit x86 with SSE2 (Pentium 4 and later), by the compiler for 64 bits. This machine runs
# what is made.
#   cmake --toolchain <weir>/toolchains/m32.cmake
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER gcc-12)
set(CMAKE_CXX_COMPILER g++-12)
# The kernel's headers are where Debian has them, unless all of gcc-multilib is there, which would drive
# out compilers for other machines.
set(CMAKE_C_FLAGS_INIT "-m32 -msse2 -idirafter /usr/include/x86_64-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")

# This machine's libraries have 64 bits.
list(APPEND CMAKE_FIND_ROOT_PATH /usr/lib32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

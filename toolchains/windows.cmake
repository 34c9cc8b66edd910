# Windows on x86-64, by MinGW-w64. Programs bring their libraries along, so that one file is all of it.
# Where Wine is installed it runs what is made.
#   cmake --toolchain <weir>/toolchains/windows.cmake
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(WEIR_TRIPLE x86_64-w64-mingw32)
# With threads by winpthreads: the other flavour's <thread> has none.
set(CMAKE_C_COMPILER ${WEIR_TRIPLE}-gcc-posix)
set(CMAKE_CXX_COMPILER ${WEIR_TRIPLE}-g++-posix)
set(CMAKE_RC_COMPILER ${WEIR_TRIPLE}-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)

list(APPEND CMAKE_FIND_ROOT_PATH /usr/${WEIR_TRIPLE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(WEIR_EMULATOR wine64 PATHS /usr/lib/wine)
if(WEIR_EMULATOR)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${WEIR_EMULATOR})
endif()

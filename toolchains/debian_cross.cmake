# What the toolchain files of Linux on other machines share: Debian's cross compilers, and qemu to run what they
# make. WEIR_TRIPLE names the compiler, WEIR_QEMU the emulator; an emulator that is not installed is
# left out, and then only the target itself can run the programs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${WEIR_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${WEIR_TRIPLE}-g++)

# Libraries and headers of this machine are not the target's. What is installed for the target in
# other places is found in folders that -DCMAKE_FIND_ROOT_PATH names.
list(APPEND CMAKE_FIND_ROOT_PATH /usr/${WEIR_TRIPLE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(WEIR_EMULATOR ${WEIR_QEMU})
if(WEIR_EMULATOR)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${WEIR_EMULATOR};-L;/usr/${WEIR_TRIPLE}")
endif()

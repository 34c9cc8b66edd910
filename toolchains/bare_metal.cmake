# What the toolchain files of microcontrollers share: Debian's compiler without an operating system, for
# ARM unless WEIR_TRIPLE names another one. Only the core is said here; start-up code and memory are the program's affair
# (src/examples/firmware has both for an emulated board, and weir's own tests theirs, in bare_metal/).
set(CMAKE_SYSTEM_NAME Generic)
if(NOT WEIR_TRIPLE)
    set(CMAKE_SYSTEM_PROCESSOR arm)
    set(WEIR_TRIPLE arm-none-eabi)
    set(WEIR_CORE_FLAGS "-mcpu=${WEIR_CORE} -mthumb")
    set(WEIR_SPECS nosys)
endif()
set(CMAKE_C_COMPILER ${WEIR_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${WEIR_TRIPLE}-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing can be linked yet

set(CMAKE_C_FLAGS_INIT "${WEIR_CORE_FLAGS}")
set(CMAKE_CXX_FLAGS_INIT "${WEIR_CORE_FLAGS}")
# Below the C library there is no system: its calls (_exit, _sbrk, _write and so on) fail, unless the
# program defines its own. What nobody calls is left out, or a throw alone would want more of them.
set(CMAKE_EXE_LINKER_FLAGS_INIT "--specs=${WEIR_SPECS}.specs -Wl,--gc-sections")

# Libraries and headers of this machine are not the target's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

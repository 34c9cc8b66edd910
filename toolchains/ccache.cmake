# Compiles through ccache where it is there: what another build folder or another clone has compiled is
# then not compiled again. CMakePresets.json includes this. CCACHE_DISABLE=1 in the environment turns it off.
find_program(CCACHE ccache DOC "The compiler cache, if there is one")
mark_as_advanced(CCACHE)
if(NOT CCACHE OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER OR DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
    return()
endif()
# Paths below the clone are taken relative to it, and GCC's precompiled headers are no obstacle.
set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
    CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})

# cmake -DROOT=<repository> -DWRITTEN=<file> -P script.cmake: the header is what src/redis/header.cmake writes.
set(HEADER ${WRITTEN})
include(${ROOT}/src/redis/header.cmake)
file(READ ${WRITTEN} expected)
file(READ ${ROOT}/include/weir/adapter/redis_script.hpp is)
if(NOT is STREQUAL expected)
    message(FATAL_ERROR "src/redis/limit.lua has changed: "
        "run cmake -DHEADER=include/weir/adapter/redis_script.hpp -P src/redis/header.cmake")
endif()

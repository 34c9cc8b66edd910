# Every header compiles alone, and twice, without exceptions and run-time types; what an embedded
# target uses compiles freestanding as well. Building is the test.

set(include ${PROJECT_SOURCE_DIR}/include)
file(GLOB_RECURSE headers RELATIVE ${include} CONFIGURE_DEPENDS ${include}/weir/*.hpp)

weir_find_boost()

foreach(header IN LISTS headers)
    file(STRINGS ${include}/${header} needs_boost REGEX "^#include <boost/")
    if(needs_boost AND NOT TARGET boost)
        message(STATUS "${header} is not compiled: Boost not found (Debian: libboost-dev)")
        continue()
    endif()
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include <${header}>\n#include <${header}>\n")
    list(APPEND units ${unit})
    if(header MATCHES "^weir/(base|cell|limiter)/|^weir/clock/(manual|systick|dwt)")
        # A header that waits needs an operating system, and says so at its top.
        file(STRINGS ${include}/${header} hosted LIMIT_COUNT 10 REGEX "hosted because")
        if(NOT hosted)
            list(APPEND freestanding_units ${unit})
        endif()
    endif()
endforeach()

function(weir_compile_headers name)
    if(ARGN)
        add_library(${name} OBJECT ${ARGN})
        target_link_libraries(${name} PRIVATE weir_program)
        target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti)
    endif()
endfunction()

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Generic")
    weir_compile_headers(headers_alone ${units})
    if(TARGET boost)
        target_link_libraries(headers_alone PRIVATE boost)
    endif()
endif()
weir_compile_headers(headers_freestanding ${freestanding_units})
if(TARGET headers_freestanding)
    target_compile_options(headers_freestanding PRIVATE -ffreestanding)
endif()

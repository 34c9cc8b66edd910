# The parts of weir that need more than the compiler. CMakeLists.txt reads this, and so does find_package(weir).
#
#   weir::pacer   Boost's headers, and threads
#   weir::asio    Boost's headers, and threads
#   weir::tracy   Tracy's client
#   weir::redis   hiredis
#
# Makes the target weir::<part> of weir::core and what the part needs. Sets `missing` to what is not here;
# then there is no target.
if(WIN32)
    set(WEIR_SYSTEM_LIBRARIES synchronization winmm) # for adapter/windows_thread.hpp
endif()
function(weir_add_component part missing)
    set(${missing} "" PARENT_SCOPE)
    if(TARGET weir::${part})
        return()
    endif()
    if(part STREQUAL "tracy")
        find_package(Tracy QUIET)
        set(needs Tracy::TracyClient)
        set(names "Tracy's client")
    elseif(part STREQUAL "redis")
        find_path(WEIR_HIREDIS_INCLUDE hiredis/hiredis.h)
        find_library(WEIR_HIREDIS hiredis)
        mark_as_advanced(WEIR_HIREDIS_INCLUDE WEIR_HIREDIS)
        set(needs "")
        set(names "hiredis (Debian: libhiredis-dev)")
        set(libraries ${WEIR_HIREDIS})
        if(NOT WEIR_HIREDIS_INCLUDE OR NOT WEIR_HIREDIS)
            set(${missing} "${names}" PARENT_SCOPE)
            return()
        endif()
    else()
        set(names "Boost 1.74 or newer (Debian: libboost-dev)")
        if(NOT TARGET Boost::headers)
            find_package(Boost 1.74 QUIET)
        endif()
        set(THREADS_PREFER_PTHREAD_FLAG ON)
        find_package(Threads QUIET)
        set(needs Boost::headers Threads::Threads)
        set(libraries ${WEIR_SYSTEM_LIBRARIES})
    endif()
    foreach(target IN LISTS needs)
        if(NOT TARGET ${target})
            set(${missing} "${names}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    add_library(weir::${part} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(weir::${part} INTERFACE weir::core ${needs} ${libraries})
    if(part STREQUAL "redis" AND NOT WEIR_HIREDIS_INCLUDE STREQUAL "/usr/include")
        target_include_directories(weir::${part} SYSTEM INTERFACE ${WEIR_HIREDIS_INCLUDE})
    endif()
endfunction()

# Third-party libraries: found on the system first, else fetched as a pinned release.
# Only our own programs need any, so a project that embeds weir comes here for WEIR_TRACY alone.
# Without Boost, or Relacy, which few systems have, there are fewer tests, and without Boost
# `weir soak` has no pacer.

include(FetchContent)

set(BUILD_GMOCK OFF)
set(INSTALL_GTEST OFF)
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)

function(weir_dependency name target debian_package url sha256)
    find_package(${name} QUIET)
    if(TARGET ${target})
        return()
    endif()
    message(STATUS "${name} is not installed (Debian: ${debian_package}): fetching ${url}")
    set(archive ${PROJECT_BINARY_DIR}/${name}.tar.gz)
    string(TOUPPER FETCHCONTENT_SOURCE_DIR_${name} unpacked)
    if(NOT EXISTS ${archive} AND NOT ${unpacked})
        # Fetched here, because FetchContent reports a missing network in sixty lines.
        file(DOWNLOAD ${url} ${archive} INACTIVITY_TIMEOUT 60 STATUS status)
        if(status MATCHES "^[1-9]")
            file(REMOVE ${archive})
            message(FATAL_ERROR "cannot fetch ${name}: ${status}\n"
                "Install it (Debian: ${debian_package}), "
                "or name its unpacked sources in ${unpacked}.")
        endif()
    endif()
    set(CMAKE_COMPILE_WARNING_AS_ERROR OFF) # their warnings are not ours
    set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # let the options above reach them
    FetchContent_Declare(${name} SYSTEM URL ${archive} URL_HASH SHA256=${sha256})
    FetchContent_MakeAvailable(${name})
endfunction()

# For another machine than this one GoogleTest is built from Debian's copy of its sources.
function(weir_find_googletest)
    if(CMAKE_CROSSCOMPILING AND EXISTS /usr/src/googletest/CMakeLists.txt)
        set(FETCHCONTENT_SOURCE_DIR_GTEST /usr/src/googletest)
    endif()
    weir_dependency(GTest GTest::gtest_main libgtest-dev
        https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
        81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2)
endfunction()

function(weir_find_benchmark)
    weir_dependency(benchmark benchmark::benchmark libbenchmark-dev
        https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
        6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7)
endfunction()

# Makes the target `boost`, if it is found: the headers of Boost 1.74 or newer, on the system or in
# the folder that WEIR_BOOST names. They are the same for every machine, so a cross compiler takes
# them from this one: through a link to Boost alone, as all else in that folder is not for it.
function(weir_find_boost)
    if(TARGET boost)
        return()
    endif()
    if(CMAKE_CROSSCOMPILING AND EXISTS /usr/include/boost)
        set(only_boost ${PROJECT_BINARY_DIR}/only_boost)
        file(MAKE_DIRECTORY ${only_boost})
        file(CREATE_LINK /usr/include/boost ${only_boost}/boost SYMBOLIC)
        find_path(WEIR_BOOST boost/asio/any_io_executor.hpp
            PATHS ${only_boost} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    endif()
    find_path(WEIR_BOOST boost/asio/any_io_executor.hpp # which came with 1.74
        DOC "Folder of boost/asio.hpp, of Boost 1.74 or newer")
    if(WEIR_BOOST)
        add_library(boost INTERFACE)
        target_include_directories(boost SYSTEM INTERFACE ${WEIR_BOOST})
    endif()
endfunction()

# Makes the target `relacy`, if it is found: where `toolchains/bootstrap model` unpacks it, on the
# system, or in the folder that WEIR_RELACY names.
function(weir_find_relacy)
    find_path(WEIR_RELACY relacy/relacy.hpp
        HINTS ${PROJECT_SOURCE_DIR}/build/relacy/usr/include
        DOC "Folder of relacy/relacy.hpp, the model checker")
    if(WEIR_RELACY)
        add_library(relacy INTERFACE)
        target_include_directories(relacy SYSTEM INTERFACE ${WEIR_RELACY})
    endif()
endfunction()

# Makes the target `tracy_client`: Tracy's client, made of the folder that WEIR_TRACY_CLIENT names or
# where `toolchains/bootstrap tracy` puts it, or as it is installed, or of its release. It sends
# nothing before a profiler connects, and listens on this machine alone.
function(weir_find_tracy)
    if(TARGET tracy_client)
        return()
    endif()
    find_path(WEIR_TRACY_CLIENT TracyClient.cpp
        HINTS ${PROJECT_SOURCE_DIR}/build/tracy_client NO_CMAKE_FIND_ROOT_PATH
        DOC "Folder of TracyClient.cpp")
    if(NOT WEIR_TRACY_CLIENT)
        set(TRACY_ON_DEMAND ON)
        set(TRACY_ONLY_LOCALHOST ON)
        set(TRACY_NO_CRASH_HANDLER ON)
        weir_dependency(Tracy Tracy::TracyClient "none; WEIR_TRACY_CLIENT may name the folder of its client"
            https://github.com/wolfpld/tracy/archive/refs/tags/v0.14.1.tar.gz
            bf4af567e9c7524d07f3caa745fad02fb33bd5694f11910750382d1efbb251c1)
    endif()
    if(TARGET Tracy::TracyClient)
        add_library(tracy_client INTERFACE)
        target_link_libraries(tracy_client INTERFACE Tracy::TracyClient)
        return()
    endif()
    find_package(Threads REQUIRED)
    add_library(tracy_client STATIC ${WEIR_TRACY_CLIENT}/TracyClient.cpp)
    target_include_directories(tracy_client SYSTEM PUBLIC ${WEIR_TRACY_CLIENT})
    target_compile_definitions(tracy_client PUBLIC
        TRACY_ENABLE TRACY_ON_DEMAND TRACY_ONLY_LOCALHOST TRACY_NO_CRASH_HANDLER)
    target_link_libraries(tracy_client PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
    set_target_properties(tracy_client PROPERTIES COMPILE_WARNING_AS_ERROR OFF)
    target_compile_options(tracy_client PRIVATE -w)
endfunction()

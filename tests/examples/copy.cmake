# What a reader does: copies EXAMPLE out of the repository, builds the copy, and runs its tests.
#   cmake -DEXAMPLE=<folder> -DCOPY=<folder to write to> -DWEIR=<folder> -DCOMPILER=<C++>
#       -DGENERATOR=<of CMake> -DOPTIONS=<further options> [-DPRINTS=<program>] -P copy.cmake
# PRINTS is a program whose output is the same everywhere, and stands in the page beside EXAMPLE.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${COPY}/src)
file(COPY ${EXAMPLE}/ DESTINATION ${COPY}/src)
# The build folder stays from run to run: what has not changed is not compiled again.
execute_process(
    COMMAND ${CMAKE_CTEST_COMMAND}
        --build-and-test ${COPY}/src ${COPY}/build
        --build-generator ${GENERATOR}
        --build-options -DCMAKE_CXX_COMPILER=${COMPILER} -DWEIR=${WEIR}
            -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
            -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=${WEIR}/toolchains/ccache.cmake ${OPTIONS}
        --test-command ${CMAKE_CTEST_COMMAND} --verbose --no-tests=error
    COMMAND_ERROR_IS_FATAL ANY)

if(PRINTS)
    execute_process(COMMAND ${COPY}/build/${PRINTS} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
    file(READ ${EXAMPLE}/../README.md page)
    string(FIND "${page}" "${printed}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${EXAMPLE}/../README.md does not have what ${PRINTS} prints:\n${printed}")
    endif()
endif()

# Makes a project of the README's block of CMake and its hello example, with weir from ROOT in place of
# a download, and builds it:
#   cmake -DROOT=<repository> -DCOMPILER=<c++> -DGENERATOR=<...> -DFOLDER=<to write to> -P embed.cmake

cmake_minimum_required(VERSION 3.25)

file(READ ${ROOT}/README.md page)
foreach(language cmake cpp)
    if(NOT page MATCHES "\n```${language}\n([^`]*)\n```\n")
        message(FATAL_ERROR "README.md has no block of ${language}")
    endif()
    set(${language} "${CMAKE_MATCH_1}\n")
endforeach()
file(REMOVE_RECURSE ${FOLDER})
file(WRITE ${FOLDER}/server.cpp "${cpp}")
file(WRITE ${FOLDER}/CMakeLists.txt
    "cmake_minimum_required(VERSION 3.25)\nproject(server LANGUAGES CXX)\n"
    "add_executable(server server.cpp)\n${cmake}")
execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${FOLDER} -B ${FOLDER}/build -G ${GENERATOR}
        -DCMAKE_CXX_COMPILER=${COMPILER} -DFETCHCONTENT_SOURCE_DIR_WEIR=${ROOT}
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER}/build COMMAND_ERROR_IS_FATAL ANY)

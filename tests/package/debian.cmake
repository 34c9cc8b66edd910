# cmake -DBUILD=<folder> -DROOT=<folder> -DVERSION=<weir's> -DC=<is there libweir> -DDPKG_DEB=<program>
#     -P debian.cmake:
# makes weir's Debian packages, unpacks them into ROOT and asks the command that comes with them.
file(REMOVE_RECURSE ${ROOT} ${ROOT}_packages)
execute_process(COMMAND ${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${ROOT}_packages
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB packages ${ROOT}_packages/*.deb)
list(LENGTH packages count)
set(expected 2)
if(C)
    set(expected 4)
endif()
if(NOT count EQUAL expected)
    message(FATAL_ERROR "these should be ${expected} packages: ${packages}")
endif()
foreach(package IN LISTS packages)
    execute_process(COMMAND ${DPKG_DEB} --extract ${package} ${ROOT} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${ROOT}/usr/bin/weir --version OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
if(NOT told STREQUAL "weir ${VERSION}\n")
    message(FATAL_ERROR "the command says ${told}")
endif()

# Each command has its line in the manual page.
file(READ ${ROOT}/usr/share/man/man1/weir.1 page)
execute_process(COMMAND ${ROOT}/usr/bin/weir --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n  [a-z]+  " commands "${help}")
foreach(command IN LISTS commands)
    string(STRIP "${command}" command)
    if(NOT command STREQUAL "soak" AND NOT page MATCHES "\n\\.B ${command}\n") # a build for users has no soak
        message(FATAL_ERROR "the manual page does not tell of weir ${command}")
    endif()
endforeach()

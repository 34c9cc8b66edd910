# cmake -DBUILD=<folder> -DROOT=<folder> -DVERSION=<weir's> -DLIBRARIES=<how many> -DDPKG_DEB=<program>
#     -P debian.cmake:
# makes weir's Debian packages, unpacks them into ROOT and asks the command that comes with them.
file(REMOVE_RECURSE ${ROOT} ${ROOT}_packages)
execute_process(COMMAND ${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${ROOT}_packages
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB packages ${ROOT}_packages/*.deb)
list(LENGTH packages count)
math(EXPR expected "2 + 2 * ${LIBRARIES}") # headers, the command, and two for each library in C
if(NOT count EQUAL expected)
    message(FATAL_ERROR "these should be ${expected} packages: ${packages}")
endif()
foreach(package IN LISTS packages)
    execute_process(COMMAND ${DPKG_DEB} --extract ${package} ${ROOT} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${DPKG_DEB} --field ${package} Package Depends
        OUTPUT_VARIABLE fields COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND all "${fields}")
endforeach()

# A library wants those below it of its own version, and only what is by TLS wants OpenSSL.
function(depends package what yes)
    if(NOT all MATCHES "Package: ${package}\nDepends: ([^\n]*)")
        message(FATAL_ERROR "there is no ${package} in ${all}")
    endif()
    string(FIND "${CMAKE_MATCH_1}" "${what}" at)
    if((yes AND at EQUAL -1) OR (NOT yes AND NOT at EQUAL -1))
        message(FATAL_ERROR "${package} depends on ${CMAKE_MATCH_1}, and ${what} should be there: ${yes}")
    endif()
endfunction()
if(LIBRARIES GREATER 1)
    depends(libweir0 "hiredis" NO)
    depends(libweir-redis0 "libweir0 (= ${VERSION})" YES)
    depends(libweir-redis0 "libhiredis" YES)
    depends(libweir-redis0 "libssl" NO)
    depends(libweir-redis-c-dev "libweir-redis0 (= ${VERSION}), libweir-c-dev (= ${VERSION})" YES)
endif()
if(LIBRARIES GREATER 2)
    depends(libweir-redis-tls0 "libweir-redis0 (= ${VERSION})" YES)
    depends(libweir-redis-tls0 "libssl" YES)
endif()
execute_process(COMMAND ${ROOT}/usr/bin/weir --version OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
if(NOT told STREQUAL "weir ${VERSION}\n")
    message(FATAL_ERROR "the command says ${told}")
endif()

# The shells find what `weir completion` prints.
foreach(place bash:bash-completion/completions/weir zsh:zsh/vendor-completions/_weir
        fish:fish/vendor_completions.d/weir.fish)
    string(REPLACE ":" ";" place ${place})
    list(GET place 0 shell)
    list(GET place 1 file)
    file(READ ${ROOT}/usr/share/${file} installed)
    execute_process(COMMAND ${ROOT}/usr/bin/weir completion ${shell}
        OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
    if(NOT installed STREQUAL printed)
        message(FATAL_ERROR "${file} is not what weir completion ${shell} prints")
    endif()
endforeach()

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

# The install rules: headers, the command, and what find_package and pkg-config read; and Debian packages
# of them, which `cpack -G DEB` makes.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
set(pkg_config ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS weir_core EXPORT weirTargets COMPONENT library
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/weir TYPE INCLUDE COMPONENT library FILES_MATCHING PATTERN "*.hpp")

install(EXPORT weirTargets NAMESPACE weir:: DESTINATION ${config} COMPONENT library)
configure_package_config_file(toolchains/package/weirConfig.cmake.in weirConfig.cmake
    INSTALL_DESTINATION ${config}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(weirConfigVersion.cmake
    COMPATIBILITY SameMinorVersion # until 1.0
    ARCH_INDEPENDENT)
install(FILES
        ${PROJECT_BINARY_DIR}/weirConfig.cmake
        ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
        toolchains/package/components.cmake
    DESTINATION ${config} COMPONENT library)

# From the folder of weir.pc, so that the tree can be moved.
file(RELATIVE_PATH WEIR_PREFIX_FROM_PC /${pkg_config} /)
configure_file(toolchains/package/weir.pc.in weir.pc @ONLY)
configure_file(toolchains/package/weir-redis.pc.in weir-redis.pc @ONLY)
configure_file(toolchains/package/weir-redis_tls.pc.in weir-redis_tls.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc ${PROJECT_BINARY_DIR}/weir-redis.pc
        ${PROJECT_BINARY_DIR}/weir-redis_tls.pc
    DESTINATION ${pkg_config} COMPONENT library)

# libweir is for one machine, so it has an export and packages of its own, beside the headers for all.
if(WEIR_BUILD_C)
    install(FILES include/weir/weir.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir COMPONENT c_development)
    install(TARGETS weir_c weir_c_static EXPORT weirCTargets
        LIBRARY COMPONENT c_runtime NAMELINK_COMPONENT c_development
        RUNTIME COMPONENT c_runtime
        ARCHIVE COMPONENT c_development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT weirCTargets NAMESPACE weir:: DESTINATION ${config} COMPONENT c_development)
    list(TRANSFORM WEIR_SYSTEM_LIBRARIES PREPEND " -l")
    list(JOIN WEIR_SYSTEM_LIBRARIES "" WEIR_SYSTEM_LIBRARIES)
    configure_file(toolchains/package/weir-c.pc.in weir-c.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/weir-c.pc DESTINATION ${pkg_config} COMPONENT c_development)
endif()

# And what needs hiredis, and OpenSSL, apart from it: libweir_redis and libweir_redis_tls.
set(over_libweir "")
foreach(part redis redis_tls)
    if(NOT WEIR_BUILD_C OR NOT TARGET weir_c_${part})
        continue()
    endif()
    list(APPEND over_libweir ${part})
    install(FILES include/weir/weir_${part}.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir COMPONENT c_${part}_development)
    install(TARGETS weir_c_${part} weir_c_${part}_static EXPORT weir_c_${part}Targets
        LIBRARY COMPONENT c_${part}_runtime NAMELINK_COMPONENT c_${part}_development
        ARCHIVE COMPONENT c_${part}_development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT weir_c_${part}Targets NAMESPACE weir::
        DESTINATION ${config} COMPONENT c_${part}_development)
    configure_file(toolchains/package/weir-c-${part}.pc.in weir-c-${part}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/weir-c-${part}.pc
        DESTINATION ${pkg_config} COMPONENT c_${part}_development)
endforeach()

if(WEIR_BUILD_COMMAND)
    install(TARGETS weir COMPONENT command)
    install(FILES src/command/weir.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    # Where the shells of Debian look for them. Elsewhere `weir completion` prints them.
    install(FILES src/command/completion/weir.bash RENAME weir
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
    install(FILES src/command/completion/weir.zsh RENAME _weir
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT command)
    install(FILES src/command/completion/weir.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
endif()

set(CPACK_PACKAGE_VENDOR "The weir authors")
set(CPACK_PACKAGE_CONTACT "The weir authors <weir@example.com>") # where this repository is
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL library)
if(WEIR_BUILD_COMMAND)
    list(APPEND CPACK_COMPONENTS_ALL command)
endif()
if(WEIR_BUILD_C)
    list(APPEND CPACK_COMPONENTS_ALL c_runtime c_development)
endif()
foreach(part IN LISTS over_libweir)
    list(APPEND CPACK_COMPONENTS_ALL c_${part}_runtime c_${part}_development)
endforeach()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libweir-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libboost-dev (>= 1.74), libhiredis-dev, libssl-dev")
set(CPACK_DEBIAN_C_RUNTIME_PACKAGE_NAME libweir0)
set(CPACK_DEBIAN_C_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_C_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_C_DEVELOPMENT_PACKAGE_NAME libweir-c-dev)
set(CPACK_DEBIAN_C_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_C_DEVELOPMENT_PACKAGE_DEPENDS
    "libweir0 (= ${PROJECT_VERSION}), libweir-dev (= ${PROJECT_VERSION})")
# They hand each other objects of C++, so each wants those below it of its own version.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}) # where libweir is while it is packed
set(below weir)
foreach(part IN LISTS over_libweir)
    string(TOUPPER ${part} upper)
    string(REPLACE "_" "-" name weir-${part})
    set(CPACK_DEBIAN_C_${upper}_RUNTIME_PACKAGE_NAME lib${name}0)
    set(CPACK_DEBIAN_C_${upper}_RUNTIME_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_C_${upper}_RUNTIME_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_C_${upper}_RUNTIME_PACKAGE_DEPENDS "lib${below}0 (= ${PROJECT_VERSION})")
    set(CPACK_DEBIAN_C_${upper}_DEVELOPMENT_PACKAGE_NAME lib${name}-c-dev)
    set(CPACK_DEBIAN_C_${upper}_DEVELOPMENT_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_C_${upper}_DEVELOPMENT_PACKAGE_DEPENDS
        "lib${name}0 (= ${PROJECT_VERSION}), lib${below}-c-dev (= ${PROJECT_VERSION})")
    set(below ${name})
endforeach()
string(APPEND CPACK_DEBIAN_C_REDIS_DEVELOPMENT_PACKAGE_DEPENDS ", libhiredis-dev") # for the static one
string(APPEND CPACK_DEBIAN_C_REDIS_TLS_DEVELOPMENT_PACKAGE_DEPENDS ", libssl-dev")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME weir)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
include(CPack)

# The install rules: headers, the exported target, and what find_package(weir) reads.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(WEIR_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

install(TARGETS weir_library EXPORT weirConfig INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/weir TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")

# The headers depend on nothing, so the exported target alone is the whole configuration.
install(EXPORT weirConfig NAMESPACE weir:: DESTINATION ${WEIR_PACKAGE_FOLDER})
write_basic_package_version_file(weirConfigVersion.cmake
    COMPATIBILITY SameMinorVersion
    ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake DESTINATION ${WEIR_PACKAGE_FOLDER})

if(WEIR_BUILD_COMMAND)
    install(TARGETS weir)
endif()

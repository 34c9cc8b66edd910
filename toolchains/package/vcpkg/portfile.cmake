# A port for vcpkg, to copy into an overlay folder. Nobody has run it yet: tell us if it works.
vcpkg_from_git(
    OUT_SOURCE_PATH SOURCE_PATH
    URL https://example.com/weir.git # where this repository is
    REF main) # the commit's hash
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DWEIR_BUILD_COMMAND=OFF -DWEIR_BUILD_TESTS=OFF -DWEIR_BUILD_C=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weir)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug" "${CURRENT_PACKAGES_DIR}/lib")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

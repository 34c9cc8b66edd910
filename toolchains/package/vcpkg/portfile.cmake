# A port for vcpkg, to copy into an overlay folder. Nobody has run it yet: tell us if it works.
vcpkg_from_git(
    OUT_SOURCE_PATH SOURCE_PATH
    URL https://example.com/weir.git # where this repository is
    REF main) # the commit's hash
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES c WEIR_BUILD_C)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DWEIR_BUILD_COMMAND=OFF -DWEIR_BUILD_TESTS=OFF ${features})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weir)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
if(NOT "c" IN_LIST FEATURES) # headers alone
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug" "${CURRENT_PACKAGES_DIR}/lib")
endif()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

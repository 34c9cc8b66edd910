# The files of a release, with a bill of materials and their checksums, in build/release
packages="$native libboost-dev libhiredis-dev libssl-dev dpkg-dev file python3"

run() {
    local to=build/release version name
    if [ -n "$(git status --porcelain)" ]; then
        say "a release is made of what is committed; these are not: $(git status --porcelain | cut -c 4- | tr '\n' ' ')"
        exit 1
    fi
    # Each file tells the time of the commit, so the same commit gives the same files.
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    export SOURCE_DATE_EPOCH
    rm -rf $to
    mkdir -p $to
    cmake --preset demo -DWEIR_BUILD_C=ON
    cmake --build build/demo --target weir weir_c weir_c_static weir_c_redis weir_c_redis_static \
        weir_c_redis_tls weir_c_redis_tls_static
    version=$(build/demo/weir --version | cut -d ' ' -f 2)
    name=weir-$version
    git archive --prefix="$name/" HEAD | gzip -9n > "$to/$name.tar.gz"
    toolchains/package/single_header $to
    cpack -G DEB --config build/demo/CPackConfig.cmake -B $to
    rm -rf $to/_CPack_Packages
    (cd $to && ../../toolchains/package/sbom "$version" * > "$name.cdx.json.part")
    mv "$to/$name.cdx.json.part" "$to/$name.cdx.json"
    (cd $to && sha256sum -- * > SHA256SUMS)
    cat $to/SHA256SUMS
}

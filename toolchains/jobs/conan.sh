# The Conan packages, with libweir and without, are made, and a project is built with each
packages="$native python3 python3-venv libboost-dev"
conan=$root/build/conan
source toolchains/download.sh

fetch() { unpack_python conan 2.9.3 "$conan"; }

run() {
    export CONAN_HOME=$conan/home
    "$conan/bin/conan" profile detect --exist-ok
    # This machine's Boost: Conan's own server is not asked for anything.
    mkdir -p "$CONAN_HOME/profiles"
    printf 'include(default)\n[platform_requires]\nboost/1.74.0\n' > "$CONAN_HOME/profiles/boost_is_here"
    local c
    for c in False True; do
        "$conan/bin/conan" create toolchains/package/conan --profile:all boost_is_here --options "weir/*:c=$c" \
            --settings compiler.cppstd=20 --no-remote --conf tools.cmake.cmake_layout:test_folder="$conan/test_$c"
    done
}

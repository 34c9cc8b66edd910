# The Conan package is made, and a project is built with it
packages="$native python3 python3-venv"
conan=$root/build/conan
source toolchains/download.sh

fetch() { unpack_python conan 2.9.3 "$conan"; }

run() {
    export CONAN_HOME=$conan/home
    "$conan/bin/conan" profile detect --exist-ok
    "$conan/bin/conan" create toolchains/package/conan --settings compiler.cppstd=20 --no-remote \
        --conf tools.cmake.cmake_layout:test_folder="$conan/test"
}

# The Conan package is made, and a project is built with it
packages="$native python3 python3-venv"
conan=$root/build/conan

# Conan is in no suite of Debian's.
fetch() {
    local version=2.9.3
    [ ! -e "$conan/$version" ] || return 0
    say "installing Conan $version into $conan"
    rm -rf "$conan"
    if ! { python3 -m venv "$conan" && "$conan/bin/pip" install --quiet "conan==$version"; } < /dev/null; then
        say "could not install Conan from Python's package index"
        exit 3
    fi
    touch "$conan/$version"
}

run() {
    export CONAN_HOME=$conan/home
    "$conan/bin/conan" profile detect --exist-ok
    "$conan/bin/conan" create toolchains/package/conan --settings compiler.cppstd=20 --no-remote \
        --conf tools.cmake.cmake_layout:test_folder="$conan/test"
}

# Histories from a fuzzer against the exact models: for 30 seconds each, or as many as you say

# libFuzzer is in a package that is named after the version of Clang.
clang_runtime() {
    local version
    if command -v clang > /dev/null; then
        version=$(clang -dumpversion | cut -d . -f 1)
    else
        version=$(apt-cache depends clang 2> /dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
    fi
    echo "libclang-rt-${version:-14}-dev"
}
packages="$native libgtest-dev libboost-dev clang $(clang_runtime)"
target=fuzz
export WEIR_FUZZ_SECONDS=${1:-}

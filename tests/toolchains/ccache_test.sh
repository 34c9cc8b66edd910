#!/bin/bash
# What one clone has compiled, another takes from ccache, with debug information and a precompiled
# header too; and where there is no ccache, all compiles.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
command -v ccache > /dev/null || { echo "skipped: there is no ccache"; exit 0; }
unset CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DISABLE CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_SLOPPINESS

mkdir -p first/include
echo "inline int answer() { return 42; }" > first/include/answer.hpp
printf '#include <answer.hpp>\nint main() { return answer() - 42; }\n' > first/main.cpp
cat > first/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.25)
project(clone LANGUAGES CXX)
add_executable(clone main.cpp)
target_include_directories(clone PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(clone PRIVATE -g)
target_precompile_headers(clone PRIVATE <vector>)
END
cp -R first second
cp -R first third

build() {
    cmake -S "$1" -B "$1/build" -G Ninja "${@:2}" \
        -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES="$root/toolchains/ccache.cmake" > said 2>&1 &&
        cmake --build "$1/build" >> said 2>&1 || { cat said; exit 1; }
}
hits() { ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n }'; }

# Of this test alone, whatever the user has set.
export CCACHE_DIR=$scratch/cache CCACHE_CONFIGPATH=$scratch/ccache.conf
touch ccache.conf
build first
before=$(hits)
build second
[ $(($(hits) - before)) = 2 ] || { echo "the second clone compiled again"; ccache --show-stats; exit 1; }
second/build/clone

before=$(ccache --print-stats)
build third -DCCACHE=
[ "$(ccache --print-stats)" = "$before" ] || { echo "it went through ccache"; exit 1; }

# Headers and a program that uses them compile for macOS, by Clang with what Zig has; nothing runs it
packages="python3 python3-venv libboost-dev"
zig=$root/build/zig
source toolchains/download.sh

fetch() { unpack_python ziglang 0.17.0 "$zig"; }

run() {
    local cpu
    export ZIG_GLOBAL_CACHE_DIR=$zig/cache ZIG_LOCAL_CACHE_DIR=$zig/cache
    mkdir -p "$zig/only_boost"
    ln -sfn /usr/include/boost "$zig/only_boost/boost"
    for cpu in aarch64 x86_64; do
        "$zig/bin/python" -m ziglang c++ -target $cpu-macos -std=c++20 -O1 -Wall -Wextra -Werror -Iinclude \
            -isystem "$zig/only_boost" tests/compilers/uses.cpp -o "$zig/uses_$cpu"
        say "compiles for macOS on $cpu"
    done
}

# The observers for Tracy, with its client
packages="$native libgtest-dev libboost-dev binutils"
target=tracy

# Tracy is in no suite of Debian's, but its client is inside a Rust crate, which comes from where this
# machine has its crates from. Without cargo CMake asks for Tracy's release.
fetch() {
    local crate=tracy-client-sys version=0.30.1 # Tracy 0.14.1
    local unpacked=$root/build/tracy_client
    local scratch=$unpacked.cargo source
    if [ -e "$unpacked/TracyClient.cpp" ] || ! command -v cargo > /dev/null; then return 0; fi
    say "unpacking the client of Tracy into $unpacked"
    rm -rf "$unpacked" "$scratch"
    mkdir -p "$scratch/src"
    : > "$scratch/src/lib.rs"
    printf '[package]\nname = "find_tracy"\nversion = "0.0.0"\n[dependencies]\n%s = "=%s"\n' \
        "$crate" "$version" > "$scratch/Cargo.toml"
    source=$(cd "$scratch" && cargo metadata --quiet --format-version 1 \
        --filter-platform x86_64-unknown-linux-gnu < /dev/null 2> log |
        grep -o "\"manifest_path\":\"[^\"]*/$crate-$version/Cargo.toml\"" | cut -d '"' -f 4) || true
    if [ -z "$source" ]; then
        sed 's/^/    /' "$scratch/log" >&2
        say "could not get the crate $crate; going on with what CMake finds"
    else
        cp -R "$(dirname "$source")/tracy" "$scratch/tracy"
        mv "$scratch/tracy" "$unpacked"
    fi
    rm -rf "$scratch"
}

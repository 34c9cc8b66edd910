# On Debian's ARM kernels, on emulated machines
packages="$native g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-system-arm cpio libboost-dev"
source toolchains/download.sh

# Two kernels, of whose packages nothing else is kept. Nothing is installed.
fetch() {
    local name architecture unpacked scratch
    command -v apt-get > /dev/null || return 0
    for name in arm64 armmp; do
        unpacked=$root/build/debian_kernels/$name
        scratch=$unpacked.apt
        [ ! -e "$unpacked" ] || continue
        architecture=${name/armmp/armhf}
        say "unpacking linux-image-$name into $unpacked"
        rm -rf "$scratch"
        mkdir -p "$scratch/unpacked"
        if ! download bookworm "$architecture" "linux-image-$name" > "$scratch/log" 2>&1 ||
            ! dpkg-deb --fsys-tarfile "$scratch"/linux-image-*.deb |
            tar -x -C "$scratch/unpacked" --wildcards './boot/vmlinuz*' >> "$scratch/log" 2>&1; then
            sed 's/^/    /' "$scratch/log" >&2
            say "could not get linux-image-$name; by hand: unpack its ./boot anywhere, then"
            say "cmake --preset kernels -DWEIR_KERNEL_${name^^}=<vmlinuz of it>"
            exit 3
        fi
        mv "$scratch/unpacked" "$unpacked"
        rm -rf "$scratch"
    done
}

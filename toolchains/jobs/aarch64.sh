# All tests but adapters' on 64-bit ARM, emulated
packages="$cross g++-aarch64-linux-gnu qemu-user googletest"

# All tests on ARMv8.1, emulated
packages="$cross g++-aarch64-linux-gnu qemu-user googletest"

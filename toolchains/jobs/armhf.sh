# All tests but adapters' on 32-bit ARMv7-A, emulated
packages="$cross g++-arm-linux-gnueabihf qemu-user googletest"

# All tests but adapters' on a big-endian machine, emulated
packages="$cross g++-s390x-linux-gnu qemu-user googletest"

# All tests but adapters' on 64-bit RISC-V, emulated
packages="$cross g++-riscv64-linux-gnu qemu-user googletest"

# A microcontroller with RISC-V, emulated
packages="$cross gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf libstdc++-arm-none-eabi-newlib qemu-system-misc"

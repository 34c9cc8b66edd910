# Pages and headers by each compiler that weir names
packages="$native libboost-dev g++-12-multilib clang-14 clang-19 g++-riscv64-linux-gnu
    gcc-arm-none-eabi libstdc++-arm-none-eabi-dev libnewlib-dev qemu-user"

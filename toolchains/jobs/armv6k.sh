# The object code for the first Raspberry Pi
packages="$cross g++-arm-linux-gnueabihf"

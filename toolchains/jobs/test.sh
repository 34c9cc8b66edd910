# The tests of this machine, with assertions and with a quarter of the repetitions
packages="$native libgtest-dev libboost-dev libhiredis-dev libssl-dev openssl redis-tools valgrind binutils python3 zsh fish"
takes="4 to 5 minutes on two cores, 2 where ccache has compiled it before"

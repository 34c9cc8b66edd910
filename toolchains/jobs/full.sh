# All tests of this machine, optimised, with assertions and with all repetitions
packages="$native libgtest-dev libboost-dev valgrind binutils python3"
takes="6 to 8 minutes on two cores"

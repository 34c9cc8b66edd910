# All tests of this machine, optimised, with assertions
packages="$native libgtest-dev libboost-dev valgrind binutils"
takes="5 to 8 minutes on two cores, 2 to 3 where ccache has compiled it before"

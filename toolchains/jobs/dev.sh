# All tests in the configuration for an editor: debug, fewer repetitions
packages="$native libgtest-dev libboost-dev"

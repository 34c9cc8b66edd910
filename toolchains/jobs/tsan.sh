# All tests under g++'s ThreadSanitizer
packages="$native libgtest-dev libboost-dev"

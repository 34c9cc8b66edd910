# All tests under AddressSanitizer and UBSan
packages="$native libgtest-dev libboost-dev"

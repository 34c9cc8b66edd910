# The soak for five minutes
packages="$native libboost-dev"
run() { exec toolchains/bootstrap soak --minutes 5 "$@"; }

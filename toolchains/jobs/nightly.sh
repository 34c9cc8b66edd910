# The soak for five minutes, and all proofs, which take some hours
packages="$native libboost-dev"
run() {
    toolchains/bootstrap soak --minutes 5 "$@"
    exec toolchains/bootstrap proof --all
}

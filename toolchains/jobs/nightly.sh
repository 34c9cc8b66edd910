# The soak for five minutes, two hundred mutations by rule, and all proofs, which take some hours
packages="$native libboost-dev"
run() {
    toolchains/bootstrap soak --minutes 5 "$@"
    toolchains/bootstrap mutants --random 200 'base/*' 'clock/*' 'cell/*' 'limiter/*' 'table/*' 'pacer/*' || say "going on: see which mutations have survived"
    exec toolchains/bootstrap proof --all
}

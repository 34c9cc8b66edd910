# The benchmarks beside other libraries, with the options of build/peers/bench_peers
packages="$native libbenchmark-dev"
target=peers

# Without a library, or without cargo, its peers are left out.
fetch() { (install_missing libabsl-dev libtbb-dev) < /dev/null || say "going on without these"; }

run() {
    configure
    build
    exec build/peers/bench_peers "$@"
}

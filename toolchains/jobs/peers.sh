# The benchmarks beside other libraries, with the options of build/peers/bench_peers
packages="$native libbenchmark-dev libboost-dev"
target=peers
takes="a quarter of an hour, with Go, Java and Rust"

# Without a library or a program, or without cargo, go, or java and mvn, its peers are left out.
fetch() {
    (install_missing libabsl-dev libtbb-dev pv cstream) < /dev/null || say "going on without these"
}

run() {
    configure
    build
    exec build/peers/bench_peers "$@"
}

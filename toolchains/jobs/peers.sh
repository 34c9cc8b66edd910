# The benchmarks beside other libraries, those in Rust too if cargo is there, with build/peers/bench_peers' options
packages="$native libbenchmark-dev libabsl-dev libtbb-dev"
target=peers
run() {
    configure
    build
    exec build/peers/bench_peers "$@"
}

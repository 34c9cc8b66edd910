# The benchmarks, with the options of build/bench/bench_report: --quick only shows that they run,
# --tails measures only the slowest decisions, --out=bench/results replaces what the pages show
packages="$native libbenchmark-dev libboost-dev"
run() {
    configure
    build
    exec build/bench/bench_report "$@"
}

# Makes the pictures of the pages anew, out of what was measured and what weir sim simulates
packages="$native libbenchmark-dev"
target=pictures
run() {
    configure
    build
    cmake -DWEIR=build/pictures/weir -DBENCH_PICTURES=build/pictures/bench_pictures \
        -DFLEET=build/pictures/bench_fleet_keys -DOUT=bench/results/pictures -P bench/pictures/pictures.cmake
    say "made bench/results/pictures and bench/results/fleet.svg"
}

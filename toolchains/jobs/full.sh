# All tests of this machine, optimised, with assertions and with all repetitions
packages="$native libgtest-dev libboost-dev libhiredis-dev libssl-dev openssl redis-tools libspdlog-dev libcurl4-openssl-dev python3 python3-prometheus-client valgrind binutils zsh fish"
takes="6 to 8 minutes on two cores"
source toolchains/download.sh

# promtool is a program of the package of Prometheus's server. Nobody wants that, or nginx, to be installed
# and started.
fetch() {
    if ! command -v nginx /usr/sbin/nginx > /dev/null; then
        unpack bookworm nginx "$root/build/nginx" \
            "cmake --preset full -DWEIR_NGINX=<file>, or go on without it: toolchains/bootstrap test"
    fi
    if command -v promtool > /dev/null; then return 0; fi
    unpack bookworm prometheus "$root/build/prometheus" \
        "cmake --preset full -DWEIR_PROMTOOL=<file>, or go on without it: toolchains/bootstrap test"
}

# All parts of the library together under load: weir soak, with your arguments
packages="$native libboost-dev"
target=weir
run() {
    configure
    build
    exec build/soak/weir soak "$@"
}

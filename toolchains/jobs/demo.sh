# Shows what weir does on this machine: weir demo, with your arguments
target=weir
run() {
    configure
    build
    exec build/demo/weir demo "$@"
}

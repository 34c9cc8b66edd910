# Debian packages: which of them are here, and how the others come. For toolchains/bootstrap.

# The command by which a package shows, however it was installed. Others are libraries.
command_of() {
    case $1 in
        g++ | cmake | ccache | cpio | python3 | valgrind | zsh | fish | clang | clang-format | clang-tidy) echo "$1" ;;
        ninja-build) echo ninja ;;
        g++-*-linux-*) echo "${1#g++-}-g++" ;;
        qemu-user) echo qemu-aarch64 ;;
        gcc-arm-none-eabi) echo arm-none-eabi-g++ ;;
        qemu-system-arm) echo qemu-system-arm ;;
        binutils) echo objdump ;;
        redis-tools) echo redis-check-rdb ;;
    esac
}

is_there() {
    local command
    command=$(command_of "$1")
    if [ -n "$command" ] && command -v "$command" > /dev/null; then
        return 0
    fi
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2> /dev/null | grep -qx installed
}

# Sets `as_root` to what a command needs in front; fails where nothing helps.
find_root() {
    as_root=
    if [ "$(id -u)" = 0 ]; then return 0; fi
    command -v sudo > /dev/null || return 1
    if sudo -n true 2> /dev/null; then
        as_root="sudo -n"
    elif [ -t 0 ]; then
        as_root=sudo # there is somebody who can be asked for the password
    else
        return 1
    fi
}

install() {
    local arguments="install -y --no-install-recommends $*"
    if ! command -v apt-get > /dev/null; then
        say "not a Debian: looked for what Debian calls $*; going on with what CMake finds"
        return 0
    fi
    if ! find_root; then
        say "missing: $*. Neither root nor sudo: run this as root, then try again:"
        say "apt-get update && apt-get $arguments"
        exit 3
    fi
    say "installing $*"
    # Unquoted, since each of these is several words.
    local apt="env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300"
    if ! { $as_root $apt -o APT::Update::Error-Mode=any update &&
        $as_root $apt -o Dpkg::Use-Pty=0 $arguments > /dev/null; } < /dev/null; then
        say "could not install $*; by hand: apt-get update && apt-get $arguments"
        exit 3
    fi
}

install_missing() {
    local package missing=()
    for package in "$@"; do
        is_there "$package" || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] || install "${missing[@]}"
    install_ccache
}

# A second build is done in a fraction of the time, but the first needs no ccache: where it cannot be
# installed without asking anybody, this is tried once.
install_ccache() {
    local tried=build/no_ccache
    if is_there ccache || [ -e "$tried" ]; then return 0; fi
    (install ccache) < /dev/null || say "going on without ccache"
    mkdir -p build
    command -v ccache > /dev/null || touch "$tried"
}

# The protocols under the model checker Relacy
packages="$native libgtest-dev libboost-dev"
target=model
source toolchains/download.sh

# Nothing is installed: Relacy's headers are unpacked to where tests/model looks for them.
fetch() {
    local unpacked=$root/build/relacy
    local scratch=$unpacked.apt
    if [ -e /usr/include/relacy/relacy.hpp ] || [ -e "$unpacked/usr/include/relacy/relacy.hpp" ]; then
        return 0
    fi
    if ! command -v apt-get > /dev/null; then
        say "not a Debian: looked for what Debian calls relacy-dev; going on with what CMake finds"
        return 0
    fi
    say "unpacking relacy-dev into $unpacked"
    rm -rf "$unpacked" "$scratch"
    mkdir -p "$scratch"
    # The package is only in suites that are newer than the oldest one we build on.
    if ! download trixie "$(dpkg --print-architecture)" relacy-dev > "$scratch/log" 2>&1 ||
        ! dpkg-deb -x "$scratch"/relacy-dev_*.deb "$scratch/unpacked" >> "$scratch/log" 2>&1; then
        sed 's/^/    /' "$scratch/log" >&2
        say "could not get relacy-dev; by hand: unpack its sources anywhere, then"
        say "cmake --preset model -DWEIR_RELACY=<folder of relacy/relacy.hpp>"
        rm -rf "$scratch"
        exit 3
    fi
    mv "$scratch/unpacked" "$unpacked"
    rm -rf "$scratch"
}

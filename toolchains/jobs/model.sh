# The protocols under the model checker Relacy
packages="$native libgtest-dev libboost-dev"
target=model
source toolchains/download.sh

# Nothing is installed: Relacy's headers are unpacked to where tests/model looks for them. The package is
# only in suites that are newer than the oldest one we build on.
fetch() {
    if [ -e /usr/include/relacy/relacy.hpp ]; then return 0; fi
    unpack trixie relacy-dev "$root/build/relacy" \
        "unpack its sources anywhere, then cmake --preset model -DWEIR_RELACY=<folder of relacy/relacy.hpp>"
}

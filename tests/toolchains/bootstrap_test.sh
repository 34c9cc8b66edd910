#!/bin/bash
# Which packages a job brings, and what is called after it: on a machine that has no library, and
# of which apt-get, dpkg-query, id and cmake are stand-ins that write down how they are called.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# All that this machine has, but for ccache.
mkdir machine tools
ln -s /usr/bin/* machine/
rm -f machine/ccache
mkdir toolchains
cp -R "$root/toolchains/bootstrap" "$root"/toolchains/*.sh "$root/toolchains/jobs" toolchains/
stand_in() {
    printf '#!/bin/bash\n%s\n' "$2" > "tools/$1"
    chmod +x "tools/$1"
}
stand_in apt-get "echo \"apt-get \$*\" >> $scratch/calls"
stand_in dpkg-query "exit 1"
stand_in id "echo 0"
stand_in ctest "echo \"ctest \$*\" >> $scratch/calls"
stand_in cmake "
if [ \"\$1\" = --version ]; then echo cmake version 3.25.1; exit; fi
echo \"cmake \$*\" >> $scratch/calls
mkdir -p build/bench
printf '#!/bin/bash\necho report \"\$@\"\n' > build/bench/bench_report
chmod +x build/bench/bench_report"
bootstrap() {
    : > calls
    status=0
    PATH="$scratch/tools:$scratch/machine" toolchains/bootstrap "$@" < /dev/null > said 2>&1 || status=$?
}

# The pacer is measured too: its lanes are Boost's. And options go to the report.
bootstrap bench --out=bench/results
expect_status 0 $status said
expect " libbenchmark-dev libboost-dev" in calls
expect "cmake --preset bench" in calls
expect "cmake --build build/bench" in calls
expect "report --out=bench/results" in said

# Some jobs build one target, and tests come after it.
bootstrap lint
expect "cmake --build build/lint --target lint" in calls
tail -n 1 calls > last
expect "ctest --preset lint" in last

# ccache is a matter of speed: whether it can be installed is tried once, and is no failure.
rm -r build
stand_in apt-get "echo \"apt-get \$*\" >> $scratch/calls; [[ \$* != *ccache* ]]"
bootstrap dev
expect_status 0 $status said
expect "install -y --no-install-recommends ccache" in calls
expect "going on without ccache" in said
expect "ctest --preset dev" in calls
bootstrap dev
expect_no "ccache" in calls

# Other packages are needed.
stand_in apt-get "exit 1"
bootstrap bench
expect_status 3 $status said

bootstrap no_such_job
expect_status 2 $status said
expect "toolchains/bootstrap <job>" in said

# Each job, where everything is there already, ends well and has a preset, unless it calls other jobs.
stand_in apt-get ""
stand_in git '[ "$1" != clone ] || { mkdir -p "$4/build" && cp -R released "$4/build/release" && cp -R cloned "$4/toolchains"; }'
stand_in cpack "echo \"cpack \$*\" >> $scratch/calls"
mkdir -p released cloned .ci tests/{mutants,proof} toolchains/package build/{conan/bin,cyclonedx/bin,zig/bin,demo,soak,peers,prometheus,relacy,debian_kernels/{arm64,armmp},tracy_client}
touch build/tracy_client/TracyClient.cpp build/conan/2.9.3 build/zig/0.17.0 build/cyclonedx/11.12.0
echo "1 weir.hpp" > released/SHA256SUMS
for program in .ci/run tests/{mutants,proof}/run build/demo/weir build/soak/weir build/peers/bench_peers \
    build/conan/bin/conan build/zig/bin/python toolchains/package/single_header \
    toolchains/package/sbom cloned/bootstrap build/cyclonedx/bin/python; do
    printf '#!/bin/bash\necho "$0 $*" >> calls\n' > $program
    chmod +x $program
done
for file in toolchains/jobs/*.sh; do
    job=$(basename "$file" .sh)
    bootstrap "$job"
    expect_status 0 $status said
    case $job in
        all) expect ".ci/run --all" in calls ;;
        conan) expect "conan create toolchains/package/conan" in calls ;;
        macos) expect "-target x86_64-macos" in calls ;;
        mutants) expect "tests/mutants/run" in calls ;;
        nightly)
            expect "build/soak/weir soak --minutes 5" in calls
            expect "tests/proof/run --all" in calls
            ;;
        proof) expect "tests/proof/run" in calls ;;
        release)
            expect "single_header build/release" in calls
            expect "cpack -G DEB" in calls
            ;;
        reproducible) expect "both builds are the same" in said ;;
        *)
            expect "cmake --preset $job" in calls
            expect "\"name\": \"$job\"" in "$root/CMakePresets.json"
            ;;
    esac
done

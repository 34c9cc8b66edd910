#!/bin/bash
# Which packages a preset brings, and what is called after it: on a machine that has no library, and
# of which apt-get, dpkg-query, id and cmake are stand-ins that write down how they are called.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER WEIR_CCACHE # of who runs this test

mkdir toolchains tools
cp "$root/toolchains/bootstrap" toolchains/
cp "$root/CMakePresets.json" .
stand_in() {
    printf '#!/bin/bash\n%s\n' "$2" > "tools/$1"
    chmod +x "tools/$1"
}
stand_in apt-get "echo \"apt-get \$*\" >> $scratch/calls"
stand_in dpkg-query "exit 1"
stand_in id "echo 0"
stand_in cmake "
if [ \"\$1\" = --version ]; then echo cmake version 3.25.1; exit; fi
echo \"cmake \$* by \${CMAKE_CXX_COMPILER_LAUNCHER:-nothing}\" >> $scratch/calls
mkdir -p build/bench
printf '#!/bin/bash\necho report \"\$@\"\n' > build/bench/bench_report
chmod +x build/bench/bench_report"
bootstrap() {
    : > calls
    PATH="$scratch/tools:$PATH" toolchains/bootstrap "$@" < /dev/null > said 2>&1
}

# The pacer is measured too: its lanes are Boost's. And options go to the report.
bootstrap bench --out=bench/results
expect " libbenchmark-dev libboost-dev" in calls
expect "cmake --workflow --preset bench" in calls
expect "report --out=bench/results" in said

# Only for who asks for it.
WEIR_CCACHE= bootstrap dev
expect "by nothing" in calls
stand_in ccache ""
WEIR_CCACHE=1 bootstrap dev
expect "by ccache" in calls
stand_in apt-get "exit 1"
rm tools/ccache
status=0
bootstrap bench || status=$?
expect_status 3 $status said

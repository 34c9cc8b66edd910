#!/bin/bash
# .ci/run in a repository of its own, where the legs end as the test says: what it says at the end,
# and whether it fails.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
command -v git > /dev/null || { echo "skipped: there is no git"; exit 0; }

mkdir .ci toolchains
cp "$root/.ci/run" .ci/
# `endings` has a line "<leg> <status>" for each leg that does not pass.
cat > toolchains/bootstrap << 'END'
#!/bin/bash
echo "work of $1${2:+, $2}"
status=$(sed -n "s/^$1 //p" endings)
[ "$1" != lint ] || echo "tidied: ${WEIR_LINT_SCOPE:-all}"
[ "${status:-0}" = 0 ] || exit "$status"
echo "100% tests passed, 0 tests failed out of 7"
[ "$1" != test ] || printf 'The following tests did not run:\n\t  3 - a.test (Skipped)\n\n'
END
chmod +x toolchains/bootstrap
commit() {
    mkdir -p "$(dirname "${1:-x}")"
    echo x >> "${1:-x}"
    git add "${1:-x}"
    git -c user.name=a -c user.email=a@b commit -q -m "${1:-x}"
}
run() {
    status=0
    .ci/run "$@" > said 2>&1 || status=$?
    tail -n 1 said > last
}
expect_line() {
    grep -qE -- "$1" "$3" && return
    echo "expected a line like $1 in:"
    cat "$3"
    exit 1
}
# Which legs have run, in the order of the alphabet.
expect_legs() {
    local legs
    legs=$(sed -n 's/^work of \([^,]*\).*/\1/p' said | sort -u | tr '\n' ' ')
    [ "$legs" = "$* " ] && return
    echo "expected the legs $*, got $legs"
    exit 1
}
always="cortex-m0 cortex-m3 cortex-m4 lint model test"

git init -q .
: > endings
commit
run
expect_status 0 $status said
expect_legs cortex-m0 cortex-m3 cortex-m4 fuzz lint model test tsan
expect "armhf: its turn is at another commit" in said
expect "kernels: runs only by hand" in said
expect "test: a.test (Skipped)" in said
expect_line '^fuzz +[0-9]+ s  100% tests passed, 0 tests failed out of 7$' in said
expect_line '^=== all passed in [0-9]+ s, without aarch64 armhf armv6k asan bench .* aarch64-lse conan kernels macos mutants reproducible$' in last

# Within eight commits each has its turn, and the sanitizers have two.
cp said turns
for count in 2 3 4 5 6 7 8; do
    commit
    run
    cat said >> turns
done
expect_status 0 $status said
expect_turns() {
    [ "$(grep -cxE "work of ($2)(, .*)?" turns)" = "$1" ] || { echo "$2 has not had $1 turns"; exit 1; }
}
for leg in aarch64 armhf armv6k bench compilers full fuzz m32 proof release riscv64 rv32imac s390x soak tracy windows; do
    expect_turns 1 $leg
done
for leg in asan tsan; do expect_turns 2 $leg; done
for leg in $always; do expect_turns 8 "$leg|${leg/#test/full}"; done # `full` runs in place of `test`
expect "test: full has run in its place" in turns
expect "work of bench, --quick" in turns

# What the change touches runs out of turn: of the last commit, or since the one that is told.
commit bench/cells.cpp
run
expect_legs bench cortex-m0 cortex-m3 cortex-m4 fuzz lint model test tsan
commit benches
WEIR_CI_BASE=HEAD~2 run
expect_legs armv6k bench compilers cortex-m0 cortex-m3 cortex-m4 lint model release rv32imac test
run
expect_legs armv6k compilers cortex-m0 cortex-m3 cortex-m4 lint model release rv32imac test
# In a clone, since it left what it was cloned from.
git clone -q . clone
(
    cd clone
    commit bench/x.cpp
    commit
    commit
    mkdir .ci toolchains
    cp ../endings .
    cp ../toolchains/bootstrap toolchains/
    cp ../.ci/run .ci/
    run
    expect_legs aarch64 bench cortex-m0 cortex-m3 cortex-m4 lint model test tsan
)

# A leg that cannot run is told in the last line, and is no success; the others run.
printf 'cortex-m0 3\nrelease 3\n' > endings
run
expect_status 1 $status said
expect "cortex-m0: its packages could not be installed" in said
expect "work of compilers" in said
expect "=== FAILED: could not run cortex-m0 release" in last

# One that fails ends it, and what it said at its end is said again.
printf 'lint 1\n' > endings
run
expect_status 1 $status said
expect_legs lint model test
expect_line '^test +[0-9]+ s  100% tests passed' in said
expect_line '^lint +[0-9]+ s  FAILED, with status 1$' in said
expect "compilers: lint has failed before" in said
tail -n 3 said > end
expect "work of lint" in end
expect "=== FAILED: lint, after " in last

# Those that somebody asks for, or all.
: > endings
run lint fuzz
expect_status 0 $status said
expect_legs fuzz lint
expect "test: was not asked for" in said
expect "tidied: shipped" in said
run --all
expect_status 0 $status said
expect "tidied: all" in said
expect "work of kernels" in said
expect "work of full" in said
expect_no "work of test" in said
expect_line '^=== all passed in [0-9]+ s$' in last

# A shallow clone does not know how many commits there are, and has one turn all the same.
git clone -q --depth 1 "file://$PWD" shallow
cp -r .ci toolchains endings shallow/
cd shallow
run
expect_status 0 $status said
if grep -q "work of armhf" said && grep -q "work of fuzz" said; then
    echo "a shallow clone runs the legs of two turns"
    exit 1
fi
cd ..

# Where nobody counts commits, each has its turn.
rm -rf .git
run
expect_status 0 $status said
expect_legs $(printf '%s\n' ${always/test/full} aarch64 armhf armv6k asan bench compilers fuzz m32 proof release riscv64 rv32imac s390x soak tracy tsan windows | sort)

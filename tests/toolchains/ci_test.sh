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
echo "work of $1"
status=$(sed -n "s/^$1 //p" endings)
[ "${status:-0}" = 0 ] || exit "$status"
echo "100% tests passed, 0 tests failed out of 7"
[ "$1" != test ] || printf 'The following tests did not run:\n\t  3 - a.test (Skipped)\n\n'
END
chmod +x toolchains/bootstrap
commit() { git -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$1"; }
run() {
    status=0
    .ci/run > said 2>&1 || status=$?
    tail -n 1 said > last
}

git init -q .
: > endings
commit one
run
expect_status 0 $status said
expect "work of armhf" in said
expect_no "work of aarch64" in said
expect "aarch64: aarch64 and armhf take turns" in said
expect "test: a.test (Skipped)" in said
grep -qE '^fuzz +[0-9]+ s  100% tests passed, 0 tests failed out of 7$' said
expect "=== all passed, without aarch64" in last

commit two
run
expect_status 0 $status said
expect_no "work of armhf" in said
expect "work of aarch64" in said
expect "=== all passed, without armhf" in last

# A leg that cannot run is told in the last line, and is no success; the others run.
printf 'cortex-m0 3\ntracy 3\n' > endings
run
expect_status 1 $status said
expect "cortex-m0: its packages could not be installed" in said
expect "work of fuzz" in said
expect "=== FAILED: could not run tracy cortex-m0" in last

# One that fails ends it.
printf 'soak 1\n' > endings
run
expect_status 1 $status said
expect_no "work of tracy" in said
expect "tracy: soak has failed before" in said
expect "=== FAILED: soak" in last

# Where nobody counts commits, both run.
: > endings
rm -rf .git
run
expect_status 0 $status said
expect "work of armhf" in said
expect "work of aarch64" in said
printf '=== all passed\n' | cmp - last

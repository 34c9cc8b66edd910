# What the tests of this folder have in common; they are given the root of the project, and work in a
# folder of their own.
set -euo pipefail
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# expect <text> in <file>; expect_no likewise.
expect() {
    grep -qF -- "$1" "$3" && return
    printf 'expected: %s\nin:\n' "$1"
    cat "$3"
    exit 1
}
expect_no() {
    grep -qF -- "$1" "$3" || return 0
    printf 'did not expect: %s\nin:\n' "$1"
    cat "$3"
    exit 1
}
expect_status() {
    [ "$1" = "$2" ] && return
    echo "expected the exit status $1, got $2"
    cat "$3"
    exit 1
}

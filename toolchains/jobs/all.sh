# Every leg of CI and those that are too long for it: more than an hour
packages=
run() { exec .ci/run --all; }

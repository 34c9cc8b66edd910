# Claims about the rules of cells and of the pacer, proved for all states. Arguments as of tests/proof/run
packages="cmake clang python3-z3"
takes="some four minutes of two cores; with --all some hours"
run() { exec tests/proof/run "$@"; }

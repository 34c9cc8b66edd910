# Claims about the rules of cells, proved for all states. Arguments as of tests/proof/run
packages="cmake clang python3-z3"
takes="some three minutes of one core; with --all some hours"
run() { exec tests/proof/run "$@"; }

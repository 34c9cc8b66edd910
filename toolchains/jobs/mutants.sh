# Headers broken in one place at a time: which test notices? Arguments as of tests/mutants/run
source toolchains/jobs/model.sh # which fetches the model checker
packages="g++ python3 libgtest-dev libboost-dev"
target=""
takes="some 20 minutes on two cores, 5 where ccache has compiled it before"
run() { exec tests/mutants/run "$@"; }

# clang-format and clang-tidy over everything; with WEIR_LINT_SCOPE=shipped, clang-tidy over what ships
packages="$native libgtest-dev libboost-dev libbenchmark-dev clang-format clang-tidy"
target=lint

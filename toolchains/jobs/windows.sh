# All tests but adapters' on Windows: built by MinGW-w64, run by Wine
packages="$cross g++-mingw-w64-x86-64-posix wine64 googletest"

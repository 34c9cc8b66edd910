# All tests but adapters' on 32-bit x86
packages="$cross g++-12-multilib googletest"

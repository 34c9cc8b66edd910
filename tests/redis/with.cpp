// SPDX-License-Identifier: MIT
// with <program>: runs it with a Redis of its own, whose socket is its argument. What the program
// returns is returned.
#include <cstdlib>
#include <string>
#include <sys/wait.h>

#include "server.hpp"

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const redis_server server;
    const std::string command = std::string("\"") + arguments[1] + "\" " + server.socket();
    const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// SPDX-License-Identifier: MIT
// with <program> [<argument>...]: runs it with a Redis of its own, whose socket is its last
// argument. Compiled with TLS the last two are the port and the folder of the certificates
// (tls.hpp). What the program returns is returned.
#include <cstdlib>
#include <string>
#include <sys/wait.h>

#include "server.hpp"
#ifdef WEIR_OPENSSL
#include "tls.hpp"
#endif

int main(int count, char** arguments) {
    if (count < 2) return 2;
    std::string command;
    for (int i = 1; i < count; ++i) command += std::string("\"") + arguments[i] + "\" ";
#ifdef WEIR_OPENSSL
    const tls_server server("good", {"--tls-auth-clients", "yes"});
    command += std::to_string(server.port()) + " " + file("");
#else
    const redis_server server;
    command += server.socket();
#endif
    const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

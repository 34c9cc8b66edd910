// SPDX-License-Identifier: MIT
// What the tests take from the guide, fleet.md.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "server.hpp"

// The guide's command for a user who may do what weir does, and nothing else.
inline redis_server::words user_of_the_page() {
    std::ifstream page(WEIR_PAGE);
    std::string line;
    while (std::getline(page, line) && !line.starts_with("ACL SETUSER ")) {
    }
    std::istringstream text(line);
    redis_server::words words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
}

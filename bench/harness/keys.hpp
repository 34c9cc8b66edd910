// The part of the report about the memory that a key takes.
#pragma once

#include <iosfwd>

namespace bench {

// In keys.cpp. Takes some seconds.
void write_bytes_of_keys(std::ostream& out);

}  // namespace bench

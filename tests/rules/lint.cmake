# toolchains/lint passes over a small tree without mistakes, and fails, with what matches EXPECTED, as
# soon as PLANTED is in it: a name that is written otherwise, a conversion that loses digits in a
# template of a header, which shows only in who uses it, or a line that is not formatted.
#   cmake -DROOT=<repository> -DTREE=<folder to write to> -DPLANTED=<which> -DEXPECTED=<pattern>
#       -P lint.cmake

file(REMOVE_RECURSE ${TREE})
file(MAKE_DIRECTORY ${TREE}/bench ${TREE}/toolchains)
foreach(file .clang-format .clang-tidy toolchains/lint)
    configure_file(${ROOT}/${file} ${TREE}/${file} COPYONLY)
endforeach()

set(name "half")
set(half "value / 2")
set(indent "    ")
if(PLANTED STREQUAL "finding")
    set(name "Half")
elseif(PLANTED STREQUAL "warning")
    set(half "static_cast<long>(value) / 2")
elseif(PLANTED STREQUAL "format")
    set(indent "  ")
endif()
file(WRITE ${TREE}/include/weir/base/half.hpp "#pragma once

template <class T>
T ${name}(T value) {
${indent}return ${half};
}
")
file(WRITE ${TREE}/include/weir/cell/quarter.hpp "#pragma once

#include <weir/base/half.hpp>

template <class T>
T quarter(T value) {
    return ${name}(${name}(value));
}
")
file(WRITE ${TREE}/tests/half_test.cpp "#include <weir/cell/quarter.hpp>

unsigned quarter_of(unsigned value) { return quarter(value); }
")
file(WRITE ${TREE}/src/main.cpp "int main() { return 0; }\n")
file(WRITE ${TREE}/build/headers/weir/base/half.hpp.cpp "#include <weir/base/half.hpp>\n")
foreach(unit tests/half_test.cpp src/main.cpp build/headers/weir/base/half.hpp.cpp)
    list(APPEND commands "{
  \"directory\": \"${TREE}\",
  \"command\": \"c++ -std=c++20 -I${TREE}/include -Wconversion -c ${TREE}/${unit}\",
  \"file\": \"${TREE}/${unit}\"
}")
endforeach()
list(JOIN commands ",\n" commands)
file(WRITE ${TREE}/build/compile_commands.json "[\n${commands}\n]\n")

execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=WEIR_LINT_SCOPE ${TREE}/toolchains/lint ${TREE}/build
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
if(PLANTED STREQUAL "nothing" AND NOT status EQUAL 0)
    message(FATAL_ERROR "refused:\n${output}")
elseif(NOT PLANTED STREQUAL "nothing" AND status EQUAL 0)
    message(FATAL_ERROR "accepted")
elseif(NOT output MATCHES "${EXPECTED}")
    message(FATAL_ERROR "refused, but without '${EXPECTED}':\n${output}")
endif()

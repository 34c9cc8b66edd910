# Each picture is small, has a title and a description, and is shown by a page with words for those who cannot
# see it; on the page of the algorithms these are its description, so that their figures are those that are drawn:
#   cmake -DROOT=<repository> -P shown.cmake

cmake_minimum_required(VERSION 3.25)
set(pictures ${ROOT}/bench/results/pictures)
set(most_bytes 61440)

file(GLOB_RECURSE pages RELATIVE ${ROOT} ${ROOT}/*.md) # the repository itself may be in a folder `build`
list(FILTER pages EXCLUDE REGEX "^build/")
set(text "")
foreach(page IN LISTS pages)
    file(READ ${ROOT}/${page} one)
    string(APPEND text "${one}")
endforeach()
file(READ ${ROOT}/include/weir/cell/algorithms.md algorithms)


# Its command is the one that draws them.
file(READ ${ROOT}/bench/pictures/pictures.cmake drawing)
string(REGEX MATCHALL "--(quota|arrivals|for) [^ \n]+" words "${drawing}")
foreach(word IN LISTS words)
    string(FIND "${algorithms}" "${word}" position)
    if(position EQUAL -1)
        message(SEND_ERROR "algorithms.md has another command: without ${word}")
    endif()
endforeach()

file(GLOB names RELATIVE ${pictures} ${pictures}/*.svg)
foreach(name IN LISTS names)
    file(SIZE ${pictures}/${name} bytes)
    if(bytes GREATER most_bytes)
        message(SEND_ERROR "${name} has ${bytes} bytes, more than ${most_bytes}")
    endif()
    file(READ ${pictures}/${name} svg)
    if(NOT svg MATCHES "<title>[^<]+</title>" OR NOT svg MATCHES "<desc>([^<]+)</desc>")
        message(SEND_ERROR "${name} has no title or no description")
    endif()
    set(description "${CMAKE_MATCH_1}")
    if(NOT text MATCHES "<img src=\"[^\"]*pictures/${name}\"[^>]* alt=\"[^\"]")
        message(SEND_ERROR "no page shows ${name}, and says in words what it shows")
    endif()
    if(algorithms MATCHES "pictures/${name}\"[^>]* alt=\"([^\"]*)\"" AND NOT CMAKE_MATCH_1 STREQUAL description)
        message(SEND_ERROR "algorithms.md: the words for ${name} are ${CMAKE_MATCH_1}; it shows: ${description}")
    endif()
endforeach()

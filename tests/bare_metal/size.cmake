# Fails if a function of OBJECT whose name matches FUNCTION is longer than MOST bytes.
execute_process(
    COMMAND ${NM} --print-size --demangle --radix=d ${OBJECT}
    OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[][;]" "_" symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
set(found FALSE)
foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "^[0-9]+ 0*([0-9]+) [TtWw] (.*)$")
        set(size ${CMAKE_MATCH_1})
        set(name "${CMAKE_MATCH_2}")
        if(name MATCHES "${FUNCTION}")
            set(found TRUE)
            message("${size} bytes: ${name}")
            if(size GREATER MOST)
                message(SEND_ERROR "longer than ${MOST} bytes: ${name}")
            endif()
        endif()
    endif()
endforeach()
if(NOT found)
    message(FATAL_ERROR "no function matches ${FUNCTION}")
endif()

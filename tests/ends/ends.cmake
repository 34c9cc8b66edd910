# Runs PROGRAM, with ARGUMENT if there is one. A signal must end it, or on Windows `abort`, which exits
# with 3; and it must print what EXPECTED matches.
execute_process(COMMAND ${EMULATOR} ${PROGRAM} ${ARGUMENT}
    RESULT_VARIABLE status ERROR_VARIABLE printed)
message("${status}\n${printed}")
set(ends "[Aa]borted|[Ii]llegal|[Tt]rap|SIG|^13[0-9]$")
if(WINDOWS)
    string(REPLACE "\r" "" printed "${printed}")
    string(REGEX REPLACE "^.*(weir: )" "\\1" printed "${printed}") # what Wine says of itself
    set(ends "^3$")
endif()
if(NOT status MATCHES "${ends}")
    message(FATAL_ERROR "no signal ended it")
endif()
if(NOT printed MATCHES "${EXPECTED}")
    message(FATAL_ERROR "this is not what it was to print")
endif()

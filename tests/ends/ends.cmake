# Runs PROGRAM, with ARGUMENT if there is one. A signal must end it, and it must print what EXPECTED
# matches.
execute_process(COMMAND ${EMULATOR} ${PROGRAM} ${ARGUMENT}
    RESULT_VARIABLE status ERROR_VARIABLE printed)
message("${status}\n${printed}")
if(NOT status MATCHES "[Aa]borted|[Ii]llegal|[Tt]rap|SIG|^13[0-9]$")
    message(FATAL_ERROR "no signal ended it")
endif()
if(NOT printed MATCHES "${EXPECTED}")
    message(FATAL_ERROR "this is not what it was to print")
endif()

# A program must end with the sentence, and not by itself.
execute_process(COMMAND ${PROGRAM} ${MISTAKE} RESULT_VARIABLE result ERROR_VARIABLE said)
if(result EQUAL 0)
    message(FATAL_ERROR "the mistake was overlooked")
endif()
if(NOT said STREQUAL "weir: ${SENTENCE}\n")
    message(FATAL_ERROR "it said: ${said}")
endif()

# A rule that cannot fail guards nothing: the script RULE must refuse ROOT, and say EXPECTED.

execute_process(
    COMMAND ${CMAKE_COMMAND} -DROOT=${ROOT} -P ${CMAKE_CURRENT_LIST_DIR}/${RULE}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
string(FIND "${output}" "${EXPECTED}" place)
if(status EQUAL 0)
    message(FATAL_ERROR "accepted")
elseif(place EQUAL -1)
    message(FATAL_ERROR "refused, but without '${EXPECTED}':\n${output}")
endif()

# Counts the instructions of PROGRAM's `measured` with callgrind, and fails above BUDGET.
execute_process(
    COMMAND ${VALGRIND} --tool=callgrind --callgrind-out-file=/dev/null
        "--toggle-collect=*measured*" ${PROGRAM} ${CELL} ${CASE}
    RESULT_VARIABLE status
    ERROR_VARIABLE report
    OUTPUT_VARIABLE output)
if(NOT status EQUAL 0 OR NOT report MATCHES "Collected : ([0-9]+)" OR CMAKE_MATCH_1 EQUAL 0)
    message(FATAL_ERROR "${output}${report}")
endif()
message("${CMAKE_MATCH_1} instructions, budget ${BUDGET}")
if(CMAKE_MATCH_1 GREATER BUDGET)
    message(FATAL_ERROR "above the budget")
endif()

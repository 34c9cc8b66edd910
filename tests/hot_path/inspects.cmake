# weir_inspects(<test> <object library> <pattern of the functions> <pattern of what they may call>
#     [MUST_HAVE <pattern of an instruction that each of them must have>]
#     [MAY_NOT_HAVE <pattern of instructions that none of them may have>]): see inspect.cmake

find_program(WEIR_OBJDUMP NAMES ${CMAKE_OBJDUMP} objdump REQUIRED)

function(weir_inspects test unit functions may_call)
    cmake_parse_arguments(PARSE_ARGV 4 of "" "MUST_HAVE;MAY_NOT_HAVE" "")
    add_test(NAME ${test}
        COMMAND ${CMAKE_COMMAND} -DOBJECT=$<TARGET_OBJECTS:${unit}> -DOBJDUMP=${WEIR_OBJDUMP}
            -DFUNCTIONS=${functions} -DMAY_CALL=${may_call} -DMUST_HAVE=${of_MUST_HAVE}
            -DMAY_NOT_HAVE=${of_MAY_NOT_HAVE}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/inspect.cmake)
endfunction()

# weir_inspects(<test> <object library> <pattern of the functions> <pattern of what they may call>
#     [<pattern of an instruction that each of them must have>]): see inspect.cmake

find_program(WEIR_OBJDUMP NAMES ${CMAKE_OBJDUMP} objdump REQUIRED)

function(weir_inspects test unit functions may_call)
    add_test(NAME ${test}
        COMMAND ${CMAKE_COMMAND} -DOBJECT=$<TARGET_OBJECTS:${unit}> -DOBJDUMP=${WEIR_OBJDUMP}
            -DFUNCTIONS=${functions} -DMAY_CALL=${may_call} -DMUST_HAVE=${ARGN}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/inspect.cmake)
endfunction()

# Compiles a program of one file without a warning, and runs it.
separate_arguments(FLAGS)
execute_process(
    COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Werror ${FLAGS} -I${INCLUDE} ${SOURCE} -pthread
        -o ${PROGRAM}
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)

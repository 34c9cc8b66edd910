# Fails if two object files do not have the same instructions, or one of them knows of Tracy. They
# are made of one source, but a type in a name may differ, so names are not compared.

function(read object result)
    execute_process(
        COMMAND ${OBJDUMP} --disassemble --reloc --demangle --no-show-raw-insn ${object}
        OUTPUT_VARIABLE listing
        COMMAND_ERROR_IS_FATAL ANY)
    if(listing MATCHES "tracy::")
        message(FATAL_ERROR "${object} knows of Tracy")
    endif()
    string(REGEX REPLACE "(<|Disassembly|R_[A-Z0-9_]+[ \t]|file format)[^\n]*" "" listing "${listing}")
    string(FIND "${listing}" "\n\n" begin) # behind the file's name
    string(SUBSTRING "${listing}" ${begin} -1 listing)
    set(${result} "${listing}" PARENT_SCOPE)
endfunction()

read(${ONE} one)
read(${OTHER} other)
string(LENGTH "${one}" length)
if(length LESS 10000)
    message(FATAL_ERROR "there is hardly anything to compare in ${ONE}")
endif()
if(NOT one STREQUAL other)
    message(FATAL_ERROR "other instructions in ${OTHER}")
endif()
message("the same instructions")

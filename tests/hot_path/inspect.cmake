# Reads the disassembly of those functions in OBJECT whose name matches FUNCTIONS, and fails if one
# calls what does not match MAY_CALL, divides, computes in floating point or enters the kernel, or
# has no line that matches MUST_HAVE, if that is given.

execute_process(
    COMMAND ${OBJDUMP} --disassemble --reloc --demangle --no-show-raw-insn ${OBJECT}
    OUTPUT_VARIABLE listing
    COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[][;]" "_" listing "${listing}")
string(REPLACE "\n" ";" listing "${listing}")

set(divisions "[ \t](i?div[lqb]?|[us]div|fdiv)[ \t]")
set(floating "%[xyz]mm|%st|[ \t](f(add|sub|mul|cmp)|[su]cvtf|fcvt)|[ \t]v(add|sub|mul|div|cvt)")
set(kernel "[ \t](syscall|sysenter|int[ \t]+.0x80|svc)")

# Not `bx lr`, which returns; a table of jumps is none of these on any target here.
set(pointer "[ \t](call[lq]?|jmp[lq]?)[ \t]+[*]|[ \t]blr[ \t]+x|[ \t]br[ \t]+x|[ \t]blx[ \t]+(r|ip|lr)|[ \t]bx[ \t]+(r|ip)")

set(inspected 0)
set(lacking "")
set(findings "")
set(inside FALSE)
foreach(line IN LISTS listing)
    if(line MATCHES "^[0-9a-f]+ <(.*)>:$")
        set(function "${CMAKE_MATCH_1}")
        set(inside FALSE)
        if(function MATCHES "${FUNCTIONS}" AND NOT function MATCHES "\\.cold")
            set(inside TRUE)
            list(APPEND lacking "${function}")
            math(EXPR inspected "${inspected} + 1")
        endif()
    elseif(inside)
        if(line MATCHES "${divisions}" OR line MATCHES "${floating}" OR line MATCHES "${kernel}")
            list(APPEND findings "${function}: ${line}")
        endif()
        if(MUST_HAVE AND line MATCHES "${MUST_HAVE}")
            list(REMOVE_ITEM lacking "${function}")
        endif()
        if(line MATCHES "${pointer}")
            list(APPEND findings "${function}: calls through a pointer: ${line}")
        endif()
        # The relocation tells who is called; a jump to elsewhere is a call at the end.
        if(line MATCHES "R_[A-Z0-9_]*(PLT32|CALL26|CALL|JUMP[0-9]+|CONDBR19)[ \t]+(.*)$")
            string(REGEX REPLACE "[-+]0x[0-9a-f]+$" "" callee "${CMAKE_MATCH_2}")
            if(NOT callee MATCHES "${MAY_CALL}")
                list(APPEND findings "${function}: calls ${callee}")
            endif()
        endif()
    endif()
endforeach()

if(MUST_HAVE)
    foreach(function IN LISTS lacking)
        list(APPEND findings "${function}: has no ${MUST_HAVE}")
    endforeach()
endif()
if(inspected EQUAL 0)
    message(FATAL_ERROR "no function matches ${FUNCTIONS}")
endif()
if(findings)
    list(JOIN findings "\n" findings)
    message(FATAL_ERROR "${findings}")
endif()
message("${inspected} functions")

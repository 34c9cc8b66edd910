# Engines and systems define macros with names of everyday words (Unreal's check, windows.h's far).
# A program may have them before it includes weir: no header uses such a name, and what it includes
# from elsewhere does not see one that breaks it. Building is the test.

set(include ${PROJECT_SOURCE_DIR}/include)
set(ours "")
file(GLOB_RECURSE headers RELATIVE ${include} CONFIGURE_DEPENDS ${include}/weir/*.hpp)
foreach(header IN LISTS headers)
    file(STRINGS ${include}/${header} boost REGEX "^ *# *include <boost/")
    if(TARGET boost OR NOT boost)
        string(APPEND ours "#include <${header}>\n")
    endif()
endforeach()
set(macros "")
foreach(name check verify ensure min max near far small interface ERROR)
    string(APPEND macros "#define ${name} @ // of an engine\n")
endforeach()

# And they are still there afterwards.
set(kept "#define text_of(x) #x\n#define text_of_macro(x) text_of(x)\n")
string(APPEND kept "static_assert(text_of_macro(check)[0] == '@');\n")

set(unit ${CMAKE_CURRENT_BINARY_DIR}/headers_among_macros.cpp)
file(CONFIGURE OUTPUT ${unit} CONTENT "${macros}${ours}${kept}" @ONLY)
add_library(headers_among_macros OBJECT ${unit})
target_link_libraries(headers_among_macros PRIVATE weir_program)
if(TARGET boost)
    target_link_libraries(headers_among_macros PRIVATE boost)
endif()
# Not for clang-tidy, which reads each header by itself.
set_target_properties(headers_among_macros PROPERTIES EXPORT_COMPILE_COMMANDS OFF)

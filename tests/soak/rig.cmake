# The soak as a library, which the command links (src/CMakeLists.txt). Its tests are in CMakeLists.txt.
add_library(weir_soak STATIC)
function(weir_soak_sources)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/ OUTPUT_VARIABLE sources)
    target_sources(weir_soak PRIVATE ${sources})
endfunction()
weir_soak_sources(array.cpp campaign.cpp cell_parts.cpp cells.cpp cells_of_32_bits.cpp changing.cpp keyed.cpp
    leases.cpp options.cpp parts.cpp promises.cpp pulse.cpp report.cpp reservations.cpp several.cpp
    shared_memory.cpp soak.cpp stacks.cpp striped.cpp waiting.cpp windows.cpp wrapped_cells.cpp)
target_include_directories(weir_soak INTERFACE ${CMAKE_CURRENT_LIST_DIR}/..) # as "soak/soak.hpp"
target_link_libraries(weir_soak PUBLIC weir_command)
target_compile_definitions(weir_soak INTERFACE WEIR_HAS_SOAK)
target_link_options(weir_soak INTERFACE -rdynamic) # so that a stack has names

# The pacer's lanes are Boost's, and its thread is Linux's; elsewhere the soak has all other parts.
include(${PROJECT_SOURCE_DIR}/toolchains/dependencies.cmake)
weir_find_boost()
if(TARGET boost AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    weir_soak_sources(delivery.cpp ledger.cpp pacing.cpp priorities.cpp)
    target_link_libraries(weir_soak PUBLIC boost)
    target_compile_definitions(weir_soak PUBLIC WEIR_HAS_PACER)
endif()

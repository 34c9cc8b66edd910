# cmake -DBUILD=<folder> -DPREFIX=<folder> [-DCOMPONENT=<component>] -P install.cmake: installs elsewhere, and
# moves it there.
if(COMPONENT)
    set(component --component ${COMPONENT})
endif()
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}_before)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}_before ${component}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}_before ${PREFIX})

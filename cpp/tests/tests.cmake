# The tests of the core: once with the address and undefined-behaviour sanitizers, once with the thread sanitizer; and
# each header compiled alone, so that it includes what it uses.

enable_testing()
find_package(Threads REQUIRED)
file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_tests.cpp)
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/cpp/include
    ${PROJECT_SOURCE_DIR}/cpp/include/chanceless/*.hpp)

function(add_core_tests name sanitizers)
    add_executable(core_tests_${name} ${test_sources})
    target_link_libraries(core_tests_${name} PRIVATE chanceless_core Threads::Threads)
    target_compile_options(core_tests_${name} PRIVATE ${CHANCELESS_WARNINGS} -Werror -g1 -O1
        -fsanitize=${sanitizers} -fno-sanitize-recover=all)
    target_link_options(core_tests_${name} PRIVATE -fsanitize=${sanitizers})
    add_test(NAME core_${name} COMMAND core_tests_${name})
endfunction()
add_core_tests(address address,undefined)
add_core_tests(thread thread)

foreach(header IN LISTS headers)
    string(REPLACE "/" "_" source ${header})
    file(CONFIGURE OUTPUT headers/${source}.cpp CONTENT "#include \"${header}\"\n")
    list(APPEND header_sources ${CMAKE_CURRENT_BINARY_DIR}/headers/${source}.cpp)
endforeach()
add_library(headers_alone OBJECT ${header_sources})
target_link_libraries(headers_alone PRIVATE chanceless_core)
target_compile_options(headers_alone PRIVATE ${CHANCELESS_WARNINGS} -Werror -O0)

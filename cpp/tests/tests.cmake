# The tests of the core. CHANCELESS_CPP_TESTS lists the builds that are wanted:
#
#   plain     all tests, optimised
#   address   all tests but those of bits, which add no code, under the address and undefined-behaviour sanitizers
#   limbs     all tests without the compiler's integers of 128 bits; sanitizers see these integers in the address build
#   serial    all tests but those that start threads, without threads
#   thread    the tests that start threads, under the thread sanitizer
#   headers   each header compiled alone, so that it includes what it uses

enable_testing()
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
set(address_sources ${test_sources})
list(REMOVE_ITEM address_sources ${CMAKE_CURRENT_LIST_DIR}/bits_tests.cpp)
set(serial_sources ${test_sources})
list(REMOVE_ITEM serial_sources ${CMAKE_CURRENT_LIST_DIR}/base/threads_tests.cpp)
set(thread_sources main base/threads_tests certainty/permutation_tests counting/counting_tests counting/text_tests
    many/clusterings_tests)
list(TRANSFORM thread_sources REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/\\1.cpp")

# add_core_tests(<name> <sources> <option>...): the options are for the compiler and the linker, of the core as well.
function(add_core_tests name sources)
    add_core(core_${name} ${CHANCELESS_STRICT_WARNINGS} ${ARGN})
    add_executable(core_tests_${name} ${sources})
    target_link_libraries(core_tests_${name} PRIVATE core_${name})
    target_compile_options(core_tests_${name} PRIVATE ${CHANCELESS_STRICT_WARNINGS} ${ARGN})
    target_link_options(core_tests_${name} PRIVATE ${ARGN})
    add_test(NAME core_${name} COMMAND core_tests_${name})
endfunction()

set(sanitized -g1 -fno-sanitize-recover=all) # not optimised: compiling takes longer than running
foreach(build IN LISTS CHANCELESS_CPP_TESTS)
    if(build STREQUAL "plain")
        add_core_tests(plain "${test_sources}" $<IF:$<BOOL:${MSVC}>,/O2,-O2>)
    elseif(build STREQUAL "address")
        add_core_tests(address "${address_sources}" ${sanitized} -fsanitize=address,undefined)
    elseif(build STREQUAL "limbs")
        add_core_tests(limbs "${test_sources}" -O1)
        target_compile_definitions(core_limbs PUBLIC CHANCELESS_NO_INT128)
    elseif(build STREQUAL "serial")
        add_core_tests(serial "${serial_sources}" -O1)
        target_compile_definitions(core_serial PUBLIC CHANCELESS_NO_THREADS)
    elseif(build STREQUAL "thread")
        add_core_tests(thread "${thread_sources}" ${sanitized} -O1 -fsanitize=thread)
    elseif(build STREQUAL "headers")
        file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/cpp ${PROJECT_SOURCE_DIR}/cpp/*.hpp)
        list(FILTER headers EXCLUDE REGEX "^(python|tests)/")
        foreach(header IN LISTS headers)
            string(REPLACE "/" "_" source ${header})
            file(CONFIGURE OUTPUT headers/${source}.cpp CONTENT "#include \"${header}\"\n")
            list(APPEND header_sources ${CMAKE_CURRENT_BINARY_DIR}/headers/${source}.cpp)
        endforeach()
        add_library(headers_alone OBJECT ${header_sources})
        target_link_libraries(headers_alone PRIVATE core_options)
        target_compile_options(headers_alone PRIVATE ${CHANCELESS_STRICT_WARNINGS} -fsyntax-only) # no code is needed
    else()
        message(FATAL_ERROR "CHANCELESS_CPP_TESTS: there is no build ${build}")
    endif()
endforeach()

# What every target of ours is compiled with; linked PRIVATE, so that it never leaks to users.
add_library(arb_build INTERFACE)
# Host and device must round alike, and results must not depend on the optimiser: no contraction, no fast-math.
# For the C++ compiler alone; nvcc has its own (cuda.cmake).
set(arb_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND arb_warnings -Wno-restrict)  # false alarms on std::string (GCC PR 105651)
endif()
if(ARB_WERROR)
  list(APPEND arb_warnings -Werror)
endif()
target_compile_options(arb_build INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;${arb_warnings}>")
target_include_directories(arb_build INTERFACE ${PROJECT_SOURCE_DIR})
if(ARB_SANITIZE)
  target_compile_options(arb_build INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${ARB_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  target_link_options(arb_build INTERFACE -fsanitize=${ARB_SANITIZE})
endif()

# Sources whose loops must be vectorised: -O3 in every build type, and the instructions of this machine if ARB_NATIVE.
include_guard(GLOBAL)
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-march=native ARB_HAS_MARCH_NATIVE)
check_cxx_compiler_flag(-fno-trapping-math ARB_HAS_NO_TRAPPING_MATH)

function(arb_vectorise)
  # Without traps a discarded lane of a select may be computed; results are the same bits.
  set(flags -O3)
  if(ARB_HAS_NO_TRAPPING_MATH)
    list(APPEND flags -fno-trapping-math)
  endif()
  if(ARB_NATIVE AND ARB_HAS_MARCH_NATIVE)
    list(APPEND flags -march=native)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}")
endfunction()

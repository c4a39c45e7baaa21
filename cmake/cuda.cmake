# CUDA as a language, without nvcc in PATH, and what the kernels are compiled with.
set(ARB_CUDA_ARCHITECTURES "75-real;80-real;90-real;100-real;120" CACHE STRING
  "GPUs the kernels are compiled for: machine code for the common ones, PTX for what comes after the last")
set(CMAKE_CUDA_ARCHITECTURES "${ARB_CUDA_ARCHITECTURES}")  # also what the compiler is tried with
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
endif()
if(NOT CMAKE_CUDA_HOST_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
endif()
enable_language(CUDA)

# CMake 3.25 does not know that nvcc has C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()

# No contraction and no fast-math: host and device round alike.
set(ARB_CUDA_FLAGS -fmad=false "SHELL:-Werror all-warnings" "SHELL:-Xcompiler -Wall")

function(arb_cuda_options target)
  set_target_properties(${target} PROPERTIES
    CUDA_ARCHITECTURES "${ARB_CUDA_ARCHITECTURES}"
    CUDA_STANDARD 20
    CUDA_EXTENSIONS OFF
    CUDA_RUNTIME_LIBRARY Static)
  foreach(flag IN LISTS ARB_CUDA_FLAGS)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${flag}>")
  endforeach()
endfunction()

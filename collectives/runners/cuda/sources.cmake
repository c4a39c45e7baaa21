# The CUDA backend, compiled twice: by nvcc for GPUs, and by the C++ compiler for the emulated ones of the tests.
set(ARB_CUDA_DIR ${CMAKE_CURRENT_LIST_DIR})
set(ARB_CUDA_SOURCES)  # host code, *.cpp
set(ARB_CUDA_KERNELS  # *.cu
  ${ARB_CUDA_DIR}/schedule_ll.cu
  ${ARB_CUDA_DIR}/schedule_simple.cu)

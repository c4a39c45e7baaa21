# The CUDA backend, compiled twice: by nvcc for GPUs, and by the C++ compiler for the emulated ones of the tests.
set(ARB_CUDA_DIR ${CMAKE_CURRENT_LIST_DIR})
set(ARB_CUDA_SOURCES)  # host code, *.cpp
set(ARB_CUDA_KERNELS  # *.cu, those that take longest first
  ${ARB_CUDA_DIR}/two_shot.cu
  ${ARB_CUDA_DIR}/schedule_ll.cu
  ${ARB_CUDA_DIR}/one_shot.cu
  ${ARB_CUDA_DIR}/schedule_simple.cu
  ${ARB_CUDA_DIR}/small_kernels.cu)

# The CUDA backend, compiled twice: by nvcc for GPUs, and by the C++ compiler for the emulated ones of the tests.
set(ARB_CUDA_DIR ${CMAKE_CURRENT_LIST_DIR})
set(ARB_CUDA_SOURCES  # host code, *.cpp
  ${ARB_CUDA_DIR}/copy_operation.cpp
  ${ARB_CUDA_DIR}/nccl_operation.cpp)
set(ARB_CUDA_KERNELS)  # *.cu

# Checking on GPUs, compiled twice like the CUDA backend (collectives/runners/cuda/sources.cmake).
set(ARB_CUDA_VERIFY_DIR ${CMAKE_CURRENT_LIST_DIR})
set(ARB_CUDA_VERIFY_SOURCES
  ${ARB_CUDA_VERIFY_DIR}/check_items.cpp
  ${ARB_CUDA_VERIFY_DIR}/check_launch.cpp
  ${ARB_CUDA_VERIFY_DIR}/check_programs.cpp
  ${ARB_CUDA_VERIFY_DIR}/device_copies.cpp
  ${ARB_CUDA_VERIFY_DIR}/device_judge.cpp
  ${ARB_CUDA_VERIFY_DIR}/device_tools.cpp
  ${ARB_CUDA_VERIFY_DIR}/fault_mirror.cpp)
set(ARB_CUDA_VERIFY_KERNELS ${ARB_CUDA_VERIFY_DIR}/kernels.cu)

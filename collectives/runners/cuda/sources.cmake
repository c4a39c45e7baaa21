# The CUDA backend, compiled twice: by nvcc for GPUs, and by the C++ compiler for the emulated ones of the tests.
set(ARB_CUDA_DIR ${CMAKE_CURRENT_LIST_DIR})
set(ARB_CUDA_SOURCES  # host code, *.cpp
  ${ARB_CUDA_DIR}/compile.cpp
  ${ARB_CUDA_DIR}/copy_operation.cpp
  ${ARB_CUDA_DIR}/cuda_call.cpp
  ${ARB_CUDA_DIR}/device_messages.cpp
  ${ARB_CUDA_DIR}/device_operation.cpp
  ${ARB_CUDA_DIR}/device_team.cpp
  ${ARB_CUDA_DIR}/fifo_plan.cpp
  ${ARB_CUDA_DIR}/gather.cpp
  ${ARB_CUDA_DIR}/gpu_world.cpp
  ${ARB_CUDA_DIR}/gpus.cpp
  ${ARB_CUDA_DIR}/graph_cache.cpp
  ${ARB_CUDA_DIR}/group.cpp
  ${ARB_CUDA_DIR}/group_map.cpp
  ${ARB_CUDA_DIR}/group_memory.cpp
  ${ARB_CUDA_DIR}/kernel_operation.cpp
  ${ARB_CUDA_DIR}/native_operation.cpp
  ${ARB_CUDA_DIR}/natives.cpp
  ${ARB_CUDA_DIR}/one_shot.cpp
  ${ARB_CUDA_DIR}/nccl_native.cpp
  ${ARB_CUDA_DIR}/nccl_operation.cpp
  ${ARB_CUDA_DIR}/probe.cpp
  ${ARB_CUDA_DIR}/resources.cpp
  ${ARB_CUDA_DIR}/runner.cpp
  ${ARB_CUDA_DIR}/scheduled_operation.cpp
  ${ARB_CUDA_DIR}/slots.cpp
  ${ARB_CUDA_DIR}/two_shot.cpp)
set(ARB_CUDA_KERNELS  # *.cu, those that take longest first
  ${ARB_CUDA_DIR}/two_shot.cu
  ${ARB_CUDA_DIR}/schedule_ll.cu
  ${ARB_CUDA_DIR}/one_shot.cu
  ${ARB_CUDA_DIR}/schedule_simple.cu
  ${ARB_CUDA_DIR}/small_kernels.cu)

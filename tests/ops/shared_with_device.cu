// Not run: compiled by CI where nvcc is, to keep the arithmetic that host and device share fit for device code.
#include "collectives/ops/operators.hpp"

namespace arb {

template <class Op, class T>
__global__ void reduce(T* destination, const T* a, const T* b, int count, int ranks) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  destination[i] = Op::template apply<T>(a[i], b[i]);
  if constexpr (kIsFloat<T>) destination[i] = divide(destination[i], ranks);
}

template <class T>
void every_op(T* d) {
  reduce<Sum><<<1, 32>>>(d, d, d, 32, 2);
  reduce<Prod><<<1, 32>>>(d, d, d, 32, 2);
  reduce<Min><<<1, 32>>>(d, d, d, 32, 2);
  reduce<Max><<<1, 32>>>(d, d, d, 32, 2);
}

template void every_op(int8_t*);
template void every_op(uint8_t*);
template void every_op(int32_t*);
template void every_op(uint32_t*);
template void every_op(int64_t*);
template void every_op(uint64_t*);
template void every_op(Float16*);
template void every_op(Bfloat16*);
template void every_op(float*);
template void every_op(double*);

}  // namespace arb

// Marks functions that host and device share. Such code allocates nothing and throws nothing.
#pragma once

#ifdef __CUDACC__
#define ARB_HD __host__ __device__
#else
#define ARB_HD
#endif

#include "simd/kernels.h"

#define KERNELS kernels_scalar
#include "simd/kernels_body.inc"

#include "simd/kernels.h"

#include "simd/text_scalar.inc"

#define KERNELS kernels_scalar
#define UNPACK bitpack_unpack
#define ADD_UP numbers_add_up
#define FIND needle_find
#include "simd/kernels_body.inc"

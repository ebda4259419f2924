// A list of addresses.
#ifndef TRAWL_ELF_ADDRESS_VEC_H
#define TRAWL_ELF_ADDRESS_VEC_H

#include "base/vec.h"

VEC(address_vec, uint64_t);

#endif

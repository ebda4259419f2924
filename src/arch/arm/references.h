// Addresses in instructions (arch/code_reference.h).
#ifndef TRAWL_ARCH_ARM_REFERENCES_H
#define TRAWL_ARCH_ARM_REFERENCES_H

#include "arch/code_reference.h"

code_refer arm_refer;

#endif

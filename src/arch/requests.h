// How software asks for an interrupt: the registers in memory by whose stores it becomes pending,
// and those that take that back. Only what a store shows is here: a device asks without one.
#ifndef TRAWL_ARCH_REQUESTS_H
#define TRAWL_ARCH_REQUESTS_H

#include "arch/arch.h"

struct arch_request {
    const char *name; // "ISPR"; NULL ends them
    uint64_t address; // of words of 4 bytes
    uint32_t words;
    uint32_t mask;  // of the bits that ask, each for an exception; 0: the value says for which
    int32_t first;  // the number of the exception of bit 0 of the first word, or of the value 0
    bool is_denied; // takes it back
};

struct arch_requests {
    // Where the machine keeps the address of its table of vectors, which have 4 bytes, and how many
    // it may have. They say which exceptions a handler is for.
    uint64_t vectors_at;
    uint32_t vectors;
    const struct arch_request *rows;
};

// NULL: none are known, or what the handler is for is not known before it asks.
const struct arch_requests *arch_requests(const struct arch *arch);

#endif

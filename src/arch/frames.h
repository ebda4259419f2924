// The stack frames of a machine, for the unwinder: registers by their numbers in DWARF, and what
// the ABI says of calls.
#ifndef TRAWL_ARCH_FRAMES_H
#define TRAWL_ARCH_FRAMES_H

#include "base/base.h"

// How frame pointers lead to callers.
enum arch_chain {
    CHAIN_NONE,
    CHAIN_RECORD,       // at the caller's frame pointer, and the return address after it
    CHAIN_EITHER,       // as above, or the frame pointer points to the return address: it depends
                        // on the compiler
    CHAIN_RECORD_BELOW, // the return address is below where the frame pointer points, the caller's
                        // frame pointer below that
};

struct arch_frames {
    uint16_t machine; // e_machine of the images that have rules for it
    uint8_t word_bytes;
    uint8_t chain;        // enum arch_chain
    uint32_t sp, fp, ra;  // ra: where the return address is on entry, if in a register
    uint32_t code_bit_fp; // the frame pointer where the PC has the code bit; the same as fp
                          // otherwise
    int64_t sp_offset;    // the caller's SP from SFrame's CFA
    uint64_t kept;        // a bit for each register that calls preserve
    bool is_ra_pushed;    // calls push the return address
    bool is_signed;       // it may have a signature
    // Registers that say how wide addresses are, for such: 64 less bits 0 to 5 in the lower half,
    // 64 less bits 16 to 21 in the upper. NULL ends them; NULL: none.
    const char *const *address_sizes;
    bool has_code_bit;      // bit 0 of a pointer to code is no part of the address
    bool has_ones_at_reset; // ra has all bits set after a reset, which is no return address
};

// Of machines about which nothing else is known here.
extern const struct arch_frames frames_x86_64, frames_s390x;

// A bit for each register of a range.
#define FRAME_BITS(first, last) ((UINT64_C(2) << (last)) - (UINT64_C(1) << (first)))

#endif

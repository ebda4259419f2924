// Arm's exception tables of an image, .ARM.exidx and .ARM.extab (Exception Handling ABI for the Arm
// Architecture, 2023Q3): the row of a PC.
//
// Each function has eight bytes in a sorted table: its start, and its unwind instructions or their
// place. They describe how to remove the complete frame of the function, so they are valid where it
// has called another, but not in its first and last instructions. They are followed as far as one
// base register can express them, which includes all that compilers write: not if the stack pointer
// is set from a register that was itself restored before.
//
// Only the copies of the two sections are allocated; every step consumes a byte of an entry, which
// has at most 1 KiB.
#ifndef TRAWL_ELF_EXIDX_H
#define TRAWL_ELF_EXIDX_H

#include "elf/cfi_program.h"
#include "elf/image.h"

struct exidx;

enum exidx_kind {
    EXIDX_NONE,          // nothing is known about such a PC
    EXIDX_ROW,           // the row is filled
    EXIDX_CANNOT_UNWIND, // the function is marked as impossible to unwind
    EXIDX_DAMAGED,       // its instructions are reserved ones, end early, or are outside the image
    EXIDX_UNSUPPORTED,   // they need more than a row can express
};

// Reads the table of a 32-bit image of Arm. Without one, *out is NULL and the status STATUS_OK.
// STATUS_INPUT: it is outside the file.
enum status exidx_open(struct exidx **out, const struct image *image, struct error *err);
void exidx_close(struct exidx *exidx); // NULL is allowed

size_t exidx_function_count(const struct exidx *exidx);

// The start of entry `number`, as in the table.
uint64_t exidx_function_at(const struct exidx *exidx, size_t number);

// The row of a PC without Thumb bit, as the image was linked.
enum exidx_kind exidx_find(const struct exidx *exidx, uint64_t pc, struct frame_row *row);

// Interprets `count` bytes of unwind instructions, without an image. The row's range is unchanged.
enum exidx_kind exidx_run(const uint8_t *instructions, size_t count, struct frame_row *row);

#endif

// Arm's exception tables of an image, .ARM.exidx and .ARM.extab (Exception Handling ABI for the Arm
// Architecture, 2023Q3): the row of a PC.
//
// Each function has eight bytes in a sorted table: where it begins, and its unwind instructions
// themselves or where they are. They say how the frame of the whole function is taken down, and so
// hold where it has called another; in its first and last instructions they do not. What they do is
// followed as far as it can be said with one base register, which is all that compilers write: not
// where the stack pointer is set from a register that was itself restored before.
//
// Nothing is allocated but the copies of the two sections; every step of an interpretation takes a
// byte of the at most 1 KiB that an entry may have.
#ifndef TRAWL_ELF_EXIDX_H
#define TRAWL_ELF_EXIDX_H

#include "elf/frame_row.h"
#include "elf/image.h"

struct exidx;

enum exidx_kind {
    EXIDX_NONE,          // nothing is known about such a PC
    EXIDX_ROW,           // the row is filled
    EXIDX_CANNOT_UNWIND, // the function says that nothing unwinds through it
    EXIDX_DAMAGED,       // its instructions are spare ones, end early, or are outside the image
    EXIDX_UNSUPPORTED,   // they need more than a row can say
};

// Reads the table of a 32-bit image of Arm. Without one *out is NULL and all is well. STATUS_INPUT:
// it is outside the file.
enum status exidx_open(struct exidx **out, const struct image *image, struct error *err);
void exidx_close(struct exidx *exidx); // NULL is allowed

size_t exidx_function_count(const struct exidx *exidx);

// The start of entry `number`, as it is in the table.
uint64_t exidx_function_at(const struct exidx *exidx, size_t number);

// The row of a PC without Thumb bit, as the image was linked.
enum exidx_kind exidx_find(const struct exidx *exidx, uint64_t pc, struct frame_row *row);

// What `count` unwind instructions, most significant bytes first, say: the pure part of it. The
// row's range is left alone.
enum exidx_kind exidx_run(const uint8_t *instructions, size_t count, struct frame_row *row);

#endif

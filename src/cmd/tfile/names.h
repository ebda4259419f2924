// The meaning of names in expressions about a GDB trace file: registers of a frame, symbols of
// images.
#ifndef TRAWL_CMD_TFILE_NAMES_H
#define TRAWL_CMD_TFILE_NAMES_H

#include "elf/image_set.h"
#include "query/expression.h"
#include "trace/tfile/frame.h"

struct tfile_names {
    const struct tfile *file;
    const struct image_set *images;
};

// Places of registers are offsets in a block of registers.
struct expression_names tfile_expression_names(struct tfile_names *names);

// A frame, and its registers; NULL: none were collected.
struct tfile_point {
    const struct tfile *file;
    const struct tfile_frame *frame;
    const uint8_t *registers;
};

struct expression_registers tfile_point_registers(struct tfile_point *point);

#endif

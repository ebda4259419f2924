// Stacks of the frames of a GDB trace file: plugs what one of them collected into
// analysis/unwind.h. What was not collected ends a stack; nothing is taken from another frame.
#ifndef TRAWL_ANALYSIS_UNWIND_TFILE_H
#define TRAWL_ANALYSIS_UNWIND_TFILE_H

#include "analysis/unwind.h"
#include "analysis/unwind_rules.h"
#include "trace/tfile/frame.h"

struct unwind_tfile {
    const struct tfile *file;
    struct unwind_rules rules;
    unsigned abi;
    // Of the frame in hand.
    const struct tfile_frame *frame;
    const uint8_t *registers; // NULL: none
};

// Makes the rules of the images, or with `use_sframe` false none, so that only frame pointers
// count. STATUS_INPUT: the file is of a machine other than x86-64 and AArch64. File and images must
// outlive the rest, which is freed by unwind_tfile_free in any case.
enum status unwind_tfile_open(struct unwind_tfile *self, const struct tfile *file,
                              const struct image_set *images, bool use_sframe,
                              const struct sframe_faults *faults, struct error *err);
void unwind_tfile_free(struct unwind_tfile *self);

// Whether an image has SFrame for the file's machine.
bool unwind_tfile_has_sframe(const struct unwind_tfile *self);

// The stack at a frame of the file; why it ends early stands in it. What called main is no part of
// it, as in GDB, unless an image has it. False: the frame does not tell where the program was.
bool unwind_tfile_at(struct unwind_tfile *self, const struct tfile_frame *frame,
                     struct unwind_stack *stack);

#endif

// Information from images about code, for unwinding (unwind/unwind.h): the rules of all images,
// and where code and functions begin.
#ifndef TRAWL_UNWIND_UNWIND_RULES_H
#define TRAWL_UNWIND_UNWIND_RULES_H

#include "elf/cfi.h"
#include "elf/exidx.h"
#include "elf/image_set.h"
#include "elf/sframe_flat.h"
#include "unwind/unwind.h"

// The rules of one image. Call frame information and exception tables are opened when a PC of the
// image is first looked up.
struct unwind_image {
    struct sframe_flat flat; // head is NULL if it has no SFrame
    struct cfi *cfi;         // NULL: none, or not yet
    struct exidx *exidx;
    bool is_asked; // these two were looked for
};

// Receives reports of damage; `what` is "SFrame", "DWARF" or ".ARM.exidx".
struct unwind_faults {
    void *self;
    void (*fault)(void *self, const char *what, const struct error *err);
};

// Fields are for reading.
struct unwind_rules {
    const struct image_set *images;
    struct unwind_image *of; // each image
    struct unwind_faults faults;
    struct frame_row row; // the last one from an exception table
    bool lacks_memory;    // some rule was not found for lack of memory
};

// Opens the rules of all images. Damage is reported to `faults`, also later. The images must
// outlive the rules, which are freed by unwind_rules_free in any case.
enum status unwind_rules_open(struct unwind_rules *rules, const struct image_set *images,
                              const struct unwind_faults *faults, struct error *err);
void unwind_rules_free(struct unwind_rules *rules);

// Whether any image of the machine (UNWIND_ARM, or an ABI of SFrame, of either byte order) has
// rules of that source: UNWIND_SFRAME, UNWIND_DWARF or UNWIND_EXIDX.
bool unwind_rules_have(struct unwind_rules *rules, unsigned abi, enum unwind_source source);

// For an unwind_reader: SFrame's rule and the row for a PC, whether it is in code, its function.
const struct sframe_rule *unwind_rules_find(const struct unwind_rules *rules, unsigned abi,
                                            uint64_t pc);
const struct frame_row *unwind_rules_row(struct unwind_rules *rules, unsigned abi,
                                         enum unwind_source source, uint64_t pc);
bool unwind_rules_is_code(const struct unwind_rules *rules, uint64_t pc);
bool unwind_rules_function(const struct unwind_rules *rules, uint64_t pc, uint64_t *start);

#endif

// The source lines of several images, at the addresses where they were loaded. An image's DWARF is
// opened when it is first needed; of an image without any that of its debug file
// (elf/debug_file.h).
#ifndef TRAWL_ELF_IMAGE_LINES_H
#define TRAWL_ELF_IMAGE_LINES_H

#include "elf/debug_inlines.h"
#include "elf/image_set.h"
#include "elf/lines.h"

struct image_lines;

// NULL: there is no memory. The set must not change while they are open.
struct image_lines *image_lines_open(const struct image_set *images);

// NULL is allowed.
void image_lines_close(struct image_lines *lines);

// The place of the code at the run-time address `address` (without Thumb bit): in the image that
// covers it; if none does, in the first that has one for it among those that do not say what they
// cover. False: nothing is known of it. An image whose DWARF cannot be read has none.
bool image_lines_find(struct image_lines *lines, uint64_t address, struct source_location *out);

// The functions that were inlined into each other there (elf/debug_inlines.h), in the image that
// image_lines_find asks. Texts live as long as the lines.
size_t image_lines_inlines(struct image_lines *lines, uint64_t address, struct debug_inline *chain,
                           size_t capacity);

// Adds the addresses where another answer may begin, in no order. STATUS_LIMIT and STATUS_MEMORY as
// of lines_add_bounds.
enum status image_lines_add_bounds(struct image_lines *lines, struct address_vec *bounds,
                                   struct error *err);

// Why the first image whose DWARF could not be read was left out; NULL: none was.
const struct error *image_lines_fault(const struct image_lines *lines);

// Whether something was not found for lack of memory.
bool image_lines_lacked_memory(const struct image_lines *lines);

#endif

// The source lines of several images, at the addresses where they were loaded. An image's DWARF, or
// else that of its debug file (elf/debug_file.h), is opened when it is first needed.
#ifndef TRAWL_DWARF_IMAGE_LINES_H
#define TRAWL_DWARF_IMAGE_LINES_H

#include "dwarf/debug_info.h"
#include "elf/image_set.h"
#include "elf/lines.h"

struct image_lines;

// NULL: no memory. The set must not change while they are open.
struct image_lines *image_lines_open(const struct image_set *images);

// Whether an image has so many lines that they are better left in its file. Does not read them.
bool image_lines_are_many(struct image_lines *lines, size_t member);

// Has no lines of that member from now on.
void image_lines_leave_out(struct image_lines *lines, size_t member);

// NULL is allowed.
void image_lines_close(struct image_lines *lines);

// The place of the code at the run-time address `address` (without Thumb bit): from the image that
// covers it; if none does, from the first with a place among the images whose coverage is unknown.
// False: unknown. An image whose DWARF cannot be read has no places.
bool image_lines_find(struct image_lines *lines, uint64_t address, struct source_location *out);

// The inlined functions there (dwarf/debug_info.h), from the same image as image_lines_find. Texts
// live as long as the lines.
size_t image_lines_inlines(struct image_lines *lines, uint64_t address, struct debug_inline *chain,
                           size_t capacity);

// Adds the addresses where the answer may change, in no order. STATUS_LIMIT and STATUS_MEMORY as
// for lines_add_bounds.
enum status image_lines_add_bounds(struct image_lines *lines, struct address_vec *bounds,
                                   struct error *err);

// Why the first image with unreadable DWARF was left out; NULL: none was.
const struct error *image_lines_fault(const struct image_lines *lines);

// How many bytes all paths together may take in what contains all of them: they share directories
// and names, but what is made of the images is to be in proportion to their files.
uint64_t image_lines_path_bytes_max(const struct image_lines *lines);

// Whether something was not found for lack of memory.
bool image_lines_lacked_memory(const struct image_lines *lines);

// The images, the one that covers a run-time address, and the debugging information of one. NULL:
// it has none, or it cannot be read.
size_t image_lines_count(const struct image_lines *lines);
const struct image_member *image_lines_member(const struct image_lines *lines, size_t number);
bool image_lines_member_at(const struct image_lines *lines, uint64_t address, size_t *number);
struct debug_info *image_lines_info(struct image_lines *lines, size_t number);

#endif

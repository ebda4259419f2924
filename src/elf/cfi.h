// DWARF's call frame information of an image, .debug_frame and .eh_frame: the row of a PC.
//
// libdw reads the entries of the sections; their instructions are run by elf/cfi_program.h, because
// libdw's own interpreter allocates memory according to the register numbers and remembered states
// that a file claims. The functions are sorted once; the instructions of a function are run when it
// is first looked up, and its rows are cached.
#ifndef TRAWL_ELF_CFI_H
#define TRAWL_ELF_CFI_H

#include "elf/cfi_program.h"
#include "elf/image.h"

struct cfi;

// Reads the functions of both sections. If there are none, *out is NULL and the status STATUS_OK;
// this includes objects, whose addresses count from sections. Damaged entries are left out and
// counted. STATUS_INPUT: a section is outside the file, or claims to unpack to an absurd size. The
// image must outlive it.
enum status cfi_open(struct cfi **out, const struct image *image, struct error *err);
void cfi_close(struct cfi *cfi); // NULL is allowed

size_t cfi_function_count(const struct cfi *cfi);
uint64_t cfi_damaged_count(const struct cfi *cfi); // entries that could not be read

// The range of function `number`, in the order of their starts.
void cfi_function_at(const struct cfi *cfi, size_t number, uint64_t *start, uint64_t *end);

// ".eh_frame" or ".debug_frame": where the entry of function `number` is.
const char *cfi_function_section(const struct cfi *cfi, size_t number);

// Whether the frame of that function exists before its first instruction: it is then a separate
// part of another function, as compilers make for seldom executed code.
bool cfi_has_frame_at_start(const struct cfi *cfi, size_t number);

// Calls `take` for all rows of function `number`, in order, and takes the bytes of instructions
// that this runs from *bytes_left: functions can share a common entry, whose instructions run for
// each. False: the instructions behind the last row are damaged or not known, or are too many.
bool cfi_function_rows(const struct cfi *cfi, size_t number, uint64_t *bytes_left,
                       void (*take)(void *self, const struct frame_row *row), void *self);

// The row for a PC, as the image was linked; valid until the next call. NULL: there is none.
const struct frame_row *cfi_find(struct cfi *cfi, uint64_t pc);

#endif

// The SFrame tables of an image: where they are, what a linker left of them, and which code of the
// image they could describe.
#ifndef TRAWL_ELF_SFRAME_SECTION_H
#define TRAWL_ELF_SFRAME_SECTION_H

#include "base/vec.h"
#include "elf/image.h"
#include "elf/sframe.h"

// Executable bytes, from `first` to just before `end`; in an object they count from the start of
// their own section.
struct sframe_code {
    uint64_t first, end;
    uint32_t section; // number in the image, 0 for a segment
    char *name;       // "" for a segment
};

struct sframe_range {
    uint64_t first, end;
};

struct sframe_section {
    uint8_t *bytes; // a copy, with SFRAME_PADDING_BYTES zeros after it
    uint64_t size_bytes;
    uint64_t address; // where it is loaded; 0 in an object
    char *name;       // "" for a segment without a section
    bool is_object;   // relocatable: addresses count from sections
    VEC(, struct sframe_table) tables;
    VEC(, struct sframe_code) code;    // by address; the sections, or without them the segments
    VEC(, struct sframe_range) ranges; // of sections and segments together, apart, ascending
    // Of an object: the section that each function of all tables is in, 0 for one that no
    // relocation places.
    uint32_t *code_sections;
};

// Who hears of what is damaged; err->offset is where in the section.
struct sframe_faults {
    void *self;
    void (*fault)(void *self, const struct error *err);
};

// Reads the section called .sframe, else the first of its type, else the segment. One of no bytes
// has no tables. STATUS_NOT_FOUND when there is none, STATUS_INPUT when not even the first table's
// header can be read. What is wrong after it is reported to `faults`. On success the caller frees
// it.
enum status sframe_section_read(struct sframe_section *section, const struct image *image,
                                const struct sframe_faults *faults, struct error *err);

void sframe_section_free(struct sframe_section *section);

// The number of functions of all tables, and of executable bytes.
uint64_t sframe_function_total(const struct sframe_section *section);
uint64_t sframe_code_bytes(const struct sframe_section *section);

// Whether an address is in executable bytes of the image. Without any such bytes all are.
bool sframe_is_code(const struct sframe_section *section, uint64_t address);

// The piece of code that an address is in, NULL for none. Not of an object, whose addresses count
// from sections.
const struct sframe_code *sframe_code_at(const struct sframe_section *section, uint64_t address);

#endif

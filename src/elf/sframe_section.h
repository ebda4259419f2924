// The SFrame tables of an image: where they are, what the linker kept of them, and which code of
// the image they can describe.
#ifndef TRAWL_ELF_SFRAME_SECTION_H
#define TRAWL_ELF_SFRAME_SECTION_H

#include "base/vec.h"
#include "elf/image.h"
#include "elf/sframe.h"

// --- sframe_section.c ----------------------------------------------------------------------------

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
    // For an object: the section of each function of all tables; 0: no relocation places it.
    uint32_t *code_sections;
};

// Receives reports of damage; err->offset is the place in the section.
struct sframe_faults {
    void *self;
    void (*fault)(void *self, const struct error *err);
};

// Reads the section .sframe, otherwise the first of its type, otherwise the segment. An empty one
// has no tables. STATUS_NOT_FOUND: there is none; STATUS_INPUT: not even the header of the first
// table can be read. Later faults are reported to `faults`. On success the caller frees it.
enum status sframe_section_read(struct sframe_section *section, const struct image *image,
                                const struct sframe_faults *faults, struct error *err);

void sframe_section_free(struct sframe_section *section);

// The number of functions of all tables, or of executable bytes.
uint64_t sframe_function_total(const struct sframe_section *section);
uint64_t sframe_code_bytes(const struct sframe_section *section);

// Whether an address is in executable bytes of the image. If it has none, all addresses are.
bool sframe_is_code(const struct sframe_section *section, uint64_t address);

// The range of code that contains an address; NULL: none. Not for an object, whose addresses count
// from sections.
const struct sframe_code *sframe_code_at(const struct sframe_section *section, uint64_t address);

// --- sframe_check.c ------------------------------------------------------------------------------

// Checks the SFrame tables of an image against the rules of the format, known mistakes of the tools
// that make them, and the code that they should describe.

enum sframe_finding_kind {
    SFRAME_VIOLATION, // of the format's specification
    SFRAME_DEFECT,    // a known mistake of a tool, or something very similar
    SFRAME_GAP,       // bytes of code that no function covers
    SFRAME_FINDING_KINDS,
};

struct sframe_finding {
    enum sframe_finding_kind kind;
    uint64_t at; // offset in the section; for a gap its first PC
    const char *text;
};

// Calls `found` for everything found, table by table, gaps last. False: no memory.
bool sframe_check(const struct sframe_section *section,
                  void (*found)(void *self, const struct sframe_finding *finding), void *self);

// "violation", ...
const char *sframe_finding_name(unsigned kind);

#endif

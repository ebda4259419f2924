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
// that make them, the code that they should describe, and its other call frame information.

enum sframe_finding_kind {
    SFRAME_VIOLATION,  // of the format's specification
    SFRAME_DEFECT,     // a known mistake of a tool, or something very similar
    SFRAME_DIFFERENCE, // from the call frame information
    SFRAME_GAP,        // bytes of code that no function covers
    SFRAME_FINDING_KINDS,
};

struct sframe_finding {
    enum sframe_finding_kind kind;
    uint64_t at; // offset in the section; for a difference or a gap its first PC
    const char *text;
};

// What else the image says of its code.
struct cfi;
struct symbols;
struct sframe_witness {
    uint64_t image_bytes;
    struct cfi *cfi;               // NULL: none, as of an object
    const struct symbols *symbols; // NULL: none
};

struct sframe_figures {
    // Functions with code: those of call frame information, and function symbols with a size, in
    // sections that a gap is looked for in; and those that a table covers from end to end.
    uint64_t functions, covered_functions;
    uint64_t padding_bytes;    // between functions, which are no gaps
    uint64_t compared_bytes;   // PCs whose rules were compared
    uint64_t unread_functions; // whose call frame information is damaged, or too much
};

// Calls `found` for everything found, table by table, then differences, gaps last. False: no
// memory.
bool sframe_check(const struct sframe_section *section, const struct sframe_witness *witness,
                  void (*found)(void *self, const struct sframe_finding *finding), void *self,
                  struct sframe_figures *figures);

// "violation", ...
const char *sframe_finding_name(unsigned kind);

// The name of the function at a PC; NULL: unknown.
const char *sframe_witness_name(const struct sframe_witness *witness, uint64_t pc);

// --- sframe_compare.c ----------------------------------------------------------------------------

// The part of sframe_check that finds differences.
bool sframe_compare(const struct sframe_section *section, const struct sframe_witness *witness,
                    void (*found)(void *self, const struct sframe_finding *finding), void *self,
                    struct sframe_figures *figures);

#endif

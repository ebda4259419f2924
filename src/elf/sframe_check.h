// Checks the SFrame tables of an image against the rules of the format, known mistakes of the tools
// that make them, and the code that they should describe.
#ifndef TRAWL_ELF_SFRAME_CHECK_H
#define TRAWL_ELF_SFRAME_CHECK_H

#include "elf/sframe_section.h"

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

// A function with the counts of its instructions (flow/pc_counts.h) and of its source lines.
//
// A trace has text only for executed instructions. A line with code in the function is included
// even if none of that code was reached.
#ifndef TRAWL_QUERY_ANNOTATION_H
#define TRAWL_QUERY_ANNOTATION_H

#include "flow/pc_counts.h"
#include "names/source_lines.h"
#include "trace/trace.h"

#define ANNOTATION_NO_LINE SIZE_MAX

struct annotated_instruction {
    struct pc_count count;
    const char *text; // the disassembly in the trace; "": none
    uint8_t code_bytes;
    bool is_branch; // `taken` and `not_taken` are known
    uint64_t taken, not_taken;
    size_t line;                // in annotation.lines; ANNOTATION_NO_LINE
    struct debug_inline *chain; // the inlined functions it is in, the innermost first
    size_t chain_count;         // 0: it was not inlined
};

struct annotated_line {
    const char *path, *file; // with and without the directories of the image
    const char *directory;   // as in a source_location
    uint32_t line;
    uint64_t ticks;
    uint64_t visits;   // of its most executed instruction
    uint64_t executed; // instructions in all
};

struct annotation {
    const char *name;
    const char *tick_unit; // the unit of times: "ns", "ticks"
    uint64_t address;
    bool has_programs; // addresses may say of which program they are
    uint64_t ticks, executed;
    VEC(, struct annotated_instruction) instructions; // ascending
    VEC(, struct annotated_line) lines;               // by path and line, each once
    struct arena arena;                               // texts and chains
};

// An address of it as it is shown.
static inline uint64_t annotation_shown(const struct annotation *annotation, uint64_t address)
{
    return annotation->has_programs ? pc_address(address) : address;
}

// What it is made from; `lines` must live as long as the annotation.
struct annotation_source {
    struct names *names;
    struct source_lines *lines;
    const struct trace *trace; // that was counted, with all its text available
    struct reading_options how;
};

// Annotates the function that begins at `start` from its own `count` counts, in the order of their
// PCs. False: no memory; source_lines_lacked_memory and names.lacks_memory report more.
bool annotation_make(struct annotation *annotation, const struct annotation_source *source,
                     uint64_t start, const struct pc_count *counts, size_t count);

// Whether an instruction has no line.
bool annotation_has_lineless(const struct annotation *annotation);

void annotation_free(struct annotation *annotation);

#endif

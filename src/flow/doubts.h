// What a pass found that makes reports doubtful, although every line was understood: the trace, or
// the way it was recorded, is not what reports take it for. Every report says each of them in one
// line (cmd/report_damage.h), whether it was made from the trace or from an index.
#ifndef TRAWL_FLOW_DOUBTS_H
#define TRAWL_FLOW_DOUBTS_H

#include "base/base.h"
#include "base/error.h"

struct parts;
struct parts_writer;

// Numbers are stored in indexes (SECTION_DOUBTS): never reuse one, and document new ones in
// idx/FORMAT.md.
enum doubt_kind {
    DOUBT_GAPS, // the previous instruction cannot lead to an instruction: lines are missing
    DOUBT_KINDS,
};

struct doubt {
    uint64_t count;
    uint64_t line; // of the first, from 1
};

// All zero: none.
struct doubts {
    struct doubt of[DOUBT_KINDS];
};

// Counts one more, at a line.
static inline void doubt_note(struct doubt *doubt, uint64_t line)
{
    if (!doubt->count++)
        doubt->line = line;
}

// Adds what another part of the trace shows, before or after it.
static inline void doubt_join(struct doubt *doubt, const struct doubt *more)
{
    if (more->count && (!doubt->count || more->line < doubt->line))
        doubt->line = more->line;
    doubt->count += more->count;
}

// Makes the parts of SECTION_DOUBTS; *is_needed: there is one. False: no memory.
bool doubts_write(const struct doubts *doubts, struct parts_writer *parts, bool *is_needed);

// Reads them. Skips kinds that later versions added. STATUS_DAMAGED: damaged.
enum status doubts_read(struct doubts *doubts, const struct parts *parts, struct error *err);

#endif

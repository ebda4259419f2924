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
    DOUBT_GAPS,        // the previous instruction cannot lead to an instruction: lines are missing
    DOUBT_TIMES_BACK,  // an instruction has a lower time than the previous one of its core
    DOUBT_TIMES_MIXED, // a time is in another unit than those of the trace, and cannot be converted
    DOUBT_TIMES_FINER, // a time is finer than the unit of the trace
    DOUBT_VALUES_LONG, // the value of a register has more than LIMIT_NAMED_REGISTER_BYTES
    DOUBT_LOADS,       // loads show something else than memory had; found as an index is built
    DOUBT_GUESSES,     // nothing shows how control came to a call, after lines that are missing
    DOUBT_MISPLACED,   // after a transfer, control is in another function than it counts for
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

// The same for all kinds, of a part that begins after so many lines.
static inline void doubts_join(struct doubts *doubts, const struct doubts *more,
                               uint64_t lines_before)
{
    for (size_t kind = 0; kind < DOUBT_KINDS; kind++) {
        const struct doubt there = {more->of[kind].count, lines_before + more->of[kind].line};
        doubt_join(&doubts->of[kind], &there);
    }
}

// Makes the parts of SECTION_DOUBTS; *is_needed: there is one. False: no memory.
bool doubts_write(const struct doubts *doubts, struct parts_writer *parts, bool *is_needed);

// Reads them. Skips kinds that later versions added. STATUS_DAMAGED: damaged.
enum status doubts_read(struct doubts *doubts, const struct parts *parts, struct error *err);

#endif

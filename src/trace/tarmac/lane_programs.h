// Which programs a lane runs in a chunk, where images share addresses (elf/image_programs.h): marks
// of instructions there get PCs that say so.
//
// The first instructions of a chunk depend on what ran before it. So a chunk is marked from a
// guess, that nothing is known, while it is parsed; the stitch marks its beginning again from the
// state that the previous chunk left, up to where both agree, which is where one program is told
// from all others: after a few instructions, as a rule.
#ifndef TRAWL_TRACE_TARMAC_LANE_PROGRAMS_H
#define TRAWL_TRACE_TARMAC_LANE_PROGRAMS_H

#include "elf/image_programs.h"
#include "trace/tarmac/marks.h"

// An instruction of a program.
struct program_mark {
    uint32_t mark;
    bool is_arrival; // the lane executed other code before it in the chunk
};

struct chunk_programs {
    VEC(, struct program_mark) marks;
    struct program_state end; // from a state in which nothing is known
    uint32_t groups;          // whose `chosen` is used: bit number % PROGRAM_GROUPS
    bool ends_elsewhere;      // other code is executed last
    bool has_instruction;
};

// Marks a lane's part of a chunk from the guess. False: no memory.
bool lane_programs_guess(struct chunk_programs *found, struct marks *marks,
                         const struct source_chunk *chunk, const struct image_programs *programs,
                         const char *lane);

// Corrects it for the state before the chunk, which becomes that after it.
void lane_programs_settle(const struct chunk_programs *found, struct marks *marks,
                          const struct source_chunk *chunk, const struct image_programs *programs,
                          const char *lane, struct program_state *state);

#endif

// Which programs a lane runs in a chunk, where images share addresses (elf/image_programs.h): marks
// of instructions there get PCs that say so.
//
// The first instructions of a chunk depend on what ran before it. So a chunk is marked from a
// guess, that nothing is known, while it is parsed; the stitch marks its beginning again from the
// state that the previous chunk left, up to where both agree, which is where one program is told
// from all others: after a few instructions, as a rule. Where the trace shows the registers that
// select address spaces, what ran in a space long ago decides, and the stitch marks all of it: some
// 20 ns for each instruction in code that images share.
#ifndef TRAWL_TRACE_LINES_LANE_PROGRAMS_H
#define TRAWL_TRACE_LINES_LANE_PROGRAMS_H

#include "elf/image_programs.h"
#include "trace/lines/marks.h"

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

// What is known of a lane after a chunk. All zero is nothing.
struct lane_running {
    struct program_state state;
    uint64_t
        inverted[SPACE_REGISTER_ROOM]; // registers that select its address space (idx/spaces.h)
    bool has_spaces;                   // some of these were written
};

// Corrects a chunk for what is known before it, which becomes what is known after it. If some
// programs are of one address space, `spaces` gets a bit for each whose space occurs.
void lane_programs_settle(const struct chunk_programs *found, struct marks *marks,
                          const struct source_chunk *chunk, const struct image_programs *programs,
                          const char *lane, struct lane_running *running, uint64_t *spaces);

#endif

// What a chunk leaves of one lane (core): the few events that calls, profiles and visits need, as
// a list, and a summary from which the state after the chunk follows without walking them.
//
// A node, which is what lines of one time make of at most one instruction, is the unit of time and
// state. Nodes cannot be cut while a chunk is
// parsed, because times only rise: a high time carried into the chunk moves every cut in it. So
// parsing leaves marks, the stitch finds each chunk's carried-in state from the summaries (one step
// a chunk), and scan.c cuts the nodes, in parallel again.
//
// A mark is kept for every instruction, every write to SP, LR or ELR, every exception, and any
// other event only if its time is higher than all before it in the chunk: no other event can start
// a node.
#ifndef TRAWL_TRACE_TARMAC_MARKS_H
#define TRAWL_TRACE_TARMAC_MARKS_H

#include "base/base.h"
#include "base/vec.h"
#include "idx/segment_rows.h"
#include "trace/tarmac/line.h"

// The registers that calls need: x13 and x14 (r13 and r14 are their low halves), x30, xsp.
enum tracked_register {
    TRACKED_X13,
    TRACKED_X14,
    TRACKED_X30,
    TRACKED_XSP,
    TRACKED_COUNT,
};

// Some bytes of them: `known` has ff for each byte that is set, `value` is zero in the others.
struct register_bytes {
    uint64_t value[TRACKED_COUNT];
    uint64_t known[TRACKED_COUNT];
};

// Writes `patch` over `base`.
static inline void register_bytes_overlay(struct register_bytes *base,
                                          const struct register_bytes *patch)
{
    for (int i = 0; i < TRACKED_COUNT; i++) {
        base->value[i] = (base->value[i] & ~patch->known[i]) | patch->value[i];
        base->known[i] |= patch->known[i];
    }
}

enum mark_kind {
    MARK_TIME,        // an event that may start a node by its time
    MARK_INSTRUCTION, // value: PC with the Thumb bit; size: bytes to the next in sequence
    MARK_REGISTERS,   // value: index in `patches`; bank: that a stack pointer was named with
    MARK_EXCEPTION,
    MARK_GAP,    // no event: an instruction line was left out here, so the flow is unknown
    MARK_RESUME, // no event: where an exception goes back to was written. value: that
};

// What else is known of an instruction, as its event will have it.
enum mark_flag {
    MARK_EXECUTED = EVENT_EXECUTED,     // it did not fail its condition and was fetched
    MARK_SEMIHOSTING = EVENT_HOST_CALL, // it is a call of the debug host
};

#define NO_MARK UINT32_MAX

// Where the time of a chunk first reached its highest value, and what was before.
struct time_peak {
    uint32_t mark; // NO_MARK: no event yet
    uint64_t time;
    uint32_t instructions_before;
    uint32_t last_instruction_before; // NO_MARK: none
    uint32_t patches_before;
};

// More bytes than that an instruction does not have, however many digits are written.
#define MARK_SIZE_MAX 255

// Line and position are relative to the chunk.
struct mark {
    uint64_t time, value;
    uint32_t line, position;
    struct mark_gist gist;
};

static ALWAYS_INLINE uint8_t mark_mode(enum isa_state isa, enum sp_bank bank)
{
    return (uint8_t)((unsigned)isa | (unsigned)bank << 2);
}

static ALWAYS_INLINE enum isa_state mode_isa(unsigned mode)
{
    return (enum isa_state)(mode & 3);
}

static ALWAYS_INLINE enum sp_bank mode_bank(unsigned mode)
{
    return (enum sp_bank)(mode >> 2);
}

static ALWAYS_INLINE enum isa_state mark_isa(const struct mark *mark)
{
    return mode_isa(mark->gist.mode);
}

// Of the mode of an instruction; of registers that which a stack pointer was named with.
static ALWAYS_INLINE enum sp_bank mark_bank(const struct mark *mark)
{
    return mode_bank(mark->gist.mode);
}

_Static_assert(sizeof(struct mark) == 32, "one is left by nearly every line");

static inline struct mark_gist mark_gist_of(const struct line_instruction *instruction)
{
    return (struct mark_gist){
        .encoding_column = instruction->gist.encoding_column,
        .kind = MARK_INSTRUCTION,
        .mode = mark_mode(instruction->isa, instruction->bank),
        .flags = instruction->executed ? MARK_EXECUTED : 0,
        .size = (uint8_t)u64_min(instruction->size_bytes, MARK_SIZE_MAX),
    };
}

// What the event that it begins has of it.
static ALWAYS_INLINE uint8_t mark_event_flags(const struct mark *mark, enum mark_kind kind)
{
    if (kind == MARK_INSTRUCTION)
        return (uint8_t)((unsigned)mark_isa(mark) | mark->gist.flags | EVENT_HAS_INSTRUCTION);
    return kind == MARK_EXCEPTION ? EVENT_EXCEPTION : 0;
}

struct marks {
    struct mark *items;
    size_t count, capacity;
    VEC(, struct register_bytes) patches;

    struct time_peak peak;        // of the whole chunk
    struct time_peak peak_before; // of what is before peak.mark
    uint32_t instruction_count;
    uint32_t last_instruction; // NO_MARK: none
    uint32_t instruction_before_last;
    uint32_t patches_before_last_instruction;
    uint64_t event_count; // lines that made an event, marked or not
    bool has_aarch64;     // some instruction is of AArch64
};

// Empties the list and keeps its memory.
void marks_reset(struct marks *marks);
void marks_free(struct marks *marks);

// Where the next mark goes, with all that is common to marks; NULL: no memory. It is one as soon as
// `count` has grown. Marks are filled where they stay: to copy one that was just made would have to
// wait for its parts to be stored.
static ALWAYS_INLINE struct mark *marks_next(struct marks *marks, enum mark_kind kind,
                                             uint32_t line_number, uint32_t position)
{
    if (UNLIKELY(!VEC_ROOM(marks, 1)))
        return NULL;
    struct mark *mark = &marks->items[marks->count];
    mark->line = line_number;
    mark->position = position;
    mark->gist = (struct mark_gist){.kind = (uint8_t)kind};
    return mark;
}

// What a register line writes to tracked registers.
struct register_patch {
    struct register_bytes bytes;
    enum sp_bank bank;
    bool has_event;  // it updates some byte of some register
    bool is_tracked; // of a tracked one
};

// Of any line; out of line, as it is for few.
void marks_decode_patch(const struct line_register *reg, struct register_patch *patch);

// Adds a gap; marks_add.h adds lines. False when there is no memory.
bool marks_add_gap(struct marks *marks, uint32_t line_number, uint32_t position);

// The same of a register that is none of those that are tracked, if it is ELR of some level.
bool marks_add_named(struct marks *marks, const struct line_register *reg, uint32_t line_number,
                     uint32_t position);

// What `marks` does to the state, whatever came before.
struct marks_summary {
    struct register_bytes at_end;      // all writes of the chunk
    struct register_bytes before_peak; // those before peak.mark
    struct register_bytes before_last; // those before last_instruction
    uint32_t first_instruction;        // NO_MARK: none
    bool gap_before_first_instruction;
    bool gap_at_end;                 // a gap after the last instruction
    bool lr_written_before_first[2]; // in AArch32 and AArch64 state
    bool lr_age_is_known;            // whatever came before
    uint8_t lr_age;
};

void marks_summarize(const struct marks *marks, struct marks_summary *summary);

// The LR age at which no call is looked for any more.
#define LR_AGE_MAX 8

// Whether the patch touches LR, or SP, as the instruction-set state has it.
static inline bool patch_touches_lr(const struct register_bytes *patch, bool aarch64)
{
    return aarch64 ? patch->known[TRACKED_X30] != 0 : (patch->known[TRACKED_X14] & UINT32_MAX) != 0;
}

static inline bool patch_touches_sp(const struct register_bytes *patch, bool aarch64)
{
    return aarch64 ? patch->known[TRACKED_XSP] != 0 : (patch->known[TRACKED_X13] & UINT32_MAX) != 0;
}

// PCs differ in more than the Thumb bit.
static inline bool pcs_differ(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~UINT64_C(1)) != 0;
}

#endif

// What a chunk contains for one lane (core): a list of the few events that calls, profiles and
// visits need, and a summary from which the state after the chunk follows without walking them.
//
// A node consists of lines of one time with at most one instruction. It is the unit of time and
// state. Nodes cannot be cut while a chunk is parsed, because times only ascend: a high time from
// before the chunk would move every cut in it. So parsing makes marks, the stitch computes each
// chunk's initial state from the summaries (one step a chunk), and scan.c cuts the nodes, again in
// parallel.
//
// There is a mark for every instruction, every write to SP, LR or ELR, and every exception. Other
// events have one only if their time is higher than all before in the chunk, because no others can
// start a node.
#ifndef TRAWL_TRACE_LINES_MARKS_H
#define TRAWL_TRACE_LINES_MARKS_H

#include "base/base.h"
#include "base/program_pc.h"
#include "base/vec.h"
#include "flow/task_key.h"
#include "idx/segment_rows.h"
#include "trace/lines/line.h"

// The registers that calls need: x13 and x14 (r13 and r14 are their low halves), x30, xsp.
enum tracked_register {
    TRACKED_X13,
    TRACKED_X14,
    TRACKED_X30,
    TRACKED_XSP,
    TRACKED_COUNT,
};

// Some bytes of these registers: `known` has ff for each byte that is set. Of the others, `value`
// has ff for those that are forgotten, because something unknown was written to them, and zero for
// those that are not written.
struct register_bytes {
    uint64_t value[TRACKED_COUNT];
    uint64_t known[TRACKED_COUNT];
};

static inline uint64_t register_bytes_forgotten(const struct register_bytes *bytes,
                                                enum tracked_register which)
{
    return bytes->value[which] & ~bytes->known[which];
}

// Whether anything is written to a register.
static inline bool register_bytes_touch(const struct register_bytes *bytes,
                                        enum tracked_register which, uint64_t mask)
{
    return ((bytes->known[which] | bytes->value[which]) & mask) != 0;
}

// Writes `patch` over `base`.
static inline void register_bytes_overlay(struct register_bytes *base,
                                          const struct register_bytes *patch)
{
    for (int i = 0; i < TRACKED_COUNT; i++) {
        const uint64_t forgotten = register_bytes_forgotten(patch, (enum tracked_register)i);
        base->value[i] = (base->value[i] & ~patch->known[i]) | patch->value[i];
        base->known[i] = (base->known[i] & ~forgotten) | patch->known[i];
    }
}

enum mark_kind {
    MARK_TIME,        // an event that may start a node by its time
    MARK_INSTRUCTION, // value: PC with the Thumb bit; size: bytes to the next in sequence
    MARK_REGISTERS,   // value: index in `patches`; bank: from the name of the stack pointer
    MARK_EXCEPTION,   // value: where control goes; 0: unknown
    MARK_GAP,         // not an event: an instruction line was skipped here, so the flow is unknown
    MARK_RESUME,      // not an event: an exception's return address was written. value: this
    MARK_KEY,         // not an event: what says which task runs was shown. value: the key of that;
                      // size: enum task_key_kind; MARK_READ: it was read
};

// What else is known of an instruction, as flags of its event.
enum mark_flag {
    MARK_EXECUTED = EVENT_EXECUTED,     // it passed its condition and was fetched
    MARK_SEMIHOSTING = EVENT_HOST_CALL, // it is a call of the debug host
    MARK_READ = 1,                      // of MARK_KEY
};

#define NO_MARK UINT32_MAX

// Where the time of a chunk first reached its highest value, and the counts before that.
struct time_peak {
    uint32_t mark; // NO_MARK: no event yet
    uint64_t time;
    uint32_t instructions_before;
    uint32_t last_instruction_before; // NO_MARK: none
    uint32_t patches_before;
};

// Instructions are not longer than this, however many digits are written.
#define MARK_SIZE_MAX 255

// Line and position are relative to the chunk; so is a time that counts instructions.
struct mark {
    uint64_t time, value;
    uint32_t line, position;
    struct mark_summary summary;
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
    return mode_isa(mark->summary.mode);
}

// Of the mode of an instruction; for registers, of the name of the stack pointer.
static ALWAYS_INLINE enum sp_bank mark_bank(const struct mark *mark)
{
    return mode_bank(mark->summary.mode);
}

// Which translation tables the mode uses.
static inline enum address_regime bank_regime(enum sp_bank mode)
{
    switch (mode) {
    case SP_BANK_EL2:
    case SP_BANK_HYP:
        return REGIME_EL2;
    case SP_BANK_EL3:
    case SP_BANK_MON:
        return REGIME_EL3;
    default:
        return mode < SP_BANK_NONE ? REGIME_EL1 : REGIME_UNKNOWN;
    }
}

_Static_assert(sizeof(struct mark) == 32, "one is left by nearly every line");

static inline struct mark_summary mark_summary_of(const struct line_instruction *instruction)
{
    return (struct mark_summary){
        .encoding_column = instruction->summary.encoding_column,
        .kind = MARK_INSTRUCTION,
        .mode = mark_mode(instruction->isa, instruction->bank),
        .flags = instruction->executed ? MARK_EXECUTED : 0,
        .size = (uint8_t)u64_min(instruction->size_bytes, MARK_SIZE_MAX),
    };
}

// The encoding of an instruction, from its line in the chunk: few are needed, so parsing does not
// read them.
uint32_t mark_encoding(const struct mark *mark, const struct source_chunk *chunk);

// The flags that a mark contributes to its event.
static ALWAYS_INLINE uint8_t mark_event_flags(const struct mark *mark, enum mark_kind kind)
{
    if (kind == MARK_INSTRUCTION)
        return (uint8_t)((unsigned)mark_isa(mark) | mark->summary.flags | EVENT_HAS_INSTRUCTION);
    return kind == MARK_EXCEPTION ? EVENT_EXCEPTION : 0;
}

// A write to a register that selects address spaces (idx/spaces.h), after `marks_before` marks.
struct space_write {
    uint64_t value; // INDEX_SPACE_UNKNOWN: the line does not show all of it
    uint32_t marks_before;
    uint8_t which; // index_space_register
};

struct marks {
    struct mark *items;
    size_t count, capacity;
    VEC(, struct register_bytes) patches;
    bool keeps_spaces; // where images share addresses
    VEC(, struct space_write) spaces;

    struct time_peak peak;        // of the whole chunk
    struct time_peak peak_before; // of the part before peak.mark
    uint32_t instruction_count;
    uint32_t last_instruction; // NO_MARK: none
    uint32_t instruction_before_last;
    uint32_t patches_before_last_instruction;
    uint64_t repeats; // of instructions, which their lines do not show (trace_line.repeats)
    // The names of registers that keep where an exception returns (line_language); NULL ends them.
    const char *const *exception_returns, *const *vector_bases;
    uint64_t event_count; // lines that made an event, with or without a mark
    bool has_aarch64;     // some instruction is of AArch64
    // Instructions with a lower time than the one before them in the chunk.
    uint32_t fall_count, first_fall_line;
};

// The bank of the mode of the latest instruction; SP_BANK_NONE: there was none.
static ALWAYS_INLINE enum sp_bank marks_bank(const struct marks *marks)
{
    const uint32_t last = marks->last_instruction;
    return last == NO_MARK ? SP_BANK_NONE : mark_bank(&marks->items[last]);
}

// Empties the list and keeps its memory.
void marks_reset(struct marks *marks);
void marks_free(struct marks *marks);

// The place of the next mark, with the fields set that all marks have; NULL: no memory. It becomes
// a mark when `count` is incremented. Marks are filled in place: copying one that was just made
// would have to wait until its parts are stored.
static ALWAYS_INLINE struct mark *marks_next(struct marks *marks, enum mark_kind kind,
                                             uint32_t line_number, uint32_t position)
{
    if (UNLIKELY(!VEC_ROOM(marks, 1)))
        return NULL;
    struct mark *mark = &marks->items[marks->count];
    mark->line = line_number;
    mark->position = position;
    mark->summary = (struct mark_summary){.kind = (uint8_t)kind};
    return mark;
}

// What a register line writes to tracked registers.
struct register_patch {
    struct register_bytes bytes;
    enum sp_bank bank;
    bool has_event;  // it updates some byte of some register
    bool is_tracked; // of a tracked register
};

// For any line. Not inlined, because it is rarely needed.
void marks_decode_patch(const struct line_register *reg, struct register_patch *patch);

// Adds a gap; marks_add.h adds lines. False: no memory.
bool marks_add_gap(struct marks *marks, uint32_t line_number, uint32_t position);

// The same for a register that is not tracked: where an exception returns, or one that selects a
// space.
bool marks_add_named(struct marks *marks, const struct line_register *reg, uint32_t line_number,
                     uint32_t position);

// The same for a key of the running task.
bool marks_add_key(struct marks *marks, enum task_key_kind kind, uint64_t key, bool is_read,
                   uint32_t line_number, uint32_t position);

// The effect of `marks` on the state, independent of what came before.
struct marks_summary {
    struct register_bytes at_end;      // after all writes of the chunk
    struct register_bytes before_peak; // after those before peak.mark
    struct register_bytes before_last; // after those before last_instruction
    uint32_t first_instruction;        // NO_MARK: none
    bool gap_before_first_instruction;
    bool gap_at_end;                 // a gap after the last instruction
    bool lr_written_before_first[2]; // in AArch32 and AArch64 state
    bool lr_age_is_known;            // it does not depend on what came before
    uint8_t lr_age;
};

void marks_summarize(const struct marks *marks, struct marks_summary *summary);

// The LR age from which calls are no longer searched for.
#define LR_AGE_MAX 8

// Whether the patch touches LR, or SP, of the instruction set state.
static inline bool patch_touches_lr(const struct register_bytes *patch, bool aarch64)
{
    return aarch64 ? register_bytes_touch(patch, TRACKED_X30, UINT64_MAX)
                   : register_bytes_touch(patch, TRACKED_X14, UINT32_MAX);
}

static inline bool patch_touches_sp(const struct register_bytes *patch, bool aarch64)
{
    return aarch64 ? register_bytes_touch(patch, TRACKED_XSP, UINT64_MAX)
                   : register_bytes_touch(patch, TRACKED_X13, UINT32_MAX);
}

#endif

// The second pass over a chunk's marks: cuts nodes, and finds what depends on them: transfers of
// control for matching calls, and visits to watched addresses.
#ifndef TRAWL_TRACE_LINES_SCAN_H
#define TRAWL_TRACE_LINES_SCAN_H

#include "base/source.h"
#include "flow/clip.h"
#include "flow/function_map.h"
#include "flow/node.h"
#include "trace/lines/lane_state.h"
#include "trace/lines/language.h"

// The nodes that begin in the chunk, with the data of their first marks. A row after the last one
// has line UINT32_MAX.
struct scan_nodes {
    uint64_t *time, *pc;
    uint32_t *line, *position; // relative to the chunk
    uint8_t *flags;            // enum event_flag
    size_t count, capacity;
};

// An instruction or exception that is not the first event of its node.
struct node_join {
    uint32_t node; // counted in the chunk from 1; 0: the node carried in
    uint32_t mark;
};

// A node without an instruction whose first line names the one that it belongs to.
struct node_origin {
    uint64_t pc;
    uint32_t node; // counted in the chunk from 0
};

// An instruction that runs in another mode than the one before it, with the values that banked
// registers have there; possibly placeholders.
struct mode_change {
    uint32_t mark;
    uint8_t before, now;           // mark_mode
    uint64_t sp, link;             // of the mode; link: of the user mode in AArch64
    uint64_t user_sp;              // r13 of the user mode, which is x13
    uint64_t last_sp;              // written last to any bank
    uint64_t plain_sp, plain_link; // written while the mode was unknown
};

// What a scan keeps besides transfers.
struct scan_options {
    const struct line_language *language;
    struct watch_list watch;
    bool keep_nodes;
    bool keep_modes;                      // with nodes
    bool drop_transfers;                  // they are not needed
    bool has_programs;                    // PCs may say of which program they are
    const struct task_key *task_key;      // given by the user; NULL: not
    const struct function_map *functions; // where control may fall through to another; NULL: not
                                          // needed
};

// The banked registers of a lane that were written in the chunk: stack pointers by bank, the value
// written last to any of them, r14 of AArch32 by bank, and for each security state of the M profile
// the main stack pointer, which handlers use, the one written last, which threads use, because no
// line says whether a thread uses the main one or the other, and the process stack pointer, on
// which exceptions put the registers of threads.
#define SP_LAST SP_BANK_COUNT
#define LINK_OF_BANK(bank) (SP_LAST + 1 + (bank)-SP_BANK_USR) // from USR on
#define MAIN_OF_M (LINK_OF_BANK(SP_BANK_NONE) + 1)
#define LAST_OF_M (MAIN_OF_M + 3)
#define PROCESS_OF_M (LAST_OF_M + 3)
#define BANKED_COUNT (PROCESS_OF_M + 3)
#define SP_WRITTEN ((UINT32_C(1) << (SP_LAST + 1)) - 1)
struct banked_registers {
    uint64_t value[BANKED_COUNT];
    uint32_t written; // bit i: value[i] is set
};

// Placeholder for a register that was not written in the chunk: item `at` of those carried into it.
#define SP_CARRIED(at) (UINT64_MAX - 1 - (at))

static inline bool sp_is_carried(uint64_t value)
{
    return SP_CARRIED(0) - value < BANKED_COUNT;
}

// Replaces a placeholder by the stack pointer that was carried into the chunk.
static inline void sp_complete(uint64_t *value, const struct banked_registers *carried)
{
    uint64_t at = SP_CARRIED(0) - *value;
    if (sp_is_carried(*value))
        *value = carried->written >> at & 1 ? carried->value[at] : ADDRESS_UNKNOWN;
}

// What a lane passes from chunk to chunk for its transfers. Only matching calls needs it, so it is
// not part of the state that the stitch computes.
struct lane_carry {
    struct banked_registers pointers;
    struct branch branch;      // the effect of the last instruction
    bool is_exception;         // an exception was taken after it
    uint64_t sp_at_exception;  // SP when it was taken
    uint64_t resume;           // the value written to ELR after it; or ADDRESS_UNKNOWN
    uint64_t key;              // of the running task, shown last
    uint8_t key_kind;          // enum task_key_kind; KEY_NONE: never
    uint64_t handler, entered; // where it goes (ADDRESS_UNKNOWN), and as transfer.entered
};

// Advances what is carried of exceptions over a stretch that left `left`.
void lane_carry_exception(struct lane_carry *carry, const struct lane_carry *left,
                          bool has_instruction);

// The same for the key of the running task.
static inline void lane_carry_key(struct lane_carry *carry, const struct lane_carry *left)
{
    if (!left->key_kind || task_key_rank(left->key_kind) < task_key_rank(carry->key_kind))
        return;
    carry->key = left->key;
    carry->key_kind = left->key_kind;
}

#define LANE_CARRY_START                                                                           \
    ((struct lane_carry){.branch = {.target = ADDRESS_UNKNOWN}, .resume = ADDRESS_UNKNOWN})

// The cached result of decoding an instruction: the same branches are taken again and again, and
// the digits of the encoding show whether it is the same.
struct branch_memo {
    uint64_t pc;
    char digits[ENCODING_DIGITS]; // the text where the digits of the encoding begin
    struct mark_summary summary;
    struct branch branch;
    char arrived[ENCODING_DIGITS]; // the same for the target of an unconditional jump
    bool opens_frame;              // result for `arrived`
};

#define BRANCH_MEMO_COUNT 128

struct scan_result {
    VEC(, struct transfer) transfers;
    size_t carried_count; // those after them have all their stack pointers from the chunk
    VEC(, struct visit) visits;
    struct scan_nodes nodes;           // if kept, as many as node_count
    VEC(, struct node_join) joins;     // if nodes are kept
    VEC(, struct node_origin) origins; // likewise
    VEC(, struct mode_change) modes;   // if they are kept
    uint64_t drop_below_at_end;        // from the SP writes after the last transfer
    uint64_t node_count;               // that begin in the chunk
    struct lane_carry carry;           // after the chunk; without what the chunk does not contain
    bool has_instruction;              // carry.branch is of the chunk
    bool first_is_transfer;            // the first transfer is from an instruction before the chunk
    bool sets_resume;                  // carry.resume is of the chunk
    size_t resume_carried_count;       // then: those after them have theirs from the chunk
    struct node_ref root; // the lane's first node with an instruction, if it is in this chunk
    bool has_root;
    struct branch_memo *memo; // BRANCH_MEMO_COUNT items by PC, owned by the caller; for one chunk
};

// Advances `state` over the marks and appends to `result`, whose columns are emptied first. Node
// events are relative to the chunk. False: no memory.
//
// `chunk` is the chunk of the marks, for the encodings of branches; NULL: transfers are not needed.
bool scan_marks(struct lane_state *state, const struct marks *marks,
                const struct source_chunk *chunk, const struct chunk_base *base,
                const struct scan_options *options, struct scan_result *result);

// Empties a result, as for a chunk without marks.
void scan_result_clear(struct scan_result *result);

// Whether a banked register shows another value than the one written last, because the mode
// changes. `carry` is from before the chunk; NULL: unknown, as in a survey, whose first known mode
// is compared when the earlier one is known.
bool scan_changes_bank(const struct scan_result *result, const struct lane_carry *carry);

// What a register of the register space shows from an instruction on that changes the mode.
struct bank_row {
    uint64_t value; // ADDRESS_UNKNOWN: unknown
    uint16_t cell;
    uint8_t mask;
};

enum { BANK_ROWS = 3 };

// Finds them, with what was carried into the chunk, and returns their number.
size_t scan_bank_rows(const struct mode_change *change, const struct lane_carry *carry,
                      struct bank_row rows[BANK_ROWS]);

// Advances the data that the lane carries for its transfers over the chunk.
void scan_carry(struct scan_result *result, struct lane_carry *carry);

// Adds to the chunk's transfers what the lane carried into the chunk. `has_programs` is that of the
// options.
void scan_complete(struct scan_result *result, const struct lane_carry *carry, bool has_programs);

// Passes the nodes that begin in the chunk, and the one before them, to a clip, up to the first one
// after its range. `before` is the state before the chunk, and `nodes_before` the number of the
// lane's nodes then.
void scan_pass_clip(const struct lane_state *before, const struct marks *marks,
                    const struct chunk_base *base, uint64_t nodes_before, struct clip *clip);

void scan_result_free(struct scan_result *result);

#endif

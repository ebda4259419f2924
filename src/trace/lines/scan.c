#include "trace/lines/scan.h"

#include "simd/text.h"

#include "base/characters.h"

#include <stdlib.h>

// The largest distance of LR from the next sequential instruction at which it is a return address.
#define RETURN_DISTANCE_BYTES 64

// How far ahead marks are prefetched, which may no longer be in the caches.
#define PREFETCH_MARKS 64

// Marks for each transfer of control, roughly: room to begin with.
#define MARKS_PER_TRANSFER 8

// The number of transfers that wait for the effect of the previous instruction. It is in the text
// of its line, which parsing has left long ago, and which is prefetched while they wait.
#define BRANCHES_AHEAD 8

// A node before its place is needed: `mark` began it; NULL: it was carried in.
struct scan_node {
    const struct mark *mark;
    uint64_t time, pc;
};

// Up to which address no other function begins after another: most places that control comes to
// were looked up before.
struct reach {
    uint64_t pc, last;
};

enum { REACHES = 64 };

struct scan {
    struct lane_state *state; // except for its nodes, which are stored there at the end
    struct scan_node node, previous;
    const struct marks *marks;
    const struct source_chunk *chunk; // NULL: encodings are not needed
    const struct chunk_base *base;
    const struct scan_options *options;
    struct scan_result *result;
    uint64_t drop_below;
    bool registers_changed; // since the current node began
    bool keeps_nodes;
    const struct mark *last; // the previous instruction; NULL: none in the chunk
    bool finds_falls;
    uint64_t key;     // of the running task, if it was shown since the last transfer
    uint8_t key_kind; // KEY_NONE: it was not
    bool key_is_read;
    uint64_t within; // up to this address no other function begins
    struct reach reaches[REACHES];
    // For the last transfers, by number: the instructions before and after; NULL: already filled.
    const struct mark *waiting[BRANCHES_AHEAD], *arrived[BRANCHES_AHEAD];
};

// Empties the columns and allocates room for `count` nodes.
static bool reserve_nodes(struct scan_nodes *nodes, size_t count)
{
    nodes->count = 0;
    if (nodes->capacity > count)
        return true;
    size_t capacity = count + count / 2 + 16;
    uint64_t *time = malloc(capacity * (2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + 1));
    if (!time)
        return false;
    free(nodes->time);
    *nodes = (struct scan_nodes){.time = time, .pc = time + capacity, .capacity = capacity};
    nodes->line = (uint32_t *)(nodes->pc + capacity);
    nodes->position = nodes->line + capacity;
    nodes->flags = (uint8_t *)(nodes->position + capacity);
    return true;
}

static ALWAYS_INLINE void keep_node(struct scan_nodes *nodes, const struct mark *mark,
                                    enum mark_kind kind, uint64_t time)
{
    size_t row = nodes->count++;
    nodes->time[row] = time;
    nodes->pc[row] = kind == MARK_INSTRUCTION ? mark->value : EVENT_WITHOUT_PC;
    nodes->line[row] = mark->line;
    nodes->position[row] = mark->position;
    nodes->flags[row] = mark_event_flags(mark, kind);
}

// The place of a node; `carried` is its place if it began before the chunk.
static struct node_ref ref_of(const struct scan *scan, const struct scan_node *node, uint64_t event,
                              const struct node_ref *carried)
{
    return (struct node_ref){
        .event = event,
        .time = node->time,
        .line = node->mark ? scan->base->line + node->mark->line + 1 : carried->line,
        .position = node->mark ? scan->base->position + node->mark->position : carried->position,
        .pc = node->pc,
    };
}

static struct node_ref current_node(const struct scan *scan)
{
    return ref_of(scan, &scan->node, scan->result->node_count - 1, &scan->state->node);
}

static struct node_ref previous_node(const struct scan *scan)
{
    uint64_t count = scan->result->node_count;
    return ref_of(scan, &scan->previous, count - 2,
                  count ? &scan->state->node : &scan->state->previous);
}

static ALWAYS_INLINE void begin_node(struct scan *scan, const struct mark *mark,
                                     enum mark_kind kind, uint64_t time)
{
    struct lane_state *state = scan->state;
    struct scan_result *result = scan->result;
    scan->previous = scan->node;
    scan->node = (struct scan_node){mark, time, NODE_WITHOUT_PC};
    if (scan->keeps_nodes)
        keep_node(&result->nodes, mark, kind, time);
    result->node_count++;
    state->time = time;
    state->has_node = true;
    state->has_instruction = false;
    if (scan->registers_changed) {
        state->before = state->now;
        scan->registers_changed = false;
    }
}

// Begins a node at the mark if its time or a second instruction requires one.
static ALWAYS_INLINE bool cut(struct scan *scan, size_t at, enum mark_kind kind)
{
    struct lane_state *state = scan->state;
    const struct mark *mark = &scan->marks->items[at];
    uint64_t time = state->counted + mark->time;
    if (time < state->time && state->time != NO_TIME)
        time = state->time;
    bool is_first = time != state->time || (kind == MARK_INSTRUCTION && state->has_instruction);
    if (is_first)
        begin_node(scan, mark, kind, time);
    return is_first;
}

// Records an instruction or exception that joins a node begun before it.
static NEVER_INLINE bool keep_join(struct scan_result *result, size_t at)
{
    if (!VEC_ROOM(&result->joins, 1))
        return false;
    result->joins.items[result->joins.count++] =
        (struct node_join){(uint32_t)result->node_count, (uint32_t)at};
    return true;
}

static NEVER_INLINE bool add_visit(struct scan *scan, uint64_t address)
{
    const struct watch_list *watch = &scan->options->watch;
    size_t low;
    PARTITION_POINT(low, watch->count, watch->addresses[middle] < address);
    if (low == watch->count || watch->addresses[low] != address)
        return !scan->options->has_programs || !pc_has_program(address) ||
               add_visit(scan, pc_address(address)); // of any program
    if (!VEC_ROOM(&scan->result->visits, 1))
        return false;
    const struct node_ref node = current_node(scan);
    scan->result->visits.items[scan->result->visits.count++] =
        (struct visit){(uint32_t)low, node.event, node.time, node.line, node.position};
    return true;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a - b < b - a ? a - b : b - a;
}

// --- Stack pointers ------------------------------------------------------------------------------

static uint64_t banked(const struct scan *scan, unsigned at)
{
    const struct banked_registers *registers = &scan->result->carry.pointers;
    return registers->written >> at & 1 ? registers->value[at] : SP_CARRIED(at);
}

static uint64_t stack_pointer(const struct scan *scan, unsigned bank)
{
    if (mode_is_m(bank))
        return banked(scan, (bank < MODE_M_HANDLER ? LAST_OF_M : MAIN_OF_M) + world_of_m(bank));
    return banked(scan, bank >= SP_BANK_NONE ? SP_LAST : bank); // unknown: the one written last
}

// The stack pointer of the mode in which tasks run. `link` is LR in the handler of an exception: of
// the M profile it says in which security state the interrupted task was.
static uint64_t user_stack_pointer(const struct scan *scan, const struct mark *mark, uint64_t link)
{
    enum { UNKNOWN, SECURE, NON_SECURE }; // as world_of_m
    enum { SECURE_STACK = 1 << 6 };       // of EXC_RETURN
    const struct exception_rules *rules = scan->options->language->exceptions;
    unsigned world = mode_is_m(mark_bank(mark)) ? world_of_m(mark_bank(mark)) : UNKNOWN;
    if (world && rules && exception_link(rules, link))
        world = link & SECURE_STACK ? SECURE : NON_SECURE;
    if (mode_is_m(mark_bank(mark)))
        return banked(scan, PROCESS_OF_M + world);
    return stack_pointer(scan, mark_isa(mark) == ISA_AARCH64 ? SP_BANK_EL0 : SP_BANK_USR);
}

// The bank of a register line: that of its name, or of the mode.
static unsigned bank_of_write(const struct scan *scan, const struct mark *mark)
{
    unsigned bank =
        mark_bank(mark) == SP_BANK_NONE ? mode_bank(scan->state->mode) : mark_bank(mark);
    return bank < SP_BANK_NONE ? bank : SP_BANK_NONE;
}

// r14 of AArch32.
static NEVER_INLINE void write_link(struct scan *scan, const struct mark *mark,
                                    const struct register_bytes *patch)
{
    struct banked_registers *registers = &scan->result->carry.pointers;
    unsigned at = LINK_OF_BANK(bank_of_link((enum sp_bank)bank_of_write(scan, mark)));
    uint64_t value;
    if (!registers_lr(patch, false, &value)) {
        if (!register_bytes_forgotten(patch, TRACKED_X14))
            return;
        value = ADDRESS_UNKNOWN;
    }
    registers->value[at] = value;
    registers->written |= 1U << at;
}

// A stack pointer of the M profile; one whose name does not tell which is taken for both.
static void write_pointer_of_m(struct banked_registers *pointers, unsigned named, unsigned mode,
                               uint64_t value)
{
    uint32_t written = 0;
    bool may_be_main = named < SP_BANK_PROCESS;
    for (unsigned world = 0; world < 3; world++) {
        unsigned known = named >= SP_BANK_MAIN ? world_of_m(named) : 0;
        if (!known)
            known = mode_is_m(mode) ? world_of_m(mode) : 0;
        if (world && known && world != known)
            continue;
        pointers->value[LAST_OF_M + world] = value;
        written |= 1U << (LAST_OF_M + world);
        if (named >= SP_BANK_PROCESS) {
            pointers->value[PROCESS_OF_M + world] = value;
            written |= 1U << (PROCESS_OF_M + world);
        }
        if (may_be_main) {
            pointers->value[MAIN_OF_M + world] = value;
            written |= 1U << (MAIN_OF_M + world);
        }
    }
    pointers->written |= written;
}

// The key of the running task was shown. One of a kind that says less does not count beside it.
static void take_key(struct scan *scan, enum task_key_kind kind, uint64_t key, bool is_read)
{
    const struct task_key *given = scan->options->task_key;
    struct lane_carry left = {.key = key, .key_kind = (uint8_t)kind};
    if (task_key_rank(kind) < task_key_rank(scan->key_kind) ||
        (given && kind != given->kind && kind != KEY_OF_VECTORS))
        return;
    // Null, as it is before the first task, is none.
    scan->key_is_read = is_read && (kind == scan->key_kind ? scan->key_is_read : key != 0);
    scan->key = key;
    scan->key_kind = (uint8_t)kind;
    lane_carry_key(&scan->result->carry, &left);
}

// Whether a write to a stack pointer is of the key of the running task. Linux keeps the address of
// its descriptor (`current`) in SP_EL0 while it runs itself, with the stack pointer of EL1 or EL2;
// that of a program is an address of the lower half.
static bool is_key(const struct scan *scan, unsigned bank, uint64_t value)
{
    unsigned mode = mode_bank(scan->state->mode);
    return bank == SP_BANK_EL0 && (mode == SP_BANK_EL1 || mode == SP_BANK_EL2) &&
           value >> 48 == 0xffff && value != ADDRESS_UNKNOWN;
}

static void write_stack_pointer(struct scan *scan, const struct mark *mark,
                                const struct register_bytes *patch)
{
    struct banked_registers *pointers = &scan->result->carry.pointers;
    uint64_t value;
    unsigned bank = bank_of_write(scan, mark);
    // In AArch64 state, the register that is SP in AArch32 is X13, and so is one of eight bytes.
    bool may_be_r13 = !lane_state_is_aarch64(scan->state) && !(patch->known[TRACKED_X13] >> 32);
    if (!registers_sp(patch, true, &value) && !(may_be_r13 && registers_sp(patch, false, &value))) {
        if (!register_bytes_forgotten(patch, TRACKED_XSP) &&
            !(may_be_r13 && register_bytes_forgotten(patch, TRACKED_X13)))
            return;
        value = ADDRESS_UNKNOWN;
    }
    if (UNLIKELY(is_key(scan, bank, value))) {
        const struct task_key *given = scan->options->task_key;
        take_key(scan, KEY_OF_KERNEL, given ? task_key_value(given, value) : value, false);
    }
    pointers->value[bank] = pointers->value[SP_LAST] = value;
    pointers->written |= 1U << bank | 1U << SP_LAST;
    if (bank == SP_BANK_NONE)
        write_pointer_of_m(pointers, mark_bank(mark), mode_bank(scan->state->mode), value);
}

static void set_resume(struct scan_result *result, uint64_t value)
{
    if (!result->sets_resume)
        result->resume_carried_count = result->transfers.count;
    result->sets_resume = true;
    result->carry.resume = value;
}

static void note_exception(struct scan *scan, uint64_t handler)
{
    struct lane_carry *carry = &scan->result->carry;
    if (!carry->is_exception)
        carry->sp_at_exception = stack_pointer(scan, mode_bank(scan->state->mode));
    carry->entered = carry->is_exception ? carry->handler : 0;
    carry->handler = handler ? handler : ADDRESS_UNKNOWN;
    carry->is_exception = true;
    set_resume(scan->result, ADDRESS_UNKNOWN);
}

static NEVER_INLINE struct branch decode(const struct scan *scan, const struct mark *mark)
{
    return scan->options->language->branch(mark->value, mark_encoding(mark, scan->chunk),
                                           mark->summary.size, mark_isa(mark));
}

static bool is_remembered(const struct branch_memo *memo, const struct mark *mark,
                          const char *digits)
{
    return memo->pc == mark->value && memcmp(memo->digits, digits, sizeof memo->digits) == 0 &&
           memcmp(&memo->summary, &mark->summary, sizeof memo->summary) == 0;
}

// Finds the effect of an instruction on control.
static ALWAYS_INLINE void fill_branch(struct scan *scan, const struct mark *mark,
                                      struct branch *branch)
{
    size_t at = mark->position + mark->summary.encoding_column;
    if (UNLIKELY(!(mark->summary.flags & MARK_EXECUTED) || !scan->chunk)) {
        *branch = (struct branch){
            .pc = mark->value, .next = mark->value + mark->summary.size, .target = ADDRESS_UNKNOWN};
        return;
    }
    if (UNLIKELY(scan->chunk->size_bytes - at < ENCODING_DIGITS)) {
        *branch = decode(scan, mark);
        return;
    }
    const char *digits = scan->chunk->data + at;
    struct branch_memo *memo = &scan->result->memo[mark->value / 2 % BRANCH_MEMO_COUNT];
    if (UNLIKELY(!is_remembered(memo, mark, digits))) {
        *memo = (struct branch_memo){
            .pc = mark->value, .summary = mark->summary, .branch = decode(scan, mark)};
        memcpy(memo->digits, digits, sizeof memo->digits);
    }
    *branch = memo->branch;
}

static NEVER_INLINE bool opens_frame(const struct scan *scan, const struct mark *mark)
{
    return scan->chunk && scan->options->language->opens_frame(mark_encoding(mark, scan->chunk),
                                                               mark->summary.size, mark_isa(mark));
}

// Whether an unconditional jump, whose branch was just filled, reached an instruction with which
// functions begin.
static ALWAYS_INLINE bool comes_to_frame(struct scan *scan, const struct mark *jump,
                                         const struct mark *mark)
{
    struct branch_memo *memo = &scan->result->memo[jump->value / 2 % BRANCH_MEMO_COUNT];
    size_t at = mark->position + mark->summary.encoding_column;
    if (memo->pc != jump->value || scan->chunk->size_bytes - at < ENCODING_DIGITS)
        return opens_frame(scan, mark);
    const char *digits = scan->chunk->data + at;
    if (UNLIKELY(memcmp(memo->arrived, digits, sizeof memo->arrived) != 0)) {
        memo->opens_frame = opens_frame(scan, mark);
        memcpy(memo->arrived, digits, sizeof memo->arrived);
    }
    return memo->opens_frame;
}

// Fills the branch of the transfer that waits in a slot.
static void fill_waiting(struct scan *scan, size_t transfer)
{
    const struct mark **waiting = &scan->waiting[transfer % BRANCHES_AHEAD];
    struct transfer *filled = &scan->result->transfers.items[transfer];
    if (*waiting) {
        fill_branch(scan, *waiting, &filled->from);
        if (filled->from.kind == BRANCH_JUMP && !filled->from.is_conditional)
            filled->opens_frame =
                comes_to_frame(scan, *waiting, scan->arrived[transfer % BRANCHES_AHEAD]);
    }
    *waiting = NULL;
}

// Lets the branch of the newest transfer be filled later, and fills that of an older one.
static void fill_later(struct scan *scan, const struct mark *mark, const struct mark *arrived)
{
    size_t transfer = scan->result->transfers.count - 1;
    if (LIKELY(transfer >= BRANCHES_AHEAD))
        fill_waiting(scan, transfer - BRANCHES_AHEAD);
    if (LIKELY(scan->chunk))
        __builtin_prefetch(scan->chunk->data + mark->position + mark->summary.encoding_column);
    scan->waiting[transfer % BRANCHES_AHEAD] = mark;
    scan->arrived[transfer % BRANCHES_AHEAD] = arrived;
}

static bool mode_differs(unsigned before, unsigned now)
{
    bool are_known = mode_bank(before) < SP_BANK_NONE && mode_bank(now) < SP_BANK_NONE;
    bool are_of_m = mode_is_m(mode_bank(before)) && mode_is_m(mode_bank(now));
    bool are_shared = mode_bank(before) >= MODE_SHARED && mode_bank(now) >= MODE_SHARED;
    return (are_known || are_of_m || are_shared) && mode_bank(before) != mode_bank(now);
}

// Whether an exception of the Non-secure state returned to SG, which is in Secure memory, and so is
// the state that its line has; but the core is Non-secure before it, and has the stack of that.
static NEVER_INLINE bool returns_to_gate(const struct scan *scan, const struct mark *mark)
{
    const unsigned left = mode_bank(scan->state->mode);
    return left >= MODE_M_HANDLER && mark_bank(mark) < MODE_M_HANDLER &&
           world_of_m(left) == WORLD_OF_M_NON_SECURE && scan->chunk &&
           mark_encoding(mark, scan->chunk) == scan->options->language->exceptions->gate_encoding;
}

// Sets the effect of the previous instruction, and what happened in between; for the chunk's first
// instruction, this is completed later.
static void fill_transfer(struct scan *scan, const struct mark *mark, struct transfer *transfer)
{
    const struct lane_state *state = scan->state;
    const struct lane_carry *carry = &scan->result->carry;
    const struct mark *last = scan->last;
    transfer->is_exception = carry->is_exception;
    transfer->is_gap = !state->has_flow;
    transfer->is_overtaken = transfer->falls_through = false;
    transfer->is_link_new = state->lr_age <= 1;
    transfer->changes_mode = mode_differs(state->mode, mark->summary.mode);
    transfer->changes_world = mode_is_m(mode_bank(state->mode)) && mode_is_m(mark_bank(mark)) &&
                              world_of_m(mode_bank(state->mode)) != world_of_m(mark_bank(mark));
    transfer->enters_gate = UNLIKELY(transfer->changes_world) && returns_to_gate(scan, mark);
    transfer->sp_there = stack_pointer(scan, transfer->enters_gate ? MODE_M + WORLD_OF_M_NON_SECURE
                                                                   : mark_bank(mark));
    transfer->sp_left =
        carry->is_exception ? carry->sp_at_exception : stack_pointer(scan, mode_bank(state->mode));
    transfer->resume = carry->resume;
    transfer->key = scan->key;
    transfer->key_kind = scan->key_kind;
    transfer->key_is_read = scan->key_is_read;
    transfer->enters_user = transfer->changes_mode &&
                            (mark_bank(mark) == SP_BANK_EL0 || mark_bank(mark) == SP_BANK_USR ||
                             mark_bank(mark) == MODE_SHARED);
    scan->key_kind = KEY_NONE;
    scan->key_is_read = false;
    scan->key = 0;
    transfer->entered = carry->is_exception ? carry->entered : 0;
    if (!registers_lr(&state->now, mark_isa(mark) == ISA_AARCH64, &transfer->link))
        transfer->link = ADDRESS_UNKNOWN;
    transfer->sp_user = carry->is_exception || !last
                            ? user_stack_pointer(scan, mark, transfer->link)
                            : ADDRESS_UNKNOWN;
    if (UNLIKELY(scan->options->has_programs)) { // registers do not say of which program they are
        uint64_t near = last ? last->value : state->next_pc;
        transfer->link = pc_like(transfer->link, near);
        transfer->resume = pc_like(transfer->resume, near);
    }
    transfer->opens_frame = !last && opens_frame(scan, mark);
    if (LIKELY(last))
        fill_later(scan, last, mark);
    else
        transfer->from = (struct branch){.next = state->next_pc, .target = ADDRESS_UNKNOWN};
    scan->result->first_is_transfer |= !last;
    if (sp_is_carried(transfer->sp_there) || sp_is_carried(transfer->sp_left) ||
        sp_is_carried(transfer->sp_user))
        scan->result->carried_count = scan->result->transfers.count;
}

// --- Marks of a chunk, in order ------------------------------------------------------------------

static ALWAYS_INLINE bool keep_transfer(struct scan *scan, const struct mark *mark)
{
    const struct lane_state *state = scan->state;
    if (!VEC_ROOM(&scan->result->transfers, 1))
        return false;
    struct transfer *transfer = &scan->result->transfers.items[scan->result->transfers.count++];
    transfer->previous = previous_node(scan);
    transfer->node = current_node(scan);
    bool aarch64 = mark_isa(mark) == ISA_AARCH64;
    if (!registers_sp(&state->before, aarch64, &transfer->sp))
        transfer->sp = UINT64_MAX;
    uint64_t expected = state->next_pc | (mode_isa(state->mode) == ISA_THUMB);
    bool has_link = registers_lr(&state->before, aarch64, &transfer->return_address);
    if (UNLIKELY(scan->options->has_programs))
        transfer->return_address = pc_like(transfer->return_address, expected);
    transfer->may_be_call = has_link && state->lr_age < LR_AGE_MAX &&
                            distance(transfer->return_address, expected) < RETURN_DISTANCE_BYTES;
    transfer->drop_below = state->has_flow ? scan->drop_below : 0;
    fill_transfer(scan, mark, transfer);
    return true;
}

static NEVER_INLINE bool add_transfer(struct scan *scan, const struct mark *mark)
{
    if (!scan->options->drop_transfers && !keep_transfer(scan, mark))
        return false;
    if (UNLIKELY(!scan->state->has_flow))
        return true; // a gap, which the reference does not know
    scan->drop_below = 0;
    scan->state->lr_age = LR_AGE_MAX;
    return true;
}

// Records that an instruction runs in another mode than the one before it. False: no memory.
static NEVER_INLINE bool keep_mode(struct scan *scan, size_t at)
{
    struct scan_result *result = scan->result;
    const struct mark *mark = &scan->marks->items[at];
    enum sp_bank bank = mark_bank(mark);
    bool is_aarch64 = mark_isa(mark) == ISA_AARCH64;
    if (bank == SP_BANK_NONE || bank >= MODE_SHARED) // no register shows another value
        return true;
    if (!VEC_ROOM(&result->modes, 1))
        return false;
    struct mode_change change = {
        .mark = (uint32_t)at, .before = scan->state->mode, .now = mark->summary.mode};
    if (bank < SP_BANK_NONE) {
        change.sp = banked(scan, is_aarch64 ? bank : bank_of_aarch32(bank));
        change.link = banked(scan, LINK_OF_BANK(bank_of_link(bank)));
        change.user_sp = banked(scan, SP_BANK_USR);
        change.last_sp = banked(scan, SP_LAST);
        change.plain_sp = banked(scan, SP_BANK_NONE);
        change.plain_link = banked(scan, LINK_OF_BANK(SP_BANK_NONE));
    }
    result->modes.items[result->modes.count++] = change;
    return true;
}

// Control came to a place from elsewhere.
static ALWAYS_INLINE void arrive(struct scan *scan, uint64_t pc)
{
    struct reach *reach = &scan->reaches[pc / 2 % REACHES];
    if (UNLIKELY(reach->pc != pc)) {
        reach->pc = pc;
        function_map_reach(scan->options->functions, pc & ~UINT64_C(1), &reach->last);
    }
    scan->within = reach->last;
}

// Control went on to the next instruction, which may be of another function. Nothing shows this but
// images, so it is no transfer, but kept as one. False: no memory.
static NEVER_INLINE bool fall_through(struct scan *scan, const struct mark *mark)
{
    struct scan_result *result = scan->result;
    uint64_t pc = mark->value & ~UINT64_C(1);
    const struct function_range *range =
        function_map_reach(scan->options->functions, pc, &scan->within);
    if (!range || range->first != pc || range->entry == FUNCTION_MAP_NONE || !scan->state->has_flow)
        return true;
    if (!keep_transfer(scan, mark))
        return false;
    struct transfer *kept = &result->transfers.items[result->transfers.count - 1];
    kept->falls_through = kept->is_gap = true;
    kept->is_exception = kept->may_be_call = false;
    kept->drop_below = 0;
    return true;
}

static ALWAYS_INLINE bool scan_instruction(struct scan *scan, size_t at)
{
    struct lane_state *state = scan->state;
    const struct mark *mark = &scan->marks->items[at];
    uint64_t pc = mark->value;
    if (!cut(scan, at, MARK_INSTRUCTION) && scan->keeps_nodes && !keep_join(scan->result, at))
        return false;
    state->has_instruction = true;
    scan->node.pc = pc;
    bool is_first = !state->has_root;
    if (UNLIKELY(is_first) && state->has_node) {
        state->has_root = scan->result->has_root = true;
        scan->result->root = current_node(scan);
    }
    state->lr_age += state->lr_age < LR_AGE_MAX;
    if (pcs_differ(pc, state->next_pc)) {
        if (LIKELY(!is_first) && !add_transfer(scan, mark))
            return false;
        if (scan->finds_falls)
            arrive(scan, pc);
    } else if (UNLIKELY(pc > scan->within) && LIKELY(!is_first) && !fall_through(scan, mark)) {
        return false;
    }
    scan->last = mark;
    scan->result->carry.is_exception = false;
    if (UNLIKELY(mark->summary.mode != state->mode) && scan->options->keep_modes &&
        !keep_mode(scan, at))
        return false;
    state->mode = mark->summary.mode;
    state->has_flow = true;
    state->next_pc = pc + mark->summary.size;
    return LIKELY(!scan->options->watch.count) || !state->has_node ||
           add_visit(scan, pc & ~UINT64_C(1));
}

static void scan_registers(struct scan *scan, size_t at)
{
    struct lane_state *state = scan->state;
    const struct register_bytes *patch = &scan->marks->patches.items[scan->marks->items[at].value];
    bool aarch64 = lane_state_is_aarch64(state);
    uint64_t sp;
    cut(scan, at, MARK_REGISTERS);
    if (patch_touches_lr(patch, aarch64))
        state->lr_age = 0;
    if (patch_touches_sp(patch, aarch64) && registers_sp(&state->before, aarch64, &sp))
        scan->drop_below = u64_max(scan->drop_below, sp);
    if (register_bytes_touch(patch, TRACKED_XSP, UINT64_MAX) ||
        register_bytes_touch(patch, TRACKED_X13, UINT64_MAX))
        write_stack_pointer(scan, &scan->marks->items[at], patch);
    if (!aarch64 && register_bytes_touch(patch, TRACKED_X14, UINT32_MAX))
        write_link(scan, &scan->marks->items[at], patch);
    register_bytes_overlay(&state->now, patch);
    scan->registers_changed = true;
}

static struct scan begin_scan(struct lane_state *state, const struct marks *marks,
                              const struct source_chunk *chunk, const struct chunk_base *base,
                              const struct scan_options *options, struct scan_result *result)
{
    return (struct scan){
        .state = state,
        .node = {NULL, state->node.time, state->node.pc},
        .previous = {NULL, state->previous.time, state->previous.pc},
        .marks = marks,
        .chunk = chunk,
        .base = base,
        .options = options,
        .result = result,
        .registers_changed = true,
        .finds_falls = options->functions && !options->drop_transfers,
        .within = options->functions && !options->drop_transfers ? 0 : UINT64_MAX,
        .keeps_nodes = options->keep_nodes,
    };
}

// Finds the instructions that lines of accesses name before the address, as those of RTL do, whose
// accesses come late: "MNW8____ (01000010:00000003) 00007ff8 ...".
static bool find_origins(struct scan_result *result, const struct source_chunk *chunk)
{
    const struct scan_nodes *nodes = &result->nodes;
    for (size_t node = 0; node < nodes->count; node++) {
        if (LIKELY(nodes->flags[node] & (EVENT_HAS_INSTRUCTION | EVENT_EXCEPTION)))
            continue;
        const char *line = chunk->data + nodes->position[node];
        const char *end = chunk->data + chunk->size_bytes;
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        end = newline ? newline : end;
        const char *open = memchr(line, '(', (size_t)(end - line));
        if (!open)
            continue;
        const char *word_end = open, *at = open + 1;
        while (word_end > line && word_end[-1] == ' ')
            word_end--;
        const char *word = word_end;
        while (word > line && word[-1] != ' ')
            word--;
        uint64_t pc = 0;
        for (; at < end && at - open <= 16 && is_hex_digit(*at); at++)
            pc = pc << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
        if (word == word_end || *word != 'M' || at == open + 1 || at == end || *at != ':')
            continue;
        if (!VEC_ROOM(&result->origins, 1))
            return false;
        result->origins.items[result->origins.count++] = (struct node_origin){pc, (uint32_t)node};
    }
    return true;
}

static void end_scan(struct scan *scan)
{
    const struct node_ref node = current_node(scan), previous = previous_node(scan);
    scan->state->node = node;
    scan->state->previous = previous;
    scan->result->drop_below_at_end = scan->drop_below;
    const size_t count = scan->result->transfers.count;
    for (size_t i = count > BRANCHES_AHEAD ? count - BRANCHES_AHEAD : 0; i < count; i++)
        fill_waiting(scan, i);
    // The effect of the last instruction is for the first of the next chunk. A scan for the state
    // alone has no language, and needs none.
    const struct mark *last = scan->last;
    scan->result->has_instruction = last != NULL;
    if (last && scan->options->language)
        fill_branch(scan, last, &scan->result->carry.branch);
    if (scan->keeps_nodes)
        scan->result->nodes.line[scan->result->nodes.count] = UINT32_MAX;
}

void scan_result_clear(struct scan_result *result)
{
    result->transfers.count = result->visits.count = 0;
    result->nodes.count = result->joins.count = result->origins.count = 0;
    result->modes.count = 0;
    result->node_count = result->carried_count = 0;
    result->drop_below_at_end = 0;
    result->has_root = result->has_instruction = result->first_is_transfer = false;
    result->sets_resume = false;
    result->carry.is_exception = false;
    result->carry.key = 0;
    result->carry.key_kind = KEY_NONE;
    result->carry.resume = ADDRESS_UNKNOWN;
    result->carry.pointers.written = 0;
}

bool scan_marks(struct lane_state *state, const struct marks *marks,
                const struct source_chunk *chunk, const struct chunk_base *base,
                const struct scan_options *options, struct scan_result *result)
{
    struct scan scan = begin_scan(state, marks, chunk, base, options, result);
    scan_result_clear(result);
    if (options->keep_nodes && !reserve_nodes(&result->nodes, marks->count))
        return false; // a mark begins at most one
    if (!result->transfers.capacity && !options->drop_transfers)
        (void)VEC_ROOM(&result->transfers, marks->count / MARKS_PER_TRANSFER);
    for (size_t at = 0; at < marks->count; at++) {
        __builtin_prefetch(&marks->items[at + PREFETCH_MARKS]);
        switch ((enum mark_kind)marks->items[at].summary.kind) {
        case MARK_INSTRUCTION:
            if (!scan_instruction(&scan, at))
                return false;
            break;
        case MARK_REGISTERS:
            scan_registers(&scan, at);
            break;
        case MARK_TIME:
            cut(&scan, at, MARK_TIME);
            break;
        case MARK_EXCEPTION:
            note_exception(&scan, marks->items[at].value);
            if (!cut(&scan, at, MARK_EXCEPTION) && scan.keeps_nodes && !keep_join(result, at))
                return false;
            if (options->watch.count && state->has_node && !add_visit(&scan, WATCH_EXCEPTIONS))
                return false;
            break;
        case MARK_GAP:
            state->has_flow = false;
            break;
        case MARK_RESUME:
            set_resume(result, marks->items[at].value);
            break;
        case MARK_KEY:
            take_key(&scan, (enum task_key_kind)marks->items[at].summary.size,
                     marks->items[at].value, marks->items[at].summary.flags & MARK_READ);
            break;
        }
    }
    end_scan(&scan);
    return !options->keep_nodes || !chunk || find_origins(result, chunk);
}

void scan_complete(struct scan_result *result, const struct lane_carry *carry, bool has_programs)
{
    if (result->first_is_transfer) {
        // Completes the first transfer, for which the chunk contains only the target.
        struct transfer *first = &result->transfers.items[0];
        first->from = carry->branch;
        if (carry->is_exception && !first->falls_through) {
            if (!first->is_exception)
                first->entered = carry->entered;
            else if (!first->entered)
                first->entered = carry->handler;
            first->is_exception = true;
            first->sp_left = carry->sp_at_exception;
        }
        if (!first->is_exception)
            first->sp_user = ADDRESS_UNKNOWN;
    }
    const size_t resume_count =
        result->sets_resume ? result->resume_carried_count : result->transfers.count;
    for (size_t i = 0; i < resume_count && carry->resume != ADDRESS_UNKNOWN; i++) {
        struct transfer *transfer = &result->transfers.items[i];
        transfer->resume =
            has_programs ? pc_like(carry->resume, transfer->from.next) : carry->resume;
    }
    if (result->transfers.count && !result->transfers.items[0].key_kind) {
        result->transfers.items[0].key = carry->key;
        result->transfers.items[0].key_kind = carry->key_kind;
    }
    for (size_t i = 0; i < result->carried_count; i++) {
        struct transfer *transfer = &result->transfers.items[i];
        sp_complete(&transfer->sp_there, &carry->pointers);
        sp_complete(&transfer->sp_left, &carry->pointers);
        if (UNLIKELY(transfer->is_exception))
            sp_complete(&transfer->sp_user, &carry->pointers);
    }
}

// The value of a register of a mode change, with what was carried into the chunk.
static uint64_t completed(uint64_t value, const struct lane_carry *carry)
{
    sp_complete(&value, &carry->pointers);
    return value;
}

size_t scan_bank_rows(const struct mode_change *change, const struct lane_carry *carry,
                      struct bank_row rows[BANK_ROWS])
{
    enum { XSP = REGISTER_OFFSET_XSP / 8, SP = 13, LINK = 14, WORD = 0x0f };
    const enum sp_bank now = mode_bank(change->now), before = mode_bank(change->before);
    const bool is_aarch64 = mode_isa(change->now) == ISA_AARCH64;
    const bool was_aarch64 = mode_isa(change->before) == ISA_AARCH64;
    const uint64_t sp = completed(change->sp, carry), last_sp = completed(change->last_sp, carry);
    const uint64_t link = completed(change->link, carry);
    size_t count = 0;
    if (now >= SP_BANK_NONE)
        return 0;
    if (before >= SP_BANK_NONE) { // what was written before may be that of this mode
        if (completed(change->plain_sp, carry) == ADDRESS_UNKNOWN && sp != last_sp)
            rows[count++] = (struct bank_row){sp, is_aarch64 ? XSP : SP, is_aarch64 ? 0xff : WORD};
        if (!is_aarch64 && completed(change->plain_link, carry) == ADDRESS_UNKNOWN &&
            link != ADDRESS_UNKNOWN)
            rows[count++] = (struct bank_row){link, LINK, WORD};
        return count;
    }
    const enum sp_bank user = SP_BANK_USR;
    const enum sp_bank bank = is_aarch64 ? user : bank_of_aarch32(now);
    const enum sp_bank bank_before = was_aarch64 ? user : bank_of_aarch32(before);
    if (is_aarch64 && (!was_aarch64 || now != before) && last_sp != ADDRESS_UNKNOWN)
        rows[count++] = (struct bank_row){sp, XSP, 0xff};
    if (bank != bank_before)
        rows[count++] =
            (struct bank_row){is_aarch64 ? completed(change->user_sp, carry) : sp, SP, WORD};
    if (bank_of_link(bank) != bank_of_link(bank_before))
        rows[count++] = (struct bank_row){link, LINK, WORD};
    return count;
}

bool scan_changes_bank(const struct scan_result *result, const struct lane_carry *carry)
{
    const struct lane_carry nothing = LANE_CARRY_START;
    struct bank_row rows[BANK_ROWS];
    for (size_t i = 0; i < result->modes.count; i++) {
        const struct mode_change *change = &result->modes.items[i];
        unsigned before = mode_bank(change->before), now = mode_bank(change->now);
        if (before >= MODE_M && now >= MODE_M && (before - MODE_M) % 3 != (now - MODE_M) % 3)
            return true; // of another security state
        if ((carry || before < SP_BANK_NONE) &&
            scan_bank_rows(change, carry ? carry : &nothing, rows))
            return true;
    }
    return false;
}

void lane_carry_exception(struct lane_carry *carry, const struct lane_carry *left,
                          bool has_instruction)
{
    if (!has_instruction && !left->is_exception)
        return;
    if (has_instruction || !carry->is_exception) {
        carry->is_exception = left->is_exception;
        carry->sp_at_exception = left->sp_at_exception;
        carry->entered = left->entered;
    } else {
        carry->entered = left->entered ? left->entered : carry->handler;
    }
    carry->handler = left->handler;
}

void scan_carry(struct scan_result *result, struct lane_carry *carry)
{
    struct lane_carry *left = &result->carry;
    sp_complete(&left->sp_at_exception, &carry->pointers);
    lane_carry_exception(carry, left, result->has_instruction);
    lane_carry_key(carry, left);
    if (result->sets_resume)
        carry->resume = left->resume;
    if (result->has_instruction)
        carry->branch = left->branch;
    for (size_t at = 0; at < BANKED_COUNT; at++) {
        if (left->pointers.written >> at & 1)
            carry->pointers.value[at] = left->pointers.value[at];
    }
    carry->pointers.written |= left->pointers.written;
}

static bool pass_clip(struct clip *clip, struct node_ref node, uint64_t event)
{
    node.event = event;
    return clip_pass(clip, &node);
}

void scan_pass_clip(const struct lane_state *before, const struct marks *marks,
                    const struct chunk_base *base, uint64_t nodes_before, struct clip *clip)
{
    struct lane_state state = *before;
    struct scan_result result = {0};
    const struct scan_options options = {.keep_nodes = false};
    struct scan scan = begin_scan(&state, marks, NULL, base, &options, &result);
    bool goes_on = !nodes_before || pass_clip(clip, before->node, nodes_before - 1);
    for (size_t at = 0; at < marks->count && goes_on; at++) {
        bool is_instruction = marks->items[at].summary.kind == MARK_INSTRUCTION;
        if (marks->items[at].summary.kind >= MARK_GAP)
            continue;
        if (cut(&scan, at, is_instruction ? MARK_INSTRUCTION : MARK_TIME))
            goes_on = pass_clip(clip, current_node(&scan), nodes_before + result.node_count - 1);
        state.has_instruction |= is_instruction;
    }
}

void scan_result_free(struct scan_result *result)
{
    free(result->transfers.items);
    free(result->visits.items);
    free(result->nodes.time);
    free(result->joins.items);
    free(result->origins.items);
    free(result->modes.items);
    *result = (struct scan_result){0};
}

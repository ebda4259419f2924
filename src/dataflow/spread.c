#include "dataflow/spread.h"

#include "dataflow/access_rows.h"
#include "dataflow/code_text.h"
#include "dataflow/copy.h"
#include "dataflow/gaps.h"
#include "dataflow/step.h"
#include "idx/index.h"

#include <stdlib.h>
#include <strings.h>

enum { BLOCK = 1024, NEAR = 4096, LANE_CELLS = TRAWL_REGISTER_SPACE_MAX / 8 };

// Groups of places, a bit for each, so that most instructions are passed over at once: the first
// registers alone, the others by hash, flags, and memory.
struct groups {
    uint64_t registers, others;
};

enum { GROUP_CELLS = 61 }; // groups of others

#define GROUP_FLAGS (UINT64_C(1) << 62)
#define GROUP_MEMORY (UINT64_C(1) << 63)

static void groups_add(struct groups *groups, unsigned space, uint64_t cell)
{
    if (space == DATA_FLAGS)
        groups->others |= GROUP_FLAGS;
    else if (space == DATA_MEMORY)
        groups->others |= GROUP_MEMORY;
    else if (cell < 64)
        groups->registers |= UINT64_C(1) << cell;
    else
        groups->others |= UINT64_C(1) << cell % GROUP_CELLS;
}

// An instruction that was met.
struct code {
    struct trace_code code;
    uint64_t text; // its number (code_text.h)
    bool is_known, has_memory, has_system, is_exception, needs_before;
    struct groups touched;
    struct effects *effects; // NULL: unknown
    uint64_t notes[SPREAD_NOTE_BYTES / 8];
};

struct lane {
    uint8_t *cells;    // bytes of registers that have the value; NULL: none had it yet
    uint64_t end_cell; // no cell from here on ever had it
    // Of each cell, the first event at which it is written from the one on at which that was asked;
    // 0: it was not asked yet. NULL: of none.
    uint64_t *next_writes;
    uint16_t flags;
    struct groups groups;               // of what has it; of memory, perhaps
    uint32_t group_counts[GROUP_CELLS]; // how many cells of the groups of others have it
    bool may_change_mode;
    uint8_t stacks[STACK_NAMES]; // what the stack pointers of other modes have, if none is shown
    struct trace_code before[TRACE_CODES_BEFORE]; // the latest first
    uint64_t before_event;                        // + 1; of the latest
};

struct spread {
    const struct spread_rules *rules;
    struct dataflow *flow;
    struct lane *lanes;
    uint64_t first; // the event after the point
    VEC(, struct code) codes;
    struct hash_index by_pc;
    uint32_t near[NEAR]; // number + 1 of the code of a PC
    uint64_t event_lanes[BLOCK], positions[BLOCK], pcs[BLOCK], flags[BLOCK]; // of events
    uint64_t event_texts[BLOCK];
    struct code_texts texts;
    struct access_rows loads, stores;
    bool lacks_stack;                 // the trace shows no stack pointer
    bool has_outside;                 // something else than its stores may change memory
    const struct dataflow_gaps *gaps; // NULL: none
    size_t next_gap;
    uint64_t gap; // the first event from which on gaps were not looked at; TRAWL_NONE: no more
    VEC(, struct dataflow_bytes) set, clear; // by one event
    uint64_t unknown_count;
    const struct code *last; // of the event that was looked at; NULL: see spread_notes
    const struct code *met;  // the instruction of event `met_event` - 1
    uint64_t met_event;
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory to follow the value");
}

// --- What has the value --------------------------------------------------------------------------

// Which of the bytes have the value.
static unsigned having(struct spread *spread, const struct dataflow_bytes *bytes)
{
    const struct lane *lane = &spread->lanes[bytes->lane];
    if (bytes->space == DATA_FLAGS)
        return lane->flags & bytes->mask;
    if (bytes->space == DATA_REGISTERS)
        return lane->cells && bytes->cell < LANE_CELLS ? lane->cells[bytes->cell] & bytes->mask
                                                       : 0u;
    return spread->rules->memory_having(spread->rules->self, bytes);
}

static void set_cell(struct lane *lane, uint64_t cell, unsigned mask)
{
    const bool had = lane->cells[cell], has = mask;
    const uint64_t bit = UINT64_C(1) << cell % (cell < 64 ? 64 : GROUP_CELLS);
    lane->cells[cell] = (uint8_t)mask;
    if (had == has)
        return;
    if (cell < 64) {
        lane->groups.registers ^= bit;
        return;
    }
    uint32_t *count = &lane->group_counts[cell % GROUP_CELLS];
    *count += has ? 1 : UINT32_MAX;
    lane->groups.others = *count ? lane->groups.others | bit : lane->groups.others & ~bit;
}

static bool change(struct spread *spread, const struct dataflow_bytes *bytes, bool has)
{
    struct lane *lane = &spread->lanes[bytes->lane];
    if (bytes->space == DATA_FLAGS) {
        lane->flags = has ? lane->flags | bytes->mask : lane->flags & (uint16_t)~bytes->mask;
        lane->groups.others &= ~GROUP_FLAGS;
        lane->groups.others |= lane->flags ? GROUP_FLAGS : 0;
    } else if (bytes->space == DATA_REGISTERS) {
        if (bytes->cell >= LANE_CELLS || (!lane->cells && !has))
            return true;
        if (!lane->cells && !(lane->cells = calloc(LANE_CELLS, 1)))
            return false;
        lane->end_cell = has ? u64_max(lane->end_cell, bytes->cell + 1) : lane->end_cell;
        set_cell(lane, bytes->cell,
                 has ? lane->cells[bytes->cell] | bytes->mask
                     : lane->cells[bytes->cell] & ~(unsigned)bytes->mask);
    } else {
        return spread->rules->memory_change(spread->rules->self, bytes, has);
    }
    return true;
}

// --- Instructions --------------------------------------------------------------------------------

static void add_touched(struct code *code, const struct effect_place *place)
{
    const struct dataflow_step step = {.has_access = true, .high = UINT64_MAX};
    struct place_walk walk;
    code->has_memory |= place->kind == EFFECT_MEMORY;
    if (place->kind == EFFECT_MEMORY)
        groups_add(&code->touched, DATA_MEMORY, 0);
    else if (place_begin(&walk, &step, place)) {
        while (place_next(&walk))
            groups_add(&code->touched, walk.bytes.space, walk.bytes.cell);
    }
}

// Reads the line of an event anew.
static enum status read_code(struct spread *spread, const struct trawl_event *about,
                             struct code *code, struct error *err)
{
    struct effects effects;
    struct trace_step step;
    const char *text = NULL;
    enum status status = dataflow_read(spread->flow, about, &step, &text, err);
    if (status != STATUS_OK)
        return status;
    struct effects *kept = code->effects;
    *code = (struct code){.code = step.code};
    code->code.pc = about->pc;
    effects.is_known = false;
    if (step.code.size_bytes) {
        const struct lane *lane = &spread->lanes[about->lane];
        size_t count = 0, wanted = spread->flow->kind->before(&step.code);
        code->needs_before = wanted;
        for (uint64_t next = about->pc; count < wanted; count++) {
            if (lane->before[count].pc + lane->before[count].size_bytes != next)
                break;
            next = lane->before[count].pc;
        }
        spread->flow->kind->effects(&step.code, lane->before, count, &effects);
    }
    code->is_known = effects.is_known;
    code->effects = kept;
    if (!effects.is_known)
        return STATUS_OK;
    code->is_exception = effects.is_exception;
    if (!kept && !(code->effects = malloc(sizeof effects)))
        return no_memory(err);
    *code->effects = effects;
    if (spread->rules->note)
        spread->rules->note(spread->rules->self, step.code.isa, code->effects, code->notes);
    code->has_system = *step.system;
    for (unsigned i = 0; i < effects.flow_count; i++)
        add_touched(code, &effects.flows[i].output);
    for (unsigned i = 0; i < effects.input_count; i++)
        add_touched(code, &effects.inputs[i]);
    return STATUS_OK;
}

// Finds or adds the instruction of a PC.
static NEVER_INLINE enum status find_pc(struct spread *spread, uint64_t pc, uint32_t *near,
                                        struct error *err)
{
    const uint64_t hash = hash_key(hash_index_seed(&spread->by_pc), pc);
    uint32_t number;
    HASH_INDEX_FIND(number, &spread->by_pc, hash, spread->codes.items[candidate].code.pc == pc);
    if (number == HASH_INDEX_NONE) {
        if (!VEC_ROOM(&spread->codes, 1) || spread->codes.count >= UINT32_MAX - 1 ||
            !hash_index_add(&spread->by_pc, hash, (uint32_t)spread->codes.count))
            return no_memory(err);
        number = (uint32_t)spread->codes.count++;
        spread->codes.items[number] = (struct code){.code.pc = pc};
    }
    *near = number + 1;
    return STATUS_OK;
}

static ALWAYS_INLINE enum status find_code(struct spread *spread, const struct trawl_event *about,
                                           uint64_t text, const struct code **found,
                                           struct error *err)
{
    uint32_t *near = &spread->near[about->pc >> 1 & (NEAR - 1)];
    enum status status = STATUS_OK;
    if (spread->met_event == about->event + 1) {
        *found = spread->met;
        return STATUS_OK;
    }
    if (UNLIKELY(!*near || spread->codes.items[*near - 1].code.pc != about->pc)) {
        status = find_pc(spread, about->pc, near, err);
        if (status != STATUS_OK)
            return status;
    }
    struct code *code = &spread->codes.items[*near - 1];
    *found = code;
    if (UNLIKELY(code->text != text || text == CODE_TEXT_UNKNOWN)) {
        status = read_code(spread, about, code, err);
        code->text = status == STATUS_OK ? text : CODE_TEXT_UNKNOWN;
    }
    spread->met = code;
    spread->met_event = status == STATUS_OK ? about->event + 1 : 0;
    return status;
}

// --- Accesses ------------------------------------------------------------------------------------

// Adds the accesses of an event to its step.
static enum status add_accesses(struct spread *spread, struct access_rows *rows, uint64_t event,
                                struct dataflow_step *step, struct error *err)
{
    enum status status = STATUS_OK;
    for (; access_rows_next(rows, spread->flow->view, event, &status, err); rows->at++) {
        const uint64_t low = rows->address[rows->at];
        const uint64_t high = low + (rows->size_bytes[rows->at] - 1);
        step->low = step->has_access ? u64_min(step->low, low) : low;
        step->high = step->has_access ? u64_max(step->high, high) : high;
        step->has_access = true;
    }
    return status;
}

// --- One event -----------------------------------------------------------------------------------

// A load may show something else than what was stored there.
static enum status is_outside(struct spread *spread, uint64_t event,
                              const struct dataflow_bytes *bytes, unsigned *mask, struct error *err)
{
    struct trawl_write write;
    struct trawl_error from;
    unsigned first = (unsigned)__builtin_ctz(*mask),
             size = 32 - (unsigned)__builtin_clz(*mask) - first;
    enum trawl_status found =
        dataflow_written(spread->flow, event, bytes->cell * 8 + first, size, &write, &from);
    if (found != TRAWL_OK)
        return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
    if ((write.kind != TRAWL_OUTSIDE && write.kind != TRAWL_HOST_WRITE) ||
        write.event < spread->first) // before the point, it is what is followed
        return STATUS_OK;
    for (uint64_t at = write.address; at - write.address < write.size_bytes; at++) {
        if (at / 8 == bytes->cell)
            *mask &= ~(1u << at % 8);
    }
    return STATUS_OK;
}

// Which bytes of an input have the value: a flag for each; of flags, the first.
static enum status carried_bytes(struct spread *spread, const struct dataflow_step *step,
                                 const struct effect_place *input, bool has[PLACE_BYTES],
                                 bool *has_any, struct error *err)
{
    struct place_walk place;
    *has_any = false;
    if (!place_begin(&place, step, input))
        return STATUS_OK;
    while (place_next(&place)) {
        unsigned common = having(spread, &place.bytes);
        unsigned lowest = place.bytes.mask ? (unsigned)__builtin_ctz(place.bytes.mask) : 0;
        if (common && place.bytes.space == DATA_MEMORY && spread->has_outside) {
            enum status status = is_outside(spread, step->about.event, &place.bytes, &common, err);
            if (status != STATUS_OK)
                return status;
        }
        if (common && !*has_any)
            memset(has, 0, PLACE_BYTES);
        *has_any |= common != 0;
        if (place.bytes.space == DATA_FLAGS && common)
            has[0] = true;
        for (; common && place.bytes.space != DATA_FLAGS; common &= common - 1) {
            unsigned byte = place.first + (unsigned)__builtin_ctz(common) - lowest;
            if (byte < PLACE_BYTES)
                has[byte] = true;
        }
    }
    return STATUS_OK;
}

// Works out which bytes of an output get the value.
static enum status carry(struct spread *spread, const struct dataflow_step *step,
                         const struct effect_flow *flow, bool gets[PLACE_BYTES], bool *moves,
                         bool *has_any, struct error *err)
{
    const unsigned size =
        flow->output.bytes && flow->output.bytes < PLACE_BYTES ? flow->output.bytes : PLACE_BYTES;
    bool has[PLACE_BYTES], has_input, gets_any = false;
    for (unsigned i = 0; i < flow->count; i++) {
        const struct effect_place *input = &step->effects->inputs[flow->first + i];
        if (input->role == ROLE_ADDRESS && !spread->rules->with_addresses)
            continue;
        *moves |= input->role == ROLE_COPY;
        enum status status = carried_bytes(spread, step, input, has, &has_input, err);
        if (status != STATUS_OK)
            return status;
        if (!has_input)
            continue;
        if (!gets_any)
            memset(gets, 0, size);
        gets_any = true;
        bool is_copy = input->role == ROLE_COPY && input->bytes;
        for (unsigned k = 0; k < size; k++) {
            unsigned from = is_copy && k < flow->output.bytes
                                ? copy_byte(spread->flow, &flow->output, input, k)
                                : 0;
            gets[k] |= !is_copy || (k < flow->output.bytes && from < PLACE_BYTES && has[from]);
        }
    }
    for (unsigned k = 0; gets_any && k < size && !*has_any; k++)
        *has_any = gets[k] && (k < flow->output.bytes || !flow->output.bytes);
    return STATUS_OK;
}

// Adds bytes that an event gives the value to, or takes it from.
static bool add_change(struct spread *spread, const struct dataflow_bytes *set,
                       const struct dataflow_bytes *clear)
{
    if (!VEC_ROOM(&spread->set, 1) || !VEC_ROOM(&spread->clear, 1))
        return false;
    if (set->mask)
        spread->set.items[spread->set.count++] = *set;
    if (clear->mask)
        spread->clear.items[spread->clear.count++] = *clear;
    return true;
}

// The register by which the trace names the stack pointer in use has what that has.
static enum status change_stack(struct spread *spread, uint64_t event, struct dataflow_bytes set,
                                struct dataflow_bytes clear, struct error *err)
{
    const struct dataflow_step *step;
    enum status status = dataflow_step(spread->flow, event, &step, err);
    if (status != STATUS_OK || !step->has_code)
        return status;
    set.cell = clear.cell = dataflow_stack_cell(spread->flow, step->mode);
    return set.cell == UINT64_MAX || add_change(spread, &set, &clear) ? STATUS_OK : no_memory(err);
}

// Notes what an output is to have after the event.
static enum status note_output(struct spread *spread, const struct dataflow_step *step,
                               const struct effect_place *output, const bool *gets,
                               struct error *err)
{
    struct place_walk place;
    if (!place_begin(&place, step, output))
        return STATUS_OK;
    while (place_next(&place)) {
        struct dataflow_bytes set = place.bytes, clear = place.bytes;
        unsigned lowest = place.bytes.mask ? (unsigned)__builtin_ctz(place.bytes.mask) : 0;
        bool is_flags = place.bytes.space == DATA_FLAGS;
        set.mask = gets && is_flags && gets[0] ? place.bytes.mask : 0;
        for (unsigned left = is_flags || !gets ? 0 : place.bytes.mask; left; left &= left - 1) {
            unsigned bit = (unsigned)__builtin_ctz(left), byte = place.first + bit - lowest;
            if (byte < PLACE_BYTES && gets[byte])
                set.mask |= (uint16_t)(1u << bit);
        }
        clear.mask &= (uint16_t)~set.mask;
        if (!add_change(spread, &set, &clear))
            return no_memory(err);
        if (set.space == DATA_REGISTERS && set.cell == spread->flow->kind->stack_cell) {
            enum status status = change_stack(spread, step->about.event, set, clear, err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

// Carries the value through an instruction.
static enum status apply(struct spread *spread, const struct dataflow_step *step, struct error *err)
{
    struct slice_event event = {.event = step->about.event};
    bool is_reached = false;
    spread->set.count = spread->clear.count = 0;
    for (unsigned i = 0; i < step->effects->flow_count; i++) {
        const struct effect_flow *flow = &step->effects->flows[i];
        bool gets[PLACE_BYTES], moves = false, has_any = false;
        if (copy_stays(step->effects, flow))
            continue;
        enum status status = carry(spread, step, flow, gets, &moves, &has_any, err);
        if (status != STATUS_OK)
            return status;
        is_reached |= has_any;
        for (unsigned k = 0; k < flow->count && spread->rules->tells_addresses; k++) {
            const struct effect_place *input = &step->effects->inputs[flow->first + k];
            bool has[PLACE_BYTES], is_address = false;
            if (input->role == ROLE_ADDRESS)
                status = carried_bytes(spread, step, input, has, &is_address, err);
            event.addresses |= is_address;
            is_reached |= is_address;
        }
        if (status != STATUS_OK)
            return status;
        if (has_any && flow->output.kind != EFFECT_PC) {
            event.work |= moves ? SLICE_MOVES : SLICE_COMPUTES;
            event.loads_stores |= flow->output.kind == EFFECT_MEMORY ? 2 : 0;
        }
        event.decides |= has_any && flow->output.kind == EFFECT_PC;
        for (unsigned k = 0; k < flow->count && has_any; k++)
            event.loads_stores |= step->effects->inputs[flow->first + k].kind == EFFECT_MEMORY;
        status = note_output(spread, step, &flow->output, has_any ? gets : NULL, err);
        if (status != STATUS_OK)
            return status;
    }
    enum status status =
        is_reached ? spread->rules->reached(spread->rules->self, step, &event, err) : STATUS_OK;
    for (size_t i = 0; i < spread->clear.count; i++)
        (void)change(spread, &spread->clear.items[i], false);
    for (size_t i = 0; i < spread->set.count; i++) {
        if (!change(spread, &spread->set.items[i], true))
            return no_memory(err);
    }
    return status;
}

// Whether an instruction that was not executed, such as a branch that was not taken, was skipped
// because of the value.
static bool was_decided(struct spread *spread, const struct trawl_event *about,
                        const struct code *code)
{
    const struct dataflow_step step = {.about = *about};
    for (unsigned i = 0; i < code->effects->flow_count; i++) {
        const struct effect_flow *flow = &code->effects->flows[i];
        for (unsigned k = 0; k < flow->count; k++) {
            const struct effect_place *input = &code->effects->inputs[flow->first + k];
            struct place_walk place;
            if ((flow->output.kind != EFFECT_PC && input->role != ROLE_CONDITION) ||
                input->kind == EFFECT_MEMORY || !place_begin(&place, &step, input))
                continue;
            while (place_next(&place)) {
                if (having(spread, &place.bytes))
                    return true;
            }
        }
    }
    return false;
}

// Which bytes of a cell of registers an instruction writes.
static unsigned written_by(const struct code *code, uint64_t cell)
{
    const struct dataflow_step step = {.has_access = false};
    unsigned written = 0;
    for (unsigned i = 0; i < code->effects->flow_count; i++) {
        struct place_walk place;
        if (code->effects->flows[i].output.kind != EFFECT_REGISTER ||
            !place_begin(&place, &step, &code->effects->flows[i].output))
            continue;
        while (place_next(&place))
            written |= place.bytes.cell == cell ? place.bytes.mask : 0u;
    }
    return written;
}

// Whether an event writes any of a cell of registers, asked in the order of events: values that
// nothing sets are in registers that are hardly ever written.
static enum status writes_cell(const struct spread *spread, const struct trawl_event *about,
                               uint64_t cell, bool *writes, struct error *err)
{
    struct lane *lane = &spread->lanes[about->lane];
    if (!lane->next_writes && !(lane->next_writes = calloc(LANE_CELLS, sizeof *lane->next_writes)))
        return no_memory(err);
    uint64_t *next = &lane->next_writes[cell];
    if (!*next || *next < about->event) {
        struct trawl_error from;
        const uint64_t before = about->event ? about->event - 1 : TRAWL_START;
        const enum trawl_status found =
            trawl_register_written(spread->flow->view->index, about->lane, before, TRAWL_FORWARD,
                                   cell * 8, 8, next, &from);
        if (found != TRAWL_OK)
            *next = found == TRAWL_NOT_FOUND ? TRAWL_NONE : 0;
        if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
            return index_status(found, &from, err);
    }
    *writes = *next == about->event;
    return STATUS_OK;
}

// What an event has written without its instruction (`code`, if that was executed and is known): an
// exception, the debug host, an instruction that is not known; or the change of mode before it,
// with `is_mode`. These registers do not have the value any more.
static enum status forget_written(struct spread *spread, const struct trawl_event *about,
                                  const struct code *code, bool is_mode, struct error *err)
{
    const uint64_t stack = spread->flow->kind->stack_cell;
    struct lane *lane = &spread->lanes[about->lane];
    struct trawl_error from;
    for (uint64_t cell = 0; cell < lane->end_cell; cell++) {
        uint64_t written, eight = 1;
        uint8_t mask;
        bool writes;
        if (cell % sizeof eight == 0)
            memcpy(&eight, lane->cells + cell, sizeof eight);
        if (!eight) {
            cell += sizeof eight - 1;
            continue;
        }
        if (!lane->cells[cell] || (is_mode && !spread->flow->kind->is_bank(cell, 1)))
            continue;
        enum status status = writes_cell(spread, about, cell, &writes, err);
        if (status != STATUS_OK)
            return status;
        if (!writes)
            continue;
        enum trawl_status found =
            index_register_writer(spread->flow->view->index, about->lane, about->event, cell,
                                  is_mode ? 1 : lane->cells[cell], &written, &mask, &from);
        if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
            return index_status(found, &from, err);
        if (found != TRAWL_OK || written != about->event)
            continue;
        bool is_gone = !is_mode || mask == 1;
        if (!is_gone)
            status = data_bank_hidden(spread->flow, about->lane, about->event, cell, &is_gone, err);
        if (status != STATUS_OK)
            return status;
        if (is_gone && code && (written_by(code, cell) || (cell >= 64 && written_by(code, stack))))
            continue; // its instruction wrote it; a stack pointer also by name
        if (is_gone)
            set_cell(lane, cell, lane->cells[cell] & ~(is_mode ? 0xffu : mask));
    }
    return STATUS_OK;
}

// Has the bytes of the stack pointer in use that have the value be these.
static bool set_stack(struct spread *spread, uint64_t lane, unsigned mask)
{
    bool has_memory = true;
    for (unsigned has = 0; has < 2; has++) {
        const unsigned changed = has ? mask : ~mask & 0xff;
        const struct dataflow_bytes bytes = {spread->flow->kind->stack_cell, 0, (uint32_t)lane,
                                             DATA_REGISTERS, (uint16_t)changed};
        has_memory = (!changed || change(spread, &bytes, has)) && has_memory;
    }
    return has_memory;
}

// Without any stack pointer in the trace, the instruction before tells which one was in use.
static enum status exchange_stacks(struct spread *spread, const struct trawl_event *about,
                                   unsigned mode, struct error *err)
{
    struct lane *lane = &spread->lanes[about->lane];
    const uint64_t in_use = spread->flow->kind->stack_cell;
    const struct dataflow_step *step;
    struct trawl_error from;
    uint64_t earlier;
    enum trawl_status found = about->in_lane
                                  ? trawl_instruction_before(spread->flow->view->index, about->lane,
                                                             about->in_lane - 1, &earlier, &from)
                                  : TRAWL_NOT_FOUND;
    if (found != TRAWL_OK)
        return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
    enum status status = dataflow_step(spread->flow, earlier, &step, err);
    if (status != STATUS_OK || !step->has_code ||
        !spread->flow->kind->other_bank(in_use, step->mode, mode))
        return status;
    lane->stacks[step->mode % STACK_NAMES] = lane->cells[in_use];
    return set_stack(spread, about->lane, lane->stacks[mode % STACK_NAMES]) ? STATUS_OK
                                                                            : no_memory(err);
}

// MSR SP_EL0, of which the trace does not show what it is afterwards.
static void forget_stack(struct spread *spread, const struct dataflow_step *step)
{
    for (unsigned mode = 0; mode < STACK_NAMES && !step->has_system; mode++) {
        const char *name = spread->flow->kind->stack_name(mode);
        if (name && strcasecmp(name, step->system_name) == 0)
            spread->lanes[step->about.lane].stacks[mode] = 0;
    }
}

// Whether any stack pointer, of any mode, has it.
static bool any_stack_has(const struct spread *spread, const struct lane *lane)
{
    bool has = lane->cells && lane->cells[spread->flow->kind->stack_cell];
    for (unsigned mode = 0; mode < STACK_NAMES && lane->cells && !has; mode++) {
        const uint64_t cell = dataflow_stack_cell(spread->flow, mode);
        has = lane->stacks[mode] || (cell < LANE_CELLS && lane->cells[cell]);
    }
    return has;
}

// After a change of mode, the stack pointer is the one that the trace names otherwise.
static enum status take_stack(struct spread *spread, const struct trawl_event *about,
                              struct error *err)
{
    struct lane *lane = &spread->lanes[about->lane];
    const struct dataflow_step *step;
    if (!(about->flags & TRAWL_HAS_INSTRUCTION) || !any_stack_has(spread, lane))
        return STATUS_OK;
    enum status status = dataflow_step(spread->flow, about->event, &step, err);
    uint64_t named;
    if (status == STATUS_OK && spread->lacks_stack)
        return exchange_stacks(spread, about, step->mode, err);
    if (status != STATUS_OK || !step_names_stack(spread->flow, step, &named))
        return status;
    return named >= LANE_CELLS || set_stack(spread, about->lane, lane->cells[named])
               ? STATUS_OK
               : no_memory(err);
}

// What was lost before an event, of its lane.
static void take_gaps(struct spread *spread, const struct trawl_event *about)
{
    const struct lane_gaps *all = &spread->gaps->all;
    struct lane *lane = &spread->lanes[about->lane];
    while (spread->next_gap < all->events.count &&
           all->events.items[spread->next_gap] < about->event)
        spread->next_gap++;
    spread->gap =
        spread->next_gap < all->events.count ? all->events.items[spread->next_gap] : TRAWL_NONE;
    if (spread->gap != about->event)
        return;
    if (lane->cells)
        memset(lane->cells, 0, LANE_CELLS);
    lane->flags = 0;
    lane->groups = (struct groups){0};
    memset(lane->group_counts, 0, sizeof lane->group_counts);
}

// Whether memory that an instruction accesses may have the value.
static bool has_value_at(struct spread *spread, const struct dataflow_step *step)
{
    if (!step->has_access || step->page_count || step->high - step->low >= TRACE_PAGE_BYTES)
        return step->has_access;
    for (uint64_t cell = step->low / 8; cell <= step->high / 8; cell++) {
        if (spread->rules->memory_having(
                spread->rules->self,
                &(struct dataflow_bytes){.cell = cell, .space = DATA_MEMORY, .mask = 0xff}))
            return true;
    }
    return false;
}

// Decoding the next instructions may take those before.
static void keep_before(struct lane *lane, uint64_t event, const struct code *code)
{
    if (!code || !code->needs_before || lane->before_event == event + 1)
        return;
    memmove(lane->before + 1, lane->before, sizeof lane->before - sizeof lane->before[0]);
    lane->before[0] = code->code;
    lane->before_event = event + 1;
}

// Whether a lane has it in registers or flags that an instruction reads or writes.
static bool touches(const struct lane *lane, const struct code *code)
{
    return code->touched.registers & lane->groups.registers ||
           code->touched.others & lane->groups.others & ~GROUP_MEMORY ||
           (code->has_system && (lane->groups.registers || lane->groups.others & ~GROUP_MEMORY));
}

enum status spread_passes(struct spread *spread, const struct trawl_event *about, uint64_t text,
                          bool *passes, const void **notes, struct error *err)
{
    static const unsigned strange = TRAWL_EXCEPTION | TRAWL_HOST_CALL;
    struct lane *lane = &spread->lanes[about->lane];
    const struct code *code;
    *passes = false;
    if (about->flags & strange || !(about->flags & TRAWL_HAS_INSTRUCTION) ||
        about->event >= spread->gap || lane->may_change_mode)
        return STATUS_OK;
    enum status status = find_code(spread, about, text, &code, err);
    if (status != STATUS_OK || !code->is_known || code->is_exception || touches(lane, code))
        return status;
    *passes = true;
    spread->last = about->flags & TRAWL_EXECUTED ? code : NULL;
    *notes = spread_notes(spread);
    keep_before(lane, about->event, code);
    return STATUS_OK;
}

enum status spread_event(struct spread *spread, const struct trawl_event *about, uint64_t text,
                         const struct spread_access *range, struct error *err)
{
    static const unsigned strange = TRAWL_EXCEPTION | TRAWL_HOST_CALL;
    struct lane *lane = &spread->lanes[about->lane];
    const struct code *code = NULL;
    enum status status = STATUS_OK;
    if (about->event >= spread->gap)
        take_gaps(spread, about);
    if (lane->may_change_mode || about->flags & TRAWL_EXCEPTION) {
        lane->may_change_mode = false;
        status = forget_written(spread, about, NULL, true, err);
        if (status == STATUS_OK)
            status = take_stack(spread, about, err);
    }
    if (status == STATUS_OK && about->flags & TRAWL_HAS_INSTRUCTION)
        status = find_code(spread, about, text, &code, err);
    if (status != STATUS_OK)
        return status;
    bool is_executed = about->flags & TRAWL_EXECUTED;
    spread->last = code && code->is_known && is_executed ? code : NULL;
    keep_before(lane, about->event, code);
    spread->unknown_count += code && is_executed && !code->is_known;
    lane->may_change_mode = about->flags & TRAWL_EXCEPTION || (code && code->is_exception);
    if (code && code->is_known && is_executed) {
        bool has_memory = code->has_memory && spread->rules->memory_count;
        bool has_registers = touches(lane, code), has_system = has_registers && code->has_system;
        if (has_memory || has_registers) {
            struct dataflow_step step = {.about = *about, .is_known = true, .has_code = true};
            step.effects = code->effects;
            if (has_system || (code->has_memory && spread->flow->has_places)) {
                const struct dataflow_step *accessed;
                status = dataflow_step(spread->flow, about->event, &accessed, err);
                if (status == STATUS_OK)
                    step = *accessed;
                step.effects = code->effects;
                step.is_known = true;
                if (has_system && spread->lacks_stack && status == STATUS_OK)
                    forget_stack(spread, &step);
            } else if (code->has_memory && range) {
                step.has_access = range->size_bytes;
                step.low = range->address;
                step.high = range->address + (range->size_bytes - 1);
            } else if (code->has_memory) {
                status = add_accesses(spread, &spread->loads, about->event, &step, err);
                if (status == STATUS_OK)
                    status = add_accesses(spread, &spread->stores, about->event, &step, err);
            }
            if (status == STATUS_OK && (has_registers || has_value_at(spread, &step)))
                status = apply(spread, &step, err);
        }
    }
    if (code && code->is_known && !is_executed && was_decided(spread, about, code)) {
        const struct dataflow_step skipped = {
            .about = *about, .is_known = true, .has_code = true, .effects = code->effects};
        status = spread->rules->reached(
            spread->rules->self, &skipped,
            &(struct slice_event){.event = about->event, .decides = true}, err);
    }
    if (status == STATUS_OK && (about->flags & strange || (code && is_executed && !code->is_known)))
        status = forget_written(spread, about, code && code->is_known && is_executed ? code : NULL,
                                false, err);
    return status;
}

bool effects_jump(const struct effects *effects)
{
    for (unsigned i = 0; effects && i < effects->flow_count; i++) {
        const struct effect_flow *flow = &effects->flows[i];
        for (unsigned k = 0; flow->output.kind == EFFECT_PC && k < flow->count; k++) {
            if (effects->inputs[flow->first + k].kind != EFFECT_PC &&
                effects->inputs[flow->first + k].kind != EFFECT_FLAGS)
                return true;
        }
    }
    return false;
}

// --- Opening -------------------------------------------------------------------------------------

enum status spread_open(struct spread **made, struct dataflow *flow, uint64_t event,
                        const struct spread_rules *rules, struct error *err)
{
    struct spread *spread = calloc(1, sizeof *spread);
    struct trawl_error from;
    uint64_t written;
    *made = spread;
    if (!spread)
        return no_memory(err);
    spread->rules = rules;
    spread->flow = flow;
    spread->first = event + 1; // TRAWL_START + 1 is 0
    spread->loads.place.event = spread->stores.place.event = spread->first;
    spread->loads.until = spread->stores.until = UINT64_MAX;
    spread->loads.are_loads = true;
    spread->texts.seed = hash_seed_new();
    spread->lanes = calloc((size_t)flow->view->info.lanes + 1, sizeof *spread->lanes);
    if (!spread->lanes)
        return no_memory(err);
    spread->lacks_stack =
        trawl_register_written(flow->view->index, 0, TRAWL_START, TRAWL_FORWARD,
                               flow->kind->stack_cell * 8, 8, &written, &from) == TRAWL_NOT_FOUND;
    spread->has_outside = index_has_section(flow->view->index, SECTION_OUTSIDE) ||
                          index_has_regions(flow->view->index, 0, UINT64_MAX);
    enum status status = gaps_find(flow, &spread->gaps, err);
    spread->gap = status == STATUS_OK && spread->gaps ? 0 : TRAWL_NONE;
    return status;
}

enum status spread_mark(struct spread *spread, const struct dataflow_bytes *bytes, bool has,
                        struct error *err)
{
    return change(spread, bytes, has) ? STATUS_OK : no_memory(err);
}

enum status spread_begin(struct spread *spread, const struct dataflow_bytes *targets, size_t count,
                         struct error *err)
{
    const struct dataflow_bytes none = {0}, *has_stack = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = spread_mark(spread, &targets[i], true, err);
        if (targets[i].space == DATA_REGISTERS && targets[i].cell == spread->flow->kind->stack_cell)
            has_stack = &targets[i];
    }
    if (status == STATUS_OK && has_stack && spread->first) {
        status = change_stack(spread, spread->first - 1, *has_stack, none, err);
        for (size_t i = 0; status == STATUS_OK && i < spread->set.count; i++)
            status = spread_mark(spread, &spread->set.items[i], true, err);
    }
    return status;
}

// --- All events ----------------------------------------------------------------------------------

static bool has_value(const struct spread *spread)
{
    bool has = spread->rules->memory_count;
    for (uint64_t i = 0; i < spread->flow->view->info.lanes && !has; i++)
        has = spread->lanes[i].flags || spread->lanes[i].groups.registers ||
              spread->lanes[i].groups.others & ~GROUP_MEMORY;
    return has;
}

enum status spread_all(struct spread *spread, bool *was_ended, struct error *err)
{
    const struct trawl_event_columns columns = {.lane = spread->event_lanes,
                                                .position = spread->positions,
                                                .pc = spread->pcs,
                                                .flags = spread->flags};
    const struct code_text_events events = {spread->positions, spread->pcs, spread->flags};
    size_t count = BLOCK;
    *was_ended = false;
    for (uint64_t first = spread->first; count == BLOCK && has_value(spread); first += count) {
        struct trawl_error from;
        enum trawl_status read =
            trawl_events(spread->flow->view->index, first, BLOCK, &columns, &count, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        enum status status = code_texts_of(&spread->texts, spread->flow, first, count, &events,
                                           spread->event_texts, err);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < count; i++) {
            const struct trawl_event about = {.event = first + i,
                                              .lane = spread->event_lanes[i],
                                              .position = spread->positions[i],
                                              .pc = spread->pcs[i],
                                              .flags = (uint32_t)spread->flags[i]};
            if (spread->rules->is_ended) {
                *was_ended = true;
                return STATUS_OK;
            }
            if (about.lane >= spread->flow->view->info.lanes)
                return error_set(err, STATUS_DAMAGED, "the index names a lane that it has not");
            status = spread_event(spread, &about, spread->event_texts[i], NULL, err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

unsigned spread_having(struct spread *spread, const struct dataflow_bytes *bytes)
{
    return having(spread, bytes);
}

const void *spread_notes(const struct spread *spread)
{
    return spread->last ? spread->last->notes : NULL;
}

uint64_t spread_unknown(const struct spread *spread)
{
    return spread->unknown_count;
}

bool spread_left(const struct spread *spread,
                 bool (*take)(void *self, const struct dataflow_bytes *bytes), void *self)
{
    for (uint32_t i = 0; i < spread->flow->view->info.lanes; i++) {
        const struct lane *lane = &spread->lanes[i];
        for (uint64_t cell = 0; cell < lane->end_cell; cell++) {
            const struct dataflow_bytes bytes = {cell, 0, i, DATA_REGISTERS, lane->cells[cell]};
            if (bytes.mask && !take(self, &bytes))
                return false;
        }
        const struct dataflow_bytes flags = {0, 0, i, DATA_FLAGS, lane->flags};
        if (flags.mask && !take(self, &flags))
            return false;
    }
    return true;
}

void spread_free(struct spread *spread)
{
    for (uint64_t i = 0; spread && spread->lanes && i < spread->flow->view->info.lanes; i++) {
        free(spread->lanes[i].cells);
        free(spread->lanes[i].next_writes);
    }
    for (size_t i = 0; spread && i < spread->codes.count; i++)
        free(spread->codes.items[i].effects);
    if (spread) {
        free(spread->lanes);
        free(spread->codes.items);
        free(spread->set.items);
        free(spread->clear.items);
        hash_index_free(&spread->by_pc);
        code_texts_free(&spread->texts);
    }
    free(spread);
}

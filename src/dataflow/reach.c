#include "dataflow/reach.h"

#include "dataflow/copy.h"
#include "dataflow/gaps.h"
#include "dataflow/step.h"

#include <stdlib.h>
#include <strings.h>

enum {
    BLOCK = 1024,
    LINES_AHEAD = 12,
    CODE_BYTES = 48,
    NEAR = 4096,
    LANE_CELLS = TRAWL_REGISTER_SPACE_MAX / 8
};

// Groups of places, a bit for each, so that most instructions are passed over at once: the first
// registers alone, the others by hash, flags, and memory.
struct groups {
    uint64_t registers, others;
};

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
        groups->others |= UINT64_C(1) << cell / 32 % 61;
}

// An instruction that was met.
struct code {
    struct trace_code code;
    char text[CODE_BYTES]; // of its line: address and encoding
    uint32_t text_offset, text_bytes;
    bool is_known, has_memory, has_system, is_exception, needs_before;
    struct groups touched;
    struct effects *effects; // NULL: unknown
};

struct lane {
    uint8_t *cells;    // bytes of registers that have the value; NULL: none had it yet
    uint64_t end_cell; // no cell from here on ever had it
    uint16_t flags;
    struct groups groups; // at least those of what has it
    bool may_change_mode;
    uint8_t stacks[STACK_NAMES]; // what the stack pointers of other modes have, if none is shown
    struct trace_code before[TRACE_CODES_BEFORE]; // the latest first
};

struct memory_cell {
    uint64_t cell, to_place;
    uint8_t mask; // bytes that have the value; 0: none any more
};

// One of the blocks that are read side by side.
struct accesses {
    uint64_t event[BLOCK], address[BLOCK], size_bytes[BLOCK];
    size_t at, count;
    bool is_end;
};

struct walk {
    struct reach *reach;
    struct dataflow *flow;
    struct lane *lanes;
    VEC(, struct memory_cell) memory;
    struct hash_index by_cell;
    uint64_t memory_count; // cells that have the value
    uint64_t first;        // the event after the point
    VEC(, struct code) codes;
    struct hash_index by_pc;
    uint32_t near[NEAR]; // number + 1 of the code of a PC
    uint64_t event_lanes[BLOCK], positions[BLOCK], pcs[BLOCK], flags[BLOCK]; // of events
    struct accesses loads, stores;
    struct trawl_access_cursor load_place, store_place;
    bool lacks_stack;                 // the trace shows no stack pointer
    const struct dataflow_gaps *gaps; // NULL: none
    size_t next_gap;
    VEC(, struct dataflow_bytes) set, clear; // by one event
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory to follow the value");
}

// --- What has the value --------------------------------------------------------------------------

static struct memory_cell *find_memory(struct walk *walk, uint64_t cell, bool adds)
{
    uint64_t hash = hash_key(hash_index_seed(&walk->by_cell), cell);
    uint32_t found;
    HASH_INDEX_FIND(found, &walk->by_cell, hash, walk->memory.items[candidate].cell == cell);
    if (found != HASH_INDEX_NONE)
        return &walk->memory.items[found];
    if (!adds || walk->memory.count >= UINT32_MAX - 1 || !VEC_ROOM(&walk->memory, 1) ||
        !hash_index_add(&walk->by_cell, hash, (uint32_t)walk->memory.count))
        return NULL;
    walk->memory.items[walk->memory.count] = (struct memory_cell){.cell = cell};
    return &walk->memory.items[walk->memory.count++];
}

// Which of the bytes have the value.
static unsigned having(struct walk *walk, const struct dataflow_bytes *bytes)
{
    const struct lane *lane = &walk->lanes[bytes->lane];
    if (bytes->space == DATA_FLAGS)
        return lane->flags & bytes->mask;
    if (bytes->space == DATA_REGISTERS)
        return lane->cells && bytes->cell < LANE_CELLS ? lane->cells[bytes->cell] & bytes->mask
                                                       : 0u;
    const struct memory_cell *cell =
        walk->memory_count ? find_memory(walk, bytes->cell, false) : NULL;
    return cell ? cell->mask & bytes->mask : 0u;
}

static bool change(struct walk *walk, const struct dataflow_bytes *bytes, bool has)
{
    struct lane *lane = &walk->lanes[bytes->lane];
    if (has)
        groups_add(&lane->groups, bytes->space, bytes->cell);
    if (bytes->space == DATA_FLAGS) {
        lane->flags = has ? lane->flags | bytes->mask : lane->flags & (uint16_t)~bytes->mask;
        if (!lane->flags)
            lane->groups.others &= ~GROUP_FLAGS;
    } else if (bytes->space == DATA_REGISTERS) {
        if (bytes->cell >= LANE_CELLS || (!lane->cells && !has))
            return true;
        if (!lane->cells && !(lane->cells = calloc(LANE_CELLS, 1)))
            return false;
        uint8_t *cell = &lane->cells[bytes->cell];
        lane->end_cell = has ? u64_max(lane->end_cell, bytes->cell + 1) : lane->end_cell;
        *cell = has ? *cell | (uint8_t)bytes->mask : *cell & (uint8_t)~bytes->mask;
        if (!*cell && bytes->cell < 64)
            lane->groups.registers &= ~(UINT64_C(1) << bytes->cell);
    } else {
        struct memory_cell *cell = find_memory(walk, bytes->cell, has);
        if (!cell)
            return !has;
        bool had = cell->mask;
        cell->to_place = has ? bytes->to_place : cell->to_place;
        cell->mask = has ? cell->mask | (uint8_t)bytes->mask : cell->mask & (uint8_t)~bytes->mask;
        walk->memory_count += (uint64_t)(cell->mask != 0) - had;
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
static enum status read_code(struct walk *walk, const struct trawl_event *about, struct code *code,
                             struct error *err)
{
    struct effects effects;
    struct trace_step step;
    const char *text = NULL;
    enum status status = dataflow_read(walk->flow, about, &step, &text, err);
    if (status != STATUS_OK)
        return status;
    struct effects *kept = code->effects;
    *code = (struct code){.code = step.code};
    code->code.pc = about->pc;
    if (step.code_bytes <= CODE_BYTES && step.code_bytes) {
        code->text_offset = step.code_offset;
        code->text_bytes = step.code_bytes;
        memcpy(code->text, text + step.code_offset, step.code_bytes);
    }
    effects.is_known = false;
    if (step.code.size_bytes) {
        const struct lane *lane = &walk->lanes[about->lane];
        size_t count = 0, wanted = walk->flow->kind->before(&step.code);
        code->needs_before = wanted;
        for (uint64_t next = about->pc; count < wanted; count++) {
            if (lane->before[count].pc + lane->before[count].size_bytes != next)
                break;
            next = lane->before[count].pc;
        }
        walk->flow->kind->effects(&step.code, lane->before, count, &effects);
    }
    code->is_known = effects.is_known;
    code->effects = kept;
    if (!effects.is_known)
        return STATUS_OK;
    code->is_exception = effects.is_exception;
    if (!kept && !(code->effects = malloc(sizeof effects)))
        return no_memory(err);
    *code->effects = effects;
    code->has_system = *step.system;
    for (unsigned i = 0; i < effects.flow_count; i++)
        add_touched(code, &effects.flows[i].output);
    for (unsigned i = 0; i < effects.input_count; i++)
        add_touched(code, &effects.inputs[i]);
    return STATUS_OK;
}

// Whether the line of an event shows the instruction that is remembered for its PC. It may begin
// some digits later than the last time.
static bool is_same(const struct walk *walk, const struct trawl_event *about, struct code *code)
{
    const struct trace_lines *lines = &walk->flow->lines;
    if (!code->text_bytes || code->code.isa != (about->flags & TRAWL_ISA))
        return false;
    for (uint32_t later = 0; later < 4; later++) {
        uint64_t at = about->position + code->text_offset + later;
        if (at + code->text_bytes > lines->size_bytes ||
            !trace_lines_want(lines, at, at + code->text_bytes))
            return false;
        if (memcmp(lines->text + at, code->text, code->text_bytes) == 0) {
            code->text_offset += later;
            return true;
        }
    }
    return false;
}

static enum status find_code(struct walk *walk, const struct trawl_event *about,
                             const struct code **found, struct error *err)
{
    uint32_t *near = &walk->near[about->pc >> 1 & (NEAR - 1)], number = *near - 1;
    if (!*near || walk->codes.items[number].code.pc != about->pc) {
        uint64_t hash = hash_key(hash_index_seed(&walk->by_pc), about->pc);
        HASH_INDEX_FIND(number, &walk->by_pc, hash,
                        walk->codes.items[candidate].code.pc == about->pc);
        if (number == HASH_INDEX_NONE) {
            if (!VEC_ROOM(&walk->codes, 1) || walk->codes.count >= UINT32_MAX - 1 ||
                !hash_index_add(&walk->by_pc, hash, (uint32_t)walk->codes.count))
                return no_memory(err);
            number = (uint32_t)walk->codes.count++;
            walk->codes.items[number] = (struct code){.code.pc = about->pc};
        }
        *near = number + 1;
    }
    struct code *code = &walk->codes.items[number];
    *found = code;
    return is_same(walk, about, code) ? STATUS_OK : read_code(walk, about, code, err);
}

// --- Accesses ------------------------------------------------------------------------------------

static enum status fill(struct walk *walk, struct accesses *accesses, bool are_loads,
                        struct error *err)
{
    struct trawl_error from;
    struct trawl_index *index = walk->flow->view->index;
    const struct trawl_load_columns loads = {
        .event = accesses->event, .address = accesses->address, .size_bytes = accesses->size_bytes};
    const struct trawl_access_columns stores = {
        .event = accesses->event, .address = accesses->address, .size_bytes = accesses->size_bytes};
    enum trawl_status read = are_loads ? trawl_loads(index, &walk->load_place, UINT64_MAX, BLOCK,
                                                     &loads, &accesses->count, &from)
                                       : trawl_accesses(index, &walk->store_place, UINT64_MAX,
                                                        BLOCK, &stores, &accesses->count, &from);
    accesses->at = 0;
    accesses->is_end = accesses->count < BLOCK;
    return index_status(read, &from, err);
}

// Adds the accesses of an event to its step, and passes over those before it.
static enum status add_accesses(struct walk *walk, bool are_loads, uint64_t event,
                                struct dataflow_step *step, struct error *err)
{
    struct accesses *accesses = are_loads ? &walk->loads : &walk->stores;
    for (;; accesses->at++) {
        if (accesses->at >= accesses->count) {
            if (accesses->is_end)
                return STATUS_OK;
            enum status status = fill(walk, accesses, are_loads, err);
            if (status != STATUS_OK || !accesses->count)
                return status;
        }
        size_t at = accesses->at;
        if (accesses->event[at] > event)
            return STATUS_OK;
        if (accesses->event[at] < event || !accesses->size_bytes[at])
            continue;
        uint64_t low = accesses->address[at], high = low + (accesses->size_bytes[at] - 1);
        step->low = step->has_access ? u64_min(step->low, low) : low;
        step->high = step->has_access ? u64_max(step->high, high) : high;
        step->has_access = true;
    }
}

// --- One event -----------------------------------------------------------------------------------

// A load may show something else than what was stored there.
static enum status is_outside(struct walk *walk, uint64_t event, const struct dataflow_bytes *bytes,
                              unsigned *mask, struct error *err)
{
    struct trawl_write write;
    struct trawl_error from;
    unsigned first = (unsigned)__builtin_ctz(*mask),
             size = 32 - (unsigned)__builtin_clz(*mask) - first;
    enum trawl_status found =
        dataflow_written(walk->flow, event, bytes->cell * 8 + first, size, &write, &from);
    if (found != TRAWL_OK)
        return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
    if ((write.kind != TRAWL_OUTSIDE && write.kind != TRAWL_HOST_WRITE) ||
        write.event < walk->first) // before the point, it is what is followed
        return STATUS_OK;
    for (uint64_t at = write.address; at - write.address < write.size_bytes; at++) {
        if (at / 8 == bytes->cell)
            *mask &= ~(1u << at % 8);
    }
    return STATUS_OK;
}

// Which bytes of an input have the value: a flag for each; of flags, the first.
static enum status carried_bytes(struct walk *walk, const struct dataflow_step *step,
                                 const struct effect_place *input, bool has[PLACE_BYTES],
                                 bool *has_any, struct error *err)
{
    struct place_walk place;
    *has_any = false;
    if (!place_begin(&place, step, input))
        return STATUS_OK;
    while (place_next(&place)) {
        unsigned common = having(walk, &place.bytes);
        unsigned lowest = place.bytes.mask ? (unsigned)__builtin_ctz(place.bytes.mask) : 0;
        if (common && place.bytes.space == DATA_MEMORY) {
            enum status status = is_outside(walk, step->about.event, &place.bytes, &common, err);
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
static enum status carry(struct walk *walk, const struct dataflow_step *step,
                         const struct effect_flow *flow, bool gets[PLACE_BYTES], bool *moves,
                         bool *has_any, struct error *err)
{
    bool has[PLACE_BYTES], has_input, gets_any = false;
    for (unsigned i = 0; i < flow->count; i++) {
        const struct effect_place *input = &step->effects->inputs[flow->first + i];
        if (input->role == ROLE_ADDRESS && !walk->reach->with_addresses)
            continue;
        *moves |= input->role == ROLE_COPY;
        enum status status = carried_bytes(walk, step, input, has, &has_input, err);
        if (status != STATUS_OK)
            return status;
        if (!has_input)
            continue;
        if (!gets_any)
            memset(gets, 0, PLACE_BYTES);
        gets_any = true;
        bool is_copy = input->role == ROLE_COPY && input->bytes;
        for (unsigned k = 0; k < PLACE_BYTES; k++) {
            unsigned from = is_copy && k < flow->output.bytes
                                ? copy_byte(walk->flow, &flow->output, input, k)
                                : 0;
            gets[k] |= !is_copy || (k < flow->output.bytes && from < PLACE_BYTES && has[from]);
        }
    }
    for (unsigned k = 0; gets_any && k < PLACE_BYTES && !*has_any; k++)
        *has_any = gets[k] && (k < flow->output.bytes || !flow->output.bytes);
    return STATUS_OK;
}

// Adds bytes that an event gives the value to, or takes it from.
static bool add_change(struct walk *walk, const struct dataflow_bytes *set,
                       const struct dataflow_bytes *clear)
{
    if (!VEC_ROOM(&walk->set, 1) || !VEC_ROOM(&walk->clear, 1))
        return false;
    if (set->mask)
        walk->set.items[walk->set.count++] = *set;
    if (clear->mask)
        walk->clear.items[walk->clear.count++] = *clear;
    return true;
}

// The register by which the trace names the stack pointer in use has what that has.
static enum status change_stack(struct walk *walk, uint64_t event, struct dataflow_bytes set,
                                struct dataflow_bytes clear, struct error *err)
{
    const struct dataflow_step *step;
    enum status status = dataflow_step(walk->flow, event, &step, err);
    if (status != STATUS_OK || !step->has_code)
        return status;
    set.cell = clear.cell = dataflow_stack_cell(walk->flow, step->mode);
    return set.cell == UINT64_MAX || add_change(walk, &set, &clear) ? STATUS_OK : no_memory(err);
}

// Notes what an output is to have after the event.
static enum status note_output(struct walk *walk, const struct dataflow_step *step,
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
        if (!add_change(walk, &set, &clear))
            return no_memory(err);
        if (set.space == DATA_REGISTERS && set.cell == walk->flow->kind->stack_cell) {
            enum status status = change_stack(walk, step->about.event, set, clear, err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

// Carries the value through an instruction.
static enum status apply(struct walk *walk, const struct dataflow_step *step, struct error *err)
{
    struct slice_event event = {.event = step->about.event};
    bool is_reached = false;
    walk->set.count = walk->clear.count = 0;
    for (unsigned i = 0; i < step->effects->flow_count; i++) {
        const struct effect_flow *flow = &step->effects->flows[i];
        bool gets[PLACE_BYTES], moves = false, has_any = false;
        if (copy_stays(step->effects, flow))
            continue;
        enum status status = carry(walk, step, flow, gets, &moves, &has_any, err);
        if (status != STATUS_OK)
            return status;
        is_reached |= has_any;
        if (has_any && flow->output.kind != EFFECT_PC) {
            event.work |= moves ? SLICE_MOVES : SLICE_COMPUTES;
            event.loads_stores |= flow->output.kind == EFFECT_MEMORY ? 2 : 0;
        }
        event.decides |= has_any && flow->output.kind == EFFECT_PC;
        for (unsigned k = 0; k < flow->count && has_any; k++)
            event.loads_stores |= step->effects->inputs[flow->first + k].kind == EFFECT_MEMORY;
        status = note_output(walk, step, &flow->output, has_any ? gets : NULL, err);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < walk->clear.count; i++)
        (void)change(walk, &walk->clear.items[i], false);
    for (size_t i = 0; i < walk->set.count; i++) {
        if (!change(walk, &walk->set.items[i], true))
            return no_memory(err);
    }
    if (!is_reached)
        return STATUS_OK;
    if (!VEC_ROOM(&walk->reach->events, 1))
        return no_memory(err);
    walk->reach->events.items[walk->reach->events.count++] = event;
    return STATUS_OK;
}

// Whether an instruction that was not executed, such as a branch that was not taken, was skipped
// because of the value.
static bool was_decided(struct walk *walk, const struct trawl_event *about, const struct code *code)
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
                if (having(walk, &place.bytes))
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

// What an event has written without its instruction (`code`, if that was executed and is known): an
// exception, the debug host, an instruction that is not known; or the change of mode before it,
// with `is_mode`. These registers do not have the value any more.
static enum status forget_written(struct walk *walk, const struct trawl_event *about,
                                  const struct code *code, bool is_mode, struct error *err)
{
    const uint64_t stack = walk->flow->kind->stack_cell;
    struct lane *lane = &walk->lanes[about->lane];
    struct trawl_error from;
    for (uint64_t cell = 0; cell < lane->end_cell; cell++) {
        uint64_t written;
        uint8_t mask;
        if (!lane->cells[cell] || (is_mode && !walk->flow->kind->is_bank(cell, 1)))
            continue;
        enum trawl_status found =
            index_register_writer(walk->flow->view->index, about->lane, about->event, cell,
                                  is_mode ? 1 : lane->cells[cell], &written, &mask, &from);
        if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
            return index_status(found, &from, err);
        bool is_gone = found == TRAWL_OK && written == about->event && (!is_mode || mask == 1);
        if (is_mode && !is_gone && found == TRAWL_OK && written == about->event) {
            enum status status =
                data_bank_hidden(walk->flow, about->lane, about->event, cell, &is_gone, err);
            if (status != STATUS_OK)
                return status;
        }
        if (is_gone && code && (written_by(code, cell) || (cell >= 64 && written_by(code, stack))))
            continue; // its instruction wrote it; a stack pointer also by name
        if (is_gone)
            lane->cells[cell] &= (uint8_t) ~(is_mode ? 0xff : mask);
    }
    return STATUS_OK;
}

// Has the bytes of the stack pointer in use that have the value be these.
static bool set_stack(struct walk *walk, uint64_t lane, unsigned mask)
{
    bool has_memory = true;
    for (unsigned has = 0; has < 2; has++) {
        const unsigned changed = has ? mask : ~mask & 0xff;
        const struct dataflow_bytes bytes = {walk->flow->kind->stack_cell, 0, (uint32_t)lane,
                                             DATA_REGISTERS, (uint16_t)changed};
        has_memory = (!changed || change(walk, &bytes, has)) && has_memory;
    }
    return has_memory;
}

// Without any stack pointer in the trace, the instruction before tells which one was in use.
static enum status exchange_stacks(struct walk *walk, const struct trawl_event *about,
                                   unsigned mode, struct error *err)
{
    struct lane *lane = &walk->lanes[about->lane];
    const uint64_t in_use = walk->flow->kind->stack_cell;
    const struct dataflow_step *step;
    struct trawl_error from;
    uint64_t earlier;
    enum trawl_status found = about->in_lane
                                  ? trawl_instruction_before(walk->flow->view->index, about->lane,
                                                             about->in_lane - 1, &earlier, &from)
                                  : TRAWL_NOT_FOUND;
    if (found != TRAWL_OK)
        return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
    enum status status = dataflow_step(walk->flow, earlier, &step, err);
    if (status != STATUS_OK || !step->has_code ||
        !walk->flow->kind->other_bank(in_use, step->mode, mode))
        return status;
    lane->stacks[step->mode % STACK_NAMES] = lane->cells[in_use];
    return set_stack(walk, about->lane, lane->stacks[mode % STACK_NAMES]) ? STATUS_OK
                                                                          : no_memory(err);
}

// MSR SP_EL0, of which the trace does not show what it is afterwards.
static void forget_stack(struct walk *walk, const struct dataflow_step *step)
{
    for (unsigned mode = 0; mode < STACK_NAMES && !step->has_system; mode++) {
        const char *name = walk->flow->kind->stack_name(mode);
        if (name && strcasecmp(name, step->system_name) == 0)
            walk->lanes[step->about.lane].stacks[mode] = 0;
    }
}

// After a change of mode, the stack pointer is the one that the trace names otherwise.
static enum status take_stack(struct walk *walk, const struct trawl_event *about, struct error *err)
{
    struct lane *lane = &walk->lanes[about->lane];
    const struct dataflow_step *step;
    enum status status = STATUS_OK;
    if (!lane->cells || !(about->flags & TRAWL_HAS_INSTRUCTION))
        return STATUS_OK;
    status = dataflow_step(walk->flow, about->event, &step, err);
    uint64_t named;
    if (status == STATUS_OK && walk->lacks_stack)
        return exchange_stacks(walk, about, step->mode, err);
    if (status != STATUS_OK || !step_names_stack(walk->flow, step, &named))
        return status;
    return named >= LANE_CELLS || set_stack(walk, about->lane, lane->cells[named]) ? STATUS_OK
                                                                                   : no_memory(err);
}

// What was lost before an event, of its lane.
static void take_gaps(struct walk *walk, const struct trawl_event *about)
{
    const struct lane_gaps *all = &walk->gaps->all;
    struct lane *lane = &walk->lanes[about->lane];
    while (walk->next_gap < all->events.count && all->events.items[walk->next_gap] < about->event)
        walk->next_gap++;
    if (walk->next_gap == all->events.count || all->events.items[walk->next_gap] != about->event)
        return;
    if (lane->cells)
        memset(lane->cells, 0, LANE_CELLS);
    lane->flags = 0;
    lane->groups = (struct groups){0};
}

// Whether memory that an instruction accesses may have the value.
static bool has_value_at(struct walk *walk, const struct dataflow_step *step)
{
    if (!step->has_access || step->page_count || step->high - step->low >= TRACE_PAGE_BYTES)
        return step->has_access;
    for (uint64_t cell = step->low / 8; cell <= step->high / 8; cell++) {
        const struct memory_cell *found = find_memory(walk, cell, false);
        if (found && found->mask)
            return true;
    }
    return false;
}

static enum status look_at(struct walk *walk, const struct trawl_event *about, struct error *err)
{
    static const unsigned strange = TRAWL_EXCEPTION | TRAWL_HOST_CALL;
    struct lane *lane = &walk->lanes[about->lane];
    const struct code *code = NULL;
    enum status status = STATUS_OK;
    if (walk->gaps)
        take_gaps(walk, about);
    if (lane->may_change_mode || about->flags & TRAWL_EXCEPTION) {
        lane->may_change_mode = false;
        status = forget_written(walk, about, NULL, true, err);
        if (status == STATUS_OK)
            status = take_stack(walk, about, err);
    }
    if (status == STATUS_OK && about->flags & TRAWL_HAS_INSTRUCTION)
        status = find_code(walk, about, &code, err);
    if (status != STATUS_OK)
        return status;
    bool is_executed = about->flags & TRAWL_EXECUTED;
    if (code && code->needs_before) { // so may the next
        memmove(lane->before + 1, lane->before, sizeof lane->before - sizeof lane->before[0]);
        lane->before[0] = code->code;
    }
    walk->reach->unknown += code && is_executed && !code->is_known;
    lane->may_change_mode = about->flags & TRAWL_EXCEPTION || (code && code->is_exception);
    if (code && code->is_known && is_executed) {
        bool has_memory = code->has_memory && walk->memory_count;
        bool has_registers = code->touched.registers & lane->groups.registers ||
                             code->touched.others & lane->groups.others & ~GROUP_MEMORY;
        bool has_system =
            code->has_system && (lane->groups.registers || lane->groups.others & ~GROUP_MEMORY);
        if (has_memory || has_system || has_registers) {
            struct dataflow_step step = {.about = *about, .is_known = true, .has_code = true};
            step.effects = code->effects;
            if (has_system || (code->has_memory && walk->flow->has_places)) {
                const struct dataflow_step *accessed;
                status = dataflow_step(walk->flow, about->event, &accessed, err);
                if (status == STATUS_OK)
                    step = *accessed;
                step.effects = code->effects;
                step.is_known = true;
                if (has_system && walk->lacks_stack && status == STATUS_OK)
                    forget_stack(walk, &step);
            } else if (code->has_memory) {
                status = add_accesses(walk, true, about->event, &step, err);
                if (status == STATUS_OK)
                    status = add_accesses(walk, false, about->event, &step, err);
            }
            if (status == STATUS_OK && (has_registers || has_system || has_value_at(walk, &step)))
                status = apply(walk, &step, err);
        }
    }
    if (code && code->is_known && !is_executed && was_decided(walk, about, code)) {
        if (!VEC_ROOM(&walk->reach->events, 1))
            return no_memory(err);
        walk->reach->events.items[walk->reach->events.count++] =
            (struct slice_event){.event = about->event, .decides = true};
    }
    if (status == STATUS_OK && (about->flags & strange || (code && is_executed && !code->is_known)))
        status = forget_written(walk, about, code && code->is_known && is_executed ? code : NULL,
                                false, err);
    return status;
}

// --- All events ----------------------------------------------------------------------------------

static bool has_value(const struct walk *walk)
{
    bool has = walk->memory_count;
    for (uint64_t i = 0; i < walk->flow->view->info.lanes && !has; i++)
        has = walk->lanes[i].flags || walk->lanes[i].groups.registers ||
              walk->lanes[i].groups.others & ~GROUP_MEMORY;
    return has;
}

static enum status walk_events(struct walk *walk, uint64_t event, struct error *err)
{
    const struct trawl_event_columns columns = {.lane = walk->event_lanes,
                                                .position = walk->positions,
                                                .pc = walk->pcs,
                                                .flags = walk->flags};
    size_t count = BLOCK;
    for (uint64_t first = event; count == BLOCK && has_value(walk); first += count) {
        struct trawl_error from;
        enum trawl_status read =
            trawl_events(walk->flow->view->index, first, BLOCK, &columns, &count, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        for (size_t i = 0; i < count; i++) {
            const struct trawl_event about = {.event = first + i,
                                              .lane = walk->event_lanes[i],
                                              .position = walk->positions[i],
                                              .pc = walk->pcs[i],
                                              .flags = (uint32_t)walk->flags[i]};
            if (walk->reach->events.count >= walk->reach->limit) {
                walk->reach->is_cut = true;
                return STATUS_OK;
            }
            if (about.lane >= walk->flow->view->info.lanes)
                return error_set(err, STATUS_DAMAGED, "the index names a lane that it has not");
            enum status status = look_at(walk, &about, err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

static void add_left(struct reach *reach, const struct dataflow_bytes *bytes)
{
    if (reach->left_count < REACH_PLACES)
        reach->left[reach->left_count] = *bytes;
    reach->left_count++;
}

static void find_left(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->flow->view->info.lanes; i++) {
        const struct lane *lane = &walk->lanes[i];
        for (uint64_t cell = 0; cell < lane->end_cell; cell++) {
            if (lane->cells[cell])
                add_left(walk->reach,
                         &(struct dataflow_bytes){cell, 0, i, DATA_REGISTERS, lane->cells[cell]});
        }
        if (lane->flags)
            add_left(walk->reach, &(struct dataflow_bytes){0, 0, i, DATA_FLAGS, lane->flags});
    }
    for (size_t i = 0; i < walk->memory.count; i++) {
        const struct memory_cell *cell = &walk->memory.items[i];
        if (cell->mask)
            add_left(walk->reach, &(struct dataflow_bytes){cell->cell, cell->to_place, 0,
                                                           DATA_MEMORY, cell->mask});
    }
}

static void walk_free(struct walk *walk)
{
    for (uint64_t i = 0; walk->lanes && i < walk->flow->view->info.lanes; i++)
        free(walk->lanes[i].cells);
    for (size_t i = 0; i < walk->codes.count; i++)
        free(walk->codes.items[i].effects);
    free(walk->lanes);
    free(walk->memory.items);
    free(walk->codes.items);
    free(walk->set.items);
    free(walk->clear.items);
    hash_index_free(&walk->by_cell);
    hash_index_free(&walk->by_pc);
    free(walk);
}

enum status reach_find(struct reach *reach, uint64_t event, const struct dataflow_bytes *targets,
                       size_t count, struct error *err)
{
    uint64_t lanes = reach->flow->view->info.lanes, first = event + 1; // TRAWL_START + 1 is 0
    const struct dataflow_bytes *has_stack = NULL;
    struct walk *walk = calloc(1, sizeof *walk);
    if (!walk)
        return no_memory(err);
    walk->reach = reach;
    walk->flow = reach->flow;
    walk->first = first;
    walk->load_place.event = walk->store_place.event = first;
    walk->lanes = calloc((size_t)lanes + 1, sizeof *walk->lanes);
    bool has_memory = walk->lanes;
    for (size_t i = 0; i < count && has_memory; i++) {
        has_memory = change(walk, &targets[i], true);
        if (targets[i].space == DATA_REGISTERS && targets[i].cell == reach->flow->kind->stack_cell)
            has_stack = &targets[i];
    }
    struct trawl_error from;
    uint64_t written;
    walk->lacks_stack = trawl_register_written(reach->flow->view->index, 0, TRAWL_START,
                                               TRAWL_FORWARD, reach->flow->kind->stack_cell * 8, 8,
                                               &written, &from) == TRAWL_NOT_FOUND;
    enum status status = has_memory ? gaps_find(reach->flow, &walk->gaps, err) : no_memory(err);
    if (status == STATUS_OK && has_stack && first) {
        const struct dataflow_bytes none = {0};
        status = change_stack(walk, event, *has_stack, none, err);
        for (size_t i = 0; status == STATUS_OK && i < walk->set.count; i++)
            status = change(walk, &walk->set.items[i], true) ? STATUS_OK : no_memory(err);
    }
    if (status == STATUS_OK)
        status = walk_events(walk, first, err);
    if (status == STATUS_OK)
        find_left(walk);
    walk_free(walk);
    return status;
}

void reach_free(struct reach *reach)
{
    free(reach->events.items);
}

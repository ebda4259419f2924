#include "check/check.h"

#include "query/point.h"

#include <stdlib.h>

enum {
    EVENTS_BETWEEN = 1 << 16,
    INSTRUCTION_BYTES = 2048, // that one accesses: DC ZVA
};

struct run {
    struct check *check;
    struct ahead *ahead;
    size_t next_mark; // of the pairs
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the check");
}

struct finding *check_note(struct check *check, unsigned kind, uint64_t pc, uint64_t key)
{
    bool is_new;
    const unsigned part = kind <= FINDING_UNDEFINED_ADDRESS ? CHECK_UNDEFINED
                          : kind <= FINDING_RETURN_ADDRESS  ? CHECK_STACK
                          : kind <= FINDING_LEAK            ? CHECK_HEAP
                                                            : CHECK_LOCKS;
    if (!(check->parts & part))
        return NULL;
    if (check->now && check->lane != TRAWL_ANY_LANE && check->now->lane != check->lane)
        return NULL;
    struct finding *finding =
        findings_note(&check->findings, kind, pc, key, &is_new, &check->lacks_memory);
    if (!finding || !is_new)
        return NULL;
    finding->event = check->now ? check->now->event : TRAWL_NONE;
    finding->lane = check->now ? check->now->lane : 0;
    return finding;
}

struct finding *check_note_access(struct check *check, unsigned kind, const struct access *access)
{
    struct finding *finding = check_note(check, kind, check->now->pc, access->is_store);
    if (!finding)
        return NULL;
    finding->address = access->address;
    finding->size_bytes = access->size_bytes;
    finding->is_write = access->is_store;
    return finding;
}

// --- Undefined values ----------------------------------------------------------------------------

static unsigned memory_having(void *self, const struct dataflow_bytes *bytes)
{
    struct check *check = self;
    const uint8_t *states = shadow_at(&check->shadow, bytes->cell * 8, false);
    unsigned having = 0;
    for (unsigned i = 0; states && i < 8; i++)
        having |= (unsigned)(states[i] & SHADOW_UNDEFINED) << i;
    return having & bytes->mask;
}

static bool memory_change(void *self, const struct dataflow_bytes *bytes, bool has)
{
    struct check *check = self;
    uint8_t *states = shadow_at(&check->shadow, bytes->cell * 8, has);
    for (unsigned i = 0; states && i < 8; i++) {
        if (bytes->mask >> i & 1)
            states[i] = (uint8_t)(has ? states[i] | SHADOW_UNDEFINED | SHADOW_COPIED | SHADOW_KNOWN
                                      : states[i] & ~(SHADOW_UNDEFINED | SHADOW_COPIED));
    }
    check->is_cut |= has && !states;
    return true;
}

// The first input of an instruction that is undefined, of those that decide, or are an address.
static bool find_undefined(struct check *check, const struct dataflow_step *step, bool of_address,
                           struct dataflow_bytes *undefined)
{
    for (unsigned i = 0; i < step->effects->flow_count; i++) {
        const struct effect_flow *flow = &step->effects->flows[i];
        for (unsigned k = 0; k < flow->count; k++) {
            const struct effect_place *input = &step->effects->inputs[flow->first + k];
            struct place_walk place;
            const bool is_wanted =
                of_address ? input->role == ROLE_ADDRESS
                           : flow->output.kind == EFFECT_PC || input->role == ROLE_CONDITION;
            if (!is_wanted || !place_begin(&place, step, input))
                continue;
            while (place_next(&place)) {
                const unsigned mask = spread_having(check->spread, &place.bytes);
                *undefined = place.bytes;
                undefined->mask = (uint16_t)mask;
                if (mask)
                    return true;
            }
        }
    }
    return false;
}

static enum status reached(void *self, const struct dataflow_step *step,
                           const struct slice_event *event, struct error *err)
{
    struct check *check = self;
    struct dataflow_bytes undefined;
    if (!event->decides && !event->addresses)
        return STATUS_OK;
    for (unsigned of_address = 0; of_address < 2; of_address++) {
        if ((of_address ? !event->addresses : !event->decides) ||
            !find_undefined(check, step, of_address, &undefined))
            continue;
        struct finding *finding =
            check_note(check, of_address ? FINDING_UNDEFINED_ADDRESS : FINDING_UNDEFINED_DECISION,
                       step->about.pc, 0);
        if (finding)
            finding->value = undefined;
        // It was told: what else goes by the same value is not told again.
        enum status status = spread_mark(check->spread, &undefined, false, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status check_explain(struct check *check, struct finding *finding, struct error *err)
{
    struct slice slice = {.flow = check->flow, .limit = LIMIT_EXPLAINED_EVENTS};
    if (!finding->value.mask || !check->undefined_loads.count || finding->causes[0].what)
        return STATUS_OK;
    enum status status = slice_find(&slice, finding->event, false, &finding->value, 1, err);
    for (size_t i = 0; status == STATUS_OK && i < slice.events.count; i++) {
        const uint64_t event = slice.events.items[i].event;
        if (!bsearch(&event, check->undefined_loads.items, check->undefined_loads.count,
                     sizeof event, u64_compare))
            continue;
        struct trawl_load load;
        struct trawl_event about;
        size_t count;
        status = index_view_event(check->flow->view, event, &about, err);
        if (status == STATUS_OK)
            finding->causes[0] = (struct finding_cause){"loaded", event, about.lane};
        if (status == STATUS_OK &&
            trawl_loads_of(check->flow->view->index, event, &load, 1, &count, NULL) == TRAWL_OK &&
            count) {
            finding->address = load.address;
            finding->size_bytes = load.size_bytes;
        }
        break;
    }
    slice_free(&slice);
    return status;
}

// Whether the trace begins where an image does, so that nothing was written before it.
static enum status find_start(struct check *check, struct error *err)
{
    const struct image_set *images = &check->names->images;
    const struct index_view *view = check->flow->view;
    struct trawl_event first;
    if (!view->info.lanes || view->lanes[0].root == TRAWL_NONE)
        return STATUS_OK;
    enum status status = index_view_event(view, view->lanes[0].root, &first, err);
    for (size_t i = 0; i < images->members.count && status == STATUS_OK; i++) {
        const struct image_member *member = &images->members.items[i];
        const uint64_t entry = image_entry(member->image) + member->offset;
        check->is_from_start |= first.flags & TRAWL_HAS_INSTRUCTION &&
                                ((first.pc ^ entry) & member->address_mask & ~UINT64_C(1)) == 0;
    }
    return status;
}

// A load of bytes that the trace has never written. In a page with a stack or a heap, which is
// therefore memory and no device, they are undefined, unless an image or the user says otherwise.
static enum status load_unknown(struct check *check, const struct access *load, struct error *err)
{
    for (uint64_t i = 0; i < load->size_bytes; i++) {
        const uint64_t place = load->place + i, address = load->address + i;
        uint8_t *state = shadow_at(&check->shadow, place, false);
        struct trawl_write write;
        struct trawl_error from;
        if (!state || *state & SHADOW_KNOWN)
            continue;
        bool is_known = !check->is_from_start || !shadow_is_memory(&check->shadow, place) ||
                        image_set_may_cover(&check->names->images, address);
        for (size_t k = 0; k < check->known.count && !is_known; k++)
            is_known = address - check->known.items[k].address < check->known.items[k].size_bytes;
        if (!is_known) {
            enum trawl_status found =
                dataflow_written(check->flow, check->now->event, place, 1, &write, &from);
            if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
                return index_status(found, &from, err);
            is_known = found == TRAWL_OK;
        }
        *state |= is_known ? SHADOW_KNOWN : SHADOW_KNOWN | SHADOW_UNDEFINED;
    }
    return STATUS_OK;
}

// --- Strings -------------------------------------------------------------------------------------

// Functions that read strings by words, and so beyond their ends.
static bool is_in_string_function(struct check *check, uint64_t pc)
{
    static const char *const parts[] = {"strlen", "strnlen", "strcpy",   "stpcpy",  "strncpy",
                                        "strcmp", "strncmp", "strchr",   "strrchr", "strcat",
                                        "memchr", "strncat", "strchrnul"};
    struct known_reader *known = &check->readers[(pc >> 1) % READERS_KEPT];
    uint64_t start;
    if (known->pc == pc + 1)
        return known->reads_strings;
    *known = (struct known_reader){.pc = pc + 1};
    const char *name =
        names_start_of(check->names, pc, &start) ? names_of_root(check->names, start) : "";
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
        known->reads_strings |= strstr(name, parts[i]) != NULL;
    return known->reads_strings;
}

// A word that has the end of a string: the bytes behind it do not decide anything. Until the event
// is over, they count as set.
static enum status pass_over_end(struct check *check, const struct access *load, struct error *err)
{
    uint8_t values[64], known[64];
    struct trawl_error from;
    bool has_end = false;
    if (load->size_bytes < 2 || load->size_bytes > sizeof values ||
        !is_in_string_function(check, check->now->pc))
        return STATUS_OK;
    enum trawl_status read = dataflow_memory(check->flow->view, check->now->event, load->place,
                                             (size_t)load->size_bytes, values, known, &from);
    if (read != TRAWL_OK)
        return index_status(read, &from, err);
    for (uint64_t i = 0; i < load->size_bytes && !has_end; i++)
        has_end = known[i] && !values[i] &&
                  !(shadow_any(&check->shadow, load->place + i, 1) & SHADOW_UNDEFINED);
    for (uint64_t i = 0; i < load->size_bytes && has_end; i++) {
        uint8_t *state = shadow_at(&check->shadow, load->place + i, false);
        if (!state || !(*state & SHADOW_UNDEFINED))
            continue;
        if (!VEC_ROOM(&check->passed_over, 1))
            return no_memory(err);
        *state &= (uint8_t)~SHADOW_UNDEFINED;
        check->passed_over.items[check->passed_over.count++] = load->place + i;
    }
    return STATUS_OK;
}

// --- Accesses ------------------------------------------------------------------------------------

// Finds the places of the event's accesses, and leaves out those that are not known to have one.
static enum status find_places(struct check *check, struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < check->accesses.count; i++) {
        struct access *access = &check->accesses.items[i];
        struct trawl_place found;
        struct trawl_error from;
        const enum trawl_status asked = trawl_place(check->flow->view->index, check->now->event,
                                                    access->address, &found, &from);
        if (asked != TRAWL_OK)
            return index_status(asked, &from, err);
        access->place = found.place;
        if (found.kind == TRAWL_PLACE_KNOWN)
            check->accesses.items[kept++] = *access;
    }
    check->accesses.count = kept;
    return STATUS_OK;
}

// Adds an access to the range of its event. What is far away, the machine has accessed at an
// exception, and not the instruction.
static void widen(struct spread_access *range, const struct access *access)
{
    if (!range->size_bytes) {
        *range = (struct spread_access){access->address, access->size_bytes};
    } else if (access->address - range->address + INSTRUCTION_BYTES < 2 * INSTRUCTION_BYTES) {
        const uint64_t low = u64_min(range->address, access->address);
        const uint64_t end =
            u64_max(range->address + range->size_bytes, access->address + access->size_bytes);
        *range = (struct spread_access){low, end - low};
    }
}

// Whether accesses of an instruction that does nothing else with undefined values need no closer
// look: loads of what is set, and stores to what may be written. Then notes what they set.
static bool accesses_pass(struct check *check, const struct code_note *code,
                          struct spread_access *range, unsigned *states)
{
    const bool wants_undefined = check->parts & CHECK_UNDEFINED;
    bool has_loads = false, has_undefined = false, sets = false;
    for (size_t i = 0; i < check->accesses.count; i++) {
        const struct access *access = &check->accesses.items[i];
        unsigned any, all;
        if (i && (access->address > range->address + range->size_bytes ||
                  range->address > access->address + access->size_bytes))
            return false; // what is between them is another matter
        shadow_look(&check->shadow, access->place, access->size_bytes, &any, &all);
        if (any & (access->is_store ? SHADOW_RETURN | SHADOW_COPIED : SHADOW_UNDEFINED))
            return false;
        // Of pages in which nothing was noted, all is known.
        if (!access->is_store && !(all & SHADOW_KNOWN) && wants_undefined &&
            (access->place / SHADOW_PAGE_BYTES !=
                 (access->place + access->size_bytes - 1) / SHADOW_PAGE_BYTES ||
             shadow_at(&check->shadow, access->place, false)))
            return false;
        has_loads |= !access->is_store;
        has_undefined |= any & SHADOW_UNDEFINED;
        sets |= access->is_store && (any & SHADOW_UNDEFINED || !(all & SHADOW_KNOWN));
        *states |= any;
        widen(range, access);
    }
    if (has_undefined && (has_loads || (code->store_bytes != NOTE_ALL_BYTES &&
                                        code->store_bytes != range->size_bytes)))
        return false;
    for (size_t i = 0; i < check->accesses.count && sets; i++) {
        const struct access *access = &check->accesses.items[i];
        check->is_cut |=
            access->is_store && !shadow_change(&check->shadow, access->place, access->size_bytes,
                                               SHADOW_UNDEFINED | SHADOW_COPIED, SHADOW_KNOWN);
    }
    return true;
}

// Before the instruction: what is loaded. *states: all that bytes had which are accessed.
static enum status look_at_accesses(struct check *check, struct spread_access *range,
                                    unsigned *states, struct error *err)
{
    *range = (struct spread_access){0};
    *states = 0;
    for (size_t i = 0; i < check->accesses.count; i++) {
        const struct access *access = &check->accesses.items[i];
        unsigned state = shadow_any(&check->shadow, access->place, access->size_bytes);
        widen(range, access);
        *states |= state;
        if (access->is_store) {
            if (state & SHADOW_RETURN)
                stack_store_to_return(check, access);
            check->is_cut |=
                !shadow_change(&check->shadow, access->place, access->size_bytes, 0, SHADOW_KNOWN);
            continue;
        }
        if (!(check->parts & CHECK_UNDEFINED))
            continue;
        if (!(shadow_all(&check->shadow, access->place, access->size_bytes) & SHADOW_KNOWN)) {
            enum status status = load_unknown(check, access, err);
            if (status != STATUS_OK)
                return status;
            state = shadow_any(&check->shadow, access->place, access->size_bytes);
        }
        if (state & SHADOW_UNDEFINED) {
            enum status status = pass_over_end(check, access, err);
            if (status != STATUS_OK)
                return status;
            state = shadow_any(&check->shadow, access->place, access->size_bytes);
        }
        if ((state & (SHADOW_UNDEFINED | SHADOW_COPIED)) == SHADOW_UNDEFINED &&
            (!check->undefined_loads.count ||
             check->undefined_loads.items[check->undefined_loads.count - 1] != check->now->event)) {
            if (!VEC_ROOM(&check->undefined_loads, 1))
                return no_memory(err);
            check->undefined_loads.items[check->undefined_loads.count++] = check->now->event;
        }
    }
    return STATUS_OK;
}

// --- Events --------------------------------------------------------------------------------------

static enum status look_at_calls(struct run *run, uint64_t event, bool are_ends, struct error *err)
{
    struct check *check = run->check;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && run->next_mark < check->pairs.marks.count) {
        const struct pair_mark *mark = &check->pairs.marks.items[run->next_mark];
        const struct pair_call *call = &check->pairs.calls.items[mark->call];
        if (mark->event != event || mark->is_end != are_ends)
            break;
        status = call->function->role <= PAIR_FREE ? heap_call(check, call, mark->is_end, err)
                                                   : locks_call(check, call, mark->is_end, err);
        run->next_mark++;
    }
    return status;
}

static void note_code(void *self, uint32_t isa, const struct effects *effects, void *notes)
{
    _Static_assert(sizeof(struct code_note) <= SPREAD_NOTE_BYTES, "a note has room");
    stack_note(self, isa, effects, notes);
}

// After an event: accesses of what must not be accessed. `states`: all that bytes had.
static void look_for_bad(struct check *check, const struct trawl_event *about, unsigned states)
{
    const struct checked_stack *stack = &check->stacks[about->lane];
    const struct code_note *code = check->code;
    const bool is_written = stack->at < stack->count && stack->event[stack->at] == about->event;
    // A trace may end within an event, before the line of the stack pointer that it moves.
    const bool is_cut = code && code->stack_origin <= STACK_FROM_ITSELF_AND_OTHERS && !is_written;
    for (size_t i = 0; i < check->accesses.count && states & SHADOW_BAD; i++) {
        const struct access *access = &check->accesses.items[i];
        const unsigned state = shadow_any(&check->shadow, access->place, access->size_bytes);
        if (state & SHADOW_DEAD && check->parts & CHECK_STACK && !is_cut &&
            !(about->flags & TRAWL_EXCEPTION))
            stack_access(check, access);
        if (state & SHADOW_FREED && check->parts & CHECK_HEAP)
            heap_access(check, access, state);
        if (state & SHADOW_EDGE && check->parts & CHECK_STACK && stack->is_known && code &&
            code->accesses_memory && !(about->flags & TRAWL_EXCEPTION))
            outside_access(check, access, u64_min(stack->sp_before, stack->sp));
    }
}

// Most events need no more than this: their instruction has nothing to do with undefined values in
// registers, and what it accesses is as it should be. *is_done: that was all.
static enum status pass(struct check *check, const struct trawl_event *about, uint64_t text,
                        bool *is_done, struct error *err)
{
    struct checked_stack *stack = &check->stacks[about->lane];
    struct spread_access range = {0};
    unsigned states = 0;
    const void *notes;
    enum status status = spread_passes(check->spread, about, text, is_done, &notes, err);
    if (status != STATUS_OK || !*is_done)
        return status;
    const struct code_note *code = check->code = notes;
    *is_done = !check->accesses.count || (code && accesses_pass(check, code, &range, &states));
    if (!*is_done)
        return STATUS_OK;
    if (!check->has_no_stack &&
        (stack_is_written(stack, about->event) ||
         (code && (code->writes_link || code->loads_link || code->stores_link))))
        status = stack_after(check, about, &range, err);
    stack->may_change = !code || code->jumps;
    if (states & SHADOW_BAD && status == STATUS_OK)
        look_for_bad(check, about, states);
    return status;
}

static enum status look_at(struct run *run, const struct trawl_event *about, uint64_t text,
                           struct error *err)
{
    struct check *check = run->check;
    struct checked_stack *stack = &check->stacks[about->lane];
    struct spread_access range;
    unsigned states; // that a byte had which was accessed
    bool is_done = false;
    stack->sp_before = stack->sp;
    check->now = about;
    enum status status = check->flow->has_places ? find_places(check, err) : STATUS_OK;
    if (status == STATUS_OK && (run->next_mark == check->pairs.marks.count ||
                                check->pairs.marks.items[run->next_mark].event != about->event))
        status = pass(check, about, text, &is_done, err);
    if (is_done || status != STATUS_OK)
        return status == STATUS_OK && check->lacks_memory ? no_memory(err) : status;
    status = look_at_calls(run, about->event, false, err);
    if (status == STATUS_OK) {
        stack_before(check, about);
        status = look_at_accesses(check, &range, &states, err);
    }
    if (status == STATUS_OK)
        status = spread_event(check->spread, about, text, &range, err);
    check->code = spread_notes(check->spread);
    if (status == STATUS_OK)
        status = stack_after(check, about, &range, err);
    if (status != STATUS_OK)
        return status;
    while (check->passed_over.count)
        *shadow_at(&check->shadow, check->passed_over.items[--check->passed_over.count], false) |=
            SHADOW_UNDEFINED;
    const struct code_note *code = check->code;
    stack->may_change =
        about->flags & TRAWL_EXCEPTION || !code || code->is_exception || code->jumps;
    for (size_t i = 0; i < check->accesses.count && !code; i++) {
        // What an instruction that is not known stores counts as set.
        const struct access *access = &check->accesses.items[i];
        if (access->is_store)
            shadow_change(&check->shadow, access->place, access->size_bytes,
                          SHADOW_UNDEFINED | SHADOW_COPIED, 0);
    }
    look_for_bad(check, about, states);
    status = look_at_calls(run, about->event, true, err);
    return status == STATUS_OK && check->lacks_memory ? no_memory(err) : status;
}

static enum status look_at_all(struct run *run, struct error *err)
{
    struct check *check = run->check;
    struct ahead_block *block;
    uint64_t told = 0;
    enum status status = ahead_next(run->ahead, &block, err);
    while (status == STATUS_OK && block) {
        for (size_t i = 0; i < block->count; i++) {
            const struct trawl_event about = {.event = block->first + i,
                                              .lane = block->lane[i],
                                              .in_lane = block->in_lane[i],
                                              .position = block->position[i],
                                              .pc = block->pc[i],
                                              .flags = (uint32_t)block->flags[i]};
            if (about.lane >= check->flow->view->info.lanes)
                return error_set(err, STATUS_DAMAGED, "the index names a lane that it has not");
            check->accesses.items = VEC_FROM(&block->accesses, block->starts[i]);
            check->accesses.count = block->starts[i + 1] - block->starts[i];
            status = look_at(run, &about, block->text[i], err);
            if (status != STATUS_OK)
                return status;
        }
        if (check->advanced && block->first - told >= EVENTS_BETWEEN) {
            told = block->first;
            check->advanced(check->self, block->position[0]);
        }
        status = ahead_next(run->ahead, &block, err);
    }
    check->now = NULL;
    return status;
}

enum status check_run(struct check *check, struct error *err)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return no_memory(err);
    run->check = check;
    check->rules = (struct spread_rules){.self = check,
                                         .tells_addresses = true,
                                         .memory_count = check->parts & CHECK_UNDEFINED,
                                         .memory_having = memory_having,
                                         .memory_change = memory_change,
                                         .reached = reached,
                                         .note = note_code};
    enum status status =
        pairs_find(&check->pairs, check->flow->view, check->names, check->parts, err);
    if (status == STATUS_OK)
        status = find_start(check, err);
    if (status == STATUS_OK)
        status = stack_open(check, err);
    if (status == STATUS_OK)
        status = spread_open(&check->spread, check->flow, TRAWL_START, &check->rules, err);
    if (status == STATUS_OK)
        status = ahead_open(&run->ahead, check->flow, check->threads, err);
    if (status == STATUS_OK)
        status = look_at_all(run, err);
    ahead_close(run->ahead);
    check->now = NULL;
    if (status == STATUS_OK)
        status = outside_end(check, err);
    if (status == STATUS_OK)
        status = heap_end(check, err);
    if (status == STATUS_OK) {
        stack_end(check);
        locks_end(check);
    }
    if (check->spread)
        check->unknown_instructions = spread_unknown(check->spread);
    free(run);
    return status;
}

void check_free(struct check *check)
{
    findings_free(&check->findings);
    pairs_free(&check->pairs);
    shadow_free(&check->shadow);
    spread_free(check->spread);
    free(check->known.items);
    free(check->extents.items);
    free(check->heap.steps.items);
    free(check->heap.blocks.items);
    free(check->heap.inside.items);
    hash_index_free(&check->heap.by_address);
    free(check->locks.held.items);
    free(check->locks.orders.items);
    hash_index_free(&check->locks.by_order);
    free(check->locks.taken.items.items);
    hash_index_free(&check->locks.taken.by_lock);
    free(check->locks.made.items.items);
    hash_index_free(&check->locks.made.by_lock);
    free(check->locks.takers.items.items);
    hash_index_free(&check->locks.takers.by_lock);
    free(check->stacks);
    free(check->slots.items);
    free(check->outside.items);
    free(check->used_stacks.items);
    hash_index_free(&check->by_place);
    free(check->undefined_loads.items);
    free(check->passed_over.items);
}

// The stack: frames that have ended, what is not set in new ones, return addresses, and stacks that
// run into other data.
//
// All of it follows from the stack pointer. Where an instruction computes it from itself or from
// the frame pointer, it allocates or gives back: a push, a prologue, an epilogue. Any other write
// of it is another stack: a switch of tasks, an exception, setjmp. Those neither allocate nor free,
// so that no stack is taken for a frame of another. Around the stack pointer at an exception,
// nothing is said of the bytes in which the machine or a handler saves registers.
#include "check/check.h"

#include <stdlib.h>

enum {
    FRAME_BYTES = 1 << 16, // a longer way is another stack
    SAVED_BYTES = 256,     // below the stack pointer, by exceptions and switches of tasks
    JUMP_BYTES = 256,      // by which an instruction that returns moves it
    JUMP_EVENTS = 64,      // after the stack pointer is set, a long jump goes on elsewhere
};

enum status stack_open(struct check *check, struct error *err)
{
    const struct index_view *view = check->flow->view;
    struct trawl_register about;
    check->stacks = calloc((size_t)view->info.lanes + 1, sizeof *check->stacks);
    if (!check->stacks)
        return error_set(err, STATUS_MEMORY, "no memory for the stacks");
    check->has_no_stack =
        trawl_register_with(view->index, view->isa, TRAWL_REGISTER_SP, &about, NULL) != TRAWL_OK ||
        about.size_bytes > 8;
    for (uint32_t isa = 0; isa < ARCH_ISAS; isa++)
        check->registers[isa] = stack_registers_of(view, isa);
    for (uint64_t lane = 0; lane < view->info.lanes && !check->has_no_stack; lane++) {
        check->stacks[lane].offset = about.offset;
        check->stacks[lane].size_bytes = about.size_bytes;
        check->stacks[lane].after = TRAWL_START;
    }
    bool is_written = false;
    for (uint64_t lane = 0; lane < view->info.lanes && !check->has_no_stack && !is_written;
         lane++) {
        uint64_t written;
        is_written =
            trawl_register_written(view->index, lane, TRAWL_START, TRAWL_FORWARD, about.offset,
                                   (size_t)about.size_bytes, &written, NULL) == TRAWL_OK;
    }
    check->has_no_stack |= !is_written;
    return STATUS_OK;
}

// --- What an instruction does --------------------------------------------------------------------

static void note_link(const struct effects *effects, const struct effect_flow *flow, uint64_t link,
                      struct code_note *note)
{
    const struct effect_place *output = &flow->output;
    const bool is_link = output->kind == EFFECT_REGISTER && output->offset == link;
    unsigned copied = 0;
    note->writes_link |= is_link;
    note->is_call |= output->kind == EFFECT_PC || (is_link && flow->count == 1 &&
                                                   effects->inputs[flow->first].kind == EFFECT_PC);
    while (copied < flow->count && effects->inputs[flow->first + copied].role != ROLE_COPY)
        copied++;
    if (copied == flow->count)
        return;
    const struct effect_place *input = &effects->inputs[flow->first + copied];
    if (!note->loads_link && input->kind == EFFECT_MEMORY &&
        (output->kind == EFFECT_PC || is_link)) {
        note->loads_link = true;
        note->link_loaded = input->offset;
    }
    if (!note->stores_link && output->kind == EFFECT_MEMORY && input->kind == EFFECT_REGISTER &&
        input->offset == link) {
        note->stores_link = true;
        note->link_stored = output->offset;
    }
}

void stack_note(const struct check *check, uint32_t isa, const struct effects *effects,
                struct code_note *note)
{
    const struct stack_registers *registers = &check->registers[isa];
    uint32_t stored = 0, end = 0;
    bool stores_all = false, loads = false;
    *note =
        (struct code_note){.jumps = effects_jump(effects), .is_exception = effects->is_exception};
    note->stack_origin = (uint8_t)stack_origin_of(effects, registers, check->stacks[0].offset);
    for (unsigned i = 0; i < effects->flow_count; i++) {
        const struct effect_flow *flow = &effects->flows[i];
        note_link(effects, flow, registers->link, note);
        for (unsigned k = 0; k < flow->count; k++)
            loads |= effects->inputs[flow->first + k].kind == EFFECT_MEMORY;
        if (flow->output.kind != EFFECT_MEMORY)
            continue;
        note->accesses_memory = true;
        stores_all |= !flow->output.bytes && !flow->output.offset;
        stored += flow->output.bytes;
        end = flow->output.offset + flow->output.bytes > end
                  ? flow->output.offset + flow->output.bytes
                  : end;
    }
    note->accesses_memory |= loads;
    if (!loads && stores_all)
        note->store_bytes = NOTE_ALL_BYTES;
    else if (!loads && stored == end && end < NOTE_ALL_BYTES)
        note->store_bytes = (uint16_t)end;
}

// --- Memory and the stack pointer ----------------------------------------------------------------

// The place of an address of the event that is looked at; UINT64_MAX: unknown.
static uint64_t place_of(const struct check *check, uint64_t address)
{
    struct trawl_place place;
    if (!check->flow->has_places)
        return address;
    return trawl_place(check->flow->view->index, check->now->event, address, &place, NULL) ==
                       TRAWL_OK &&
                   place.kind == TRAWL_PLACE_KNOWN
               ? place.place
               : UINT64_MAX;
}

void stack_change(struct check *check, uint64_t address, uint64_t size_bytes, unsigned takes,
                  unsigned gives)
{
    for (uint64_t count; size_bytes; address += count, size_bytes -= count) {
        count = u64_min(size_bytes, SHADOW_PAGE_BYTES - address % SHADOW_PAGE_BYTES);
        const uint64_t place = place_of(check, address);
        if (place != UINT64_MAX)
            check->is_cut |= !shadow_change(&check->shadow, place, count, takes, gives);
    }
}

// The write of the stack pointer by an event, if it has one.
static enum status read_write(struct check *check, const struct trawl_event *about,
                              struct checked_stack *stack, bool *is_written, bool *is_known,
                              uint64_t *value, struct error *err)
{
    *is_written = false;
    for (;;) {
        while (stack->at < stack->count && stack->event[stack->at] < about->event)
            stack->at++;
        if (stack->at < stack->count) {
            if (stack->event[stack->at] > about->event)
                return STATUS_OK;
            *is_written = true;
            *is_known = stack->known[stack->at] == (UINT64_C(1) << stack->size_bytes) - 1;
            *value = stack->value[stack->at];
            return STATUS_OK;
        }
        if (stack->is_end)
            return STATUS_OK;
        const struct trawl_register_value_columns columns = {
            .event = stack->event, .value = stack->value, .known = stack->known};
        struct trawl_error from;
        enum trawl_status read = trawl_register_values(
            check->flow->view->index, about->lane, stack->after, TRAWL_NONE, stack->offset,
            (size_t)stack->size_bytes, STACK_ROWS, &columns, &stack->count, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        stack->at = 0;
        stack->is_end = stack->count < STACK_ROWS;
        if (stack->count)
            stack->after = stack->event[stack->count - 1];
    }
}

void stack_before(struct check *check, const struct trawl_event *about)
{
    const struct checked_stack *stack = &check->stacks[about->lane];
    // Before the machine, or the handler of a switch, saves registers there.
    if (about->flags & TRAWL_EXCEPTION && stack->is_known && stack->sp >= SAVED_BYTES)
        stack_change(check, stack->sp - SAVED_BYTES, SAVED_BYTES,
                     SHADOW_DEAD | SHADOW_UNDEFINED | SHADOW_COPIED | SHADOW_RETURN, SHADOW_KNOWN);
}

// The stack pointer was set: which stack is it now?
static enum status find_stack(struct check *check, struct checked_stack *stack, struct error *err)
{
    for (size_t i = check->used_stacks.count; i--;) {
        struct used_stack *used = &check->used_stacks.items[i];
        if (stack->sp >= used->low && stack->sp <= used->high) {
            stack->which = i;
            used->sp = stack->sp;
            return STATUS_OK;
        }
    }
    if (check->used_stacks.count < LIMIT_CHECKED_STACKS) {
        if (!VEC_ROOM(&check->used_stacks, 1))
            return error_set(err, STATUS_MEMORY, "no memory for the stacks");
        check->used_stacks.count++;
    }
    stack->which = check->used_stacks.count - 1;
    check->used_stacks.items[stack->which] = (struct used_stack){stack->sp, stack->sp, stack->sp};
    return STATUS_OK;
}

// More of a stack is known than the part that was seen first, such as after an exception in a
// prologue: with another that it reaches, it is one.
static void stack_grow(struct check *check, size_t which, uint64_t high)
{
    struct used_stack *used = &check->used_stacks.items[which];
    used->high = high;
    for (size_t i = 0; i < check->used_stacks.count; i++) {
        struct used_stack *other = &check->used_stacks.items[i];
        if (i == which || high <= other->low || high > other->high)
            continue;
        used->low = u64_min(used->low, other->low);
        used->high = other->high;
        for (uint64_t lane = 0; lane < check->flow->view->info.lanes; lane++) {
            if (check->stacks[lane].which == i)
                check->stacks[lane].which = which;
        }
        *other = (struct used_stack){UINT64_MAX, 0, 0}; // none
    }
}

// --- Other data ----------------------------------------------------------------------------------

static const struct known_object *object_at(struct check *check, uint64_t at)
{
    struct known_object *known = &check->objects[(at >> 2) % OBJECTS_KEPT];
    struct image_symbol symbol;
    if (known->at == at + 1)
        return known;
    *known = (struct known_object){.at = at + 1};
    if (image_set_by_address(&check->names->images, at, &symbol) && symbol.symbol->is_data &&
        symbol.symbol->size > 1) {
        known->address = symbol.address;
        known->size_bytes = symbol.symbol->size;
    }
    return known;
}

struct stack_extent *stack_extent_at(struct check *check, uint64_t address, uint64_t event)
{
    struct stack_extent *found = NULL;
    for (size_t i = 0; i < check->extents.count; i++) {
        struct stack_extent *extent = &check->extents.items[i];
        if (address >= extent->bottom && address < extent->top && extent->first <= event &&
            (!found || extent->first >= found->first))
            found = extent;
    }
    return found;
}

// Narrows the object to one that is smaller.
static void narrow(struct checked_stack *stack, uint64_t low, uint64_t high)
{
    if (stack->object_bytes && stack->object_bytes <= high - low)
        return;
    stack->object = stack->low = low;
    stack->object_bytes = high - low;
    stack->high = high;
}

// What has the byte below the stack pointer: a stack that is known, a block of a heap, or a
// variable, whichever is smallest; and from where to where there is no other.
static void find_object(struct check *check, struct checked_stack *stack)
{
    const uint64_t at = stack->sp - 1;
    struct stack_extent *extent = stack_extent_at(check, at, check->now->event);
    stack->object_bytes = 0;
    stack->low = at & ~UINT64_C(63);
    stack->high = stack->low + 64;
    if (extent) {
        narrow(stack, extent->bottom, extent->top);
        outside_watch(check, extent);
    }
    // A block has no blocks right before and behind it.
    if ((shadow_any(&check->shadow, at, 1) & SHADOW_FENCE) == SHADOW_LIVE) {
        uint64_t low = at, high = at + 1;
        while (at - low < FRAME_BYTES &&
               (shadow_any(&check->shadow, low - 1, 1) & SHADOW_FENCE) == SHADOW_LIVE)
            low--;
        while (high - at < FRAME_BYTES &&
               (shadow_any(&check->shadow, high, 1) & SHADOW_FENCE) == SHADOW_LIVE)
            high++;
        narrow(stack, low, high);
        return;
    }
    const struct known_object *known = object_at(check, at);
    if (known->size_bytes)
        narrow(stack, known->address, known->address + known->size_bytes);
}

// The stack whose frames are in use that the stack pointer of another has reached from above, where
// nothing says how far that one goes: as far as it was seen to be used. NULL: none.
static const struct used_stack *find_reached(const struct check *check,
                                             const struct checked_stack *stack, uint64_t before)
{
    for (size_t i = 0; i < check->used_stacks.count; i++) {
        const struct used_stack *other = &check->used_stacks.items[i];
        if (i != stack->which && stack->sp < other->high && before >= other->high &&
            other->sp < other->high && stack->sp >= other->low)
            return other;
    }
    return NULL;
}

static void tell_overflow(struct check *check, uint64_t object, uint64_t size_bytes, uint64_t sp,
                          bool is_left)
{
    const uint64_t event = check->now->event;
    struct stack_extent *of = is_left ? stack_extent_at(check, object, event) : NULL;
    struct finding *finding = check_note(check, FINDING_STACK_OVERFLOW, check->now->pc, object);
    if (of)
        of->is_told = true;
    if (!finding)
        return;
    finding->address = sp;
    finding->block = object;
    finding->block_bytes = size_bytes;
    finding->is_write = is_left; // it left its own; otherwise it entered another
}

// The stack pointer has gone down: does it point into another object now?
static void look_for_overflow(struct check *check, struct checked_stack *stack, uint64_t before)
{
    const struct checked_stack old = *stack;
    if (stack->sp >= stack->low && stack->sp <= stack->high)
        return;
    find_object(check, stack);
    const bool is_left = old.object_bytes && stack->sp < old.object;
    const bool is_entered = stack->object_bytes &&
                            (!old.object_bytes || old.object != stack->object) &&
                            before > stack->object + stack->object_bytes;
    const struct used_stack *reached =
        is_left || is_entered ? NULL : find_reached(check, stack, before);
    if (is_left)
        tell_overflow(check, old.object, old.object_bytes, stack->sp, true);
    else if (is_entered)
        tell_overflow(check, stack->object, stack->object_bytes, stack->sp, false);
    else if (reached)
        tell_overflow(check, reached->low, reached->high - reached->low, stack->sp, false);
}

void stack_end(struct check *check)
{
    for (size_t i = 0; i < check->extents.count; i++) {
        const struct stack_extent *extent = &check->extents.items[i];
        struct trawl_event about;
        if (extent->is_told || extent->lowest >= extent->bottom ||
            trawl_event(check->flow->view->index, extent->lowest_event, &about, NULL) != TRAWL_OK)
            continue;
        check->now = &about;
        tell_overflow(check, extent->bottom, extent->top - extent->bottom, extent->lowest, true);
    }
    check->now = NULL;
}

// --- Return addresses ----------------------------------------------------------------------------

static struct return_slot *find_slot(struct check *check, uint64_t place)
{
    const uint64_t hash = hash_key(hash_index_seed(&check->by_place), place);
    uint32_t found;
    HASH_INDEX_FIND(found, &check->by_place, hash, check->slots.items[candidate].place == place);
    return found == HASH_INDEX_NONE ? NULL : &check->slots.items[found];
}

// Whether the link register has a return address: a call has written it, with where the PC is, or
// it was loaded from where one is. Compilers also use it as any other register. `loaded`: where the
// instruction has loaded it from; NULL: it has not.
static void follow_link(struct check *check, const struct trawl_event *about,
                        const uint64_t *loaded)
{
    struct checked_stack *stack = &check->stacks[about->lane];
    const struct code_note *code = check->code;
    if (about->flags & TRAWL_EXCEPTION)
        stack->has_return = false; // it may be what was interrupted that has it
    else if (code && code->writes_link)
        stack->has_return =
            code->is_call ||
            (loaded && shadow_any(&check->shadow, place_of(check, *loaded), 1) & SHADOW_RETURN);
}

// Whether an address is in the stack in use: a switch of tasks stores a link register elsewhere.
static bool is_in_stack(const struct check *check, const struct checked_stack *stack, uint64_t sp,
                        uint64_t address)
{
    return stack->is_known && check->used_stacks.count && address >= sp &&
           address < check->used_stacks.items[stack->which].high;
}

// Whether what is stored at an address returns from an exception: the machine puts such values into
// the link register, also at events that do not show an exception.
static bool is_exception_link(const struct check *check, uint64_t address)
{
    const struct exception_rules *rules = check->flow->view->arch->exceptions;
    const uint64_t place = rules ? place_of(check, address) : UINT64_MAX;
    uint8_t values[4], known[4];
    if (place == UINT64_MAX ||
        dataflow_memory(check->flow->view, check->now->event, place, sizeof values, values, known,
                        NULL) != TRAWL_OK ||
        memchr(known, 0, sizeof known))
        return false;
    return exception_link(rules, values[0] | (uint32_t)values[1] << 8 | (uint32_t)values[2] << 16 |
                                     (uint32_t)values[3] << 24);
}

bool stack_has(const struct check *check, uint64_t address)
{
    const struct checked_stack *stack = &check->stacks[check->now->lane];
    return is_in_stack(check, stack, u64_min(stack->sp_before, stack->sp), address);
}

static enum status note_slot(struct check *check, const struct trawl_event *about, uint64_t address,
                             struct error *err)
{
    const uint64_t bytes = check->stacks[about->lane].size_bytes;
    const uint64_t place = place_of(check, address);
    struct return_slot *slot = place == UINT64_MAX ? NULL : find_slot(check, place);
    if (place == UINT64_MAX)
        return STATUS_OK;
    if (!slot) {
        if (check->slots.count >= UINT32_MAX - 1 || !VEC_ROOM(&check->slots, 1) ||
            !hash_index_add(&check->by_place, hash_key(hash_index_seed(&check->by_place), place),
                            (uint32_t)check->slots.count))
            return error_set(err, STATUS_MEMORY, "no memory for return addresses");
        slot = &check->slots.items[check->slots.count++];
    }
    *slot = (struct return_slot){.place = place, .event = about->event, .overwritten = TRAWL_NONE};
    check->is_cut |= !shadow_change(&check->shadow, place, bytes, 0, SHADOW_RETURN);
    return STATUS_OK;
}

void stack_store_to_return(struct check *check, const struct access *access)
{
    const uint64_t bytes = check->stacks[check->now->lane].size_bytes;
    for (uint64_t back = 0; back < bytes + access->size_bytes - 1; back++) {
        const uint64_t place = access->place + access->size_bytes - 1 - back;
        struct return_slot *slot = place % bytes == 0 ? find_slot(check, place) : NULL;
        if (!slot || !(shadow_any(&check->shadow, place, 1) & SHADOW_RETURN))
            continue;
        // At an exception, the machine saves registers, and the handler may do so in the same
        // event.
        if (check->now->flags & TRAWL_EXCEPTION) {
            shadow_change(&check->shadow, place, bytes, SHADOW_RETURN, 0);
            continue;
        }
        slot->overwritten = check->now->event;
        slot->lane = check->now->lane;
    }
}

// A return address is loaded: is it still what was stored?
static enum status look_at_return(struct check *check, const struct trawl_event *about,
                                  uint64_t address, struct error *err)
{
    const struct index_view *view = check->flow->view;
    const size_t bytes = (size_t)check->stacks[about->lane].size_bytes;
    const uint64_t place = place_of(check, address);
    struct return_slot *slot = place == UINT64_MAX ? NULL : find_slot(check, place);
    uint8_t stored[8], loaded[8], known[8], known_too[8];
    struct trawl_error from;
    if (!slot || slot->overwritten == TRAWL_NONE ||
        !(shadow_any(&check->shadow, place, 1) & SHADOW_RETURN))
        return STATUS_OK;
    enum trawl_status read = dataflow_memory(view, slot->event, place, bytes, stored, known, &from);
    if (read == TRAWL_OK)
        read = dataflow_memory(view, about->event, place, bytes, loaded, known_too, &from);
    if (read != TRAWL_OK)
        return index_status(read, &from, err);
    if (memchr(known, 0, bytes) || memchr(known_too, 0, bytes) ||
        memcmp(stored, loaded, bytes) == 0)
        return STATUS_OK;
    struct finding *finding = check_note(check, FINDING_RETURN_ADDRESS, about->pc, 0);
    if (finding) {
        finding->address = address;
        finding->size_bytes = bytes;
        finding->causes[0] = (struct finding_cause){"overwritten", slot->overwritten, slot->lane};
        finding->causes[1] = (struct finding_cause){"stored", slot->event, about->lane};
    }
    return STATUS_OK;
}

// --- After an instruction ------------------------------------------------------------------------

// Ends the frames from the stack pointer that was to the one that is; those from `end` on may be
// none.
static void end_frames(struct check *check, uint64_t before, uint64_t sp, uint64_t end)
{
    stack_change(check, before, sp - before, SHADOW_RETURN | SHADOW_UNDEFINED | SHADOW_COPIED,
                 SHADOW_KNOWN);
    if (check->parts & CHECK_STACK)
        stack_change(check, before, end - before, 0, SHADOW_DEAD);
}

// Whether functions are left for good, by a long jump or a throw: by the function that sets the
// stack pointer, which goes on elsewhere soon after it.
static bool leaves_frames(const struct check *check, const struct trawl_event *about)
{
    struct trawl_call call;
    return trawl_call_at(check->flow->view->index, about->lane, about->in_lane, &call, NULL) ==
               TRAWL_OK &&
           call.how & TRAWL_CALL_LEFT && !call.is_open && call.exit - about->in_lane <= JUMP_EVENTS;
}

enum status stack_after(struct check *check, const struct trawl_event *about,
                        const struct spread_access *accessed, struct error *err)
{
    struct checked_stack *stack = &check->stacks[about->lane];
    bool is_written, is_known = false;
    uint64_t value = 0;
    const struct code_note *code = check->code;
    if (check->has_no_stack)
        return STATUS_OK;
    enum status status = read_write(check, about, stack, &is_written, &is_known, &value, err);
    if (status == STATUS_OK && check->parts & CHECK_STACK) {
        const bool has_loaded = code && code->loads_link && accessed->size_bytes;
        const uint64_t loaded = has_loaded ? accessed->address + code->link_loaded : 0;
        if (has_loaded)
            status = look_at_return(check, about, loaded, err);
        if (status == STATUS_OK && code && code->stores_link && accessed->size_bytes) {
            const uint64_t sp = is_written && is_known ? value : stack->sp;
            const uint64_t stored = accessed->address + code->link_stored;
            if (is_in_stack(check, stack, sp, stored) &&
                (stack->has_return || is_exception_link(check, stored)))
                status = note_slot(check, about, stored, err);
            else // saved by a switch of tasks, or a value like any other
                stack_change(check, stored, stack->size_bytes, SHADOW_RETURN, 0);
        }
        follow_link(check, about, has_loaded ? &loaded : NULL);
    }
    if (status != STATUS_OK || !is_written)
        return status;
    const uint64_t before = stack->sp;
    const bool was_known = stack->is_known;
    stack->is_known = is_known;
    stack->sp = value;
    if (!is_known)
        return STATUS_OK;
    bool is_moved = was_known && !(about->flags & TRAWL_EXCEPTION) && code &&
                    code->stack_origin == STACK_FROM_ITSELF;
    // After a return from an exception, it may be that of another mode. Asking takes a microsecond,
    // and within the stack that was in use it is not.
    const struct used_stack *in_use =
        check->used_stacks.count ? &check->used_stacks.items[stack->which] : NULL;
    if (is_moved && stack->may_change &&
        !(in_use && value >= in_use->low && value <= in_use->high)) {
        bool is_other;
        status = data_bank_hidden(check->flow, about->lane, about->event, stack->offset / 8,
                                  &is_other, err);
        if (status != STATUS_OK)
            return status;
        is_moved = !is_other;
    }
    // Where an exception returns by a load of the PC, it is the other stack.
    const uint64_t most = code && code->jumps ? JUMP_BYTES : FRAME_BYTES;
    is_moved &= value - before + most <= 2 * most;
    if (!is_moved) {
        const bool is_same =
            was_known && in_use && value > before && value <= in_use->high && before >= in_use->low;
        if (is_same && leaves_frames(check, about))
            end_frames(check, before, value, value);
        find_object(check, stack);
        return find_stack(check, stack, err);
    }
    struct used_stack *used = &check->used_stacks.items[stack->which];
    const uint64_t high = used->high;
    used->low = u64_min(used->low, value);
    if (value > high)
        stack_grow(check, stack->which, value);
    used->sp = value;
    if (value < before) {
        const unsigned undefined = check->parts & CHECK_UNDEFINED ? SHADOW_UNDEFINED : 0;
        // What the same instruction has pushed is set.
        uint64_t low = value, top = before;
        if (accessed->size_bytes && accessed->address < before && accessed->address >= value) {
            low = accessed->address == value ? accessed->address + accessed->size_bytes : value;
            top = accessed->address == value ? before : accessed->address;
            stack_change(check, accessed->address,
                         u64_min(accessed->size_bytes, before - accessed->address), SHADOW_DEAD,
                         SHADOW_KNOWN);
        }
        if (top > low)
            stack_change(check, low, top - low, SHADOW_DEAD | SHADOW_COPIED | SHADOW_RETURN,
                         SHADOW_KNOWN | undefined);
        if (check->parts & CHECK_STACK)
            look_for_overflow(check, stack, before);
    } else if (value > before) {
        // Above all that was seen to be in use, it may be the beginning of a stack that is
        // computed.
        end_frames(check, before, value, u64_max(u64_min(value, high), before));
    }
    return STATUS_OK;
}

// Functions that look how much of a stack was ever used.
static bool measures_stacks(const struct check *check, uint64_t pc)
{
    static const char *const names[] = {"prvTaskCheckFreeStackSpace", "_tx_thread_stack_analyze",
                                        "z_stack_space_get"};
    uint64_t start;
    const char *name =
        names_start_of(check->names, pc, &start) ? names_of_root(check->names, start) : "";
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

void stack_access(struct check *check, const struct access *access)
{
    const struct checked_stack *stack = &check->stacks[check->now->lane];
    const uint64_t sp = u64_min(stack->sp_before, stack->sp);
    const struct code_note *code = check->code;
    if (!stack->is_known || !code || !code->accesses_memory)
        return;
    const struct used_stack *in_use = &check->used_stacks.items[stack->which];
    bool is_dead = access->address < sp && access->address >= in_use->low;
    for (size_t i = 0; i < check->used_stacks.count && !is_dead; i++) {
        // Of another stack, whose frames end where it is in use. A task that is made or switched is
        // stored below its stack pointer.
        const struct used_stack *other = &check->used_stacks.items[i];
        if (i == stack->which || access->address < other->low || access->address >= other->sp)
            continue;
        is_dead = !access->is_store && !measures_stacks(check, check->now->pc);
        if (access->is_store)
            stack_change(check, access->address, access->size_bytes, SHADOW_DEAD, 0);
    }
    if (is_dead)
        check_note_access(check, FINDING_DEAD_FRAME, access);
}

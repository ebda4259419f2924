// Accesses right outside of a stack by addresses that were computed from its stack pointer: an
// array of the outermost function that is overrun, or a frame that is larger than what is left.
//
// What lies next to a stack is usually used by its own name, so an access there says nothing by
// itself. Those that come from the task whose stack it is are kept, some for each instruction, and
// at the end of the run their addresses are followed back as `trawl origin` does, only through
// values that point into the stack or right next to it.
#include "check/check.h"

#include "dataflow/step.h"

enum {
    EDGE_BYTES = 64,   // on both sides of a stack that are watched
    ASKED_OF_ONE = 16, // accesses of one instruction
    STEPS_BACK = 64,
    OUTSIDE_KEPT = 4096,
};

void outside_watch(struct check *check, struct stack_extent *extent)
{
    const uint64_t below = u64_min(extent->bottom, EDGE_BYTES);
    if (extent->is_watched)
        return;
    extent->is_watched = true;
    stack_change(check, extent->bottom - below, below, 0, SHADOW_EDGE);
    stack_change(check, extent->top, EDGE_BYTES, 0, SHADOW_EDGE);
}

void outside_access(struct check *check, const struct access *access, uint64_t sp)
{
    const struct trawl_event *now = check->now;
    struct asked_code *asked = &check->asked[now->pc / 2 % ASKED_CODES];
    const struct stack_extent *extent = stack_extent_at(check, sp - 1, now->event);
    if (!extent || access->address + EDGE_BYTES < extent->bottom ||
        access->address >= extent->top + EDGE_BYTES ||
        (access->address >= extent->bottom && access->address + access->size_bytes <= extent->top))
        return;
    if (asked->pc != now->pc)
        *asked = (struct asked_code){.pc = now->pc};
    if (asked->count >= ASKED_OF_ONE || check->outside.count >= OUTSIDE_KEPT)
        return;
    asked->count++;
    check->lacks_memory |= !VEC_ROOM(&check->outside, 1);
    if (check->lacks_memory)
        return;
    check->outside.items[check->outside.count++] =
        (struct outside_access){*access, *now, extent->bottom, extent->top};
}

// Of the inputs of a flow, the register with a value that points into the stack or next to it, or
// memory that was loaded. *is_sp: it is the stack pointer itself. False: there is none.
static bool find_pointer(struct check *check, const struct dataflow_step *step,
                         const struct effect_flow *flow, bool of_address,
                         const struct outside_access *outside, struct dataflow_bytes *bytes,
                         bool *is_sp)
{
    const struct checked_stack *stack = &check->stacks[step->about.lane];
    for (unsigned i = 0; i < flow->count; i++) {
        const struct effect_place *input = &step->effects->inputs[flow->first + i];
        struct place_walk walk;
        uint8_t values[8] = {0}, known[8];
        uint64_t value;
        if ((input->role == ROLE_ADDRESS) != of_address || input->role == ROLE_CONDITION)
            continue;
        const bool is_memory = input->kind == EFFECT_MEMORY;
        if ((!is_memory && (input->kind != EFFECT_REGISTER || input->bytes > sizeof values ||
                            !step->about.event)) ||
            !place_begin(&walk, step, input) || !place_next(&walk))
            continue;
        *bytes = walk.bytes;
        const bool is_stack = !is_memory && input->offset == stack->offset;
        if (is_memory)
            return true;
        if (trawl_registers(check->flow->view->index, step->about.lane, step->about.event - 1,
                            input->offset, input->bytes, values, known, NULL) != TRAWL_OK ||
            memchr(known, 0, input->bytes))
            continue;
        memcpy(&value, values, sizeof value);
        // The stack pointer of another task may be near, too.
        const uint64_t edge = is_stack ? 0 : EDGE_BYTES;
        if (value + edge < outside->bottom || value > outside->top + edge)
            continue;
        *is_sp = is_stack;
        return true;
    }
    return false;
}

// Whether the address of an access was computed from the stack pointer.
static enum status comes_from_stack(struct check *check, const struct outside_access *outside,
                                    bool *comes, struct error *err)
{
    const struct dataflow_step *step;
    struct data_origin origin = {.event = outside->about.event};
    struct dataflow_bytes bytes = {0};
    *comes = false;
    for (unsigned tries = 0; tries < STEPS_BACK && !*comes; tries++) {
        bool is_found = false;
        enum status status = dataflow_step(check->flow, origin.event, &step, err);
        if (status != STATUS_OK || !step_flows(step))
            return status;
        for (unsigned i = 0; i < step->effects->flow_count && !is_found; i++) {
            const struct effect_flow *flow = &step->effects->flows[i];
            struct place_walk output;
            bool is_of_it = tries == 0;
            if (tries && place_begin(&output, step, &flow->output)) {
                while (!is_of_it && place_next(&output))
                    is_of_it = bytes_share(&output.bytes, &origin.bytes);
            }
            is_found =
                is_of_it && find_pointer(check, step, flow, tries == 0, outside, &bytes, comes);
        }
        if (!is_found)
            return STATUS_OK;
        status = *comes ? STATUS_OK
                        : data_origin_find(check->flow, origin.event, false, &bytes, &origin, err);
        if (status != STATUS_OK || (!*comes && origin.end != DATA_GOES_ON))
            return status;
    }
    return STATUS_OK;
}

enum status outside_end(struct check *check, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < check->outside.count && status == STATUS_OK; i++) {
        const struct outside_access *outside = &check->outside.items[i];
        bool comes;
        status = comes_from_stack(check, outside, &comes, err);
        if (status != STATUS_OK || !comes)
            continue;
        check->now = &outside->about;
        struct finding *finding = check_note_access(check, FINDING_OUTSIDE_STACK, &outside->access);
        if (finding) {
            finding->block = outside->bottom;
            finding->block_bytes = outside->top - outside->bottom;
        }
    }
    check->now = NULL;
    return status;
}

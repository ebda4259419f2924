#include "dataflow/slice.h"

#include "dataflow/copy.h"

#include <stdlib.h>

void slice_free(struct slice *slice)
{
    free(slice->events.items);
    free(slice->edges.items);
    free(slice->wanted.items);
    free(slice->free_wanted.items);
    free(slice->heap.items);
    free(slice->inputs.items);
    free(slice->roles.items);
    free(slice->outputs.items);
    hash_index_free(&slice->by_cell);
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the slice");
}

// --- What waits ----------------------------------------------------------------------------------

static uint64_t hash_of(struct slice *slice, const struct dataflow_bytes *bytes)
{
    return hash_keys(hash_index_seed(&slice->by_cell), bytes->cell,
                     (uint64_t)bytes->lane << 8 | bytes->space);
}

static bool heap_push(struct slice *slice, uint64_t event, uint32_t wanted)
{
    if (!VEC_ROOM(&slice->heap, 1))
        return false;
    struct slice_heap_item *items = slice->heap.items;
    size_t at = slice->heap.count++;
    for (; at && items[(at - 1) / 2].event < event; at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = (struct slice_heap_item){event, wanted};
    return true;
}

static uint32_t heap_pop(struct slice *slice)
{
    struct slice_heap_item *items = slice->heap.items;
    const uint32_t top = items[0].wanted;
    const struct slice_heap_item last = items[--slice->heap.count];
    size_t at = 0, count = slice->heap.count;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && items[child + 1].event > items[child].event;
        if (items[child].event <= last.event)
            break;
        items[at] = items[child];
        at = child;
    }
    if (count)
        items[at] = last;
    return top;
}

// Remembers that `bytes` were written by an event, which is now to be looked at.
static bool add_wanted(struct slice *slice, const struct data_origin *origin, uint64_t event)
{
    if (!slice->free_wanted.count) {
        if (!VEC_ROOM(&slice->wanted, 1) || !VEC_ROOM(&slice->free_wanted, 1))
            return false;
        slice->free_wanted.items[slice->free_wanted.count++] = (uint32_t)slice->wanted.count++;
    }
    uint32_t number = slice->free_wanted.items[slice->free_wanted.count - 1];
    if (!hash_index_add(&slice->by_cell, hash_of(slice, &origin->bytes), number))
        return false;
    slice->free_wanted.count--;
    slice->wanted.items[number] = (struct slice_wanted){origin->bytes, event, (uint8_t)origin->end};
    return event == TRAWL_NONE || heap_push(slice, event, number);
}

// --- What an event needs -------------------------------------------------------------------------

static bool add_edge(struct slice *slice, uint64_t from, uint64_t to, unsigned role, unsigned space)
{
    if (!slice->with_edges)
        return true;
    for (size_t i = slice->edges.count; i-- > 0 && slice->edges.items[i].to == to;) {
        const struct slice_edge *edge = &slice->edges.items[i];
        if (edge->from == from && edge->role == role && edge->space == space)
            return true;
    }
    if (!VEC_ROOM(&slice->edges, 1))
        return false;
    slice->edges.items[slice->edges.count++] =
        (struct slice_edge){from, to, (uint8_t)role, (uint8_t)space};
    return true;
}

// A value begins before the event that needs it.
static void note_end(struct slice *slice, struct slice_event *of, enum data_end end)
{
    slice->end_counts[end]++;
    if (of)
        of->ends |= (uint16_t)(1u << end);
}

// Whether an end has an event that belongs to the slice, because its instruction or exception made
// the value.
static bool end_has_event(enum data_end end)
{
    return end == DATA_HOST || end == DATA_EXCEPTION || end == DATA_UNKNOWN ||
           end == DATA_UNEXPLAINED;
}

// Collects what is known of a cell in `wanted`: always false, so that the search goes on.
static bool collect(struct slice *slice, uint32_t candidate, struct dataflow_bytes *bytes,
                    struct slice_event *of, uint64_t to, unsigned role, bool *has_memory)
{
    const struct slice_wanted *wanted = &slice->wanted.items[candidate];
    if (!bytes_share(&wanted->bytes, bytes))
        return false;
    bytes->mask &= (uint16_t)~wanted->bytes.mask;
    if (wanted->event == TRAWL_NONE)
        note_end(slice, of, (enum data_end)wanted->end);
    else
        *has_memory &= add_edge(slice, wanted->event, to, role, bytes->space);
    return false;
}

// Has the bytes that event `of` reads (NULL: the value itself) be followed.
static enum status want(struct slice *slice, struct slice_event *of, uint64_t event, bool at_event,
                        struct dataflow_bytes bytes, unsigned role, struct error *err)
{
    const uint64_t to = of ? of->event : TRAWL_NONE;
    uint32_t found;
    bool has_memory = true;
    HASH_INDEX_FIND(found, &slice->by_cell, hash_of(slice, &bytes),
                    collect(slice, candidate, &bytes, of, to, role, &has_memory));
    (void)found;
    while (bytes.mask && has_memory) {
        struct data_origin origin;
        enum status status = data_origin_find(slice->flow, event, at_event, &bytes, &origin, err);
        if (status != STATUS_OK)
            return status;
        bytes.mask &= (uint16_t)~origin.bytes.mask;
        if (!origin.end || end_has_event(origin.end)) {
            has_memory = add_wanted(slice, &origin, origin.event) &&
                         add_edge(slice, origin.event, to, role, bytes.space);
            continue;
        }
        note_end(slice, of, origin.end);
        if (origin.end == DATA_START) // also for everything that is still to come
            has_memory = add_wanted(slice, &origin, TRAWL_NONE);
    }
    return has_memory ? STATUS_OK : no_memory(err);
}

// --- One event -----------------------------------------------------------------------------------

static bool add_input(void *self, const struct dataflow_bytes *bytes, uint8_t role)
{
    struct slice *slice = self;
    for (size_t i = 0; i < slice->inputs.count; i++) {
        if (bytes_are_of_one_cell(&slice->inputs.items[i], bytes) &&
            slice->roles.items[i] == role) {
            slice->inputs.items[i].mask |= bytes->mask;
            return true;
        }
    }
    if (!VEC_ROOM(&slice->inputs, 1) || !VEC_ROOM(&slice->roles, 1))
        return false;
    slice->inputs.items[slice->inputs.count++] = *bytes;
    slice->roles.items[slice->roles.count++] = role;
    return true;
}

// Adds the inputs of a flow of which something is wanted.
static bool add_flow(struct slice *slice, const struct dataflow_step *step,
                     const struct effect_flow *flow, const bool *is_wanted,
                     struct slice_event *event, bool *has_inputs)
{
    bool moves = false;
    for (unsigned i = 0; i < flow->count; i++) {
        const struct effect_place *input = &step->effects->inputs[flow->first + i];
        struct place_walk walk;
        if (input->role == ROLE_ADDRESS && !slice->with_addresses)
            continue;
        if (input->kind == EFFECT_SYSTEM && input->role != ROLE_CONDITION &&
            !place_begin(&walk, step, input)) {
            note_end(slice, event, DATA_SYSTEM);
            *has_inputs = true;
            continue;
        }
        if (input->kind == EFFECT_MEMORY && !place_begin(&walk, step, input)) {
            note_end(slice, event, DATA_PLACELESS);
            *has_inputs = true;
            continue;
        }
        moves |= input->role == ROLE_COPY;
        *has_inputs |= input->kind != EFFECT_PC &&
                       (input->kind != EFFECT_SYSTEM || place_begin(&walk, step, input));
        event->loads_stores |= input->kind == EFFECT_MEMORY ? 1 : 0;
        if (!copy_inputs(slice->flow, step, &flow->output, input, is_wanted, add_input, slice))
            return false;
    }
    event->loads_stores |= flow->output.kind == EFFECT_MEMORY ? 2 : 0;
    if (!moves && flow->count)
        event->work = SLICE_COMPUTES;
    return true;
}

static enum status follow(struct slice *slice, struct slice_event *event, struct error *err)
{
    const struct dataflow_step *step;
    bool is_wanted[PLACE_BYTES], has_inputs = false;
    enum status status = dataflow_step(slice->flow, event->event, &step, err);
    slice->inputs.count = slice->roles.count = 0;
    for (size_t i = 0; status == STATUS_OK && i < slice->outputs.count; i++)
        data_take_stack(slice->flow, step, &slice->outputs.items[i]);
    for (unsigned i = 0; status == STATUS_OK && i < step->effects->flow_count; i++) {
        const struct effect_flow *flow = &step->effects->flows[i];
        if (copy_find_wanted(step, &flow->output, slice->outputs.items, slice->outputs.count,
                             is_wanted) &&
            !add_flow(slice, step, flow, is_wanted, event, &has_inputs))
            return no_memory(err);
    }
    if (status == STATUS_OK && !has_inputs)
        note_end(slice, event, DATA_CONSTANT);
    for (size_t i = 0; status == STATUS_OK && i < slice->inputs.count; i++)
        status = want(slice, event, event->event, false, slice->inputs.items[i],
                      slice->roles.items[i], err);
    return status;
}

// Takes everything that the latest event wrote from what waits.
static bool take_latest(struct slice *slice, struct slice_event *event)
{
    *event = (struct slice_event){.event = slice->heap.items[0].event};
    slice->outputs.count = 0;
    while (slice->heap.count && slice->heap.items[0].event == event->event) {
        uint32_t number = heap_pop(slice);
        const struct slice_wanted *wanted = &slice->wanted.items[number];
        if (!VEC_ROOM(&slice->outputs, 1) || !VEC_ROOM(&slice->free_wanted, 1))
            return false;
        hash_index_remove(&slice->by_cell, hash_of(slice, &wanted->bytes), number);
        slice->free_wanted.items[slice->free_wanted.count++] = number;
        if (wanted->end)
            note_end(slice, event, (enum data_end)wanted->end);
        else
            slice->outputs.items[slice->outputs.count++] = wanted->bytes;
    }
    return true;
}

enum status slice_find(struct slice *slice, uint64_t event, bool at_event,
                       const struct dataflow_bytes *targets, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        enum status status = want(slice, NULL, event, at_event, targets[i], ROLE_VALUE, err);
        if (status != STATUS_OK)
            return status;
    }
    while (slice->heap.count) {
        struct slice_event now;
        enum status status = STATUS_OK;
        if (slice->events.count >= slice->limit) {
            slice->is_cut = true;
            slice->waiting = slice->heap.count;
            return STATUS_OK;
        }
        if (!VEC_ROOM(&slice->events, 1) || !take_latest(slice, &now))
            return no_memory(err);
        if (slice->outputs.count)
            status = follow(slice, &now, err);
        if (status != STATUS_OK)
            return status;
        slice->events.items[slice->events.count++] = now;
    }
    return STATUS_OK;
}

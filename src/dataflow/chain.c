#include "dataflow/chain.h"

#include "dataflow/copy.h"

#include <stdlib.h>

void chain_free(struct chain *chain)
{
    free(chain->steps.items);
    free(chain->waiting.items);
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the chain");
}

static bool add_bytes(struct dataflow_bytes *all, size_t *count, const struct dataflow_bytes *bytes)
{
    for (size_t i = 0; i < *count; i++) {
        if (bytes_are_of_one_cell(&all[i], bytes)) {
            all[i].mask |= bytes->mask;
            return true;
        }
    }
    if (*count == CHAIN_CELLS)
        return false;
    all[(*count)++] = *bytes;
    return true;
}

// --- What one step does --------------------------------------------------------------------------

// What is moved by an event.
struct moved {
    struct dataflow_bytes bytes[CHAIN_CELLS];
    size_t count;
    bool is_computed, is_constant, loads, is_system, is_placeless;
};

static bool take_moved(void *self, const struct dataflow_bytes *bytes, uint8_t role)
{
    struct moved *moved = self;
    (void)role;
    if (!add_bytes(moved->bytes, &moved->count, bytes))
        moved->is_computed = true; // from too many places
    return true;
}

// The number in a place of registers after an event. False: it is not known.
static bool read_register(const struct dataflow *flow, uint64_t lane, uint64_t event,
                          const struct effect_place *place, uint8_t values[8])
{
    uint8_t known[8];
    size_t size = (size_t)u64_min(place->bytes, 8);
    memset(values, 0, 8);
    return place->kind == EFFECT_ZERO ||
           (place->kind == EFFECT_REGISTER && place->bytes <= 8 &&
            trawl_registers(flow->view->index, lane, event, place->offset, size, values, known,
                            NULL) == TRAWL_OK &&
            !memchr(known, 0, size));
}

// Which of the two inputs an instruction like CSEL has taken, if its result shows that. NULL: it
// does not.
static const struct effect_place *find_selected(const struct dataflow *flow,
                                                const struct dataflow_step *step,
                                                const struct effect_flow *of)
{
    const struct effect_place *inputs = step->effects->inputs + of->first;
    uint64_t event = step->about.event, lane = step->about.lane;
    uint8_t result[8], first[8], second[8];
    size_t size = (size_t)u64_min(of->output.bytes, 8);
    if (of->count < 2 || !event || !read_register(flow, lane, event, &of->output, result) ||
        !read_register(flow, lane, event - 1, &inputs[0], first) ||
        !read_register(flow, lane, event - 1, &inputs[1], second))
        return NULL;
    bool is_first = memcmp(result, first, size) == 0, is_second = memcmp(result, second, size) == 0;
    return is_first == is_second ? NULL : &inputs[is_second];
}

static void move_flow(const struct dataflow *flow, const struct dataflow_step *step,
                      const struct effect_flow *of, const bool *is_wanted, struct moved *moved)
{
    const struct effect_place *selected = NULL;
    bool has_value = false;
    if (step->effects->selects && !(selected = find_selected(flow, step, of))) {
        moved->is_computed = true;
        return;
    }
    for (unsigned i = 0; i < of->count; i++) {
        const struct effect_place *input = &step->effects->inputs[of->first + i];
        struct place_walk walk;
        if (input->role == ROLE_ADDRESS || input->role == ROLE_CONDITION ||
            (selected && input != selected) || input->kind == EFFECT_PC ||
            input->kind == EFFECT_ZERO)
            continue;
        has_value = true;
        if (input->role == ROLE_VALUE) {
            moved->is_computed = true;
        } else if (input->kind == EFFECT_SYSTEM && !place_begin(&walk, step, input)) {
            moved->is_system = true;
        } else if (input->kind == EFFECT_MEMORY && !place_begin(&walk, step, input)) {
            moved->is_placeless = true;
        } else {
            moved->loads |= input->kind == EFFECT_MEMORY;
            (void)copy_inputs(flow, step, &of->output, input, is_wanted, take_moved, moved);
        }
    }
    moved->is_constant |= !has_value;
}

// --- The chain -----------------------------------------------------------------------------------

// The extent of bytes: those of one kind that come first.
static void set_extent(struct chain_step *step, const struct dataflow_bytes *bytes, size_t count)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i].space != bytes[0].space || bytes[i].space == DATA_FLAGS)
            continue;
        const uint64_t start = bytes[i].cell * 8 - bytes[i].to_place;
        low = u64_min(low, start + (unsigned)__builtin_ctz(bytes[i].mask));
        high = u64_max(high, start + 31 - (unsigned)__builtin_clz(bytes[i].mask));
    }
    step->to_place = bytes[0].to_place;
    step->space = bytes[0].space;
    step->lane = bytes[0].lane;
    step->offset = step->space == DATA_FLAGS ? bytes[0].mask : low;
    step->size_bytes = step->space == DATA_FLAGS ? 0 : high - low + 1;
}

static int compare_parts(const void *a_item, const void *b_item)
{
    const struct chain_part *a = a_item, *b = b_item;
    uint64_t first = a->origin.event == TRAWL_NONE ? 0 : a->origin.event + 1;
    uint64_t second = b->origin.event == TRAWL_NONE ? 0 : b->origin.event + 1;
    return first < second ? -1 : first > second;
}

// Finds where bytes come from that an event needs. Parts of different origins wait separately.
static enum status wait(struct chain *chain, const struct dataflow_bytes *bytes, size_t count,
                        uint64_t event, bool at_event, uint32_t needed_by, struct error *err)
{
    size_t first = chain->waiting.count;
    for (size_t i = 0; i < count; i++) {
        struct dataflow_bytes left = bytes[i];
        while (left.mask) {
            struct data_origin origin;
            enum status status =
                data_origin_find(chain->flow, event, at_event, &left, &origin, err);
            if (status != STATUS_OK)
                return status;
            left.mask &= (uint16_t)~origin.bytes.mask;
            size_t at = first;
            while (at < chain->waiting.count &&
                   (chain->waiting.items[at].origin.event != origin.event ||
                    chain->waiting.items[at].origin.end != origin.end))
                at++;
            if (!VEC_ROOM(&chain->waiting, 1))
                return no_memory(err);
            struct chain_part *part = &chain->waiting.items[at];
            if (at == chain->waiting.count) {
                chain->waiting.count++;
                part->origin = origin;
                part->before = event;
                part->needed_by = needed_by;
                part->count = 0;
            }
            (void)add_bytes(part->bytes, &part->count, &origin.bytes);
        }
    }
    qsort(chain->waiting.items + first, chain->waiting.count - first, sizeof *chain->waiting.items,
          compare_parts);
    return STATUS_OK;
}

// Has the bytes of a part named by the addresses by which they were written.
static void name_as_written(struct chain_part *part, const struct dataflow_step *step,
                            const struct effect_place *output)
{
    struct place_walk walk;
    if (output->kind != EFFECT_MEMORY || !place_begin(&walk, step, output))
        return;
    while (place_next(&walk)) {
        for (size_t i = 0; i < part->count; i++) {
            if (bytes_share(&part->bytes[i], &walk.bytes))
                part->bytes[i].to_place = walk.bytes.to_place;
        }
    }
}

static enum status find_moved(const struct chain *chain, struct chain_part *part,
                              struct moved *moved, struct error *err)
{
    const struct dataflow_step *step;
    bool is_wanted[PLACE_BYTES];
    enum status status = dataflow_step(chain->flow, part->origin.event, &step, err);
    for (size_t i = 0; status == STATUS_OK && i < part->count; i++)
        data_take_stack(chain->flow, step, &part->bytes[i]);
    for (unsigned i = 0; status == STATUS_OK && i < step->effects->flow_count; i++) {
        const struct effect_flow *flow = &step->effects->flows[i];
        if (!copy_find_wanted(step, &flow->output, part->bytes, part->count, is_wanted))
            continue;
        move_flow(chain->flow, step, flow, is_wanted, moved);
        name_as_written(part, step, &flow->output);
    }
    return status;
}

// Adds the step of a part, and has what it moves wait.
static enum status add_step(struct chain *chain, struct chain_part *part, struct error *err)
{
    struct moved moved = {0};
    if (!VEC_ROOM(&chain->steps, 1))
        return no_memory(err);
    uint32_t number = (uint32_t)chain->steps.count;
    struct chain_step *made = &chain->steps.items[chain->steps.count++];
    bool has_event = part->origin.event != TRAWL_NONE;
    *made = (struct chain_step){.event = part->origin.event,
                                .since = part->origin.since,
                                .at = has_event ? part->origin.event : part->before,
                                .needed_by = part->needed_by,
                                .kind = CHAIN_END,
                                .end = (uint8_t)part->origin.end};
    set_extent(made, part->bytes, part->count);
    if (part->origin.end)
        return STATUS_OK;
    enum status status = find_moved(chain, part, &moved, err);
    if (status != STATUS_OK)
        return status;
    set_extent(made, part->bytes, part->count);
    if (moved.is_computed) {
        made->kind = CHAIN_COMPUTED;
        return STATUS_OK;
    }
    if (moved.is_system || moved.is_placeless || !moved.count) {
        made->end = moved.is_system      ? DATA_SYSTEM
                    : moved.is_placeless ? DATA_PLACELESS
                                         : DATA_CONSTANT;
        return STATUS_OK;
    }
    made->kind = made->space == DATA_MEMORY ? CHAIN_STORE : moved.loads ? CHAIN_LOAD : CHAIN_MOVE;
    return wait(chain, moved.bytes, moved.count, part->origin.event, false, number, err);
}

enum status chain_find(struct chain *chain, uint64_t event, const struct dataflow_bytes *targets,
                       size_t count, struct error *err)
{
    if (count > CHAIN_CELLS)
        return error_set(err, STATUS_LIMIT, "a chain is of at most %d bytes; --all is of any",
                         8 * (CHAIN_CELLS - 1));
    enum status status = wait(chain, targets, count, event, true, UINT32_MAX, err);
    while (chain->waiting.count && status == STATUS_OK) {
        if (chain->steps.count >= u64_min(chain->limit, UINT32_MAX - 1)) {
            chain->is_cut = true;
            break;
        }
        struct chain_part part = chain->waiting.items[--chain->waiting.count];
        status = add_step(chain, &part, err);
    }
    return status;
}

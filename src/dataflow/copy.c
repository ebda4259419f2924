#include "dataflow/copy.h"

bool copy_stays(const struct effects *effects, const struct effect_flow *flow)
{
    const struct effect_place *input = &effects->inputs[flow->first], *output = &flow->output;
    return flow->count && input->role == ROLE_COPY && input->kind == output->kind &&
           output->kind == EFFECT_REGISTER && input->offset == output->offset &&
           input->bytes == output->bytes && !effects->selects;
}

bool copy_find_wanted(const struct dataflow_step *step, const struct effect_place *output,
                      const struct dataflow_bytes *wanted, size_t count,
                      bool is_wanted[PLACE_BYTES])
{
    struct place_walk walk;
    bool has_any = false;
    memset(is_wanted, 0, PLACE_BYTES);
    if (!place_begin(&walk, step, output))
        return false;
    while (place_next(&walk)) {
        for (size_t i = 0; i < count; i++) {
            unsigned common = bytes_share(&wanted[i], &walk.bytes);
            if (!common)
                continue;
            has_any = true;
            if (walk.bytes.space == DATA_FLAGS)
                is_wanted[0] = true;
            for (unsigned lowest = (unsigned)__builtin_ctz(walk.bytes.mask);
                 common && walk.bytes.space != DATA_FLAGS; common &= common - 1) {
                unsigned byte = walk.first + (unsigned)__builtin_ctz(common) - lowest;
                if (byte < PLACE_BYTES)
                    is_wanted[byte] = true;
            }
        }
    }
    return has_any;
}

// In memory of a big-endian core, the bytes of a value are the other way round.
unsigned copy_byte(const struct dataflow *flow, const struct effect_place *output,
                   const struct effect_place *input, unsigned at)
{
    bool is_turned = flow->view->info.options & TRAWL_BIG_ENDIAN &&
                     (output->kind == EFFECT_MEMORY) != (input->kind == EFFECT_MEMORY);
    if (is_turned && output->kind == EFFECT_MEMORY)
        at = at < output->bytes ? output->bytes - 1u - at : 0;
    if (at >= input->bytes)
        at = input->bytes - 1u; // the sign
    return is_turned && input->kind == EFFECT_MEMORY ? input->bytes - 1u - at : at;
}

bool copy_inputs(const struct dataflow *flow, const struct dataflow_step *step,
                 const struct effect_place *output, const struct effect_place *input,
                 const bool is_wanted[PLACE_BYTES],
                 bool (*take)(void *self, const struct dataflow_bytes *bytes, uint8_t role),
                 void *self)
{
    bool is_copied[PLACE_BYTES] = {false}, is_whole = input->role != ROLE_COPY || !input->bytes;
    struct place_walk walk;
    for (unsigned i = 0; !is_whole && i < u64_min(output->bytes, PLACE_BYTES); i++) {
        unsigned from = copy_byte(flow, output, input, i);
        if (is_wanted[i] && from < PLACE_BYTES)
            is_copied[from] = true;
    }
    if (!place_begin(&walk, step, input))
        return true;
    while (place_next(&walk)) {
        struct dataflow_bytes bytes = walk.bytes;
        unsigned lowest = bytes.mask ? (unsigned)__builtin_ctz(bytes.mask) : 0;
        for (unsigned left = bytes.mask; left && !is_whole && bytes.space != DATA_FLAGS;
             left &= left - 1) {
            unsigned bit = (unsigned)__builtin_ctz(left), byte = walk.first + bit - lowest;
            if (byte >= PLACE_BYTES || !is_copied[byte])
                bytes.mask &= (uint16_t) ~(1u << bit);
        }
        if (bytes.mask && !take(self, &bytes, input->role))
            return false;
    }
    return true;
}

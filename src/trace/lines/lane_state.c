#include "trace/lines/lane_state.h"

// The first marks of a chunk, reduced to what cutting nodes needs.
struct prefix {
    struct time_peak peak;
    uint32_t instruction_count;
    uint32_t last_instruction;
};

enum cut_kind {
    CUT_NONE,           // the node from before the chunk continues
    CUT_AT_PEAK,        // the last node began where the time last rose
    CUT_AT_INSTRUCTION, // the last node began at the last instruction
};

static struct node_ref node_at(const struct marks *marks, uint32_t mark, uint64_t time,
                               const struct chunk_base *base)
{
    return (struct node_ref){.time = time,
                             .line = base->line + marks->items[mark].line + 1,
                             .position = base->position + marks->items[mark].position,
                             .pc = NODE_WITHOUT_PC};
}

// Finds the last cut in the prefix, and the node that begins there. Times only ascend: at the
// highest time, only instructions after the first one cut.
static enum cut_kind last_cut(const struct lane_state *state, const struct marks *marks,
                              const struct prefix *prefix, const struct chunk_base *base,
                              struct node_ref *node)
{
    const uint64_t peak_time = state->counted + prefix->peak.time;
    bool rises = prefix->peak.mark != NO_MARK && (!state->has_node || peak_time > state->time);
    uint64_t time = rises ? peak_time : state->time;
    uint32_t at_time = prefix->instruction_count;
    if (rises)
        at_time -= prefix->peak.instructions_before;
    bool one_before = !rises && state->has_instruction;
    if (at_time + one_before >= 2) {
        *node = node_at(marks, prefix->last_instruction, time, base);
        node->pc = marks->items[prefix->last_instruction].value;
        return CUT_AT_INSTRUCTION;
    }
    *node = rises ? node_at(marks, prefix->peak.mark, time, base) : state->node;
    if (at_time == 1)
        node->pc = marks->items[prefix->last_instruction].value;
    return rises ? CUT_AT_PEAK : CUT_NONE;
}

// The node before the one that begins at the last cut.
static struct node_ref node_before(const struct lane_state *state, const struct marks *marks,
                                   enum cut_kind cut, const struct chunk_base *base)
{
    struct prefix prefix = {marks->peak, marks->instruction_count - 1,
                            marks->instruction_before_last};
    if (cut == CUT_AT_PEAK)
        prefix = (struct prefix){marks->peak_before, marks->peak.instructions_before,
                                 marks->peak.last_instruction_before};
    struct node_ref node;
    last_cut(state, marks, &prefix, base, &node);
    return node;
}

static void resolve_lr_age(struct lane_state *state, const struct marks *marks,
                           const struct marks_summary *summary)
{
    if (summary->lr_age_is_known) {
        state->lr_age = summary->lr_age;
        return;
    }
    if (summary->lr_written_before_first[lane_state_is_aarch64(state)])
        state->lr_age = 0;
    if (summary->first_instruction == NO_MARK)
        return;
    bool is_transfer = state->has_flow && !summary->gap_before_first_instruction &&
                       pcs_differ(state->next_pc, marks->items[summary->first_instruction].value);
    state->lr_age =
        (uint8_t)(is_transfer
                      ? LR_AGE_MAX
                      : u64_min((uint64_t)state->lr_age + marks->instruction_count, LR_AGE_MAX));
}

static void resolve_flow(struct lane_state *state, const struct marks *marks,
                         const struct marks_summary *summary)
{
    uint32_t last = marks->last_instruction;
    if (last == NO_MARK) {
        state->has_flow &= !summary->gap_before_first_instruction;
        return;
    }
    state->has_root = true;
    state->has_flow = !summary->gap_at_end;
    state->mode = marks->items[last].summary.mode;
    state->next_pc = marks->items[last].value + marks->items[last].summary.size;
}

bool lane_state_can_resolve(const struct lane_state *state, const struct marks *marks)
{
    bool is_fresh = !state->has_node && !state->has_instruction;
    return (marks->peak.mark == NO_MARK || marks->peak.time != NO_TIME) &&
           (state->time != NO_TIME || is_fresh);
}

void lane_state_resolve(struct lane_state *state, const struct marks *marks,
                        const struct marks_summary *summary, const struct chunk_base *base)
{
    if (marks->peak.mark != NO_MARK) {
        const struct prefix whole = {marks->peak, marks->instruction_count,
                                     marks->last_instruction};
        struct node_ref node;
        enum cut_kind cut = last_cut(state, marks, &whole, base, &node);
        if (cut != CUT_NONE) {
            state->previous = node_before(state, marks, cut, base);
            state->before = state->now;
            register_bytes_overlay(&state->before, cut == CUT_AT_PEAK ? &summary->before_peak
                                                                      : &summary->before_last);
        }
        bool rises = !state->has_node || state->counted + marks->peak.time > state->time;
        uint32_t at_time = marks->instruction_count - (rises ? marks->peak.instructions_before : 0);
        state->has_instruction = at_time > 0 || (!rises && state->has_instruction);
        state->has_node = true;
        state->node = node;
        state->time = node.time;
    }
    register_bytes_overlay(&state->now, &summary->at_end);
    resolve_lr_age(state, marks, summary);
    resolve_flow(state, marks, summary);
}

#include "dataflow/origin.h"

#include "dataflow/copy.h"
#include "dataflow/gaps.h"

#include <strings.h>

// RTL shows what an instruction wrote up to this many instructions later.
enum { INSTRUCTIONS_LATE = 64 };

const char *const data_end_texts[DATA_ENDS] = {
    [DATA_CONSTANT] = "constant in the code",
    [DATA_START] = "from before the trace",
    [DATA_HOST] = "written by the debug host",
    [DATA_OUTSIDE] = "changed from outside",
    [DATA_EXCEPTION] = "written by taking an exception",
    [DATA_BANK] = "the mode changed: another register of this name",
    [DATA_SYSTEM] = "from a system register",
    [DATA_UNKNOWN] = "by an unknown instruction",
    [DATA_UNEXPLAINED] = "by nothing that the trace shows",
    [DATA_PLACELESS] = "from memory whose address is not shown",
    [DATA_FAR] = "flags set too long before",
    [DATA_GAP] = "lines are missing, which may have written it",
};

const char *const data_end_keys[DATA_ENDS] = {
    [DATA_GOES_ON] = "",
    [DATA_CONSTANT] = "constant",
    [DATA_START] = "start",
    [DATA_HOST] = "host",
    [DATA_OUTSIDE] = "outside",
    [DATA_EXCEPTION] = "exception",
    [DATA_BANK] = "bank",
    [DATA_SYSTEM] = "system",
    [DATA_UNKNOWN] = "unknown",
    [DATA_UNEXPLAINED] = "unexplained",
    [DATA_PLACELESS] = "placeless",
    [DATA_FAR] = "far",
    [DATA_GAP] = "gap",
};

void data_take_stack(struct dataflow *flow, const struct dataflow_step *step,
                     struct dataflow_bytes *bytes)
{
    if (bytes->space == DATA_REGISTERS &&
        (bytes->cell >= DATA_STACK_OF_MODE ||
         (step->has_code && bytes->cell == dataflow_stack_cell(flow, step->mode))))
        bytes->cell = flow->kind->stack_cell;
}

// Which of the bytes an event's instruction writes. *left_mask: those that it leaves as they are,
// although the trace shows them.
static unsigned written_by(const struct dataflow_step *step, const struct dataflow_bytes *bytes,
                           unsigned *left_mask)
{
    unsigned written = 0, left = 0;
    for (unsigned i = 0; step_flows(step) && i < step->effects->flow_count; i++) {
        struct place_walk walk;
        const struct effect_flow *flow = &step->effects->flows[i];
        if (!place_begin(&walk, step, &flow->output))
            continue;
        bool has_left = copy_stays(step->effects, flow);
        while (place_next(&walk)) {
            if (has_left)
                left |= bytes_share(&walk.bytes, bytes);
            else
                written |= bytes_share(&walk.bytes, bytes);
        }
    }
    *left_mask = left & ~written;
    return written;
}

// --- What the trace does not show ----------------------------------------------------------------

// Whether an instruction writes the stack pointer of a mode by name: MSR SP_EL0.
static bool is_moved_stack(const struct dataflow *flow, const struct dataflow_step *step,
                           unsigned mode)
{
    const char *name = flow->kind->stack_name(mode);
    if (!name || !step_flows(step) || strcasecmp(step->system_name, name) != 0)
        return false;
    for (unsigned i = 0; i < step->effects->flow_count; i++) {
        if (step->effects->flows[i].output.kind == EFFECT_SYSTEM)
            return true;
    }
    return false;
}

// Finds what set flags that event `reader` reads, or a register that the trace never shows (gem5
// shows no sp), among the instructions before.
static enum status search(struct dataflow *flow, uint64_t reader, uint64_t event, bool at_event,
                          struct data_origin *origin, struct error *err)
{
    const struct dataflow_bytes *bytes = &origin->bytes;
    const struct dataflow_step *step;
    const bool is_stack = bytes->space == DATA_REGISTERS && bytes->cell == flow->kind->stack_cell;
    unsigned mode = UINT8_MAX; // of which the stack pointer is
    bool has_crossed = false;  // instructions of another
    if (is_stack) {
        enum status status = dataflow_step(flow, reader, &step, err);
        if (status != STATUS_OK)
            return status;
        mode = step->has_code ? step->mode : mode;
    }
    for (uint64_t tries = 0, at = event + at_event; at-- > 0; tries++) {
        struct trawl_event about;
        if (tries == LIMIT_FLAG_EVENTS) {
            origin->end = DATA_FAR;
            return STATUS_OK;
        }
        enum status status = dataflow_event(flow, at, &about, err);
        if (status != STATUS_OK)
            return status;
        if (about.lane != bytes->lane || !(about.flags & (TRAWL_EXECUTED | TRAWL_EXCEPTION)))
            continue;
        if ((status = dataflow_step(flow, at, &step, err)) != STATUS_OK)
            return status;
        if (is_stack && step->has_code) {
            if (is_moved_stack(flow, step, mode)) {
                origin->event = at;
                origin->end = DATA_BANK;
                return STATUS_OK;
            }
            if (flow->kind->other_bank(bytes->cell, step->mode, mode)) {
                has_crossed = true;
                continue;
            }
        }
        unsigned left, written = written_by(step, bytes, &left);
        bool is_exception = about.flags & TRAWL_EXCEPTION && bytes->space == DATA_REGISTERS &&
                            flow->kind->is_bank(bytes->cell, 1) && !is_stack;
        if (!written && !is_exception && (step->is_known || !(about.flags & TRAWL_EXECUTED)))
            continue;
        origin->event = at;
        origin->end = is_exception ? DATA_EXCEPTION : step->is_known ? DATA_GOES_ON : DATA_UNKNOWN;
        origin->bytes.mask = written ? (uint16_t)written : bytes->mask;
        if (has_crossed)
            origin->bytes.cell = DATA_STACK_OF_MODE + mode;
        return STATUS_OK;
    }
    origin->end = DATA_START;
    return STATUS_OK;
}

// --- Registers and memory ------------------------------------------------------------------------

enum status data_bank_hidden(struct dataflow *flow, uint64_t lane, uint64_t event, uint64_t cell,
                             bool *is_hidden, struct error *err)
{
    const struct dataflow_bytes bytes = {cell, 0, (uint32_t)lane, DATA_REGISTERS, 0xff};
    const struct dataflow_step *step;
    struct trawl_error from;
    uint64_t earlier, written;
    uint8_t mask;
    unsigned left;
    *is_hidden = false;
    enum status status = dataflow_step(flow, event, &step, err);
    if (status != STATUS_OK || !step->has_code || !step->about.in_lane)
        return status;
    const unsigned now = step->mode;
    enum trawl_status found =
        trawl_instruction_before(flow->view->index, lane, step->about.in_lane - 1, &earlier, &from);
    if (found != TRAWL_OK)
        return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
    status = dataflow_step(flow, earlier, &step, err);
    if (status != STATUS_OK || !step->has_code || !flow->kind->other_bank(cell, step->mode, now))
        return status;
    // What the exception between them wrote is already of the new mode.
    *is_hidden = true;
    if (written_by(step, &bytes, &left) || !event)
        return STATUS_OK;
    found =
        index_register_writer(flow->view->index, lane, event - 1, cell, 1, &written, &mask, &from);
    if (found == TRAWL_OK)
        *is_hidden = written < earlier;
    return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
}

// The register shows another bank from an event on. `is_read`: as the event's instruction reads it.
static enum status is_bank(struct dataflow *flow, const struct data_origin *origin, bool is_read,
                           bool *is_change, struct error *err)
{
    struct trawl_error from;
    uint64_t written;
    uint8_t mask;
    *is_change = false;
    if (origin->bytes.space != DATA_REGISTERS || !flow->kind->is_bank(origin->bytes.cell, 1))
        return STATUS_OK;
    enum trawl_status found =
        index_register_writer(flow->view->index, origin->bytes.lane, origin->event,
                              origin->bytes.cell, 1, &written, &mask, &from);
    *is_change = found == TRAWL_OK && written == origin->event && mask == 1;
    if (found == TRAWL_OK && written == origin->event && !*is_change && is_read)
        return data_bank_hidden(flow, origin->bytes.lane, written, origin->bytes.cell, is_change,
                                err);
    return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
}

static enum status take(struct dataflow *flow, struct data_origin *origin, struct error *err);

// At the event of a step, the mode changed. The trace may have shown what wrote its stack pointer,
// by name, before.
static enum status follow_bank(struct dataflow *flow, const struct dataflow_step *step,
                               struct data_origin *origin, struct error *err)
{
    const uint64_t event = step->about.event;
    struct trawl_error from;
    uint64_t named, written;
    uint8_t mask;
    origin->end = DATA_BANK;
    if (!event || origin->bytes.cell != flow->kind->stack_cell ||
        !step_names_stack(flow, step, &named))
        return STATUS_OK;
    enum trawl_status found =
        index_register_writer(flow->view->index, origin->bytes.lane, event - 1, named,
                              (uint8_t)origin->bytes.mask, &written, &mask, &from);
    if (found == TRAWL_NOT_FOUND)
        return STATUS_OK;
    if (found != TRAWL_OK)
        return index_status(found, &from, err);
    if (written >= event || !(origin->bytes.mask & mask))
        return index_status(index_view_no_progress(&from), &from, err);
    origin->event = written;
    origin->bytes.cell = named;
    origin->bytes.mask &= mask;
    origin->end = DATA_GOES_ON;
    return take(flow, origin, err);
}

// The write is shown at an event whose instruction does not do it, or which has none. RTL shows
// writes late: then it is of the last instruction before that does it.
static enum status explain(struct dataflow *flow, const struct dataflow_step *step,
                           struct data_origin *origin, struct error *err)
{
    uint32_t flags = step->about.flags;
    uint64_t lane = step->about.lane, in_lane = step->about.in_lane;
    bool is_change;
    enum status status = is_bank(flow, origin, false, &is_change, err);
    if (status != STATUS_OK)
        return status;
    if (is_change)
        return follow_bank(flow, step, origin, err);
    if (flags & TRAWL_HOST_CALL) {
        origin->end = DATA_HOST;
        return STATUS_OK;
    }
    if (flags & TRAWL_EXCEPTION) {
        origin->end = DATA_EXCEPTION;
        return STATUS_OK;
    }
    if (step->has_code && !step->is_known && flags & TRAWL_EXECUTED) {
        origin->end = DATA_UNKNOWN;
        return STATUS_OK;
    }
    for (int i = 0; i < INSTRUCTIONS_LATE && in_lane; i++) {
        struct trawl_error from;
        uint64_t event;
        enum trawl_status found =
            trawl_instruction_before(flow->view->index, lane, in_lane - 1, &event, &from);
        if (found == TRAWL_NOT_FOUND)
            break;
        status = index_status(found, &from, err);
        if (status == STATUS_OK)
            status = dataflow_step(flow, event, &step, err);
        if (status != STATUS_OK)
            return status;
        unsigned left, written = written_by(step, &origin->bytes, &left);
        if (written || (!step->is_known && step->about.flags & TRAWL_EXECUTED)) {
            origin->event = event;
            origin->end = written ? DATA_GOES_ON : DATA_UNEXPLAINED;
            origin->bytes.mask = written ? (uint16_t)written : origin->bytes.mask;
            return STATUS_OK;
        }
        in_lane = step->about.in_lane;
    }
    origin->end = in_lane ? DATA_UNEXPLAINED : DATA_START;
    return STATUS_OK;
}

// The write of some of the bytes at an event that the index has.
static enum status take(struct dataflow *flow, struct data_origin *origin, struct error *err)
{
    const struct dataflow_step *step;
    enum status status = dataflow_step(flow, origin->event, &step, err);
    if (status != STATUS_OK)
        return status;
    unsigned left, written = written_by(step, &origin->bytes, &left);
    if (!written && !left) {
        struct dataflow_bytes in_use = origin->bytes;
        data_take_stack(flow, step, &in_use);
        written = written_by(step, &in_use, &left);
    }
    if (!written && !left)
        return explain(flow, step, origin, err);
    origin->is_left = !written;
    origin->bytes.mask = (uint16_t)(written ? written : left);
    return STATUS_OK;
}

static enum status find_register(struct dataflow *flow, uint64_t reader, uint64_t event,
                                 struct data_origin *origin, struct error *err)
{
    struct trawl_error from;
    uint64_t written;
    uint8_t mask;
    enum trawl_status found =
        index_register_writer(flow->view->index, origin->bytes.lane, event, origin->bytes.cell,
                              (uint8_t)origin->bytes.mask, &origin->event, &mask, &from);
    if (found == TRAWL_NOT_FOUND) {
        const struct dataflow_bytes bytes = origin->bytes;
        unsigned first = (unsigned)__builtin_ctz(bytes.mask);
        unsigned size = 32 - (unsigned)__builtin_clz(bytes.mask) - first;
        origin->event = TRAWL_NONE;
        origin->end = DATA_START;
        found = trawl_register_written(flow->view->index, bytes.lane, TRAWL_START, TRAWL_FORWARD,
                                       bytes.cell * 8 + first, size, &written, &from);
        if (found == TRAWL_NOT_FOUND) // the trace never shows it
            return search(flow, reader, event, true, origin, err);
        return index_status(found, &from, err);
    }
    if (found != TRAWL_OK)
        return index_status(found, &from, err);
    origin->bytes.mask &= mask;
    if (origin->event > event || !origin->bytes.mask)
        return index_status(index_view_no_progress(&from), &from, err);
    return take(flow, origin, err);
}

static enum status find_memory(struct dataflow *flow, uint64_t event, bool at_event,
                               struct data_origin *origin, struct error *err)
{
    struct trawl_error from;
    struct trawl_write write;
    unsigned first = (unsigned)__builtin_ctz(origin->bytes.mask);
    unsigned size = 32 - (unsigned)__builtin_clz(origin->bytes.mask) - first;
    uint64_t address = origin->bytes.cell * 8 + first;
    // A load shows a change from outside at its own event; a store is after what the event reads.
    enum trawl_status found = dataflow_written(flow, event, address, size, &write, &from);
    if (found == TRAWL_OK && !at_event && write.event == event && write.kind != TRAWL_OUTSIDE)
        found = event ? dataflow_written(flow, event - 1, address, size, &write, &from)
                      : TRAWL_NOT_FOUND;
    if (found == TRAWL_NOT_FOUND) {
        origin->event = TRAWL_NONE;
        origin->end = DATA_START;
        return STATUS_OK;
    }
    if (found != TRAWL_OK)
        return index_status(found, &from, err);
    uint64_t low = write.address - address, mask = 0;
    for (uint64_t i = 0; i < u64_min(write.size_bytes, 8); i++)
        mask |= low + i < 8 ? UINT64_C(1) << (first + low + i) : 0;
    mask &= origin->bytes.mask;
    if (write.event > event || !mask)
        return index_status(index_view_no_progress(&from), &from, err);
    origin->bytes.mask = (uint16_t)mask;
    origin->event = write.event;
    origin->since = write.since;
    if (write.kind == TRAWL_OUTSIDE || write.kind == TRAWL_HOST_WRITE) {
        origin->end = write.kind == TRAWL_OUTSIDE ? DATA_OUTSIDE : DATA_HOST;
        return STATUS_OK;
    }
    return take(flow, origin, err);
}

// Where the mode of the lane changed at the event itself, its instruction finds the registers of
// the new mode, which no instruction wrote.
static enum status find_bank(struct dataflow *flow, uint64_t event, struct data_origin *origin,
                             struct error *err)
{
    const struct dataflow_step *step;
    bool is_change;
    origin->event = event;
    origin->end = DATA_GOES_ON;
    enum status status = is_bank(flow, origin, true, &is_change, err);
    if (status == STATUS_OK && is_change)
        status = dataflow_step(flow, event, &step, err);
    return status == STATUS_OK && is_change ? follow_bank(flow, step, origin, err) : status;
}

static enum status find(struct dataflow *flow, uint64_t event, bool at_event,
                        struct data_origin *origin, struct error *err)
{
    if (origin->bytes.space == DATA_FLAGS)
        return search(flow, event, event, at_event, origin, err);
    if (origin->bytes.space == DATA_MEMORY)
        return find_memory(flow, event, at_event, origin, err);
    if (!at_event && flow->kind->is_bank(origin->bytes.cell, 1)) {
        enum status status = find_bank(flow, event, origin, err);
        if (status != STATUS_OK || origin->end || origin->event != event)
            return status;
    }
    if (!at_event && !event) {
        origin->end = DATA_START;
        return STATUS_OK;
    }
    return find_register(flow, event, at_event ? event : event - 1, origin, err);
}

// Lines may be missing between a write and what reads it. A load confirms what it reads of memory.
static enum status find_gap(struct dataflow *flow, uint64_t event, bool at_event,
                            struct data_origin *origin, struct error *err)
{
    const bool is_memory = origin->bytes.space == DATA_MEMORY,
               is_changed = origin->end == DATA_OUTSIDE;
    const uint64_t after = is_changed ? origin->since : origin->event;
    const struct dataflow_gaps *gaps;
    uint64_t gap;
    if (is_memory && !at_event && !is_changed)
        return STATUS_OK;
    enum status status = gaps_find(flow, &gaps, err);
    if (status == STATUS_OK && gaps &&
        gaps_between(gaps, is_memory ? TRAWL_ANY_LANE : origin->bytes.lane, after, event, &gap)) {
        origin->end = DATA_GAP;
        origin->since = after;
        origin->event = gap;
    }
    return status;
}

enum status data_origin_find(struct dataflow *flow, uint64_t event, bool at_event,
                             const struct dataflow_bytes *bytes, struct data_origin *origin,
                             struct error *err)
{
    const uint64_t point = event;
    const bool is_at_point = at_event;
    enum status status;
    *origin = (struct data_origin){.event = TRAWL_NONE, .bytes = *bytes};
    if (event == TRAWL_START) {
        origin->end = DATA_START;
        return STATUS_OK;
    }
    do {
        unsigned mask = origin->bytes.mask, above = mask + (mask & -mask);
        if (origin->bytes.space != DATA_FLAGS) // the index is asked about bytes without gaps
            origin->bytes.mask = (uint16_t)(mask & ~above);
        origin->is_left = false;
        status = find(flow, event, at_event, origin, err);
        event = origin->event;
        at_event = false;
    } while (status == STATUS_OK && origin->is_left);
    if (origin->end == DATA_START || origin->end == DATA_FAR)
        origin->event = TRAWL_NONE;
    return status == STATUS_OK ? find_gap(flow, point, is_at_point, origin, err) : status;
}

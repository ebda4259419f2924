// A search goes from one event at which the condition can have changed to the next, or takes all
// events where it depends on the pc or each event is asked for. Either way it leaps: where a
// register has not the value that the condition needs of it, as in `r0 == 0 && ...`, the next event
// that matters is the one that gives it such a value, and the index knows the least and greatest
// value of each block of writes, so that it can tell without reading those in between.
#include "query/find.h"

#include "base/vec.h"
#include "query/point.h"

#include <stdlib.h>

// Events, and writes of a register, that are read at once.
enum { BLOCK = 1024 };

// Points with fewer events in between are close to each other: to read a block of events takes as
// long as to read some of them one by one.
enum { CLOSE_EVENTS = 64, ROWS = 256 };

// After so many evaluations or events it is asked whether the search has to end.
enum { STEPS_AT_ONCE = 1024 };

// Among more lanes than these a search does not leap, as each has to be looked at.
enum { LANES_LEAPT = 64 };

// A register that the condition reads, in one lane: what it was after the last write that was
// taken, and the next writes.
struct input {
    const struct trawl_register *which;
    uint64_t value, known, written; // the event of that write; TRAWL_START: none
    uint64_t after;                 // writes up to this event were read
    bool has_all;                   // of the trace
    size_t at, count;
    uint64_t *events, *values, *knowns; // BLOCK of each
};

// Memory that the condition read when it was evaluated last, in one lane.
struct memory_input {
    uint64_t address, size_bytes;
    uint64_t value; // if it has at most 8 bytes
    bool is_known;
    uint64_t from, until; // events between which this does not change
    bool is_used;         // by the evaluation under way
};

// What an operand of changed() that is an object was when the condition was evaluated last. Bytes
// that are unknown before or after say nothing, so that an object of which the trace does not show
// all bytes can still change.
struct object {
    uint64_t address, size_bytes, until;
    uint64_t version; // rises with each change
    uint8_t *bytes;   // size_bytes of them, and as many that say which are known; NULL: none yet
};

// What the condition needs of a number: it does not hold outside.
struct bounds {
    uint64_t low, high;
};

struct lane_condition {
    uint64_t lane; // TRAWL_ANY_LANE: of a condition without registers
    struct input *inputs;
    VEC(, struct memory_input) memory;
    VEC(, struct object) objects;      // in the order of the condition
    struct expression_operand *before; // of changed()
    uint64_t pc;
    bool has_pc;
    bool was_evaluated, holds;
    uint64_t last;           // event of the lane that was taken; TRAWL_START: none
    uint64_t next_change;    // the first event that may change it; UINT64_MAX: none
    uint64_t own_change;     // the first of the lane from there on
    uint64_t hopeless_until; // before this event it does not hold, because of registers
};

// A block of events near the points.
struct rows {
    uint64_t first;
    size_t count;
    uint64_t lane[ROWS], in_lane[ROWS], time[ROWS], line[ROWS], position[ROWS], pc[ROWS];
    uint64_t flags[ROWS];
};

struct finder {
    const struct index_view *view;
    struct find_request request;
    struct lane_condition *lanes;
    size_t lane_count, input_count;
    bool reads_registers, uses_pc, is_dense, can_leap;
    struct hash_seed seed; // of numbers made of objects
    struct bounds pc, inputs[LIMIT_EXPRESSION_TERMS];
    uint64_t next;  // event: those before are done
    uint64_t steps; // taken
    // A block of events.
    uint64_t block_first;
    size_t block_count;
    uint64_t event_lanes[BLOCK], pcs[BLOCK], flags[BLOCK];
    // Of the evaluation under way.
    struct lane_condition *current;
    size_t object;               // the next one of the lane
    uint64_t evaluated, unknown; // how often
    struct error why;            // it was unknown first
    uint64_t event, since;       // what was written from `since` on is written by the event
    struct error err;
    struct found_point found;     // last
    struct point_registers frame; // of which that was found, if events are frames
    struct rows *rows;            // NULL: none were read yet
    uint64_t asked;               // the event of the last point that was asked for
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for a search");
}

// --- What the condition reads --------------------------------------------------------------------

// The value of a register after an event.
static enum status read_input(const struct finder *finder, const struct lane_condition *lane,
                              struct input *input, uint64_t event, struct error *err)
{
    const size_t size_bytes = (size_t)input->which->size_bytes;
    struct trawl_error from;
    uint8_t values[8] = {0}, known[8] = {0};
    enum trawl_status status =
        trawl_registers(finder->view->index, lane->lane, event, input->which->offset, size_bytes,
                        values, known, &from);
    input->value = load_uint(values, size_bytes, false);
    input->known = 0;
    for (size_t b = 0; b < size_bytes; b++)
        input->known |= (uint64_t)known[b] << b;
    input->written = TRAWL_START;
    input->after = event;
    return index_status(status, &from, err);
}

// Takes the writes of a register up to an event. *next: the event of the one after them;
// UINT64_MAX: there is none.
static enum status take_writes(struct finder *finder, const struct lane_condition *lane,
                               struct input *input, uint64_t event, uint64_t *next,
                               struct error *err)
{
    enum status status = STATUS_OK;
    for (;;) {
        for (; input->at < input->count && input->events[input->at] <= event; input->at++) {
            input->value = input->values[input->at];
            input->known = input->knowns[input->at];
            input->written = input->events[input->at];
        }
        *next = input->at < input->count ? input->events[input->at] : UINT64_MAX;
        if (*next != UINT64_MAX || input->has_all)
            return STATUS_OK;
        // After a leap nobody needs the writes up to the event before this one.
        if (event > input->after + 1)
            status = read_input(finder, lane, input, event - 1, err);
        if (status != STATUS_OK)
            return status;
        struct trawl_error from;
        const struct trawl_register_value_columns columns = {input->events, input->values,
                                                             input->knowns};
        status = index_status(trawl_register_values(finder->view->index, lane->lane, input->after,
                                                    UINT64_MAX, input->which->offset,
                                                    (size_t)input->which->size_bytes, BLOCK,
                                                    &columns, &input->count, &from),
                              &from, err);
        if (status != STATUS_OK)
            return status;
        input->at = 0;
        input->has_all = input->count < BLOCK;
        if (input->count)
            input->after = input->events[input->count - 1];
    }
}

// The input for a register of the condition, which has one.
static const struct input *input_of(const struct lane_condition *lane,
                                    const struct trawl_register *which)
{
    const struct input *input = lane->inputs;
    while (input->which->offset != which->offset || input->which->size_bytes != which->size_bytes)
        input++;
    return input;
}

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    struct finder *finder = self;
    const struct lane_condition *lane = finder->current;
    if (expression_is_pc(which)) {
        *value = lane->pc;
        return lane->has_pc;
    }
    const struct input *input = input_of(lane, which);
    uint64_t number = input->value;
    if (which->flags & TRAWL_REGISTER_BIG_ENDIAN)
        number = __builtin_bswap64(number) >> (64 - 8 * which->size_bytes);
    *value = number;
    return input->known == UINT64_MAX >> (64 - which->size_bytes);
}

// Reads memory at the event, and finds how long it stays so.
static enum status learn_memory(struct finder *finder, struct memory_input *memory)
{
    const struct index_view *view = finder->view;
    uint8_t values[8], known[8];
    struct trawl_error from;
    struct trawl_write write;
    enum trawl_status status = TRAWL_OK;
    memory->is_known = false;
    if (memory->size_bytes <= sizeof values) {
        size_t size_bytes = (size_t)memory->size_bytes;
        status = index_view_memory(view, finder->event, memory->address, size_bytes, values, known,
                                   &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, &finder->err);
        memory->is_known = !memchr(known, 0, size_bytes);
        memory->value = point_number(values, size_bytes, view->info.options & TRAWL_BIG_ENDIAN);
    }
    memory->from = finder->event;
    memory->until = UINT64_MAX;
    status = trawl_memory_written(view->index, finder->event, TRAWL_FORWARD, memory->address,
                                  memory->size_bytes, &write, &from);
    if (status == TRAWL_OK)
        memory->until = write.kind == TRAWL_OUTSIDE && write.since + 1 > finder->event
                            ? write.since + 1 // unknown from there on
                            : write.event;
    if (status == TRAWL_OK && memory->until <= finder->event)
        status = index_view_no_progress(&from);
    return status == TRAWL_NOT_FOUND ? STATUS_OK : index_status(status, &from, &finder->err);
}

// The memory at an address at the event. NULL: there is none, or a failure, which is in
// finder->err.
static struct memory_input *memory_at(struct finder *finder, uint64_t address, uint64_t size_bytes)
{
    struct lane_condition *lane = finder->current;
    struct memory_input *memory = NULL;
    if (address > UINT64_MAX - (size_bytes - 1) || finder->err.status != STATUS_OK)
        return NULL;
    for (size_t i = 0; i < lane->memory.count && !memory; i++) {
        struct memory_input *known = &lane->memory.items[i];
        if (known->address == address && known->size_bytes == size_bytes)
            memory = known;
    }
    if (!memory) {
        if (!VEC_ROOM(&lane->memory, 1)) {
            no_memory(&finder->err);
            return NULL;
        }
        memory = &lane->memory.items[lane->memory.count++];
        *memory = (struct memory_input){.address = address, .size_bytes = size_bytes};
    }
    memory->is_used = true;
    if (finder->event >= memory->until && learn_memory(finder, memory) != STATUS_OK)
        return NULL;
    return memory;
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    const struct memory_input *memory = memory_at(self, address, size_bytes);
    if (memory)
        *value = memory->value;
    return memory && memory->is_known;
}

// Takes what an object is at the event. False: a failure, which is in finder->err.
static bool take_object(struct finder *finder, struct object *object, uint64_t address,
                        size_t size_bytes)
{
    struct trawl_error from;
    uint8_t *bytes = malloc(2 * size_bytes), *known = bytes + size_bytes;
    if (!bytes) {
        no_memory(&finder->err);
        return false;
    }
    enum trawl_status status =
        index_view_memory(finder->view, finder->event, address, size_bytes, bytes, known, &from);
    if (index_status(status, &from, &finder->err) != STATUS_OK) {
        free(bytes);
        return false;
    }
    const uint8_t *before = object->bytes;
    bool is_other = before && object->size_bytes != size_bytes;
    for (size_t i = 0; before && !is_other && i < size_bytes; i++)
        is_other = known[i] && before[size_bytes + i] && bytes[i] != before[i];
    object->version += is_other;
    free(object->bytes);
    object->bytes = bytes;
    object->address = address;
    object->size_bytes = size_bytes;
    return true;
}

static bool read_object(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    struct finder *finder = self;
    struct lane_condition *lane = finder->current;
    const struct memory_input *memory = memory_at(finder, address, size_bytes);
    if (!memory || !value)
        return false;
    while (lane->objects.count <= finder->object) {
        if (!VEC_ROOM(&lane->objects, 1)) {
            no_memory(&finder->err);
            return false;
        }
        lane->objects.items[lane->objects.count++] = (struct object){.until = 0};
    }
    struct object *object = &lane->objects.items[finder->object++];
    bool is_same = object->bytes && object->address == address &&
                   object->size_bytes == size_bytes && finder->event < object->until;
    if (!is_same && !take_object(finder, object, address, (size_t)size_bytes))
        return false;
    object->until = memory->until;
    *value = object->version;
    return true;
}

static bool read_local(void *self, const struct c_local *local, const char *name, size_t length,
                       uint64_t *value)
{
    struct finder *finder = self;
    struct point_registers point = {.view = finder->view,
                                    .lane = finder->current->lane,
                                    .event = finder->event,
                                    .names = finder->request.names};
    const struct expression_registers registers = point_registers(&point);
    bool is_known = registers.read_local(registers.self, local, name, length, value);
    if (point.has_failed)
        finder->err = point.err;
    return is_known;
}

static bool was_written(void *self, const struct trawl_register *which, uint64_t address,
                        uint64_t size_bytes)
{
    struct finder *finder = self;
    struct trawl_write write;
    struct trawl_error from;
    if (which && expression_is_pc(which))
        return true;
    if (which) {
        const struct input *input = input_of(finder->current, which);
        return input->written != TRAWL_START && input->written >= finder->since;
    }
    enum trawl_status status = trawl_memory_written(
        finder->view->index, finder->event, TRAWL_BACKWARD, address, size_bytes, &write, &from);
    if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
        index_status(status, &from, &finder->err);
    return status == TRAWL_OK && write.event >= finder->since;
}

// --- Evaluation ----------------------------------------------------------------------------------

// Takes all writes up to the event, evaluates the condition, and finds when it can change next.
// `since`: the first event that is news.
static enum status evaluate(struct finder *finder, struct lane_condition *lane, uint64_t since,
                            uint64_t event, bool *holds, struct error *err)
{
    uint64_t next, value = 0;
    lane->next_change = UINT64_MAX;
    if (index_view_has_snapshots(finder->view)) { // a frame has nothing of the frames before it
        struct point_registers frame = {.view = finder->view,
                                        .lane = lane->lane,
                                        .event = event,
                                        .names = finder->request.names};
        struct expression_registers registers = point_registers(&frame);
        registers.before = lane->before;
        enum status status =
            expression_evaluate(finder->request.condition, &registers, &value, err);
        *holds = status == STATUS_OK && value;
        if (frame.has_failed)
            *err = frame.err;
        return frame.has_failed ? frame.err.status : STATUS_OK;
    }
    for (size_t i = 0; i < finder->input_count; i++) {
        enum status status = take_writes(finder, lane, &lane->inputs[i], event, &next, err);
        if (status != STATUS_OK)
            return status;
        lane->next_change = u64_min(lane->next_change, next);
    }
    const struct expression_registers registers = {.self = finder,
                                                   .read = read_register,
                                                   .read_memory = read_memory,
                                                   .read_local = read_local,
                                                   .read_object = read_object,
                                                   .before = lane->before,
                                                   .was_written = was_written};
    finder->current = lane;
    finder->since = since;
    finder->event = event;
    finder->object = 0;
    bool is_known =
        expression_evaluate(finder->request.condition, &registers, &value, err) == STATUS_OK;
    finder->evaluated++;
    if (!is_known && !finder->unknown++)
        finder->why = *err;
    if (finder->err.status != STATUS_OK) {
        *err = finder->err;
        return err->status;
    }
    size_t kept = 0;
    for (size_t i = 0; i < lane->memory.count; i++) {
        struct memory_input *memory = &lane->memory.items[i];
        if (!memory->is_used)
            continue;
        memory->is_used = false;
        lane->next_change = u64_min(lane->next_change, memory->until);
        lane->memory.items[kept++] = *memory;
    }
    lane->memory.count = kept;
    lane->was_evaluated = true;
    *holds = is_known && value;
    return STATUS_OK;
}

// --- Leaps ---------------------------------------------------------------------------------------

static bool is_within(const struct bounds *bounds, uint64_t value)
{
    return value >= bounds->low && value <= bounds->high;
}

// Finds the event before which the condition of a lane is known not to hold, because a register has
// not the value that it needs.
static enum status leap(struct finder *finder, struct lane_condition *lane, struct error *err)
{
    lane->hopeless_until = 0;
    for (size_t i = 0; finder->can_leap && i < finder->input_count; i++) {
        const struct input *input = &lane->inputs[i];
        const struct bounds *bounds = &finder->inputs[i];
        const size_t size_bytes = (size_t)input->which->size_bytes;
        const uint64_t all = UINT64_MAX >> (64 - size_bytes);
        struct trawl_error from;
        uint64_t event = UINT64_MAX;
        if ((!bounds->low && bounds->high == UINT64_MAX) || input->known != all ||
            is_within(bounds, input->value))
            continue;
        for (size_t w = input->at; w < input->count && event == UINT64_MAX; w++) {
            if (input->knowns[w] != all || is_within(bounds, input->values[w]))
                event = input->events[w];
        }
        if (event == UINT64_MAX && !input->has_all) {
            enum trawl_status status = trawl_register_within(
                finder->view->index, lane->lane, input->after, finder->request.last + 1,
                input->which->offset, size_bytes, bounds->low, bounds->high, &event, &from);
            if (status == TRAWL_NOT_FOUND)
                event = UINT64_MAX;
            else if (status != TRAWL_OK)
                return index_status(status, &from, err);
        }
        lane->hopeless_until = u64_max(lane->hopeless_until, event);
    }
    return STATUS_OK;
}

// Goes to the point before all that a lane waits for.
static enum status place_lane(const struct finder *finder, struct lane_condition *lane,
                              uint64_t point, struct error *err)
{
    struct trawl_event about;
    uint64_t event;
    enum status status = point_in_lane(finder->view, lane->lane, point, &about, err);
    if (status == STATUS_OK)
        lane->last = about.event;
    if (status == STATUS_OK && finder->uses_pc && about.event != TRAWL_START &&
        trawl_instruction_before(finder->view->index, lane->lane, about.in_lane, &event, NULL) ==
            TRAWL_OK) {
        status = index_view_event(finder->view, event, &about, err);
        lane->pc = about.pc & ~UINT64_C(1);
        lane->has_pc = true;
    }
    return status;
}

// Leaves out the events before which no lane can hold, if they are many.
static enum status leap_all(struct finder *finder, struct error *err)
{
    uint64_t until = finder->request.last + 1;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < finder->lane_count; i++)
        until = u64_min(until, finder->lanes[i].hopeless_until);
    if (until < finder->next || until - finder->next < BLOCK)
        return STATUS_OK;
    for (size_t i = 0; i < finder->lane_count && status == STATUS_OK; i++)
        status = place_lane(finder, &finder->lanes[i], until - 1, err);
    finder->next = until;
    return status;
}

// Whether an event is a point, if the condition of the lane holds after it, or not. With changed()
// or written() it holds for that event alone.
static bool is_point(const struct finder *finder, struct lane_condition *lane, bool holds)
{
    bool is_new = holds && (!lane->holds || finder->request.wants_all);
    lane->holds = holds && !finder->request.condition->has_events;
    return is_new;
}

// --- Event by event ------------------------------------------------------------------------------

static enum status read_block(struct finder *finder, uint64_t first, struct error *err)
{
    struct trawl_error from;
    const struct trawl_event_columns columns = {
        .lane = finder->event_lanes, .pc = finder->pcs, .flags = finder->flags};
    finder->block_first = first;
    return index_status(
        trawl_events(finder->view->index, first, BLOCK, &columns, &finder->block_count, &from),
        &from, err);
}

// Takes the next event.
static enum status take_event(struct finder *finder, struct found_point *point, bool *is_found,
                              struct error *err)
{
    const uint64_t event = finder->next++;
    enum status status = STATUS_OK;
    if (event - finder->block_first >= finder->block_count)
        status = read_block(finder, event, err);
    if (status != STATUS_OK)
        return status;
    const size_t i = (size_t)(event - finder->block_first);
    const uint64_t number = finder->event_lanes[i];
    struct lane_condition *lane = &finder->lanes[0];
    if (lane->lane != TRAWL_ANY_LANE && finder->request.lane == TRAWL_ANY_LANE)
        lane = &finder->lanes[number];
    else if (lane->lane != TRAWL_ANY_LANE && lane->lane != number)
        return STATUS_OK;
    if (finder->flags[i] & TRAWL_HAS_INSTRUCTION) {
        lane->pc = finder->pcs[i] & ~UINT64_C(1);
        lane->has_pc = true;
    }
    const bool is_first = finder->can_leap && !lane->was_evaluated; // from which it can leap
    bool may_hold = (!finder->uses_pc || is_within(&finder->pc, lane->pc) || is_first) &&
                    event >= lane->hopeless_until;
    bool can_differ = finder->uses_pc || finder->request.condition->has_locals ||
                      finder->request.condition->has_events || !lane->was_evaluated ||
                      event >= lane->next_change;
    bool holds = may_hold && lane->holds;
    if (may_hold && can_differ)
        status = evaluate(finder, lane, lane->last + 1, event, &holds, err);
    lane->last = event;
    *is_found = status == STATUS_OK && is_point(finder, lane, holds);
    *point = (struct found_point){event, number};
    if (status == STATUS_OK && finder->can_leap && may_hold && can_differ && !holds) {
        status = leap(finder, lane, err);
        if (status == STATUS_OK && lane->hopeless_until)
            status = leap_all(finder, err);
    }
    return status;
}

// --- From change to change -----------------------------------------------------------------------

// The first event of the lane at or after `event`; UINT64_MAX: none.
static enum status own_event(const struct finder *finder, const struct lane_condition *lane,
                             uint64_t event, uint64_t *own, struct error *err)
{
    const struct index_view *view = finder->view;
    struct trawl_event about;
    *own = event;
    if (lane->lane == TRAWL_ANY_LANE || view->info.lanes == 1 || event > finder->request.last)
        return STATUS_OK;
    enum status status = point_in_lane(view, lane->lane, event, &about, err);
    if (status != STATUS_OK || about.event == event)
        return status;
    uint64_t next = about.event == TRAWL_START ? 0 : about.in_lane + 1;
    *own = UINT64_MAX;
    if (next < view->lanes[lane->lane].events) {
        status = index_view_event_of_lane(view, lane->lane, next, &about, err);
        *own = about.event;
    }
    return status;
}

// Goes to the next event at which the condition of a lane can have changed.
static enum status take_change(struct finder *finder, struct found_point *point, bool *is_found,
                               struct error *err)
{
    struct lane_condition *lane = finder->lanes;
    for (size_t i = 1; i < finder->lane_count; i++) {
        if (finder->lanes[i].own_change < lane->own_change)
            lane = &finder->lanes[i];
    }
    const uint64_t event = lane->own_change;
    finder->next = event;
    if (event > finder->request.last)
        return STATUS_OK;
    bool holds;
    struct trawl_event about = {.lane = lane->lane};
    enum status status = evaluate(finder, lane, lane->next_change, event, &holds, err);
    if (status == STATUS_OK && finder->can_leap && !holds) {
        status = leap(finder, lane, err);
        lane->next_change = u64_max(lane->next_change, lane->hopeless_until);
    }
    if (status == STATUS_OK)
        status = own_event(finder, lane, lane->next_change, &lane->own_change, err);
    if (status == STATUS_OK && holds && lane->lane == TRAWL_ANY_LANE)
        status = index_view_event(finder->view, event, &about, err);
    *is_found = status == STATUS_OK && is_point(finder, lane, holds);
    *point = (struct found_point){event, about.lane};
    return status;
}

enum status find_next(struct finder *finder, struct found_point *point, struct error *err)
{
    const struct find_request *request = &finder->request;
    while (finder->next <= request->last) {
        bool is_found = false;
        if (request->is_over && ++finder->steps % STEPS_AT_ONCE == 0 &&
            request->is_over(request->self)) {
            point->event = finder->next;
            return error_set(err, STATUS_STOPPED, "the search was ended");
        }
        enum status status = finder->is_dense ? take_event(finder, point, &is_found, err)
                                              : take_change(finder, point, &is_found, err);
        finder->found = *point;
        if (status != STATUS_OK || is_found)
            return status;
    }
    return error_set(err, STATUS_NOT_FOUND, "the condition holds nowhere else");
}

// --- The point that was found --------------------------------------------------------------------

static enum status read_rows(struct finder *finder, uint64_t first, struct error *err)
{
    struct rows *rows = finder->rows;
    struct trawl_error from;
    const struct trawl_event_columns columns = {
        rows->lane, rows->in_lane, rows->time, rows->line, rows->position, rows->pc, rows->flags};
    rows->first = first;
    return index_status(
        trawl_events(finder->view->index, first, ROWS, &columns, &rows->count, &from), &from, err);
}

enum status find_event(struct finder *finder, struct trawl_event *about, struct error *err)
{
    const uint64_t event = finder->found.event;
    const bool is_close = event - finder->asked < CLOSE_EVENTS;
    struct rows *rows = finder->rows;
    finder->asked = event;
    if (!rows || event - rows->first >= rows->count) {
        if (!is_close || (!rows && !(rows = finder->rows = calloc(1, sizeof *rows))))
            return index_view_event(finder->view, event, about, err);
        enum status status = read_rows(finder, event, err);
        if (status != STATUS_OK)
            return status;
    }
    const size_t at = (size_t)(event - rows->first);
    ASSERT(at < rows->count);
    *about = (struct trawl_event){.event = event,
                                  .lane = rows->lane[at],
                                  .in_lane = rows->in_lane[at],
                                  .time = rows->time[at],
                                  .line = rows->line[at],
                                  .position = rows->position[at],
                                  .pc = rows->pc[at],
                                  .flags = (uint32_t)rows->flags[at]};
    return STATUS_OK;
}

struct expression_registers find_registers(struct finder *finder)
{
    const struct found_point *found = &finder->found;
    struct lane_condition *lane = finder->lanes;
    finder->frame = (struct point_registers){.view = finder->view,
                                             .lane = found->lane,
                                             .event = found->event,
                                             .names = finder->request.names};
    if (index_view_has_snapshots(finder->view))
        return point_registers(&finder->frame);
    while (lane->lane != TRAWL_ANY_LANE && lane->lane != found->lane)
        lane++;
    finder->current = lane;
    finder->event = found->event;
    return (struct expression_registers){.self = finder,
                                         .read = read_register,
                                         .read_memory = read_memory,
                                         .read_local = read_local};
}

enum status find_registers_status(const struct finder *finder, struct error *err)
{
    const struct error *failure = finder->frame.has_failed ? &finder->frame.err : &finder->err;
    if (failure->status != STATUS_OK)
        *err = *failure;
    return failure->status;
}

bool find_was_unknown(const struct finder *finder, uint64_t *evaluated, uint64_t *unknown,
                      const char **why)
{
    *evaluated = finder->evaluated;
    *unknown = finder->unknown;
    *why = finder->why.text;
    return finder->unknown > 0;
}

// --- The beginning -------------------------------------------------------------------------------

// The bounds of a register; NULL: it has none, as its bytes are in another order.
static struct bounds *bounds_of(struct finder *finder, const struct trawl_register *const *inputs,
                                const struct expression_term *term)
{
    if (term->op != EXPRESSION_REGISTER || term->which.flags & TRAWL_REGISTER_BIG_ENDIAN)
        return NULL;
    if (expression_is_pc(&term->which))
        return &finder->pc;
    for (size_t i = 0; i < finder->input_count; i++) {
        if (inputs[i]->offset == term->which.offset &&
            inputs[i]->size_bytes == term->which.size_bytes)
            return &finder->inputs[i];
    }
    return NULL;
}

// Whether the operand of the terms from `first` to `last` is the same everywhere.
static bool is_constant(const struct expression *condition, size_t first, size_t last,
                        uint64_t *value)
{
    struct expression part = {.text = condition->text, .count = last - first + 1};
    struct error err;
    for (size_t i = first; i <= last; i++) {
        const enum expression_op op = condition->terms[i].op;
        if (op == EXPRESSION_REGISTER || op == EXPRESSION_LOCAL || op > EXPRESSION_EITHER)
            return false;
        part.terms[i - first] = condition->terms[i];
    }
    return expression_evaluate(&part, NULL, value, &err) == STATUS_OK;
}

// Narrows the bounds of registers and of the pc by each part of the condition that must hold for
// all of it to hold: a comparison with a constant, pc in SYMBOL.
static void narrow(struct finder *finder, const struct trawl_register *const *inputs, size_t last)
{
    const struct expression *condition = finder->request.condition;
    const struct expression_term *term = &condition->terms[last];
    struct bounds *bounds, allowed = {0, UINT64_MAX};
    enum expression_op op = term->op;
    uint64_t constant;
    if (op == EXPRESSION_BOTH) {
        narrow(finder, inputs, last - 1);
        narrow(finder, inputs, expression_operand(condition, last - 1) - 1);
        return;
    }
    if (op == EXPRESSION_IN && (bounds = bounds_of(finder, inputs, &term[-1]))) {
        allowed.low = term->symbol.address;
        allowed.high = allowed.low + (term->symbol.size_bytes - 1);
    } else if (op >= EXPRESSION_EQUAL && op <= EXPRESSION_GREATER_EQUAL &&
               op != EXPRESSION_UNEQUAL && (op == EXPRESSION_EQUAL || !term->is_signed)) {
        static const enum expression_op mirrored[] = {
            [EXPRESSION_EQUAL] = EXPRESSION_EQUAL,
            [EXPRESSION_LESS] = EXPRESSION_GREATER,
            [EXPRESSION_LESS_EQUAL] = EXPRESSION_GREATER_EQUAL,
            [EXPRESSION_GREATER] = EXPRESSION_LESS,
            [EXPRESSION_GREATER_EQUAL] = EXPRESSION_LESS_EQUAL};
        const size_t right = expression_operand(condition, last - 1);
        const size_t left = expression_operand(condition, right - 1);
        if (right == left + 1 && (bounds = bounds_of(finder, inputs, &condition->terms[left]))) {
            if (!is_constant(condition, right, last - 1, &constant))
                return;
        } else if (right == last - 1 &&
                   (bounds = bounds_of(finder, inputs, &condition->terms[right]))) {
            if (!is_constant(condition, left, right - 1, &constant))
                return;
            op = mirrored[op];
        } else {
            return;
        }
        if (op == EXPRESSION_EQUAL || op == EXPRESSION_GREATER || op == EXPRESSION_GREATER_EQUAL)
            allowed.low = constant + (op == EXPRESSION_GREATER);
        if (op == EXPRESSION_EQUAL || op == EXPRESSION_LESS || op == EXPRESSION_LESS_EQUAL)
            allowed.high = constant - (op == EXPRESSION_LESS);
        if ((op == EXPRESSION_GREATER && constant == UINT64_MAX) ||
            (op == EXPRESSION_LESS && !constant))
            allowed = (struct bounds){1, 0}; // never
    } else {
        return;
    }
    bounds->low = u64_max(bounds->low, allowed.low);
    bounds->high = u64_min(bounds->high, allowed.high);
}

// Finds the registers of the condition; each is one input of every lane.
static enum status find_inputs(struct finder *finder,
                               const struct trawl_register *inputs[LIMIT_EXPRESSION_TERMS],
                               struct error *err)
{
    const struct expression *condition = finder->request.condition;
    const bool is_of_frames = index_view_has_snapshots(finder->view);
    for (size_t i = 0; i < condition->count; i++) {
        const struct expression_term *term = &condition->terms[i];
        if (term->op != EXPRESSION_REGISTER)
            continue;
        if (expression_is_pc(&term->which)) {
            finder->uses_pc = true;
            continue;
        }
        if (!term->which.size_bytes || term->which.size_bytes > 8 ||
            (!is_of_frames && term->which.size_bytes > 8 - term->which.offset % 8))
            return error_set_at(err, STATUS_INPUT, term->name_offset,
                                "register '%.*s' has more than 64 bits", (int)term->name_length,
                                condition->text + term->name_offset);
        finder->reads_registers = true;
        size_t at = 0;
        while (!is_of_frames && at < finder->input_count &&
               (inputs[at]->offset != term->which.offset ||
                inputs[at]->size_bytes != term->which.size_bytes))
            at++;
        if (!is_of_frames && at == finder->input_count)
            inputs[finder->input_count++] = &term->which;
    }
    return STATUS_OK;
}

// Makes the inputs of a lane, with what they are before the first event.
static enum status begin_lane(struct finder *finder, struct lane_condition *lane,
                              const struct trawl_register *const *inputs, struct error *err)
{
    const uint64_t point = finder->request.first - 1; // before event 0 is TRAWL_START
    lane->before = calloc(LIMIT_EXPRESSION_TERMS, sizeof *lane->before);
    lane->inputs = calloc(finder->input_count + 1, sizeof *lane->inputs);
    if (!lane->before || !lane->inputs)
        return no_memory(err);
    for (size_t i = 0; i < finder->input_count; i++) {
        struct input *input = &lane->inputs[i];
        *input = (struct input){.which = inputs[i]};
        input->events = malloc(3 * BLOCK * sizeof *input->events);
        if (!input->events)
            return no_memory(err);
        input->values = input->events + BLOCK;
        input->knowns = input->values + BLOCK;
        enum status status = read_input(finder, lane, input, point, err);
        if (status != STATUS_OK)
            return status;
    }
    lane->last = point;
    lane->next_change = finder->request.first;
    if (point == TRAWL_START || index_view_has_snapshots(finder->view))
        return finder->is_dense
                   ? STATUS_OK
                   : own_event(finder, lane, lane->next_change, &lane->own_change, err);
    // Whether it held before, so that it does not seem to begin at the first event.
    enum status status = finder->uses_pc ? place_lane(finder, lane, point, err) : STATUS_OK;
    lane->last = point;
    bool holds = false;
    if (status == STATUS_OK)
        status = evaluate(finder, lane, point, point, &holds, err);
    lane->holds = holds && !finder->request.condition->has_events;
    if (status == STATUS_OK && !finder->is_dense)
        status = own_event(finder, lane, lane->next_change, &lane->own_change, err);
    return status;
}

// Whether the operand that ends with term `last` holds only at events that it names by changed() or
// written().
static bool needs_event(const struct expression *condition, size_t last)
{
    enum expression_op op = condition->terms[last].op;
    if (op == EXPRESSION_CHANGED || op == EXPRESSION_WRITTEN)
        return true;
    if (op != EXPRESSION_BOTH && op != EXPRESSION_EITHER)
        return false;
    bool right = needs_event(condition, last - 1);
    bool left = needs_event(condition, expression_operand(condition, last - 1) - 1);
    return op == EXPRESSION_BOTH ? left || right : left && right;
}

enum status find_begin(struct finder **made, const struct index_view *view,
                       const struct find_request *request, struct error *err)
{
    const struct trawl_register *inputs[LIMIT_EXPRESSION_TERMS];
    struct finder *finder = calloc(1, sizeof *finder);
    *made = finder;
    if (!finder)
        return no_memory(err);
    finder->view = view;
    finder->request = *request;
    finder->next = request->first;
    finder->pc.high = UINT64_MAX;
    for (size_t i = 0; i < LIMIT_EXPRESSION_TERMS; i++)
        finder->inputs[i].high = UINT64_MAX;
    if (!view->info.events || request->first >= view->info.events) {
        finder->next = UINT64_MAX;
        finder->request.last = 0;
        return STATUS_OK;
    }
    finder->request.last = u64_min(request->last, view->info.events - 1);
    enum status status = find_inputs(finder, inputs, err);
    if (status != STATUS_OK)
        return status;
    // changed() compares with the value at the last evaluation, so none may be left out.
    if (!request->condition->has_changes)
        narrow(finder, inputs, request->condition->count - 1);
    const bool is_of_frames = index_view_has_snapshots(view);
    finder->is_dense = finder->uses_pc || request->wants_all || is_of_frames ||
                       request->condition->has_locals ||
                       (request->condition->has_events &&
                        !needs_event(request->condition, request->condition->count - 1));
    bool is_of_lanes = finder->uses_pc || finder->reads_registers ||
                       request->condition->has_locals || is_of_frames;
    size_t count = is_of_lanes && request->lane == TRAWL_ANY_LANE ? (size_t)view->info.lanes : 1;
    finder->lanes = calloc(count ? count : 1, sizeof *finder->lanes);
    if (!finder->lanes)
        return no_memory(err);
    finder->lane_count = count;
    finder->can_leap = finder->input_count && count <= LANES_LEAPT;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        finder->lanes[i].lane = !is_of_lanes                      ? TRAWL_ANY_LANE
                                : request->lane == TRAWL_ANY_LANE ? i
                                                                  : request->lane;
        status = begin_lane(finder, &finder->lanes[i], inputs, err);
    }
    return status;
}

void find_end(struct finder *finder)
{
    if (!finder)
        return;
    for (size_t i = 0; i < finder->lane_count; i++) {
        struct lane_condition *lane = &finder->lanes[i];
        for (size_t n = 0; lane->inputs && n < finder->input_count; n++)
            free(lane->inputs[n].events);
        free(lane->inputs);
        for (size_t n = 0; n < lane->objects.count; n++)
            free(lane->objects.items[n].bytes);
        free(lane->objects.items);
        free(lane->before);
        free(lane->memory.items);
    }
    free(finder->lanes);
    free(finder->rows);
    free(finder);
}

#include "query/find.h"

#include "base/vec.h"
#include "query/point.h"

#include <stdlib.h>

// Events, and writes of a register, that are read at once.
enum { BLOCK = 1024 };

// After so many evaluations or events it is asked whether the search has to end.
enum { STEPS_AT_ONCE = 1024 };

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

struct lane_condition {
    uint64_t lane; // TRAWL_ANY_LANE: of a condition without registers
    struct input *inputs;
    VEC(, struct memory_input) memory;
    VEC(, struct object) objects;      // in the order of the condition
    struct expression_operand *before; // of changed()
    uint64_t pc;
    bool has_pc;
    bool was_evaluated, holds;
    uint64_t last;        // event of the lane that was taken; TRAWL_START: none
    uint64_t next_change; // the first event that may change it; UINT64_MAX: none
    uint64_t own_change;  // the first of the lane from there on
};

struct finder {
    const struct index_view *view;
    struct find_request request;
    struct lane_condition *lanes;
    size_t lane_count, input_count;
    bool reads_registers, uses_pc, is_dense;
    struct hash_seed seed;    // of numbers made of objects
    uint64_t pc_low, pc_high; // the condition does not hold outside
    uint64_t next;            // event: those before are done
    uint64_t steps;           // taken
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
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for a search");
}

// --- What the condition reads --------------------------------------------------------------------

// The event of the next write of a register; UINT64_MAX: there is none.
static enum status next_write(struct finder *finder, const struct lane_condition *lane,
                              struct input *input, uint64_t *event, struct error *err)
{
    struct trawl_error from;
    *event = UINT64_MAX;
    if (input->at == input->count && !input->has_all) {
        const struct trawl_register_value_columns columns = {input->events, input->values,
                                                             input->knowns};
        enum trawl_status status = trawl_register_values(
            finder->view->index, lane->lane, input->after, UINT64_MAX, input->which->offset,
            (size_t)input->which->size_bytes, BLOCK, &columns, &input->count, &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        input->at = 0;
        input->has_all = input->count < BLOCK;
        if (input->count)
            input->after = input->events[input->count - 1];
    }
    if (input->at < input->count)
        *event = input->events[input->at];
    return STATUS_OK;
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
        struct input *input = &lane->inputs[i];
        for (;;) {
            enum status status = next_write(finder, lane, input, &next, err);
            if (status != STATUS_OK)
                return status;
            if (next > event)
                break;
            input->value = input->values[input->at];
            input->known = input->knowns[input->at++];
            input->written = next;
        }
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
    bool may_hold = !finder->uses_pc || (lane->pc >= finder->pc_low && lane->pc <= finder->pc_high);
    bool can_differ = finder->uses_pc || finder->request.condition->has_locals ||
                      finder->request.condition->has_events || !lane->was_evaluated ||
                      event >= lane->next_change;
    bool holds = may_hold && lane->holds;
    if (may_hold && can_differ)
        status = evaluate(finder, lane, lane->last + 1, event, &holds, err);
    lane->last = event;
    *is_found = status == STATUS_OK && is_point(finder, lane, holds);
    *point = (struct found_point){event, number};
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
        if (status != STATUS_OK || is_found)
            return status;
    }
    return error_set(err, STATUS_NOT_FOUND, "the condition holds nowhere else");
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

// Narrows the bounds of the pc by each part of the condition that must hold for all of it to hold:
// pc in SYMBOL, pc == NUMBER.
static void bound_pc(struct finder *finder, size_t last)
{
    const struct expression *condition = finder->request.condition;
    const struct expression_term *term = &condition->terms[last];
    uint64_t low = 0, high = UINT64_MAX;
    if (term->op == EXPRESSION_BOTH) {
        bound_pc(finder, last - 1);
        bound_pc(finder, expression_operand(condition, last - 1) - 1);
        return;
    }
    if (term->op == EXPRESSION_IN && last && term[-1].op == EXPRESSION_REGISTER &&
        expression_is_pc(&term[-1].which)) {
        low = term->symbol.address;
        high = low + (term->symbol.size_bytes - 1);
    } else if (term->op == EXPRESSION_EQUAL && last > 1 && term[-1].op <= EXPRESSION_SYMBOL &&
               term[-2].op <= EXPRESSION_SYMBOL) {
        const struct expression_term *left = &term[-2], *right = &term[-1];
        if (right->op == EXPRESSION_REGISTER && expression_is_pc(&right->which)) {
            right = left;
            left = &term[-1];
        }
        if (left->op != EXPRESSION_REGISTER || !expression_is_pc(&left->which) ||
            right->op == EXPRESSION_REGISTER)
            return;
        low = high = right->op == EXPRESSION_SYMBOL ? right->symbol.address : right->number;
    }
    finder->pc_low = low > finder->pc_low ? low : finder->pc_low;
    finder->pc_high = u64_min(finder->pc_high, high);
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
    struct trawl_error from;
    lane->before = calloc(LIMIT_EXPRESSION_TERMS, sizeof *lane->before);
    lane->inputs = calloc(finder->input_count + 1, sizeof *lane->inputs);
    if (!lane->before || !lane->inputs)
        return no_memory(err);
    for (size_t i = 0; i < finder->input_count; i++) {
        struct input *input = &lane->inputs[i];
        uint8_t values[8], known[8];
        *input = (struct input){.which = inputs[i], .written = TRAWL_START, .after = point};
        input->events = malloc(3 * BLOCK * sizeof *input->events);
        if (!input->events)
            return no_memory(err);
        input->values = input->events + BLOCK;
        input->knowns = input->values + BLOCK;
        enum trawl_status status =
            trawl_registers(finder->view->index, lane->lane, point, inputs[i]->offset,
                            (size_t)inputs[i]->size_bytes, values, known, &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        for (size_t b = 0; b < inputs[i]->size_bytes; b++) {
            input->value |= (uint64_t)values[b] << (8 * b);
            input->known |= (uint64_t)known[b] << b;
        }
    }
    lane->last = point;
    lane->next_change = finder->request.first;
    if (point == TRAWL_START || index_view_has_snapshots(finder->view))
        return finder->is_dense
                   ? STATUS_OK
                   : own_event(finder, lane, lane->next_change, &lane->own_change, err);
    // Whether it held before, so that it does not seem to begin at the first event.
    struct trawl_event about;
    uint64_t event;
    enum status status = STATUS_OK;
    if (finder->uses_pc) {
        status = point_in_lane(finder->view, lane->lane, point, &about, err);
        if (status == STATUS_OK && about.event != TRAWL_START &&
            trawl_instruction_before(finder->view->index, lane->lane, about.in_lane, &event,
                                     NULL) == TRAWL_OK) {
            status = index_view_event(finder->view, event, &about, err);
            lane->pc = about.pc & ~UINT64_C(1);
            lane->has_pc = true;
        }
    }
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
    finder->pc_high = UINT64_MAX;
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
    if (finder->uses_pc && !request->condition->has_changes)
        bound_pc(finder, request->condition->count - 1);
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
    free(finder);
}

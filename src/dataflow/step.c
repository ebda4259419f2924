#include "dataflow/step.h"

#include "query/trace_text.h"

#include <stdlib.h>

// Bytes that one instruction accesses: DC ZVA clears at most 2048.
enum { ACCESSED_AT_ONCE = 65536 };

static enum status make_room(struct dataflow *flow, struct error *err)
{
    flow->blocks = calloc(STEP_BLOCKS, sizeof *flow->blocks);
    flow->steps = malloc(STEPS_KEPT * sizeof *flow->steps);
    flow->texts = calloc(STEPS_KEPT, sizeof *flow->texts);
    flow->effects = malloc(STEPS_KEPT * sizeof *flow->effects);
    if (!flow->blocks || !flow->steps || !flow->texts || !flow->effects)
        return error_set(err, STATUS_MEMORY, "no memory for the events of a trace");
    for (size_t i = 0; i < STEPS_KEPT; i++)
        flow->steps[i].about.event = TRAWL_NONE;
    return STATUS_OK;
}

enum status dataflow_open(struct dataflow *flow, const struct index_view *view,
                          const struct trace *trace, struct error *err)
{
    *flow = (struct dataflow){.view = view, .event_count = view->info.events};
    if (!trace || !trace->kind->text)
        return error_set(err, STATUS_INPUT,
                         "the text of the trace is needed, which has the instructions: there is "
                         "only its index");
    if (!source_is_file(trace->source) && !source_is_mapped(trace->source))
        return error_set(err, STATUS_INPUT,
                         "%s: the text of the trace is needed, which has the instructions: a pipe "
                         "cannot be read again",
                         trace->path);
    if (!trace->kind->dataflow)
        return error_set(err, STATUS_INPUT, "%s: it is not known what instructions of %s do",
                         trace->path, trace->kind->words.a);
    flow->kind = trace->kind->dataflow;
    flow->reader = trace->kind->text;
    flow->how = trace_text_reading(view, trace);
    flow->has_places = trawl_has_places(view->index);
    const char *vector = flow->kind->vector;
    struct trawl_register about;
    if (vector && trawl_register_named(view->index, view->isa, vector, strlen(vector), &about,
                                       NULL) == TRAWL_OK)
        flow->vector_bytes = (uint16_t)u64_min(about.size_bytes, UINT16_MAX);
    enum status status = trace_lines_open(&flow->lines, trace->source, err);
    return status == STATUS_OK ? make_room(flow, err) : status;
}

enum status dataflow_open_again(struct dataflow *flow, const struct dataflow *of,
                                const struct index_view *view, struct error *err)
{
    *flow = (struct dataflow){.view = view,
                              .kind = of->kind,
                              .reader = of->reader,
                              .lines = of->lines,
                              .how = of->how,
                              .event_count = of->event_count,
                              .has_places = of->has_places};
    return make_room(flow, err);
}

void dataflow_close(struct dataflow *flow)
{
    free(flow->blocks);
    free(flow->steps);
    free(flow->texts);
    free(flow->effects);
    for (uint64_t i = 0; flow->gaps && i < flow->gaps->lane_count; i++)
        free(flow->gaps->lanes[i].events.items);
    if (flow->gaps) {
        free(flow->gaps->all.events.items);
        free(flow->gaps->lanes);
    }
    free(flow->gaps);
    *flow = (struct dataflow){0};
}

static enum status block_of(struct dataflow *flow, uint64_t event, const struct step_block **found,
                            struct error *err)
{
    uint64_t number = event / STEP_EVENTS;
    struct step_block *block = &flow->blocks[number % STEP_BLOCKS];
    struct trawl_error from;
    *found = block;
    if (block->number == number + 1)
        return STATUS_OK;
    const struct trawl_event_columns columns = {.lane = block->lane,
                                                .in_lane = block->in_lane,
                                                .position = block->position,
                                                .pc = block->pc,
                                                .flags = block->flags};
    block->number = 0;
    enum trawl_status read = trawl_events(flow->view->index, number * STEP_EVENTS, STEP_EVENTS,
                                          &columns, &block->count, &from);
    if (read != TRAWL_OK)
        return index_status(read, &from, err);
    block->number = number + 1;
    return STATUS_OK;
}

enum status dataflow_event(struct dataflow *flow, uint64_t event, struct trawl_event *about,
                           struct error *err)
{
    const struct step_block *block;
    enum status status = block_of(flow, event, &block, err);
    size_t row = event % STEP_EVENTS;
    if (status != STATUS_OK)
        return status;
    if (row >= block->count || block->lane[row] >= flow->view->info.lanes)
        return error_set(err, STATUS_DAMAGED, "the index has no event %llu",
                         (unsigned long long)event);
    *about = (struct trawl_event){.event = event,
                                  .lane = block->lane[row],
                                  .in_lane = block->in_lane[row],
                                  .position = block->position[row],
                                  .pc = block->pc[row],
                                  .flags = (uint32_t)block->flags[row]};
    return STATUS_OK;
}

// --- Memory by place -----------------------------------------------------------------------------

// Has questions mean places. *seen: to be restored by trawl_see_memory.
static void see_places(const struct index_view *view, struct trawl_memory_view *seen)
{
    static const struct trawl_memory_view places = {
        .lane = TRAWL_ANY_LANE, .event = TRAWL_NONE, .space = TRAWL_NONE, .is_physical = true};
    trawl_seen_memory(view->index, seen);
    trawl_see_memory(view->index, &places, NULL); // of no space: cannot fail
}

enum trawl_status dataflow_memory(const struct index_view *view, uint64_t event, uint64_t place,
                                  size_t size_bytes, uint8_t *values, uint8_t *known,
                                  struct trawl_error *from)
{
    struct trawl_memory_view seen;
    see_places(view, &seen);
    enum trawl_status status =
        trawl_memory(view->index, event, place, size_bytes, values, known, from);
    trawl_see_memory(view->index, &seen, NULL);
    return status;
}

enum trawl_status dataflow_written(const struct dataflow *flow, uint64_t event, uint64_t place,
                                   uint64_t size_bytes, struct trawl_write *write,
                                   struct trawl_error *from)
{
    struct trawl_memory_view seen;
    if (flow->has_places)
        see_places(flow->view, &seen);
    enum trawl_status status = trawl_memory_written(flow->view->index, event, TRAWL_BACKWARD, place,
                                                    size_bytes, write, from);
    if (flow->has_places)
        trawl_see_memory(flow->view->index, &seen, NULL);
    return status;
}

// --- One event -----------------------------------------------------------------------------------

// The text of an event: from its first line to that of the next event.
static enum status text_of(struct dataflow *flow, const struct trawl_event *about,
                           const char **text, size_t *size_bytes, struct error *err)
{
    struct trawl_event next;
    uint64_t end = flow->lines.size_bytes;
    if (about->event + 1 < flow->event_count) {
        enum status status = dataflow_event(flow, about->event + 1, &next, err);
        if (status != STATUS_OK)
            return status;
        end = u64_min(next.position, end);
    }
    *size_bytes = 0;
    if (about->position >= end)
        return STATUS_OK;
    uint64_t size = u64_min(end - about->position, LIMIT_STEP_TEXT_BYTES);
    if (!trace_lines_want(&flow->lines, about->position, about->position + size))
        return source_view_status(flow->lines.source, err);
    *text = flow->lines.text + about->position;
    *size_bytes = (size_t)size;
    return STATUS_OK;
}

static enum status read_text(struct dataflow *flow, const struct trawl_event *about,
                             bool with_accesses, struct trace_step *step, const char **text,
                             struct error *err)
{
    size_t size_bytes;
    *step = (struct trace_step){.code = {.pc = about->pc,
                                         .isa = (uint8_t)(about->flags & TRAWL_ISA),
                                         .vectors.bytes = flow->vector_bytes}};
    enum status status = text_of(flow, about, text, &size_bytes, err);
    if (status == STATUS_OK && size_bytes)
        flow->kind->read(*text, size_bytes, &flow->how, with_accesses, step);
    return status;
}

enum status dataflow_read(struct dataflow *flow, const struct trawl_event *about,
                          struct trace_step *step, const char **text, struct error *err)
{
    return read_text(flow, about, false, step, text, err);
}

// Decodes an instruction, with those before it in its lane if they matter.
static enum status decode(struct dataflow *flow, const struct trawl_event *about,
                          const struct trace_code *code, struct effects *effects, struct error *err)
{
    struct trace_code before[TRACE_CODES_BEFORE];
    size_t count = 0, wanted = flow->kind->before(code);
    struct trawl_event at = *about;
    while (count < wanted && at.in_lane) {
        struct trawl_error from;
        struct trace_step step;
        const char *text = NULL;
        uint64_t event;
        enum trawl_status found =
            trawl_instruction_before(flow->view->index, about->lane, at.in_lane - 1, &event, &from);
        if (found == TRAWL_NOT_FOUND)
            break;
        enum status status = index_status(found, &from, err);
        if (status == STATUS_OK)
            status = dataflow_event(flow, event, &at, err);
        if (status == STATUS_OK)
            status = read_text(flow, &at, false, &step, &text, err);
        if (status != STATUS_OK)
            return status;
        if (!step.code.size_bytes ||
            step.code.pc + step.code.size_bytes != (count ? before[count - 1].pc : code->pc))
            break;
        before[count++] = step.code;
    }
    flow->kind->effects(code, before, count, effects);
    return STATUS_OK;
}

uint64_t dataflow_stack_cell(struct dataflow *flow, unsigned mode)
{
    struct stack_name *stack = &flow->stack_names[mode % STACK_NAMES];
    if (!stack->is_read || stack->mode != mode) {
        const char *name = flow->kind->stack_name(mode);
        struct trawl_register about;
        *stack = (struct stack_name){UINT64_MAX, (uint8_t)mode, true};
        if (name &&
            trawl_register_named(flow->view->index, flow->kind->stack_isa, name, strlen(name),
                                 &about, NULL) == TRAWL_OK &&
            about.offset % 8 == 0 && about.size_bytes == 8 &&
            about.offset / 8 != flow->kind->stack_cell)
            stack->cell = about.offset / 8;
    }
    return stack->cell;
}

// --- System registers ----------------------------------------------------------------------------

// The flow of an instruction that moves a system register. NULL: none.
static const struct effect_flow *find_system_flow(const struct effects *effects, bool *is_read)
{
    for (unsigned i = 0; i < effects->flow_count; i++) {
        const struct effect_flow *of = &effects->flows[i];
        const struct effect_place *input = &effects->inputs[of->first];
        *is_read = of->count == 1 && input->kind == EFFECT_SYSTEM && input->role == ROLE_COPY &&
                   of->output.kind == EFFECT_REGISTER;
        if (*is_read || of->output.kind == EFFECT_SYSTEM)
            return of;
    }
    return NULL;
}

// Whether a register of the index had a value before an event that another has after it.
static bool is_same_value(const struct dataflow *flow, const struct trawl_event *about,
                          uint64_t before, uint64_t after, size_t size_bytes)
{
    uint8_t first[8], second[8], known[8], known_too[8];
    return about->event && size_bytes <= 8 &&
           trawl_registers(flow->view->index, about->lane, about->event - 1, before, size_bytes,
                           first, known, NULL) == TRAWL_OK &&
           trawl_registers(flow->view->index, about->lane, about->event, after, size_bytes, second,
                           known_too, NULL) == TRAWL_OK &&
           !memchr(known, 0, size_bytes) && !memchr(known_too, 0, size_bytes) &&
           memcmp(first, second, size_bytes) == 0;
}

// Whether the trace shows a write of the register at eight bytes of the space at an event.
static bool is_written_at(const struct dataflow *flow, const struct trawl_event *about,
                          uint64_t cell)
{
    uint64_t written;
    uint8_t mask;
    return index_register_writer(flow->view->index, about->lane, about->event, cell, 1, &written,
                                 &mask, NULL) == TRAWL_OK &&
           written == about->event;
}

bool step_names_stack(struct dataflow *flow, const struct dataflow_step *step, uint64_t *cell)
{
    if (!step->has_code)
        return false;
    *cell = dataflow_stack_cell(flow, step->mode);
    return *cell != UINT64_MAX &&
           (is_written_at(flow, &step->about, *cell) ||
            is_same_value(flow, &step->about, *cell * 8, flow->kind->stack_cell * 8, 8));
}

// Finds the system register that an instruction moves among those that the trace names, which it is
// if the trace shows the write at this event, or if what is read is what it was. (Hardware changes
// some of them, and most traces do not show that.)
static void find_system(const struct dataflow *flow, const char *name, struct dataflow_step *step,
                        const struct trawl_event *about)
{
    struct trawl_register named;
    bool is_read = false;
    const struct effect_flow *of =
        step->is_known ? find_system_flow(step->effects, &is_read) : NULL;
    if (!of ||
        trawl_register_named(flow->view->index, about->flags & TRAWL_ISA, name, strlen(name),
                             &named, NULL) != TRAWL_OK ||
        named.offset % 8 || !named.size_bytes || named.size_bytes > 8 ||
        flow->kind->is_bank(named.offset / 8, 1))
        return;
    step->has_system = is_read ? is_same_value(flow, about, named.offset, of->output.offset,
                                               (size_t)named.size_bytes)
                               : is_written_at(flow, about, named.offset / 8);
    step->system_bytes = (uint8_t)named.size_bytes;
    step->system_offset = named.offset;
    step->system_number = is_read ? step->effects->inputs[of->first].offset : of->output.offset;
}

// --- Accesses ------------------------------------------------------------------------------------

// Adds the pages of an event's accesses that its lines do not name: those that an access reaches
// into.
static enum status find_pages(struct dataflow *flow, uint64_t event, struct trace_step *text,
                              struct error *err)
{
    const uint64_t first = text->low / TRACE_PAGE_BYTES, last = text->high / TRACE_PAGE_BYTES;
    for (uint64_t page = first; last - first < TRACE_STEP_PAGES && page <= last; page++) {
        struct trawl_place place;
        struct trawl_error from;
        unsigned i = 0;
        while (i < text->page_count && text->pages[i].number != page)
            i++;
        if (i < text->page_count || i == TRACE_STEP_PAGES)
            continue;
        enum trawl_status found =
            trawl_place(flow->view->index, event, page * TRACE_PAGE_BYTES, &place, &from);
        if (found != TRAWL_OK)
            return index_status(found, &from, err);
        text->pages[text->page_count++] =
            (struct trace_page){page, place.place - page * TRACE_PAGE_BYTES};
    }
    return STATUS_OK;
}

enum status dataflow_step(struct dataflow *flow, uint64_t event, const struct dataflow_step **found,
                          struct error *err)
{
    size_t at = event * UINT64_C(0x9e3779b97f4a7c15) >> 55;
    struct dataflow_step *step = &flow->steps[at];
    struct trace_step *text = &flow->texts[at];
    _Static_assert(STEPS_KEPT == 1 << (64 - 55), "one for each value of the hash");
    *found = step;
    if (step->about.event == event)
        return STATUS_OK;
    step->about.event = TRAWL_NONE;
    struct trawl_event about;
    enum status status = dataflow_event(flow, event, &about, err);
    if (status != STATUS_OK)
        return status;
    step->has_code = step->is_known = step->has_access = step->has_system = false;
    step->system_name = text->system;
    *text->system = '\0';
    if (about.flags & TRAWL_HAS_INSTRUCTION) {
        const char *bytes = NULL;
        status = read_text(flow, &about, true, text, &bytes, err);
        if (status != STATUS_OK)
            return status;
        step->has_code = text->code.size_bytes;
        step->has_access = text->has_access;
        step->mode = text->mode;
        step->low = text->low;
        step->high = text->high;
        if (flow->has_places && step->has_access)
            status = find_pages(flow, event, text, err);
        if (status != STATUS_OK)
            return status;
        step->page_count = flow->has_places ? text->page_count : 0;
        step->pages = text->pages;
    }
    if (step->has_code) {
        status = decode(flow, &about, &text->code, &flow->effects[at], err);
        if (status != STATUS_OK)
            return status;
        step->effects = &flow->effects[at];
        step->is_known = step->effects->is_known;
        if (*text->system)
            find_system(flow, text->system, step, &about);
    }
    step->about = about;
    return STATUS_OK;
}

bool dataflow_text(struct dataflow *flow, uint64_t event, char text[LIMIT_TRACE_TEXT_BYTES])
{
    struct trawl_event about;
    struct text_span found;
    struct error err;
    const char *bytes = NULL;
    size_t size_bytes = 0;
    if (dataflow_event(flow, event, &about, &err) != STATUS_OK ||
        !(about.flags & TRAWL_HAS_INSTRUCTION) ||
        text_of(flow, &about, &bytes, &size_bytes, &err) != STATUS_OK || !size_bytes ||
        !flow->reader->instruction(bytes, size_bytes, &flow->how, about.pc & ~UINT64_C(1), &found))
        return false;
    trace_text_copy(text, found);
    return true;
}

// --- Places as bytes -----------------------------------------------------------------------------

bool place_begin(struct place_walk *walk, const struct dataflow_step *step,
                 const struct effect_place *place)
{
    *walk = (struct place_walk){.bytes.lane = (uint32_t)step->about.lane, .step = step};
    switch (place->kind) {
    case EFFECT_REGISTER:
        walk->bytes.space = DATA_REGISTERS;
        walk->at = place->offset;
        break;
    case EFFECT_FLAGS:
        walk->bytes.space = DATA_FLAGS;
        walk->bytes.mask = place->offset;
        walk->end = 1;
        return place->offset;
    case EFFECT_MEMORY:
        if (!step->has_access)
            return false;
        walk->bytes.space = DATA_MEMORY;
        walk->bytes.lane = 0;
        walk->at = step->low + place->offset;
        if (walk->at < step->low)
            return false;
        break;
    case EFFECT_SYSTEM:
        if (!step->has_system || place->offset != step->system_number)
            return false;
        walk->bytes.space = DATA_REGISTERS;
        walk->at = step->system_offset;
        walk->end = walk->at + u64_min(place->bytes, step->system_bytes);
        return true;
    default:
        return false;
    }
    walk->end = walk->at + place->bytes;
    if (place->kind == EFFECT_MEMORY && !place->bytes)
        walk->end = step->high + 1;
    if (walk->end < walk->at)
        walk->end = UINT64_MAX;
    walk->first = 0;
    // Of a hostile trace, accesses can be as far apart as memory is wide.
    return walk->end > walk->at && walk->end - walk->at <= ACCESSED_AT_ONCE;
}

bool place_next(struct place_walk *walk)
{
    if (walk->bytes.space == DATA_FLAGS)
        return walk->at < walk->end && ++walk->at;
    if (walk->at >= walk->end)
        return false;
    uint64_t left = walk->end - walk->at;
    if (walk->bytes.space == DATA_MEMORY && walk->step->page_count) {
        const struct dataflow_step *step = walk->step;
        uint64_t page = walk->at / TRACE_PAGE_BYTES;
        left = u64_min(left, TRACE_PAGE_BYTES - walk->at % TRACE_PAGE_BYTES);
        walk->bytes.to_place = 0;
        for (unsigned i = 0; i < step->page_count; i++) {
            if (step->pages[i].number == page)
                walk->bytes.to_place = step->pages[i].to_place;
        }
    }
    const uint64_t at = walk->at + walk->bytes.to_place;
    uint64_t low = at % 8, size = u64_min(8 - low, left);
    walk->first += walk->bytes.mask ? u64_ones(walk->bytes.mask) : 0;
    walk->bytes.cell = at / 8;
    walk->bytes.mask = (uint16_t)(((1u << size) - 1) << low);
    walk->at += size;
    return true;
}

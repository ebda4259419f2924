#include "browse/search.h"

#include "query/point.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { WRITES_AT_ONCE = 256, FIRST_WRITES = 4 };

struct event_search {
    const struct index_view *view;
    struct expression condition;
    char *text; // of the condition
    uint64_t lane, block_events;
    bool reads_pc; // it may change at every event
    _Atomic bool has_failed;
};

// Something that the condition reads, and when it is written from some point on.
struct input {
    bool is_register;
    uint64_t place, size_bytes;
    uint64_t events[WRITES_AT_ONCE];
    size_t at, count, wanted;
    bool is_over; // no more writes
};

struct event_seeker {
    struct event_search *search;
    struct index_view view;
    struct input *inputs; // the registers, then the memory that was read last
    size_t register_count, input_count;
    // What the last evaluation read.
    struct {
        uint64_t address, size_bytes;
    } loads[LIMIT_EXPRESSION_TERMS];
    size_t load_count, known_count;
    uint64_t event; // where it was made
};

// --- Values --------------------------------------------------------------------------------------

struct evaluation {
    struct event_seeker *seeker;
    struct point_registers registers;
    struct expression_registers plain;
};

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    struct evaluation *evaluation = self;
    return evaluation->plain.read(evaluation->plain.self, which, value);
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    struct evaluation *evaluation = self;
    struct event_seeker *seeker = evaluation->seeker;
    bool is_known =
        evaluation->plain.read_memory(evaluation->plain.self, address, size_bytes, value);
    seeker->loads[seeker->load_count].address = address;
    seeker->loads[seeker->load_count++].size_bytes = size_bytes;
    seeker->known_count += is_known;
    return is_known;
}

// Whether the condition is true after an event.
static bool is_true(struct event_seeker *seeker, uint64_t event)
{
    struct event_search *search = seeker->search;
    struct evaluation evaluation = {.seeker = seeker};
    uint64_t value;
    evaluation.registers =
        (struct point_registers){.view = &seeker->view, .lane = search->lane, .event = event};
    evaluation.plain = point_registers(&evaluation.registers);
    const struct expression_registers registers = {
        .self = &evaluation, .read = read_register, .read_memory = read_memory};
    seeker->load_count = seeker->known_count = 0;
    seeker->event = event;
    bool is_known = expression_evaluate(&search->condition, &registers, &value, NULL) == STATUS_OK;
    if (evaluation.registers.has_failed)
        atomic_store(&search->has_failed, true);
    return is_known && value;
}

// --- Writes --------------------------------------------------------------------------------------

// The first write of an input after an event; UINT64_MAX: there is none.
static uint64_t next_write(struct event_seeker *seeker, struct input *input, uint64_t after)
{
    for (;;) {
        while (input->at < input->count && input->events[input->at] + 1 <= after + 1)
            input->at++;
        if (input->at < input->count)
            return input->events[input->at];
        if (input->is_over)
            return UINT64_MAX;
        // Reads the next events that write an input, after an event.
        struct trawl_index *index = seeker->view.index;
        struct trawl_write writes[WRITES_AT_ONCE];
        struct trawl_error err;
        enum trawl_status status;
        input->at = input->count = 0;
        if (input->is_register) {
            status = trawl_register_writes(index, seeker->search->lane, after, TRAWL_FORWARD,
                                           input->place, (size_t)input->size_bytes, input->events,
                                           input->wanted, &input->count, &err);
        } else {
            status =
                trawl_memory_writes(index, after, TRAWL_FORWARD, input->place, input->size_bytes,
                                    writes, input->wanted, &input->count, &err);
            for (size_t i = 0; i < input->count; i++)
                input->events[i] = writes[i].event;
        }
        if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
            atomic_store(&seeker->search->has_failed, true);
        input->is_over = status != TRAWL_OK || input->count < input->wanted;
        input->wanted = input->wanted < WRITES_AT_ONCE ? input->wanted * 2 : WRITES_AT_ONCE;
    }
}

static struct input input_of(bool is_register, uint64_t place, uint64_t size_bytes)
{
    return (struct input){.is_register = is_register,
                          .place = place,
                          .size_bytes = size_bytes,
                          .wanted = FIRST_WRITES};
}

// The first event, after the last evaluation and up to `last`, at which memory became known;
// nothing is written before that. UINT64_MAX: none.
static uint64_t next_known(struct event_seeker *seeker, uint64_t last)
{
    uint64_t low = seeker->event, high = last; // not known at `low`
    size_t known = seeker->known_count;
    if (known == seeker->load_count || last == TRAWL_START || low + 1 > last)
        return UINT64_MAX;
    is_true(seeker, last);
    bool is_more = seeker->known_count > known;
    while (is_more && low + 1 < high) {
        uint64_t middle = low + 1 + (high - (low + 1)) / 2; // low may be TRAWL_START
        is_true(seeker, middle);
        if (seeker->known_count > known)
            high = middle;
        else
            low = middle;
    }
    is_true(seeker, low); // now the evaluation is at that event, or after it with the same known
                          // bytes
    return is_more ? high : UINT64_MAX;
}

// The next event, after that of the last evaluation and before `end`, at which the condition may
// change. False: there is none.
static bool next_change(struct event_seeker *seeker, uint64_t end, uint64_t *event)
{
    uint64_t after = seeker->event, found = end;
    if (seeker->search->reads_pc) {
        *event = after + 1;
        return *event < end;
    }
    // Watches the memory that the last evaluation read: addresses change with registers.
    size_t memory_count = seeker->input_count - seeker->register_count;
    bool is_same = memory_count == seeker->load_count;
    for (size_t i = 0; i < seeker->load_count && is_same; i++) {
        const struct input *input = &seeker->inputs[seeker->register_count + i];
        is_same = input->place == seeker->loads[i].address &&
                  input->size_bytes == seeker->loads[i].size_bytes;
    }
    if (!is_same) {
        for (size_t i = 0; i < seeker->load_count; i++)
            seeker->inputs[seeker->register_count + i] =
                input_of(false, seeker->loads[i].address, seeker->loads[i].size_bytes);
        seeker->input_count = seeker->register_count + seeker->load_count;
    }
    for (size_t i = 0; i < seeker->input_count; i++)
        found = u64_min(found, next_write(seeker, &seeker->inputs[i], after));
    uint64_t known = next_known(seeker, found - 1);
    *event = u64_min(found, known);
    return *event < end;
}

// --- Blocks --------------------------------------------------------------------------------------

// Moves to the next hit of a block; `was_true`: the condition after the last event examined.
static bool next_hit(struct event_seeker *seeker, uint64_t end, bool *was_true, uint64_t *event)
{
    while (next_change(seeker, end, event)) {
        bool is_hit = is_true(seeker, *event);
        bool is_new = is_hit && !*was_true;
        *was_true = is_hit;
        if (is_new)
            return true;
    }
    return false;
}

static bool begin_block(struct event_seeker *seeker, uint64_t block, uint64_t *end)
{
    const struct event_search *search = seeker->search;
    uint64_t first = block * search->block_events;
    *end = u64_min(first + search->block_events, seeker->view.info.events);
    for (size_t i = 0; i < seeker->register_count; i++)
        seeker->inputs[i] = input_of(true, seeker->inputs[i].place, seeker->inputs[i].size_bytes);
    seeker->input_count = seeker->register_count;
    return is_true(seeker, first - 1); // of the first event: TRAWL_START
}

static uint64_t count_hits(void *self, uint64_t block)
{
    uint64_t end, event, hits = 0;
    bool was_true = begin_block(self, block, &end);
    while (next_hit(self, end, &was_true, &event))
        hits++;
    return hits;
}

static bool find_hit(void *self, uint64_t block, uint64_t from, bool is_forward, uint64_t *found)
{
    uint64_t end, event;
    bool was_true = begin_block(self, block, &end), is_found = false;
    while (next_hit(self, end, &was_true, &event)) {
        if (from != SEARCH_START && is_forward && event <= from)
            continue;
        if (from != SEARCH_START && !is_forward && event >= from)
            break;
        *found = event;
        is_found = true;
        if (is_forward)
            break;
    }
    return is_found;
}

// --- Opening -------------------------------------------------------------------------------------

static void close_seeker(void *self)
{
    struct event_seeker *seeker = self;
    index_view_close(&seeker->view);
    free(seeker->inputs);
    free(seeker);
}

static enum status open_seeker(void *what, void **out, struct error *err)
{
    struct event_search *search = what;
    struct event_seeker *seeker = calloc(1, sizeof *seeker);
    if (seeker)
        seeker->inputs = calloc(LIMIT_EXPRESSION_TERMS + 1, sizeof *seeker->inputs);
    if (!seeker || !seeker->inputs) {
        free(seeker);
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    }
    seeker->search = search;
    enum status status = index_view_open_again(&seeker->view, search->view, err);
    if (status != STATUS_OK) {
        close_seeker(seeker);
        return status;
    }
    for (size_t i = 0; i < search->condition.count; i++) {
        const struct expression_term *term = &search->condition.terms[i];
        if (term->op == EXPRESSION_REGISTER && term->which.size_bytes)
            seeker->inputs[seeker->register_count++] =
                input_of(true, term->which.offset, term->which.size_bytes);
    }
    *out = seeker;
    return STATUS_OK;
}

static void free_search(void *self)
{
    struct event_search *search = self;
    free(search->text);
    free(search);
}

static bool has_failed(const void *self)
{
    return atomic_load(&((const struct event_search *)self)->has_failed);
}

static const struct search_kind event_kind = {
    .open = open_seeker,
    .close = close_seeker,
    .count = count_hits,
    .find = find_hit,
    .free = free_search,
    .has_failed = has_failed,
    .unit = "event",
};

enum status event_search_open(struct search **out, const struct index_view *view,
                              const struct expression *condition, uint64_t lane,
                              const struct search_way *way, struct error *err)
{
    *out = NULL;
    if (condition->has_locals)
        return error_set(err, STATUS_INPUT,
                         "variables of functions are not looked for here: 'trawl find' does");
    struct event_search *search = calloc(1, sizeof *search);
    if (search)
        search->text = strdup(condition->text);
    if (!search || !search->text) {
        free(search);
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    }
    search->view = view;
    search->condition = *condition;
    search->condition.text = search->text;
    search->lane = lane;
    search->block_events = view->info.segment_events ? view->info.segment_events : 1;
    for (size_t i = 0; i < condition->count; i++) {
        const struct expression_term *term = &condition->terms[i];
        search->reads_pc |= term->op == EXPRESSION_REGISTER && !term->which.size_bytes;
    }
    const struct search_plan plan = {
        .kind = &event_kind,
        .what = search,
        .text = search->text,
        .block_count = (view->info.events + search->block_events - 1) / search->block_events,
        .block_size = search->block_events,
        .start = way->start,
        .is_forward = way->is_forward,
        .threads = way->threads,
    };
    return search_open(out, &plan, err);
}

bool event_search_is(const struct search *search)
{
    return search_kind(search) == &event_kind;
}

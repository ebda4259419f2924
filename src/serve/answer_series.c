// series: what the frames of a trace file collected that is worth a track of its own: values that
// change from frame to frame.
//
// Somebody chose what a tracepoint collects, so what was collected by itself comes first: trace
// state variables, and memory of the size of a number. Registers are often collected all together;
// they fill up, those which change most first. The program counter, which the rows show, and the
// stack pointer are left out.
#include "base/limits.h"
#include "query/point.h"
#include "serve/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SERIES_MOST = 4,
    PLACES_MOST = 64,
    FRAMES_MOST = 1000,
    ACCESSES_AT_ONCE = 256,
    PLACE_BYTES = 128
};

struct series {
    bool is_chosen; // collected by itself
    char name[PLACE_BYTES];
    bool is_known;
    uint64_t value, values, changes; // the last one; how many are known; how often they differ
};

static void take_value(struct series *series, uint64_t value)
{
    series->values++;
    series->changes += series->is_known && series->value != value;
    series->is_known = true;
    series->value = value;
}

// --- Registers -----------------------------------------------------------------------------------

static void read_register(struct request_context *context, const struct trawl_register *about,
                          struct series *series)
{
    uint64_t count = context->session.view.info.events, frames = u64_min(count, FRAMES_MOST);
    for (uint64_t i = 0; i < frames; i++) {
        uint8_t values[sizeof(uint64_t)], known[sizeof(uint64_t)];
        size_t size = (size_t)about->size_bytes;
        browse_registers(&context->source, i * count / frames, about->offset, size, values, known);
        if (!memchr(known, 0, size))
            take_value(series,
                       point_number(values, size, about->flags & TRAWL_REGISTER_BIG_ENDIAN));
    }
}

static void add_registers(struct request_context *context, struct series *all, size_t capacity,
                          size_t *count)
{
    struct trawl_register about;
    struct trawl_error why;
    const unsigned left_out = TRAWL_REGISTER_VECTOR | TRAWL_REGISTER_SYSTEM | TRAWL_REGISTER_PC |
                              TRAWL_REGISTER_SP | TRAWL_REGISTER_VIEW | TRAWL_REGISTER_FLOAT;
    for (uint64_t i = 0; *count < capacity &&
                         trawl_register(context->session.view.index, i, &about, &why) == TRAWL_OK;
         i++) {
        if (!about.size_bytes || about.size_bytes > sizeof(uint64_t) || about.flags & left_out)
            continue;
        struct series series = {.is_chosen = about.flags & TRAWL_REGISTER_VARIABLE};
        snprintf(series.name, sizeof series.name, "%.*s", PLACE_BYTES - 1, about.name);
        read_register(context, &about, &series);
        if (series.changes)
            all[(*count)++] = series;
    }
}

// --- Memory --------------------------------------------------------------------------------------

// By its symbol, if that can be typed.
static void name_place(struct browse_source *source, uint64_t address, uint64_t size,
                       char name[PLACE_BYTES])
{
    static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char symbol[BROWSE_NAME_BYTES];
    bool is_named = browse_address_name(source, address, symbol) &&
                    strlen(symbol) < PLACE_BYTES / 2 && !symbol[strspn(symbol, letters)];
    if (is_named)
        snprintf(name, PLACE_BYTES, "%.*s:%" PRIu64, PLACE_BYTES / 2, symbol, size);
    else
        snprintf(name, PLACE_BYTES, "0x%" PRIx64 ":%" PRIu64, address, size);
}

static void take_access(struct browse_source *source, struct series *places, size_t *count,
                        uint64_t address, uint64_t size, uint64_t value)
{
    char name[PLACE_BYTES];
    size_t at = 0;
    if (size & (size - 1)) // no number
        return;
    name_place(source, address, size, name);
    while (at < *count && strcmp(places[at].name, name) != 0)
        at++;
    if (at == PLACES_MOST)
        return;
    if (at == *count) {
        places[at] = (struct series){.is_chosen = true};
        memcpy(places[at].name, name, sizeof name);
        ++*count;
    }
    take_value(&places[at], value);
}

// Memory that was collected without what lies beside it.
static enum status find_places(struct request_context *context, struct series *places,
                               size_t *count, struct error *err)
{
    uint64_t event[ACCESSES_AT_ONCE], address[ACCESSES_AT_ONCE], size[ACCESSES_AT_ONCE];
    uint64_t value[ACCESSES_AT_ONCE];
    const struct trawl_access_columns columns = {
        .event = event, .address = address, .size_bytes = size, .value = value};
    uint64_t frames = u64_min(context->session.view.info.events, FRAMES_MOST);
    struct trawl_error why;
    for (uint64_t frame = 0; frame < frames; frame++) {
        struct trawl_access_cursor place = {.event =
                                                frame * context->session.view.info.events / frames};
        size_t got = 0;
        enum trawl_status status =
            trawl_accesses(context->session.view.index, &place, place.event + 1, ACCESSES_AT_ONCE,
                           &columns, &got, &why);
        if (status != TRAWL_OK)
            return index_status(status, &why, err);
        for (size_t i = 0; i < got; i++) {
            bool is_after = i && address[i - 1] + size[i - 1] == address[i];
            bool is_before = i + 1 < got && address[i] + size[i] == address[i + 1];
            if (!is_after && !is_before)
                take_access(&context->source, places, count, address[i], size[i], value[i]);
        }
    }
    return STATUS_OK;
}

// --- The choice ----------------------------------------------------------------------------------

static int by_worth(const void *a, const void *b)
{
    const struct series *left = a, *right = b;
    if (left->is_chosen != right->is_chosen)
        return left->is_chosen ? -1 : 1;
    if (left->changes != right->changes)
        return left->changes > right->changes ? -1 : 1;
    return strcmp(left->name, right->name);
}

enum status answer_series(struct asking *asking, struct error *err)
{
    struct request_context *context = asking->context;
    struct json *json = asking->json;
    enum { ALL_MOST = 2 * PLACES_MOST };
    size_t count = 0;
    if (context->source.rows != ROWS_SNAPSHOTS)
        return error_set(err, STATUS_NOT_FOUND, "this trace has no frames");
    struct series *all = calloc(ALL_MOST, sizeof *all);
    if (!all)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    enum status status = find_places(context, all, &count, err);
    size_t changing = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i].changes)
            all[changing++] = all[i];
    }
    count = changing;
    if (status == STATUS_OK)
        add_registers(context, all, ALL_MOST, &count);
    qsort(all, count, sizeof *all, by_worth);
    json_key(json, "series");
    json_begin_array(json);
    for (size_t i = 0; i < u64_min(count, SERIES_MOST); i++) {
        json_begin_object(json);
        json_member_text(json, "of", all[i].name);
        json_member_u64(json, "values", all[i].values);
        json_member_u64(json, "changes", all[i].changes);
        json_end_object(json);
    }
    json_end_array(json);
    free(all);
    return status;
}

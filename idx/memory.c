// Questions about memory.
//
// A byte is what the last store at or before the point left; where that was not known (there is
// none, it was an unknown store, or a host call may have written since), it is what the first load
// behind that showed, wherever in the trace that is, unless a store came before it.
#include "idx/memory.h"

#include <stdlib.h>

#define NONE UINT64_MAX

// The records of one word in one segment.
struct word_rows {
    struct segment_view *view;
    uint64_t segment;
    uint64_t from, to;
    const struct column *events, *kinds, *values, *touched;
};

static enum status damaged_memory(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "memory of a segment", err);
}

// Finds them; from == to: there are none.
static enum status find_rows(struct trawl_index *index, uint64_t segment, uint64_t word,
                             struct word_rows *rows, struct error *err)
{
    uint64_t place, found, starts_of[2];
    *rows = (struct word_rows){.segment = segment, .view = index_segment(index, segment, err)};
    if (!rows->view)
        return STATUS_INPUT;
    const struct column *words = segment_column(index, rows->view, PART_MEMORY_WORDS, err);
    if (!words)
        return STATUS_INPUT;
    if (!column_find(words, 0, words->count, word, &place, &found))
        return damaged_memory(index, err);
    if (!place || found != word) // often, as directories know no better than 16 segments together
        return STATUS_OK;
    const struct column *starts = segment_column(index, rows->view, PART_MEMORY_STARTS, err);
    rows->events = segment_column(index, rows->view, PART_MEMORY_EVENTS, err);
    rows->kinds = segment_column(index, rows->view, PART_MEMORY_KINDS, err);
    rows->values = segment_column(index, rows->view, PART_MEMORY_VALUES, err);
    rows->touched = segment_column(index, rows->view, PART_MEMORY_TOUCHED, err);
    if (!starts || !rows->events || !rows->kinds || !rows->values || !rows->touched)
        return STATUS_INPUT;
    starts_of[1] = rows->events->count;
    if (!column_read(starts, place - 1, place < starts->count ? 2 : 1, starts_of) ||
        starts_of[0] > starts_of[1] || starts_of[1] > rows->events->count)
        return damaged_memory(index, err);
    rows->from = starts_of[0];
    rows->to = starts_of[1];
    return STATUS_OK;
}

// The row behind the last one at or before event `row_event` of the segment.
static enum status rows_until(struct trawl_index *index, const struct word_rows *rows,
                              uint64_t row_event, uint64_t *end, struct error *err)
{
    return column_search(rows->events, rows->from, rows->to, row_event, end)
               ? STATUS_OK
               : damaged_memory(index, err);
}

struct row {
    uint64_t event; // of the trace
    uint64_t kind;  // enum memory_kind
    uint8_t mask;
};

static bool read_row(const struct trawl_index *index, const struct word_rows *rows, uint64_t at,
                     struct row *row)
{
    uint64_t event, kind;
    if (!column_get(rows->events, at, &event) || !column_get(rows->kinds, at, &kind))
        return false;
    row->event = rows->segment * index->identity[IDENTITY_SEGMENT_EVENTS] + event;
    row->kind = kind & MEMORY_KIND;
    row->mask = (uint8_t)kind;
    return true;
}

static bool read_value(const struct word_rows *rows, uint64_t at, uint8_t mask, uint64_t *value)
{
    if (!column_get(rows->values, at, value))
        return false;
    *value <<= mask_shift(mask);
    return true;
}

// The nearest row below `at` (back), or at or above it, that touches any of `mask`, within the
// word; NONE. Rows are skipped by what groups of them touch. False: damage.
static bool next_row(const struct trawl_index *index, const struct word_rows *rows, uint64_t at,
                     uint8_t mask, bool back, uint64_t *found, struct row *row)
{
    uint64_t checked = NONE, touched = 0;
    *found = NONE;
    while (back ? at > rows->from : at < rows->to) {
        uint64_t here = back ? at - 1 : at, group = here / MEMORY_TOUCHED_RECORDS;
        if (group != checked && !column_get(rows->touched, group, &touched))
            return false;
        checked = group;
        if (!(touched & mask)) {
            at = back ? group * MEMORY_TOUCHED_RECORDS : (group + 1) * MEMORY_TOUCHED_RECORDS;
            continue;
        }
        if (!read_row(index, rows, here, row))
            return false;
        if (row->mask & mask) {
            *found = here;
            return true;
        }
        at = back ? here : here + 1;
    }
    return true;
}

// --- What a word holds ---------------------------------------------------------------------------

// What a byte's contents go back to.
struct origin {
    enum { FROM_START, FROM_STORE, FROM_UNKNOWN_STORE, FROM_HOST } kind;
    uint64_t event;        // of the trace
    uint64_t segment, row; // of FROM_UNKNOWN_STORE
};

struct word_question {
    struct trawl_index *index;
    uint64_t word;
    uint64_t event;   // the point
    uint64_t seen_by; // loads behind this event teach nothing
    uint64_t host[8]; // last host call that may have written the byte; NONE
    struct origin origins[8];
    uint8_t wanted;
    uint8_t known;
    uint8_t values[8];
    struct error *err;
};

static uint64_t per_segment(const struct trawl_index *index)
{
    return index->identity[IDENTITY_SEGMENT_EVENTS];
}

// Takes a store for the bytes of `mask`, unless a host call came behind it.
static bool take_store(struct word_question *question, const struct word_rows *rows, uint64_t at,
                       const struct row *row, uint8_t mask)
{
    uint64_t value = 0;
    if (row->kind == MEMORY_STORE && !read_value(rows, at, row->mask, &value))
        return false;
    for (unsigned i = 0; i < 8; i++) {
        struct origin *origin = &question->origins[i];
        if (!(mask >> i & 1))
            continue;
        if (question->host[i] != NONE && question->host[i] > row->event) {
            *origin = (struct origin){FROM_HOST, question->host[i], 0, 0};
        } else if (row->kind == MEMORY_STORE) {
            *origin = (struct origin){FROM_STORE, row->event, 0, 0};
            question->values[i] = (uint8_t)(value >> (8 * i));
            question->known |= (uint8_t)(1u << i);
        } else {
            *origin = (struct origin){FROM_UNKNOWN_STORE, row->event, rows->segment, at};
        }
    }
    return true;
}

// Bytes of `pending` that a host call wrote behind every event of the segments up to `segment`.
static uint8_t settled_by_host(struct word_question *question, uint8_t pending, uint64_t segment)
{
    uint8_t settled = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t host = question->host[i];
        if (!(pending >> i & 1) || host == NONE ||
            (segment != NONE && host / per_segment(question->index) <= segment))
            continue;
        question->origins[i] = (struct origin){FROM_HOST, host, 0, 0};
        settled |= (uint8_t)(1u << i);
    }
    return settled;
}

static enum status stores_in_segment(struct word_question *question, uint64_t segment,
                                     uint8_t *pending)
{
    struct trawl_index *index = question->index;
    struct word_rows rows;
    struct row row;
    uint64_t at, found;
    enum status status = find_rows(index, segment, question->word, &rows, question->err);
    if (status != STATUS_OK)
        return status;
    at = rows.to;
    if (segment == question->event / per_segment(index) && rows.from < rows.to &&
        (status =
             rows_until(index, &rows, question->event % per_segment(index), &at, question->err)))
        return status;
    while (*pending) {
        if (!next_row(index, &rows, at, *pending, true, &found, &row))
            return damaged_memory(index, question->err);
        if (found == NONE)
            return STATUS_OK;
        if (row.kind != MEMORY_LOAD) {
            if (!take_store(question, &rows, found, &row, row.mask & *pending))
                return damaged_memory(index, question->err);
            *pending &= (uint8_t)~row.mask;
        }
        at = found;
    }
    return STATUS_OK;
}

// Finds what each wanted byte goes back to.
static enum status find_origins(struct word_question *question)
{
    struct trawl_index *index = question->index;
    uint8_t pending = question->wanted;
    uint64_t home = question->event == TRAWL_START ? NONE : question->event / per_segment(index);
    uint64_t segment = home;
    while (pending && segment != NONE) {
        // The point's own segment is the likeliest, and is as quickly asked as the directory.
        if (segment != home &&
            !index_find_touched(index, 0, question->word, segment, true, &segment))
            return index_damaged(index, "directory of memory", question->err);
        pending &= (uint8_t)~settled_by_host(question, pending, segment);
        if (segment == NONE || !pending)
            break;
        enum status status = stores_in_segment(question, segment, &pending);
        if (status != STATUS_OK)
            return status;
        segment = segment ? segment - 1 : NONE;
    }
    settled_by_host(question, pending, NONE);
    return STATUS_OK;
}

// --- What loads teach ----------------------------------------------------------------------------

// Of the bytes of `mask`, those for which no host call came between their origin and `event`.
static uint8_t not_written_by_host(const uint64_t *next_host, uint8_t mask, uint64_t event)
{
    for (unsigned i = 0; i < 8; i++) {
        if ((mask >> i & 1) && next_host[i] <= event)
            mask &= (uint8_t) ~(1u << i);
    }
    return mask;
}

static enum status loads_in_segment(struct word_question *question, const struct origin *origin,
                                    const uint64_t *next_host, uint64_t segment, uint8_t *pending)
{
    struct trawl_index *index = question->index;
    struct word_rows rows;
    struct row row;
    uint64_t at, found, value;
    enum status status = find_rows(index, segment, question->word, &rows, question->err);
    if (status != STATUS_OK)
        return status;
    at = rows.from;
    if (origin->kind == FROM_UNKNOWN_STORE && segment == origin->segment)
        at = origin->row + 1;
    uint64_t in_segment = origin->event % per_segment(index);
    if (origin->kind == FROM_HOST && segment == origin->event / per_segment(index) && in_segment &&
        rows.from < rows.to &&
        (status = rows_until(index, &rows, in_segment - 1, &at, question->err)))
        return status;
    while (*pending) {
        if (!next_row(index, &rows, at, *pending, false, &found, &row))
            return damaged_memory(index, question->err);
        if (found == NONE)
            return STATUS_OK;
        at = found + 1;
        if (row.event > question->seen_by) {
            *pending = 0;
            return STATUS_OK;
        }
        uint8_t hit = row.mask & *pending;
        *pending &= (uint8_t)~row.mask;
        hit = not_written_by_host(next_host, hit, row.event);
        if (row.kind != MEMORY_LOAD || !hit)
            continue;
        if (!read_value(&rows, found, row.mask, &value))
            return damaged_memory(index, question->err);
        for (unsigned i = 0; i < 8; i++) {
            if (hit >> i & 1)
                question->values[i] = (uint8_t)(value >> (8 * i));
        }
        question->known |= hit;
    }
    return STATUS_OK;
}

// The first host call behind the origin that may have written the byte; NONE.
static uint64_t next_host_call(const struct word_question *question, const struct origin *origin,
                               unsigned byte)
{
    uint64_t from = origin->kind == FROM_START ? 0 : origin->event + 1;
    return index_region_at(question->index, question->word * 8 + byte, from, false);
}

// Moves on to the first segment at or behind `segment` that touches the word, unless *touched is
// it.
static bool find_touched_from(const struct word_question *question, unsigned kind, uint64_t segment,
                              uint64_t *touched)
{
    return *touched >= segment ||
           index_find_touched(question->index, kind, question->word, segment, false, touched);
}

// Looks for the loads that show the bytes of `pending`, which have one origin.
static enum status learn(struct word_question *question, const struct origin *origin,
                         uint8_t pending)
{
    struct trawl_index *index = question->index;
    uint64_t next_host[8], stored, loaded;
    uint64_t segment = origin->kind == FROM_START ? 0 : origin->event / per_segment(index);
    for (unsigned i = 0; i < 8; i++)
        next_host[i] = index_has_regions(index) ? next_host_call(question, origin, i) : NONE;
    bool is_sound = index_find_touched(index, 1, question->word, segment, false, &loaded) &&
                    index_find_touched(index, 0, question->word, segment, false, &stored);
    while (pending && segment < index->segment_count) {
        if (!is_sound || !find_touched_from(question, 1, segment, &loaded) ||
            !find_touched_from(question, 0, segment, &stored))
            return index_damaged(index, "directory of memory", question->err);
        if (loaded == NONE) // nothing shows it any more
            return STATUS_OK;
        segment = u64_min(stored, loaded);
        if (segment > question->seen_by / per_segment(index))
            return STATUS_OK;
        enum status status = loads_in_segment(question, origin, next_host, segment, &pending);
        if (status != STATUS_OK)
            return status;
        segment++;
    }
    return STATUS_OK;
}

static bool is_same_origin(const struct origin *a, const struct origin *b)
{
    return a->kind == b->kind && a->event == b->event && a->row == b->row;
}

static enum status read_word(struct word_question *question)
{
    for (unsigned i = 0; i < 8; i++) {
        question->origins[i] = (struct origin){FROM_START, 0, 0, 0};
        question->host[i] = NONE;
        if (index_has_regions(question->index) && question->event != TRAWL_START)
            question->host[i] =
                index_region_at(question->index, question->word * 8 + i, question->event, true);
    }
    enum status status = find_origins(question);
    uint8_t left = question->wanted & (uint8_t)~question->known;
    while (left && status == STATUS_OK) {
        const struct origin *origin = &question->origins[__builtin_ctz(left)];
        uint8_t group = 0;
        for (unsigned i = 0; i < 8; i++) {
            if ((left >> i & 1) && is_same_origin(&question->origins[i], origin))
                group |= (uint8_t)(1u << i);
        }
        status = learn(question, origin, group);
        left &= (uint8_t)~group;
    }
    return status;
}

static uint8_t mask_in_word(uint64_t address, size_t size_bytes)
{
    unsigned at = (unsigned)(address % 8);
    unsigned here = 8 - at < size_bytes ? 8 - at : (unsigned)size_bytes;
    return (uint8_t)(((1u << here) - 1) << at);
}

enum status index_memory(struct trawl_index *index, uint64_t event, uint64_t seen_by,
                         uint64_t address, size_t size_bytes, uint8_t *values, uint8_t *known,
                         struct error *err)
{
    if (event != TRAWL_START && event >= index->identity[IDENTITY_EVENTS])
        return error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path);
    for (size_t done = 0; done < size_bytes;) {
        uint64_t at = address + done;
        struct word_question question = {.index = index,
                                         .word = at / 8,
                                         .event = event,
                                         .seen_by = seen_by,
                                         .wanted = mask_in_word(at, size_bytes - done),
                                         .err = err};
        enum status status = read_word(&question);
        if (status != STATUS_OK)
            return status;
        for (unsigned i = (unsigned)(at % 8); i < 8 && done < size_bytes; i++, done++) {
            known[done] = question.known >> i & 1;
            values[done] = known[done] ? question.values[i] : 0;
        }
    }
    return STATUS_OK;
}

enum trawl_status trawl_memory(struct trawl_index *index, uint64_t event, uint64_t address,
                               size_t size_bytes, uint8_t *values, uint8_t *known,
                               struct trawl_error *err)
{
    return to_status(
        index_memory(index, event, UINT64_MAX, address, size_bytes, values, known, to_error(err)));
}

// --- Writes --------------------------------------------------------------------------------------

struct write_search {
    bool back;
    uint64_t event; // the last that counts, or with `back` false the first
    struct trawl_write best;
};

static void take_write(struct write_search *search, uint64_t event, enum trawl_write_kind kind)
{
    if (search->best.event == NONE ||
        (search->back ? event > search->best.event : event < search->best.event))
        search->best = (struct trawl_write){event, kind};
}

// Takes the segment's nearest store to the word, if it has one on the right side.
static enum status store_in_segment(struct trawl_index *index, uint64_t segment, uint64_t word,
                                    uint8_t mask, struct write_search *search, bool *is_found,
                                    struct error *err)
{
    struct word_rows rows;
    struct row row;
    uint64_t size = per_segment(index), at, found;
    enum status status = find_rows(index, segment, word, &rows, err);
    if (status != STATUS_OK || rows.from == rows.to)
        return status;
    at = search->back ? rows.to : rows.from;
    if (search->event / size == segment) {
        uint64_t in_segment = search->event % size;
        if (search->back || in_segment)
            status = rows_until(index, &rows, in_segment - !search->back, &at, err);
    }
    while (status == STATUS_OK) {
        if (!next_row(index, &rows, at, mask, search->back, &found, &row))
            return damaged_memory(index, err);
        if (found == NONE)
            return STATUS_OK;
        if (row.kind != MEMORY_LOAD) {
            take_write(search, row.event,
                       row.kind == MEMORY_STORE ? TRAWL_STORE : TRAWL_STORE_UNKNOWN);
            *is_found = true;
            return STATUS_OK;
        }
        at = search->back ? found : found + 1;
    }
    return status;
}

static enum status search_word(struct trawl_index *index, uint64_t word, uint8_t mask,
                               struct write_search *search, struct error *err)
{
    uint64_t home = search->event / per_segment(index), segment = home;
    bool is_found = false;
    while (!is_found) {
        // The point's own segment is the likeliest, and is as quickly asked as the directory.
        if (segment != home && !index_find_touched(index, 0, word, segment, search->back, &segment))
            return index_damaged(index, "directory of memory", err);
        if (segment == NONE)
            return STATUS_OK;
        enum status status = store_in_segment(index, segment, word, mask, search, &is_found, err);
        if (status != STATUS_OK)
            return status;
        if (search->back && segment == 0)
            return STATUS_OK;
        segment += search->back ? UINT64_MAX : 1;
    }
    return STATUS_OK;
}

static enum trawl_status search_memory(struct trawl_index *index, uint64_t address,
                                       size_t size_bytes, struct write_search *search,
                                       struct trawl_write *write, struct error *err)
{
    for (size_t done = 0; done < size_bytes;) {
        uint64_t at = address + done;
        uint8_t mask = mask_in_word(at, size_bytes - done);
        enum status status = search_word(index, at / 8, mask, search, err);
        if (status != STATUS_OK)
            return to_status(status);
        for (unsigned i = 0; i < 8 && index_has_regions(index); i++) {
            if (!(mask >> i & 1))
                continue;
            uint64_t host = index_region_at(index, at / 8 * 8 + i, search->event, search->back);
            if (host != NONE)
                take_write(search, host, TRAWL_HOST_WRITE);
        }
        done += (size_t)__builtin_popcount(mask);
    }
    *write = search->best;
    if (search->best.event == NONE)
        return to_status(error_set(err, STATUS_NOT_FOUND, "%s: not written", index->path));
    return TRAWL_OK;
}

enum trawl_status trawl_memory_written(struct trawl_index *index, uint64_t event, uint64_t address,
                                       size_t size_bytes, struct trawl_write *write,
                                       struct trawl_error *err)
{
    struct write_search search = {true, event, {NONE, TRAWL_STORE}};
    if (event != TRAWL_START && event >= index->identity[IDENTITY_EVENTS])
        return to_status(
            error_set(to_error(err), STATUS_NOT_FOUND, "%s: no such event", index->path));
    return search_memory(index, address, event == TRAWL_START ? 0 : size_bytes, &search, write,
                         to_error(err));
}

enum trawl_status trawl_memory_written_next(struct trawl_index *index, uint64_t event,
                                            uint64_t address, size_t size_bytes,
                                            struct trawl_write *write, struct trawl_error *err)
{
    struct write_search search = {false, event + 1, {NONE, TRAWL_STORE}}; // TRAWL_START + 1 is 0
    bool is_behind = search.event >= index->identity[IDENTITY_EVENTS];
    return search_memory(index, address, is_behind ? 0 : size_bytes, &search, write, to_error(err));
}

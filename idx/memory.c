// The contents of memory.
//
// A byte has the value that the last store or load at or before the point left or showed. If that
// is unknown (there is none, it stored an unknown value, or a host call may have written since), it
// has the value that the first load after it showed, wherever that is in the trace, unless a store
// came before the load. A load that shows another value than was there before is like a store
// (MEMORY_OUTSIDE), and says nothing about the time before it. If events are snapshots, a byte has
// the value that the event's own stores left.
//
// A query is answered for neighbouring words together, because their records are adjacent.
#include "idx/index.h"

#include "idx/memory_rows.h"
#include "idx/places.h"

#define NONE UINT64_MAX

// The point from which the contents of a byte come.
struct origin {
    enum { FROM_START, FROM_UNKNOWN_STORE, FROM_HOST, FROM_KNOWN } kind;
    uint64_t event; // of the trace
    uint64_t row;   // of FROM_UNKNOWN_STORE, in the segment
};

struct question {
    struct trawl_index *index;
    uint64_t event;                 // the point
    uint64_t seen_by;               // loads after this event's host call are ignored
    uint64_t first;                 // the number of the first word
    size_t count;                   // of words
    uint8_t pending[WORD_SET_BITS]; // the bytes of each word that are still being searched for
    uint8_t known[WORD_SET_BITS];
    uint64_t values[WORD_SET_BITS];
    struct origin origins[WORD_SET_BITS][8]; // of bytes that were not found, or of FROM_KNOWN
    bool has_hosts;
    uint64_t hosts[WORD_SET_BITS][8]; // last host call that may have written the byte; NONE
    struct error *err;
};

static uint64_t per_segment(const struct trawl_index *index)
{
    return index->identity[IDENTITY_SEGMENT_EVENTS];
}

static enum status damaged_directory(const struct question *question)
{
    return index_damaged(question->index, "directory of memory", question->err);
}

// The words with pending bytes. False: there are none.
static bool pending_words(const struct question *question, struct word_set *words)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < question->count; i++)
        bits |= (uint64_t)(question->pending[i] != 0) << i;
    if (!bits)
        return false;
    unsigned lowest = (unsigned)__builtin_ctzll(bits);
    words->first = question->first + lowest;
    words->last = question->first + 63 - (unsigned)__builtin_clzll(bits);
    words->bits = bits >> lowest;
    return true;
}

// Sets the bytes of `mask` of word `i`.
static void learn_bytes(struct question *question, size_t i, uint8_t mask, uint64_t value)
{
    uint64_t bytes = bytes_of_mask(mask);
    question->values[i] = (question->values[i] & ~bytes) | (value & bytes);
    question->known[i] |= mask;
}

// --- What was stored -----------------------------------------------------------------------------

static void set_origins(struct question *question, size_t i, uint8_t mask, struct origin origin)
{
    for (; mask; mask &= (uint8_t)(mask - 1))
        question->origins[i][__builtin_ctz(mask)] = origin;
}

// Whether a host call at event `host` came after the record.
static bool is_behind(uint64_t host, const struct memory_row *row)
{
    return host > row->event || (host == row->event && row->is_before_host_call);
}

// Uses a store or load for the bytes of `mask`, unless a host call came after it.
static enum status take_store(struct question *question, const struct memory_rows *rows, size_t i,
                              const struct memory_row *row, uint8_t mask)
{
    uint64_t value;
    for (unsigned k = 0; question->has_hosts && k < 8; k++) {
        uint64_t host = question->hosts[i][k];
        if (!(mask >> k & 1) || host == NONE || !is_behind(host, row))
            continue;
        question->origins[i][k] = (struct origin){FROM_HOST, host, 0};
        mask &= (uint8_t) ~(1u << k);
    }
    if (!mask)
        return STATUS_OK;
    if (row->kind == MEMORY_STORE_UNKNOWN) {
        set_origins(question, i, mask, (struct origin){FROM_UNKNOWN_STORE, row->event, row->at});
        return STATUS_OK;
    }
    enum status status = memory_rows_value(rows, row, &value, question->err);
    if (status == STATUS_OK) {
        learn_bytes(question, i, mask, value);
        set_origins(question, i, mask, (struct origin){FROM_KNOWN, row->event, row->at});
    }
    return status;
}

// Settles pending bytes that a host call wrote after all events of the segments up to `segment`.
static void settle_by_hosts(struct question *question, uint64_t segment)
{
    for (size_t i = 0; question->has_hosts && i < question->count; i++) {
        for (unsigned k = 0; k < 8; k++) {
            uint64_t host = question->hosts[i][k];
            if (!(question->pending[i] >> k & 1) || host == NONE ||
                (segment != NONE && host / per_segment(question->index) <= segment))
                continue;
            question->origins[i][k] = (struct origin){FROM_HOST, host, 0};
            question->pending[i] &= (uint8_t) ~(1u << k);
        }
    }
}

// Uses the last records of word `i` of the question, which is the current word `in_hand`.
static enum status stores_of_word(struct question *question, struct memory_rows *rows,
                                  size_t in_hand, size_t i)
{
    struct memory_row row = {.at = rows->from[in_hand + 1]};
    enum status status = STATUS_OK;
    if (memory_rows_hold(rows, question->event))
        status = memory_rows_until(rows, in_hand, question->event, &row.at, question->err);
    while (question->pending[i] && status == STATUS_OK) {
        uint8_t *pending = &question->pending[i];
        const bool is_snapshot = question->index->has_snapshots;
        const bool skips_loads = is_snapshot || question->index->only_stores_count;
        status = memory_rows_seek(rows, in_hand, row.at, *pending, skips_loads, true, &row,
                                  question->err);
        if (status != STATUS_OK || row.at == NONE)
            return status;
        if (is_snapshot && row.event != question->event)
            return STATUS_OK; // another frame
        if (row.kind == MEMORY_LOAD && (skips_loads || !is_behind(question->seen_by, &row)))
            continue;
        if (row.is_outside && skips_loads)
            continue;
        status = take_store(question, rows, i, &row, row.mask & *pending);
        *pending &= (uint8_t)~row.mask;
    }
    return status;
}

static enum status stores_in_segment(struct question *question, uint64_t segment,
                                     const struct word_set *words)
{
    struct memory_rows rows;
    enum status status =
        memory_rows_find(question->index, segment, words->first, words->last, &rows, question->err);
    if (status == STATUS_OK)
        status = memory_rows_next(&rows, question->err);
    for (size_t i = 0; status == STATUS_OK && i < rows.count; i++)
        status = stores_of_word(question, &rows, i, (size_t)(rows.numbers[i] - question->first));
    return status;
}

// The last segment at or before `segment` that touches the words. An earlier result stays valid
// until `segment` has passed it.
static bool find_touched_back(const struct question *question, const struct word_set *words,
                              bool *is_first, uint64_t touched[2], uint64_t *segment)
{
    const unsigned kinds =
        question->index->has_snapshots || question->index->only_stores_count ? 1 : 2;
    for (unsigned kind = 0; kind < kinds; kind++) {
        bool is_passed = touched[kind] != NONE && touched[kind] > *segment;
        if ((*is_first || is_passed) &&
            !index_find_touched(question->index, kind, words, *segment, true, &touched[kind]))
            return false;
    }
    *is_first = false;
    *segment = touched[0];
    if (kinds > 1 && touched[1] != NONE && (touched[0] == NONE || touched[1] > touched[0]))
        *segment = touched[1];
    return true;
}

// Finds the last stores or loads, or otherwise the origin of each byte.
static enum status find_stores(struct question *question)
{
    struct word_set words;
    uint64_t home =
        question->event == TRAWL_START ? NONE : question->event / per_segment(question->index);
    uint64_t segment = home, touched[2];
    bool is_first = true;
    while (segment != NONE && pending_words(question, &words)) {
        // The point's own segment is the most likely one, and searching it takes no longer than
        // searching the directory.
        if (segment != home && !find_touched_back(question, &words, &is_first, touched, &segment))
            return damaged_directory(question);
        settle_by_hosts(question, segment);
        if (segment == NONE || !pending_words(question, &words))
            break;
        enum status status = stores_in_segment(question, segment, &words);
        if (status != STATUS_OK)
            return status;
        segment = segment && !question->index->has_snapshots ? segment - 1 : NONE;
    }
    settle_by_hosts(question, NONE);
    for (size_t i = 0; i < question->count; i++)
        set_origins(question, i, question->pending[i], (struct origin){FROM_START, 0, 0});
    return STATUS_OK;
}

// --- What loads teach ----------------------------------------------------------------------------

// Bytes with the same origin, and for each the first host call after it that may have written it.
struct lesson {
    struct origin origin;
    uint64_t next_hosts[WORD_SET_BITS][8]; // or NONE
};

// Those bytes of `mask` of word `i` that no host call wrote between their origin and the record.
static uint8_t not_written_by_host(const struct lesson *lesson, size_t i, uint8_t mask,
                                   const struct memory_row *row)
{
    for (unsigned k = 0; k < 8; k++) {
        if ((mask >> k & 1) && !is_behind(lesson->next_hosts[i][k], row)) // NONE is after all
            mask &= (uint8_t) ~(1u << k);
    }
    return mask;
}

// The first record of the word after the origin.
static enum status find_origin(const struct question *question, const struct lesson *lesson,
                               const struct memory_rows *rows, size_t in_hand, uint64_t *at)
{
    const struct origin *origin = &lesson->origin;
    *at = rows->from[in_hand];
    if (origin->kind == FROM_START || origin->event < rows->first_event)
        return STATUS_OK;
    if (origin->kind == FROM_HOST)
        return origin->event
                   ? memory_rows_until(rows, in_hand, origin->event - 1, at, question->err)
                   : STATUS_OK;
    if (memory_rows_hold(rows, origin->event))
        *at = origin->row + 1;
    return STATUS_OK;
}

// Uses the first records after the origin that show word `i`, which is the current word `in_hand`.
static enum status loads_of_word(struct question *question, const struct lesson *lesson,
                                 struct memory_rows *rows, size_t in_hand, size_t i)
{
    uint8_t *pending = &question->pending[i];
    uint64_t at, value;
    enum status status = *pending ? find_origin(question, lesson, rows, in_hand, &at) : STATUS_OK;
    while (*pending && status == STATUS_OK) {
        struct memory_row row;
        status = memory_rows_seek(rows, in_hand, at, *pending, false, false, &row, question->err);
        if (status != STATUS_OK || row.at == NONE)
            return status;
        at = row.at + 1;
        if (!is_behind(question->seen_by, &row)) {
            *pending = 0;
            return STATUS_OK;
        }
        const bool only_stores = question->index->only_stores_count;
        if (only_stores && row.is_outside && row.kind != MEMORY_LOAD)
            continue;
        // The origin is a host call, and the record is in the same event, before the call.
        if (lesson->origin.kind == FROM_HOST && lesson->origin.event == row.event &&
            row.is_before_host_call)
            continue;
        uint8_t hit = row.mask & *pending;
        *pending &= (uint8_t)~row.mask;
        if (question->has_hosts)
            hit = not_written_by_host(lesson, i, hit, &row);
        const bool is_after_point = question->event == TRAWL_START || row.event > question->event;
        if (row.kind != MEMORY_LOAD || !hit || (row.is_outside && !only_stores && is_after_point))
            continue;
        status = memory_rows_value(rows, &row, &value, question->err);
        if (status == STATUS_OK)
            learn_bytes(question, i, hit, value);
    }
    return status;
}

static enum status loads_in_segment(struct question *question, const struct lesson *lesson,
                                    uint64_t segment, const struct word_set *words)
{
    struct memory_rows rows;
    enum status status =
        memory_rows_find(question->index, segment, words->first, words->last, &rows, question->err);
    if (status == STATUS_OK)
        status = memory_rows_next(&rows, question->err);
    for (size_t i = 0; status == STATUS_OK && i < rows.count; i++)
        status =
            loads_of_word(question, lesson, &rows, i, (size_t)(rows.numbers[i] - question->first));
    return status;
}

// The first segments at or after `segment` that store to the words and that show them by loads. An
// earlier result stays valid until `segment` has passed it.
static bool find_touched(const struct question *question, const struct word_set *words,
                         uint64_t segment, bool is_first, uint64_t touched[2])
{
    for (unsigned kind = 0; kind < 2; kind++) {
        if ((is_first || touched[kind] < segment) &&
            !index_find_touched(question->index, kind, words, segment, false, &touched[kind]))
            return false;
    }
    return true;
}

// Searches for the loads that show the pending bytes, which have the same origin.
static enum status learn(struct question *question, const struct lesson *lesson)
{
    struct word_set words;
    uint64_t first = lesson->origin.event / per_segment(question->index), touched[2];
    for (uint64_t segment = first; pending_words(question, &words); segment++) {
        if (!find_touched(question, &words, segment, segment == first, touched))
            return damaged_directory(question);
        segment = u64_min(touched[0], touched[1]);
        if (touched[1] == NONE || segment > question->seen_by / per_segment(question->index))
            return STATUS_OK; // no load shows them any more
        enum status status = loads_in_segment(question, lesson, segment, &words);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// Makes the bytes of `left` of word `i` that have the lesson's origin pending, and removes them
// from `left`.
static void choose_bytes(struct question *question, struct lesson *lesson, size_t i, uint8_t *left)
{
    uint64_t from = lesson->origin.kind == FROM_START ? 0 : lesson->origin.event + 1;
    question->pending[i] = 0;
    for (uint8_t mask = *left; mask; mask &= (uint8_t)(mask - 1)) {
        unsigned k = (unsigned)__builtin_ctz(mask);
        const struct origin *origin = &question->origins[i][k];
        if (origin->kind != lesson->origin.kind || origin->event != lesson->origin.event ||
            origin->row != lesson->origin.row)
            continue;
        question->pending[i] |= (uint8_t)(1u << k);
        if (question->has_hosts)
            lesson->next_hosts[i][k] =
                index_region_at(question->index, (question->first + i) * 8 + k, from, false);
    }
    *left &= (uint8_t)~question->pending[i];
}

// Finds the bytes of `wanted` that are not known from stores by loads, those of one origin at a
// time.
static enum status learn_unknown(struct question *question, const uint8_t *wanted)
{
    struct lesson lesson;
    uint8_t left[WORD_SET_BITS];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < question->count; i++)
        left[i] = wanted[i] & (uint8_t)~question->known[i];
    for (size_t i = 0; i < question->count && status == STATUS_OK; i++) {
        while (left[i] && status == STATUS_OK) {
            lesson.origin = question->origins[i][__builtin_ctz(left[i])];
            for (size_t k = 0; k < question->count; k++)
                choose_bytes(question, &lesson, k, &left[k]);
            status = learn(question, &lesson);
        }
    }
    return status;
}

// --- What later loads contradict -----------------------------------------------------------------

// Forgets those bytes of `mask` of word `i` for which a load, the first record after the point,
// shows another value: something outside of the trace changed them, before or after the point.
static enum status take_contradiction(struct question *question, const struct memory_rows *rows,
                                      size_t i, const struct memory_row *row, uint8_t mask)
{
    uint64_t value;
    enum status status = memory_rows_value(rows, row, &value, question->err);
    for (unsigned k = 0; k < 8 && status == STATUS_OK; k++) {
        if (!(mask >> k & 1) || !((value ^ question->values[i]) >> 8 * k & 0xff))
            continue;
        uint64_t host = NONE; // may have written it
        if (question->has_hosts)
            host = index_region_at(question->index, (question->first + i) * 8 + k,
                                   question->event + 1, false);
        if (is_behind(host, row)) // NONE is after all
            question->known[i] &= (uint8_t) ~(1u << k);
    }
    return status;
}

// Looks at the first records after the point that touch pending bytes in a segment.
static enum status contradictions_in_segment(struct question *question, uint64_t segment,
                                             const struct word_set *words)
{
    struct memory_rows rows;
    enum status status =
        memory_rows_find(question->index, segment, words->first, words->last, &rows, question->err);
    if (status == STATUS_OK)
        status = memory_rows_next(&rows, question->err);
    for (size_t in_hand = 0; status == STATUS_OK && in_hand < rows.count; in_hand++) {
        size_t i = (size_t)(rows.numbers[in_hand] - question->first);
        uint64_t at;
        if (!question->pending[i])
            continue;
        status = memory_rows_until(&rows, in_hand, question->event, &at, question->err);
        while (status == STATUS_OK && question->pending[i]) {
            struct memory_row row;
            status = memory_rows_seek(&rows, in_hand, at, question->pending[i], false, false, &row,
                                      question->err);
            if (status != STATUS_OK || row.at == NONE)
                break;
            at = row.at + 1;
            if (row.kind == MEMORY_LOAD)
                status =
                    take_contradiction(question, &rows, i, &row, row.mask & question->pending[i]);
            question->pending[i] &= (uint8_t)~row.mask;
        }
    }
    return status;
}

// A segment does not know what memory had before it. So a load in another segment than the last
// access before it may show a change from outside, which may have been before the point.
static enum status find_contradictions(struct question *question)
{
    struct word_set words;
    uint64_t touched[2];
    const uint64_t home = question->event / per_segment(question->index);
    for (size_t i = 0; i < question->count; i++) {
        question->pending[i] = 0;
        for (uint8_t mask = question->known[i]; mask; mask &= (uint8_t)(mask - 1)) {
            const struct origin *origin = &question->origins[i][__builtin_ctz(mask)];
            bool is_here = origin->kind == FROM_KNOWN && origin->event == question->event;
            question->pending[i] |= is_here ? 0 : mask & (uint8_t)-mask;
        }
    }
    for (uint64_t segment = home; pending_words(question, &words); segment++) {
        if (segment != home) {
            if (!find_touched(question, &words, segment, segment == home + 1, touched))
                return damaged_directory(question);
            segment = u64_min(touched[0], touched[1]);
            if (touched[1] == NONE)
                return STATUS_OK; // no load shows them
        }
        enum status status = contradictions_in_segment(question, segment, &words);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// --- Questions -----------------------------------------------------------------------------------

static enum status ask(struct question *question, uint64_t address, size_t size_bytes)
{
    uint8_t wanted[WORD_SET_BITS];
    question->first = address / 8;
    question->count = (size_t)(address % 8 + size_bytes + 7) / 8;
    memset(question->known, 0, question->count);
    memset(question->values, 0, question->count * sizeof *question->values);
    memset(wanted, 0xff, question->count);
    wanted[0] &= (uint8_t)(0xff << address % 8);
    wanted[question->count - 1] &= (uint8_t)(0xff >> (7 - (address + size_bytes - 1) % 8));
    memcpy(question->pending, wanted, question->count);
    uint64_t first = question->first * 8, last = first + question->count * 8 - 1;
    question->has_hosts = index_has_regions(question->index, first, last);
    for (size_t i = 0; question->has_hosts && i < 8 * question->count; i++)
        question->hosts[i / 8][i % 8] =
            question->event == TRAWL_START
                ? NONE
                : index_region_at(question->index, first + i, question->event, true);
    enum status status = find_stores(question);
    if (status != STATUS_OK || question->index->has_snapshots) // their loads are about other events
        return status;
    for (size_t i = 0; i < question->count; i++)
        wanted[i] &= (uint8_t)~question->known[i];
    if (question->event != TRAWL_START && question->seen_by == UINT64_MAX &&
        !question->index->only_stores_count)
        status = find_contradictions(question);
    return status == STATUS_OK ? learn_unknown(question, wanted) : status;
}

enum status index_memory(struct trawl_index *index, uint64_t event, uint64_t seen_by,
                         uint64_t address, size_t size_bytes, uint8_t *values, uint8_t *known,
                         struct error *err)
{
    struct question question; // too large to be cleared for a few bytes
    question.index = index;
    question.event = event;
    question.seen_by = seen_by;
    question.err = err;
    if (event != TRAWL_START && event >= index->identity[IDENTITY_EVENTS])
        return error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path);
    for (size_t done = 0; done < size_bytes;) {
        // Up to that many words, and to the end of the address space, where addresses wrap around.
        uint64_t at = address + done, here = 8 * WORD_SET_BITS - at % 8;
        here = u64_min(here, size_bytes - done);
        here = at ? u64_min(here, 0 - at) : here;
        enum status status = ask(&question, at, (size_t)here);
        if (status != STATUS_OK)
            return status;
        for (uint64_t i = 0; i < here; i++, done++) {
            size_t word = (size_t)(at % 8 + i) / 8, byte = (size_t)(at + i) % 8;
            known[done] = question.known[word] >> byte & 1;
            values[done] = known[done] ? (uint8_t)(question.values[word] >> (8 * byte)) : 0;
        }
    }
    return STATUS_OK;
}

enum trawl_status trawl_memory(struct trawl_index *index, uint64_t event, uint64_t address,
                               size_t size_bytes, uint8_t *values, uint8_t *known,
                               struct trawl_error *err)
{
    struct error why;
    enum status status = STATUS_OK;
    address = index_pc_address(index, address);
    if (!index->has_places)
        return errors_give(
            err, &why,
            index_memory(index, event, UINT64_MAX, address, size_bytes, values, known, &why));
    if (event != TRAWL_START && event >= index->identity[IDENTITY_EVENTS])
        return errors_give(err, &why,
                           error_set(&why, STATUS_NOT_FOUND, "%s: no such event", index->path));
    for (size_t done = 0; done < size_bytes && status == STATUS_OK;) {
        struct index_place found;
        status = index_place(index, event, address + done, &found, &why);
        if (status != STATUS_OK)
            break;
        const size_t here = (size_t)u64_min(found.size_bytes, size_bytes - done);
        status = index_memory(index, event, UINT64_MAX, found.place, here, values + done,
                              known + done, &why);
        if (status == STATUS_OK && memchr(known + done, 1, here))
            index_note_doubt(index, address + done, &found);
        done += here;
    }
    return errors_give(err, &why, status);
}

static int compare_region(const struct region *region, unsigned shift, uint64_t block,
                          uint64_t event)
{
    if (region->shift != shift)
        return region->shift < shift ? -1 : 1;
    if (region->block != block)
        return region->block < block ? -1 : 1;
    return (region->event > event) - (region->event < event);
}

size_t index_region_find(const struct trawl_index *index, unsigned shift, uint64_t block,
                         uint64_t event)
{
    size_t low;
    PARTITION_POINT(low, index->regions.count,
                    compare_region(&index->regions.items[middle], shift, block, event) < 0);
    return low;
}

uint64_t index_region_at(const struct trawl_index *index, uint64_t address, uint64_t event,
                         bool back)
{
    uint64_t found = UINT64_MAX;
    if (index->live) // none of them is after the point in question
        return back ? live_regions_at(index->live, address) : UINT64_MAX;
    for (uint64_t shifts = index->region_shifts; shifts; shifts &= shifts - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(shifts);
        uint64_t block = address >> shift;
        size_t place = index_region_find(index, shift, block, back ? event + 1 : event);
        if (back && place-- == 0)
            continue;
        if (place == index->regions.count)
            continue;
        const struct region *region = &index->regions.items[place];
        if (region->shift != shift || region->block != block)
            continue;
        if (found == UINT64_MAX || (back ? region->event > found : region->event < found))
            found = region->event;
    }
    return found;
}

bool index_has_regions(const struct trawl_index *index, uint64_t first, uint64_t last)
{
    if (index->live)
        return true;
    for (uint64_t shifts = index->region_shifts; shifts; shifts &= shifts - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(shifts);
        size_t place = index_region_find(index, shift, first >> shift, 0);
        if (place < index->regions.count && index->regions.items[place].shift == shift &&
            index->regions.items[place].block <= last >> shift)
            return true;
    }
    return false;
}

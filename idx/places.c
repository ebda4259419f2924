#include "idx/places.h"

#include "base/limits.h"
#include "base/vec.h"

#include <stdlib.h>

#define NONE UINT64_MAX

// --- Spaces --------------------------------------------------------------------------------------

// The spaces of a lane at an event, for any regime.
struct lane_spaces {
    uint64_t lane, event; // lane NONE: unused
    uint64_t values[SPACE_REGISTER_ROOM];
};

#define SPACES_KEPT 256

// A space with accesses.
struct known_space {
    struct index_space space;
    char text[INDEX_SPACE_TEXT_BYTES];
    uint64_t first_event, rows;
};

// What is known of a page in all of the trace.
struct page_memo {
    uint64_t page, place;
    enum {
        PAGE_IS_NOT_KEPT,
        PAGE_IS_NOWHERE,      // it is never accessed
        PAGE_IS_AT_ONE_PLACE, // in whatever space
    } kind;
};

#define PAGES_KEPT 1024

struct index_places {
    uint64_t offsets[SPACE_REGISTER_ROOM]; // of registers; NONE: the trace has none of that name
    struct lane_spaces spaces[SPACES_KEPT];
    struct page_memo pages[PAGES_KEPT];
    // The rows of a segment by place.
    uint64_t segment; // NONE: of no segment
    struct placed_row {
        uint64_t place, page, event;
    } * rows;
    size_t row_count;
    VEC(, struct known_space) list; // in the order of their first accesses
    bool is_listed;
    VEC(, uint64_t) all; // pages, ascending
    bool has_all;
};

void index_places_free(struct index_places *places)
{
    if (places) {
        free(places->rows);
        free(places->list.items);
        free(places->all.items);
    }
    free(places);
}

static enum status open_places(struct trawl_index *index, struct error *err)
{
    if (index->places)
        return STATUS_OK;
    struct index_places *places = calloc(1, sizeof *places);
    if (!places)
        return index_no_memory(index, err);
    for (size_t i = 0; i < SPACE_REGISTER_ROOM; i++) {
        struct trawl_register about;
        const char *name = index_space_register_name((int)i);
        places->offsets[i] = NONE;
        for (uint32_t isa = 0; name && isa < 3 && places->offsets[i] == NONE; isa++) {
            if (trawl_register_named(index, isa, name, strlen(name), &about, NULL) == TRAWL_OK)
                places->offsets[i] = about.offset;
        }
    }
    for (size_t i = 0; i < SPACES_KEPT; i++)
        places->spaces[i].lane = NONE;
    places->segment = NONE;
    index->places = places;
    return STATUS_OK;
}

static enum status read_registers(struct trawl_index *index, uint64_t lane, uint64_t event,
                                  const uint64_t **values, struct error *err)
{
    const uint64_t key = (event ^ lane << 40) * UINT64_C(0x9e3779b97f4a7c15);
    struct lane_spaces *kept = &index->places->spaces[key >> 56];
    *values = kept->values;
    if (kept->lane == lane && kept->event == event)
        return STATUS_OK;
    kept->lane = NONE;
    for (size_t i = 0; i < SPACE_REGISTER_ROOM; i++) {
        uint8_t bytes[8], known[8];
        struct trawl_error from;
        uint64_t value = 0;
        kept->values[i] = INDEX_SPACE_UNKNOWN;
        if (index->places->offsets[i] == NONE)
            continue;
        enum trawl_status status = trawl_registers(index, lane, event, index->places->offsets[i],
                                                   sizeof bytes, bytes, known, &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        for (size_t k = 0; k < sizeof bytes; k++)
            value |= (uint64_t)bytes[k] << 8 * k;
        kept->values[i] = known[0] ? value : INDEX_SPACE_UNKNOWN;
    }
    kept->lane = lane;
    kept->event = event;
    return STATUS_OK;
}

// --- The rows of pages ---------------------------------------------------------------------------

struct page_rows {
    const struct column *pages, *events, *owners, *places; // pages NULL: the segment has none
    uint64_t from, to;
    uint64_t first_event;
};

static enum status damaged_places(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "places of pages", err);
}

static enum status open_rows(struct trawl_index *index, uint64_t segment, struct page_rows *rows,
                             struct error *err)
{
    struct segment_view *view = index_segment(index, segment, err);
    *rows = (struct page_rows){.first_event = segment * index->identity[IDENTITY_SEGMENT_EVENTS]};
    if (!view)
        return STATUS_DAMAGED;
    if (!parts_find(&view->parts, PART_PLACE_PAGES))
        return STATUS_OK;
    if (!(rows->pages = segment_column(index, view, PART_PLACE_PAGES, err)) ||
        !(rows->events = segment_column(index, view, PART_PLACE_EVENTS, err)) ||
        !(rows->owners = segment_column(index, view, PART_PLACE_OWNERS, err)) ||
        !(rows->places = segment_column(index, view, PART_PLACES, err)))
        return STATUS_DAMAGED;
    rows->to = rows->pages->count;
    return rows->events->count == rows->to && rows->owners->count == rows->to &&
                   rows->places->count == rows->to
               ? STATUS_OK
               : damaged_places(index, err);
}

static enum status find_page(struct trawl_index *index, uint64_t segment, uint64_t page,
                             struct page_rows *rows, struct error *err)
{
    enum status status = open_rows(index, segment, rows, err);
    if (status != STATUS_OK || !rows->pages)
        return status;
    const uint64_t count = rows->to;
    if (!column_search(rows->pages, 0, count, page, &rows->to) ||
        (page && !column_search(rows->pages, 0, rows->to, page - 1, &rows->from)))
        return damaged_places(index, err);
    return STATUS_OK;
}

struct page_row {
    uint64_t event, lane, place;
    uint8_t regime;
};

static enum status read_row(const struct trawl_index *index, const struct page_rows *rows,
                            uint64_t at, struct page_row *row, struct error *err)
{
    uint64_t event, owner;
    if (!column_get(rows->events, at, &event) || !column_get(rows->owners, at, &owner) ||
        !column_get(rows->places, at, &row->place) ||
        rows->first_event + event >= index->identity[IDENTITY_EVENTS] ||
        owner >> 2 >= index->lane_count || row->place >> (64 - PLACE_PAGE_BITS))
        return damaged_places(index, err);
    row->event = rows->first_event + event;
    row->lane = owner >> 2;
    row->regime = owner & 3;
    return STATUS_OK;
}

// The regime of a lane at an event, as far as its segment shows it. *is_flat: all memory of the
// segment is at its addresses, so it does not.
static enum status regime_at(struct trawl_index *index, uint64_t lane, uint64_t event,
                             uint8_t *regime, bool *is_flat, struct error *err)
{
    const uint64_t until = event % index->identity[IDENTITY_SEGMENT_EVENTS];
    struct segment_view *view =
        index_segment(index, event / index->identity[IDENTITY_SEGMENT_EVENTS], err);
    *regime = REGIME_UNKNOWN;
    if (!view)
        return STATUS_DAMAGED;
    *is_flat = !parts_find(&view->parts, PART_PLACE_PAGES);
    if (!parts_find(&view->parts, PART_PLACE_REGIMES))
        return STATUS_OK;
    const struct column *column = segment_column(index, view, PART_PLACE_REGIMES, err);
    if (!column)
        return STATUS_DAMAGED;
    // The rows of each lane are together, in the order of events: bounded by the segment's events.
    uint64_t block[COLUMN_BLOCK], latest = 0;
    for (uint64_t at = 0; at < column->count; at += COLUMN_BLOCK) {
        const size_t here = (size_t)u64_min(COLUMN_BLOCK, column->count - at);
        if (!column_read(column, at, here, block))
            return damaged_places(index, err);
        for (size_t i = 0; i < here; i++) {
            const uint64_t row = block[i] >> PLACE_OWNER_BITS;
            if ((block[i] & ((1u << PLACE_OWNER_BITS) - 1)) >> 2 != lane || row > until ||
                row < latest)
                continue;
            latest = row;
            *regime = block[i] & 3;
        }
    }
    return STATUS_OK;
}

// --- Looking up ----------------------------------------------------------------------------------

struct look_up {
    struct trawl_index *index;
    uint64_t lane, event, page; // event TRAWL_START: before all
    struct index_space space;
    uint64_t place; // of the page in its space; NONE: not found
    // Of any space: the nearest of the same lane before the event, of any lane before it, and after
    // it; and whether they differ.
    uint64_t own_before, before, after;
    uint64_t first;
    bool has_several;
    // Whether the regime is unknown. Then several spaces may have the same registers: the nearest
    // place in any of them, and whether these differ.
    bool is_unsure;
    uint64_t alike;
    bool alike_differ;
    struct error *err;
};

static enum status take_row(struct look_up *look, const struct page_rows *rows, uint64_t at,
                            bool is_before)
{
    struct page_row row;
    const uint64_t *values;
    enum status status = read_row(look->index, rows, at, &row, look->err);
    if (status == STATUS_OK)
        status = read_registers(look->index, row.lane, row.event, &values, look->err);
    if (status != STATUS_OK)
        return status;
    const struct index_space space = index_space_of(values, row.regime, index_is_upper(look->page));
    const bool is_alike = index_is_same_space(&space, &look->space);
    if (is_alike && !look->is_unsure) {
        look->place = row.place;
        return STATUS_OK;
    }
    if (is_alike) {
        look->alike_differ |= look->alike != NONE && look->alike != row.place;
        look->alike = look->alike == NONE ? row.place : look->alike;
    }
    look->has_several |= look->first != NONE && look->first != row.place;
    look->first = look->first == NONE ? row.place : look->first;
    if (is_before && row.lane == look->lane && look->own_before == NONE)
        look->own_before = row.place;
    if (is_before && look->before == NONE)
        look->before = row.place;
    if (!is_before && look->after == NONE)
        look->after = row.place;
    return STATUS_OK;
}

// Looks at the rows of a segment on one side of the event, the nearest first.
static enum status look_in_segment(struct look_up *look, uint64_t segment, bool is_before)
{
    struct page_rows rows;
    enum status status = find_page(look->index, segment, look->page, &rows, look->err);
    if (status != STATUS_OK)
        return status;
    if (!rows.pages) {
        // A segment without places has all memory at its addresses; in which spaces is not known.
        const uint64_t per_segment = look->index->identity[IDENTITY_SEGMENT_EVENTS];
        struct trawl_index *index = look->index;
        struct segment_view *view = index_segment(index, segment, look->err);
        const struct column *words =
            view ? segment_column(index, view, PART_MEMORY_WORDS, look->err) : NULL;
        uint64_t at, found;
        const uint64_t first = look->page << (PLACE_PAGE_BITS - 3);
        if (!words)
            return STATUS_DAMAGED;
        if (look->page >> (64 - PLACE_PAGE_BITS))
            return STATUS_OK;
        if (!column_find(words, 0, words->count, first + (UINT64_C(1) << (PLACE_PAGE_BITS - 3)) - 1,
                         &at, &found))
            return index_damaged(index, "memory of a segment", look->err);
        if (!at || found < first)
            return STATUS_OK;
        if (look->event != TRAWL_START && segment == look->event / per_segment) {
            look->place = look->page; // all spaces of these events have it there
            return STATUS_OK;
        }
        look->has_several |= look->first != NONE && look->first != look->page;
        look->first = look->first == NONE ? look->page : look->first;
        uint64_t *nearest = is_before ? &look->before : &look->after;
        *nearest = *nearest == NONE ? look->page : *nearest;
        return STATUS_OK;
    }
    uint64_t middle = rows.from;
    if (look->event != TRAWL_START && look->event >= rows.first_event &&
        !column_search(rows.events, rows.from, rows.to, look->event - rows.first_event, &middle))
        return damaged_places(look->index, look->err);
    for (uint64_t at = middle; is_before && at-- > rows.from && look->place == NONE;) {
        if ((status = take_row(look, &rows, at, true)) != STATUS_OK)
            return status;
    }
    for (uint64_t at = middle; !is_before && at < rows.to && look->place == NONE; at++) {
        if ((status = take_row(look, &rows, at, false)) != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status look_up(struct look_up *look)
{
    const uint64_t per_segment = look->index->identity[IDENTITY_SEGMENT_EVENTS];
    const uint64_t home = look->event == TRAWL_START ? 0 : look->event / per_segment;
    enum status status = STATUS_OK;
    for (uint64_t i = home + 1; look->event != TRAWL_START && i-- > 0 && look->place == NONE;) {
        if ((status = look_in_segment(look, i, true)) != STATUS_OK)
            return status;
    }
    for (uint64_t i = home; i < look->index->segment_count && look->place == NONE; i++) {
        if ((status = look_in_segment(look, i, false)) != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// The place of a page. *kind says how sure it is.
static enum status place_of_page(struct trawl_index *index, uint64_t lane, uint64_t event,
                                 uint64_t page, uint64_t *place, enum trawl_place_kind *kind,
                                 struct error *err)
{
    struct page_memo *memo =
        &index->places->pages[page * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (PAGES_KEPT - 1)];
    struct look_up look = {.index = index,
                           .lane = lane,
                           .event = event,
                           .page = page,
                           .place = NONE,
                           .own_before = NONE,
                           .before = NONE,
                           .after = NONE,
                           .first = NONE,
                           .alike = NONE,
                           .err = err};
    const uint64_t *values;
    uint8_t regime = REGIME_UNKNOWN;
    enum status status = STATUS_OK;
    if (memo->kind != PAGE_IS_NOT_KEPT && memo->page == page) {
        *place = memo->place;
        *kind = memo->kind == PAGE_IS_NOWHERE ? TRAWL_PLACE_UNKNOWN : TRAWL_PLACE_KNOWN;
        return STATUS_OK;
    }
    if (event != TRAWL_START)
        status = regime_at(index, lane, event, &regime, &look.is_unsure, err);
    if (status == STATUS_OK)
        status = read_registers(index, lane, event, &values, err);
    if (status != STATUS_OK)
        return status;
    look.space = index_space_of(values, regime, index_is_upper(page));
    if (index->memory_view.has_space) {
        const struct index_space *chosen = &index->memory_view.space;
        look.space = *chosen;
        if (look.space.is_upper != index_is_upper(page))
            look.space = (struct index_space){.regime = chosen->regime,
                                              .machine = chosen->machine,
                                              .is_upper = index_is_upper(page)};
    }
    if ((status = look_up(&look)) != STATUS_OK)
        return status;
    if (look.place != NONE) {
        *place = look.place;
        *kind = TRAWL_PLACE_KNOWN;
        return STATUS_OK;
    }
    if (look.alike != NONE) {
        *place = look.alike;
        *kind = look.alike_differ ? TRAWL_PLACE_GUESSED : TRAWL_PLACE_KNOWN;
        return STATUS_OK;
    }
    const bool is_nowhere = look.first == NONE;
    *kind = is_nowhere         ? TRAWL_PLACE_UNKNOWN
            : look.has_several ? TRAWL_PLACE_GUESSED
                               : TRAWL_PLACE_KNOWN;
    *place = is_nowhere                ? page & (UINT64_MAX >> PLACE_PAGE_BITS)
             : look.own_before != NONE ? look.own_before
             : look.before != NONE     ? look.before
                                       : look.after;
    if (*kind != TRAWL_PLACE_GUESSED)
        *memo =
            (struct page_memo){page, *place, is_nowhere ? PAGE_IS_NOWHERE : PAGE_IS_AT_ONE_PLACE};
    return STATUS_OK;
}

// The lane of an event; before the first, that of the first.
static enum status lane_of(struct trawl_index *index, uint64_t event, uint64_t *lane,
                           struct error *err)
{
    struct trawl_event about;
    *lane = 0;
    if (index->lane_count == 1 || !index->identity[IDENTITY_EVENTS])
        return STATUS_OK;
    enum status status = index_event(index, event == TRAWL_START ? 0 : event, &about, err);
    *lane = status == STATUS_OK ? about.lane : 0;
    return status;
}

enum status index_place(struct trawl_index *index, uint64_t event, uint64_t address,
                        struct index_place *found, struct error *err)
{
    const struct index_view_of_memory *view = &index->memory_view;
    const uint64_t page_bytes = UINT64_C(1) << PLACE_PAGE_BITS;
    uint64_t lane = view->lane, place;
    found->size_bytes = page_bytes - address % page_bytes;
    found->place = address;
    found->kind = TRAWL_PLACE_KNOWN;
    if (!index->has_places || view->is_physical)
        return STATUS_OK;
    enum status status = open_places(index, err);
    event = view->event != TRAWL_NONE ? view->event : event;
    if (status == STATUS_OK && lane == TRAWL_ANY_LANE)
        status = lane_of(index, event, &lane, err);
    if (status == STATUS_OK)
        status = place_of_page(index, lane, event, place_virtual_page(address), &place,
                               &found->kind, err);
    if (status != STATUS_OK)
        return status;
    if (found->kind != TRAWL_PLACE_UNKNOWN)
        found->place = place << PLACE_PAGE_BITS | address % page_bytes;
    return STATUS_OK;
}

void index_note_doubt(struct trawl_index *index, uint64_t address, const struct index_place *found)
{
    if (found->kind == TRAWL_PLACE_KNOWN)
        return;
    index->guessed_places += found->kind == TRAWL_PLACE_GUESSED;
    index->unknown_places += found->kind == TRAWL_PLACE_UNKNOWN;
    index->doubtful_address = address;
}

// --- Back ----------------------------------------------------------------------------------------

ORDER_BY_2(compare_placed, struct placed_row, place, event)

// Sorts the rows of a segment by place, unless they are.
static enum status sort_rows(struct trawl_index *index, uint64_t segment, struct error *err)
{
    struct index_places *places = index->places;
    struct page_rows rows;
    if (places->segment == segment)
        return STATUS_OK;
    places->segment = NONE;
    places->row_count = 0;
    free(places->rows);
    places->rows = NULL;
    enum status status = open_rows(index, segment, &rows, err);
    if (status != STATUS_OK)
        return status;
    if (rows.pages && !(places->rows = calloc((size_t)rows.to + 1, sizeof *places->rows)))
        return index_no_memory(index, err);
    for (uint64_t at = 0; rows.pages && at < rows.to; at++) {
        struct page_row row;
        struct placed_row *to = &places->rows[at];
        if (!column_get(rows.pages, at, &to->page))
            return damaged_places(index, err);
        if ((status = read_row(index, &rows, at, &row, err)) != STATUS_OK)
            return status;
        to->place = row.place;
        to->event = row.event;
    }
    places->row_count = rows.pages ? (size_t)rows.to : 0;
    if (places->row_count)
        qsort(places->rows, places->row_count, sizeof *places->rows, compare_placed);
    places->segment = segment;
    return STATUS_OK;
}

enum status index_address(struct trawl_index *index, uint64_t event, uint64_t place,
                          uint64_t *address, struct error *err)
{
    const uint64_t page = place >> PLACE_PAGE_BITS;
    *address = place;
    if (!index->has_places || index->memory_view.is_physical)
        return STATUS_OK;
    enum status status = open_places(index, err);
    if (status == STATUS_OK)
        status = sort_rows(index, event / index->identity[IDENTITY_SEGMENT_EVENTS], err);
    if (status != STATUS_OK)
        return status;
    const struct placed_row *rows = index->places->rows;
    size_t at;
    PARTITION_POINT(at, index->places->row_count,
                    rows[middle].place < page ||
                        (rows[middle].place == page && rows[middle].event <= event));
    if (at && rows[at - 1].place == page)
        *address =
            rows[at - 1].page << PLACE_PAGE_BITS | (place & ((UINT64_C(1) << PLACE_PAGE_BITS) - 1));
    return STATUS_OK;
}

enum status index_all_pages(struct trawl_index *index, const uint64_t **pages, size_t *count,
                            struct error *err)
{
    enum status status = open_places(index, err);
    struct index_places *places = index->places;
    for (uint64_t i = 0; status == STATUS_OK && !places->has_all && i < index->segment_count; i++) {
        struct page_rows rows;
        status = open_rows(index, i, &rows, err);
        for (uint64_t at = 0; status == STATUS_OK && rows.pages && at < rows.to; at++) {
            uint64_t page;
            const size_t known = places->all.count;
            if (!column_get(rows.pages, at, &page))
                return damaged_places(index, err);
            if (known && places->all.items[known - 1] == page)
                continue;
            if (!VEC_ROOM(&places->all, 1))
                return index_no_memory(index, err);
            places->all.items[places->all.count++] = page;
        }
    }
    if (status != STATUS_OK)
        return status;
    if (!places->has_all) {
        size_t kept = 0;
        if (places->all.count)
            qsort(places->all.items, places->all.count, sizeof *places->all.items, u64_compare);
        for (size_t i = 0; i < places->all.count; i++) {
            if (!kept || places->all.items[kept - 1] != places->all.items[i])
                places->all.items[kept++] = places->all.items[i];
        }
        places->all.count = kept;
        places->has_all = true;
    }
    *pages = places->all.items;
    *count = places->all.count;
    return STATUS_OK;
}

// With more pages than this, only those are looked up that the trace accesses.
#define FEW_PAGES 64

static enum status add_run(struct trawl_index *index, uint64_t event, uint64_t address,
                           uint64_t size_bytes, struct place_runs *runs, struct error *err)
{
    struct index_place found;
    enum status status = index_place(index, event, address, &found, err);
    if (status != STATUS_OK)
        return status;
    const uint64_t here = u64_min(found.size_bytes, size_bytes);
    struct place_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
    if (last && last->address + last->size_bytes == address &&
        last->place + last->size_bytes == found.place && last->kind == found.kind) {
        last->size_bytes += here;
        return STATUS_OK;
    }
    if (!VEC_ROOM(runs, 1))
        return index_no_memory(index, err);
    runs->items[runs->count++] = (struct place_run){address, found.place, here, found.kind};
    return STATUS_OK;
}

enum status index_place_runs(struct trawl_index *index, uint64_t event, uint64_t first,
                             uint64_t last, struct place_runs *runs, struct error *err)
{
    const uint64_t page_bytes = UINT64_C(1) << PLACE_PAGE_BITS;
    enum status status = STATUS_OK;
    const uint64_t *pages;
    size_t count, i;
    if (last - first < FEW_PAGES * page_bytes) {
        for (uint64_t at = first; status == STATUS_OK; at = (at / page_bytes + 1) * page_bytes) {
            status = add_run(index, event, at, last - at + 1, runs, err);
            if (last / page_bytes == at / page_bytes)
                return status;
        }
        return status;
    }
    if ((status = index_all_pages(index, &pages, &count, err)) != STATUS_OK)
        return status;
    PARTITION_POINT(i, count, pages[middle] < first / page_bytes);
    for (; i < count && pages[i] <= last / page_bytes && status == STATUS_OK; i++) {
        const uint64_t at = u64_max(first, pages[i] * page_bytes);
        status = add_run(index, event, at, last - at + 1, runs, err);
    }
    return status;
}

// --- The list of spaces --------------------------------------------------------------------------

static int compare_spaces(const void *a, const void *b)
{
    const struct known_space *first = a, *second = b;
    if (first->first_event != second->first_event)
        return first->first_event < second->first_event ? -1 : 1;
    return strcmp(first->text, second->text);
}

static enum status note_space(struct trawl_index *index, const struct page_row *row, uint64_t page,
                              struct error *err)
{
    struct index_places *places = index->places;
    const uint64_t *values;
    enum status status = read_registers(index, row->lane, row->event, &values, err);
    if (status != STATUS_OK)
        return status;
    const struct index_space space = index_space_of(values, row->regime, index_is_upper(page));
    for (size_t i = places->list.count; i-- > 0;) {
        struct known_space *known = &places->list.items[i];
        if (known->space.regime != space.regime || !index_is_same_space(&known->space, &space))
            continue;
        known->first_event = u64_min(known->first_event, row->event);
        known->rows++;
        return STATUS_OK;
    }
    if (places->list.count == LIMIT_SPACES)
        return STATUS_OK;
    if (!VEC_ROOM(&places->list, 1))
        return index_no_memory(index, err);
    struct known_space *known = &places->list.items[places->list.count++];
    *known = (struct known_space){.space = space, .first_event = row->event, .rows = 1};
    index_space_text(&space, known->text);
    return STATUS_OK;
}

static enum status list_spaces(struct trawl_index *index, struct error *err)
{
    enum status status = open_places(index, err);
    for (uint64_t i = 0; i < index->segment_count && status == STATUS_OK; i++) {
        struct page_rows rows;
        if (index->places->is_listed)
            return STATUS_OK;
        status = open_rows(index, i, &rows, err);
        for (uint64_t at = 0; status == STATUS_OK && rows.pages && at < rows.to; at++) {
            struct page_row row;
            uint64_t page;
            if (!column_get(rows.pages, at, &page))
                return damaged_places(index, err);
            status = read_row(index, &rows, at, &row, err);
            if (status == STATUS_OK)
                status = note_space(index, &row, page, err);
        }
    }
    if (status == STATUS_OK && index->places->list.count)
        qsort(index->places->list.items, index->places->list.count,
              sizeof *index->places->list.items, compare_spaces);
    index->places->is_listed = status == STATUS_OK;
    return status;
}

enum trawl_status trawl_space_(struct trawl_index *index, uint64_t number,
                               struct trawl_space *about, size_t about_bytes,
                               struct trawl_error *err)
{
    struct error why;
    enum status status = index->has_places ? list_spaces(index, &why) : STATUS_OK;
    if (status == STATUS_OK && (!index->has_places || number >= index->places->list.count))
        status = error_set(&why, STATUS_NOT_FOUND, "%s: no such address space", index->path);
    if (status != STATUS_OK)
        return errors_give(err, &why, status);
    const struct known_space *known = &index->places->list.items[number];
    const struct trawl_space found = {known->text, known->first_event, known->rows};
    caller_give(about, about_bytes, &found, sizeof found);
    return TRAWL_OK;
}

// --- Questions -----------------------------------------------------------------------------------

bool trawl_has_places(const struct trawl_index *index)
{
    return index->has_places;
}

enum trawl_status trawl_see_memory_(struct trawl_index *index, const struct trawl_memory_view *view,
                                    size_t view_bytes, struct trawl_error *err)
{
    struct error why;
    struct trawl_memory_view wanted;
    caller_take(&wanted, sizeof wanted, view, view_bytes);
    struct index_view_of_memory seen = {
        .lane = wanted.lane, .event = wanted.event, .is_physical = wanted.is_physical};
    if (wanted.space != TRAWL_NONE) {
        struct trawl_space about;
        enum trawl_status status = trawl_space(index, wanted.space, &about, err);
        if (status != TRAWL_OK)
            return status;
        seen.has_space = true;
        seen.space = index->places->list.items[wanted.space].space;
    }
    if ((seen.lane != TRAWL_ANY_LANE && seen.lane >= index->lane_count) ||
        (seen.event != TRAWL_NONE && seen.event != TRAWL_START &&
         seen.event >= index->identity[IDENTITY_EVENTS]))
        return errors_give(err, &why,
                           error_set(&why, STATUS_NOT_FOUND, "%s: no such event", index->path));
    index->memory_view = seen;
    index->seen_space = wanted.space;
    return TRAWL_OK;
}

void trawl_seen_memory_(const struct trawl_index *index, struct trawl_memory_view *view,
                        size_t view_bytes)
{
    const struct trawl_memory_view seen = {index->memory_view.lane, index->memory_view.event,
                                           index->seen_space, index->memory_view.is_physical};
    caller_give(view, view_bytes, &seen, sizeof seen);
}

void trawl_place_doubts_(const struct trawl_index *index, struct trawl_place_doubts *doubts,
                         size_t doubts_bytes)
{
    const struct trawl_place_doubts found = {index->guessed_places, index->unknown_places,
                                             index->doubtful_address};
    caller_give(doubts, doubts_bytes, &found, sizeof found);
}

enum trawl_status trawl_place_(struct trawl_index *index, uint64_t event, uint64_t address,
                               struct trawl_place *about, size_t about_bytes,
                               struct trawl_error *err)
{
    struct error why;
    struct index_place found;
    if (event != TRAWL_START && event >= index->identity[IDENTITY_EVENTS])
        return errors_give(err, &why,
                           error_set(&why, STATUS_NOT_FOUND, "%s: no such event", index->path));
    enum status status = index_place(index, event, address, &found, &why);
    const struct trawl_place given = {found.place, found.size_bytes, found.kind};
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &given, sizeof given);
    return errors_give(err, &why, status);
}

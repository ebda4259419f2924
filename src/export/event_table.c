#include "export/event_table.h"

#include "arch/arch.h"
#include "idx/register_layout.h"
#include "idx/segment_rows.h"
#include "query/segment_order.h"

#include <stdio.h>
#include <stdlib.h>

// --- Which register is where in the register space of a lane -------------------------------------

// Registers begin and end at multiples of four bytes.
#define UNIT_BYTES 4
#define UNITS (REGISTER_CELLS * 8 / UNIT_BYTES)
#define ISAS (EVENT_ISA + 1)

struct register_places {
    struct register_layout layout;
    uint16_t numbers[ISAS][UNITS]; // number + 1; 0: none
};

// How well the name of a register describes its place; 0: not at all.
static unsigned rank(const struct trawl_register *about, unsigned isa)
{
    if (!(about->isas >> isa & 1) || about->flags & TRAWL_REGISTER_BANKED)
        return 0;
    return 1 + 2 * (about->shown >> isa & 1) + !(about->flags & TRAWL_REGISTER_VIEW);
}

static void register_places_free(struct register_places *places)
{
    if (places)
        register_layout_free(&places->layout);
    free(places);
}

// NULL: no memory.
static struct register_places *register_places_new(const struct register_table *table)
{
    struct register_places *places = calloc(1, sizeof *places);
    if (!places ||
        !register_layout_make(&places->layout, table->runs, table->count, &table->figures)) {
        register_places_free(places);
        return NULL;
    }
    for (unsigned isa = 0; isa < ISAS; isa++) {
        for (size_t i = 0; i < places->layout.count; i++) {
            const struct trawl_register *registers = places->layout.registers,
                                        *about = &registers[i];
            uint64_t end = u64_min((about->offset + about->size_bytes) / UNIT_BYTES, UNITS);
            for (uint64_t unit = about->offset / UNIT_BYTES; unit < end; unit++) {
                uint16_t *known = &places->numbers[isa][unit];
                if (rank(about, isa) > (*known ? rank(&registers[*known - 1], isa) : 0))
                    *known = (uint16_t)(i + 1);
            }
        }
    }
    return places;
}

// The register that contains a byte of the space in an instruction set: preferably one that is
// shown there, and not a view of another. *offset_bytes: the offset of the byte in it. NULL: there
// is none.
static const char *register_places_find(const struct register_places *places, unsigned isa,
                                        uint64_t place_bytes, uint64_t *offset_bytes)
{
    uint64_t unit = place_bytes / UNIT_BYTES;
    uint16_t number = unit < UNITS ? places->numbers[isa][unit] : 0;
    if (!number)
        return NULL;
    const struct trawl_register *about = &places->layout.registers[number - 1];
    *offset_bytes = place_bytes - about->offset;
    return about->name;
}

// Per worker: the same functions soon occur again. A power of two.
#define RECENT_NAMES 4096
// A lane that has no instruction yet; its lowest bits are those of a set with 32 bits.
#define NO_ISA 0xfd

struct recent_name {
    uint64_t pc;
    const char *name; // NULL: none yet
    struct image_place place;
};

// Of a segment.
struct own {
    struct out out;
    struct table part;
    uint64_t row_count;
    VEC(, struct event_table_point) points; // of each lane
    bool has_pc;                            // of the current event's rows
    uint64_t pc;
    struct recent_name recent[RECENT_NAMES];
};

static bool no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for a table"), false;
}

// --- Columns -------------------------------------------------------------------------------------

static const struct table_column event_columns[] = {
    {"Event", "event", COLUMN_U64},
    {"Time", "time", COLUMN_TICKS},
    {"Line", "line", COLUMN_U64},
    {"Byte", "position", COLUMN_U64},
    {"Core", "lane", COLUMN_TEXT},
    {"PC", "pc", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT},
    {"ISA", "isa", COLUMN_TEXT},
    {"Outcome", "outcome", COLUMN_TEXT},
    {"Core event", "lane_event", COLUMN_U64},
    {"Host call", "host_call", COLUMN_U64},
    {"Image", "image", COLUMN_TEXT},
    {"In image", "image_address", COLUMN_ADDRESS},
};

static const struct table_column register_columns[] = {
    {"Event", "event", COLUMN_U64},
    {"Time", "time", COLUMN_TICKS},
    {"Line", "line", COLUMN_U64},
    {"Core", "lane", COLUMN_TEXT},
    {"PC", "pc", COLUMN_ADDRESS},
    {"Register", "register", COLUMN_TEXT},
    {"First byte", "first_byte", COLUMN_U64},
    {"Bytes", "size", COLUMN_U64},
    {"Value", "value", COLUMN_ADDRESS},
    {"Core event", "lane_event", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
    {"Image", "image", COLUMN_TEXT},
    {"In image", "image_address", COLUMN_ADDRESS},
};

static const struct table_column memory_columns[] = {
    {"Event", "event", COLUMN_U64},
    {"Time", "time", COLUMN_TICKS},
    {"Line", "line", COLUMN_U64},
    {"Core", "lane", COLUMN_TEXT},
    {"PC", "pc", COLUMN_ADDRESS},
    {"Kind", "kind", COLUMN_TEXT},
    {"Address", "address", COLUMN_ADDRESS},
    {"Bytes", "size", COLUMN_U64},
    {"Value", "value", COLUMN_ADDRESS},
    {"Core event", "lane_event", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
    {"Image", "image", COLUMN_TEXT},
    {"In image", "image_address", COLUMN_ADDRESS},
};

static const struct table_column write_columns[] = {
    {"Event", "event", COLUMN_U64},
    {"Time", "time", COLUMN_TICKS},
    {"Line", "line", COLUMN_U64},
    {"Core", "lane", COLUMN_TEXT},
    {"PC", "pc", COLUMN_ADDRESS},
    {"Register", "register", COLUMN_TEXT},
    {"First byte", "first_byte", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS},
    {"Bytes", "size", COLUMN_U64},
    {"Value", "value", COLUMN_ADDRESS},
    {"Core event", "lane_event", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
    {"Image", "image", COLUMN_TEXT},
    {"In image", "image_address", COLUMN_ADDRESS},
};

const struct table_column *event_table_columns(enum event_table_kind kind, bool with_images,
                                               size_t *count)
{
    static const struct {
        const struct table_column *columns;
        size_t count, image_count;
    } tables[] = {
        [EVENT_TABLE_EVENTS] = {event_columns, ARRAY_COUNT(event_columns), 2},
        [EVENT_TABLE_REGISTERS] = {register_columns, ARRAY_COUNT(register_columns), 3},
        [EVENT_TABLE_MEMORY] = {memory_columns, ARRAY_COUNT(memory_columns), 3},
        [EVENT_TABLE_WRITES] = {write_columns, ARRAY_COUNT(write_columns), 3},
    };
    *count = tables[kind].count - (with_images ? 0 : tables[kind].image_count);
    return tables[kind].columns;
}

// --- Names ---------------------------------------------------------------------------------------

static void found_lane(void *self, size_t lane, const char *name)
{
    struct event_table *rows = self;
    if (!stable_table_room(&rows->lane_room, lane + 1)) {
        rows->lacks_memory = true;
        return;
    }
    struct event_table_lane *found = &rows->lanes[lane];
    const char *wanted = rows->options.lane;
    snprintf(found->name, sizeof found->name, "%s", name);
    found->is_wanted = !wanted || strcmp(wanted, name) == 0;
    atomic_store(&rows->lane_count, lane + 1);
}

static void found_name(void *self, uint32_t number, const char *name)
{
    struct event_table *rows = self;
    rows->named_texts[number] = strdup(name);
    if (!rows->named_texts[number])
        rows->lacks_memory = true;
}

static const struct recent_name *name_of(struct event_table *rows, struct own *own, uint64_t pc)
{
    struct recent_name *recent = &own->recent[(pc >> 1) % RECENT_NAMES];
    if (recent->name && recent->pc == pc)
        return recent;
    pthread_mutex_lock(&rows->names_lock);
    *recent = (struct recent_name){.pc = pc, .name = names_of(rows->options.names, pc)};
    pthread_mutex_unlock(&rows->names_lock);
    if (rows->options.images)
        recent->place = image_places_find(rows->options.images, pc & ~UINT64_C(1));
    return recent;
}

// --- Rows ----------------------------------------------------------------------------------------

static void put_lane(const struct event_table *rows, struct table *part, size_t lane)
{
    const char *name = rows->lanes[lane].name;
    table_text(part, *name ? name : NULL);
}

static void put_pc(struct own *own)
{
    if (own->has_pc)
        table_address(&own->part, own->pc & ~UINT64_C(1));
    else
        table_none(&own->part);
}

// The columns with which all tables begin.
static void put_event(const struct segment *segment, struct own *own, uint32_t event)
{
    table_u64(&own->part, segment->first_event + event);
    table_u64(&own->part, segment->events.time[event]);
    table_u64(&own->part, segment->events.line[event]);
    own->row_count++;
}

// The last columns of a row: the number of the event in its lane, by which calls know their ends;
// whether the debug host was called; and the image, if requested.
static void put_end(struct event_table *rows, struct own *own, size_t lane, uint8_t flags)
{
    struct table *part = &own->part;
    table_u64(part, own->points.items[lane].events - 1);
    if (rows->options.kind == EVENT_TABLE_EVENTS)
        table_u64(part, flags & EVENT_HOST_CALL ? 1 : 0);
    if (!rows->options.images)
        return;
    const struct recent_name none = {.name = ""};
    const struct recent_name *name = own->has_pc ? name_of(rows, own, own->pc) : &none;
    if (rows->options.kind != EVENT_TABLE_EVENTS)
        table_text(part, *name->name ? name->name : NULL);
    table_text(part, name->place.image);
    if (name->place.image)
        table_address(part, name->place.address);
    else
        table_none(part);
}

static void put_event_row(struct event_table *rows, const struct segment *segment, struct own *own,
                          uint32_t event)
{
    const struct segment_events *events = &segment->events;
    struct table *part = &own->part;
    uint8_t flags = events->flags[event];
    put_event(segment, own, event);
    table_u64(part, events->position[event]);
    put_lane(rows, part, events->lane[event]);
    put_pc(own);
    const char *name = own->has_pc ? name_of(rows, own, own->pc)->name : "";
    table_text(part, *name ? name : NULL);
    table_text(part, flags & EVENT_HAS_INSTRUCTION
                         ? arch_isa_name(rows->options.arch, flags & EVENT_ISA)
                         : NULL);
    table_text(part, flags & EVENT_HAS_INSTRUCTION ? flags & EVENT_EXECUTED ? "executed" : "skipped"
                     : flags & EVENT_EXCEPTION     ? "exception"
                                                   : NULL);
    put_end(rows, own, events->lane[event], flags);
}

// A row for consecutive bytes of a cell that were written.
static void put_register_row(struct event_table *rows, const struct segment *segment,
                             struct own *own, const struct segment_register *reg, unsigned first,
                             unsigned size_bytes)
{
    struct table *part = &own->part;
    uint64_t mask = bytes_of_mask((uint8_t)((1u << size_bytes) - 1));
    const uint32_t cell = register_cell(reg->cell);
    uint64_t place = (uint64_t)cell * 8 + first;
    put_event(segment, own, reg->event);
    put_lane(rows, part, reg->lane);
    put_pc(own);
    if (cell >= REGISTER_CELLS) {
        uint32_t number = (cell - REGISTER_CELLS) / NAMED_REGISTER_CELLS;
        table_text(part, rows->named_texts[number]);
        place -= NAMED_REGISTER_CELL(number) * UINT64_C(8);
    } else {
        unsigned isa = own->points.items[reg->lane].isa & EVENT_ISA;
        table_text(part, register_places_find(rows->places, isa, place, &place));
    }
    table_u64(part, place);
    if (rows->options.kind == EVENT_TABLE_WRITES)
        table_none(part); // the address
    table_u64(part, size_bytes);
    if (reg->cell & REGISTER_VALUE_UNKNOWN)
        table_none(part);
    else
        table_address(part, reg->value >> (8 * first) & mask);
    put_end(rows, own, reg->lane, 0);
}

static void put_register_rows(struct event_table *rows, const struct segment *segment,
                              struct own *own, const struct segment_register *reg)
{
    unsigned mask = reg->mask;
    if (arch_is_bank_change(rows->options.arch, register_cell(reg->cell), mask))
        return; // no instruction writes it
    while (mask) {
        unsigned first = (unsigned)__builtin_ctz(mask);
        unsigned size_bytes = (unsigned)__builtin_ctz(~(mask >> first));
        put_register_row(rows, segment, own, reg, first, size_bytes);
        mask &= ~(((1u << size_bytes) - 1) << first);
    }
}

static void put_access_row(struct event_table *rows, const struct segment *segment, struct own *own,
                           const struct segment_access *access)
{
    struct table *part = &own->part;
    uint64_t mask =
        bytes_of_mask(access->size_bytes < 8 ? (uint8_t)((1u << access->size_bytes) - 1) : 0xff);
    put_event(segment, own, access->event);
    put_lane(rows, part, access->lane);
    put_pc(own);
    if (rows->options.kind == EVENT_TABLE_WRITES) {
        table_none(part); // the register and which byte of it
        table_none(part);
    } else {
        table_text(part, access->is_read ? "load" : "store");
    }
    table_address(part, access->address);
    table_u64(part, access->size_bytes);
    if (access->is_known)
        table_address(part, access->value & mask);
    else
        table_none(part);
    put_end(rows, own, access->lane, 0);
}

// --- Segments ------------------------------------------------------------------------------------

static void free_own(void *self, void *given)
{
    struct own *own = given;
    (void)self;
    table_end_part(&own->part);
    out_abandon(&own->out);
    free(own->points.items);
    free(own);
}

static struct own *own_of(const struct event_table *rows, struct segment *segment,
                          struct error *err)
{
    struct own *own = segment->own;
    if (own)
        return own;
    own = calloc(1, sizeof *own);
    if (!own || out_open_memory(&own->out, err) != STATUS_OK) {
        free(own);
        no_memory(err);
        return NULL;
    }
    if (table_begin_part(&own->part, &own->out, rows->table, err) != STATUS_OK) {
        out_abandon(&own->out);
        free(own);
        return NULL;
    }
    segment->own = own;
    return own;
}

// Adds all lanes found so far to the points, and starts the segment from the points. False: no
// memory.
static bool begin_points(struct event_table *rows, struct own *own)
{
    size_t lanes = atomic_load(&rows->lane_count);
    own->points.count = 0;
    if (rows->lacks_memory || !VEC_ROOM(&rows->points, lanes - rows->points.count) ||
        !VEC_ROOM(&own->points, lanes))
        return false;
    while (rows->points.count < lanes)
        rows->points.items[rows->points.count++] = (struct event_table_point){.isa = NO_ISA};
    if (lanes)
        memcpy(own->points.items, rows->points.items, lanes * sizeof *own->points.items);
    own->points.count = lanes;
    return true;
}

static bool carry(void *self, struct segment *segment, struct error *err)
{
    struct event_table *rows = self;
    const struct segment_events *events = &segment->events;
    struct own *own = own_of(rows, segment, err);
    if (!own)
        return false;
    if (!begin_points(rows, own))
        return no_memory(err);
    for (uint32_t i = 0; i < segment->event_count; i++) {
        size_t lane = events->lane[i];
        uint8_t isa = events->flags[i] & EVENT_ISA;
        struct event_table_point *point = &rows->points.items[lane];
        point->events++;
        if (!(events->flags[i] & EVENT_HAS_INSTRUCTION))
            continue;
        if (point->isa == NO_ISA) // earlier writes have the set of the first instruction
            own->points.items[lane].isa = isa;
        point->isa = isa;
        point->pc = events->pc[i];
        point->has_pc = true;
    }
    return true;
}

static bool writes_registers(enum event_table_kind kind)
{
    return kind == EVENT_TABLE_REGISTERS || kind == EVENT_TABLE_WRITES;
}

static bool build(void *self, struct segment *segment, struct error *err)
{
    struct event_table *rows = self;
    const struct segment_events *events = &segment->events;
    struct own *own = segment->own;
    enum event_table_kind kind = rows->options.kind;
    bool has_registers = writes_registers(kind);
    bool has_accesses = kind == EVENT_TABLE_MEMORY || kind == EVENT_TABLE_WRITES;
    size_t next_register = 0, next_access = 0, next_origin = 0;
    own->row_count = 0;
    if (!segment_order(segment))
        return no_memory(err);
    for (uint32_t event = 0; event < segment->event_count; event++) {
        size_t lane = events->lane[event];
        struct event_table_point *point = &own->points.items[lane];
        bool is_wanted = rows->lanes[lane].is_wanted &&
                         call_range_has(&rows->options.range, events->time[event], point->events++);
        if (events->flags[event] & EVENT_HAS_INSTRUCTION) {
            point->isa = events->flags[event] & EVENT_ISA;
            point->pc = events->pc[event];
            point->has_pc = true;
        }
        // An event without an instruction belongs to the one that its line names, or to the last.
        own->has_pc = point->has_pc;
        own->pc = point->pc;
        for (; next_origin < segment->origins.count &&
               segment->origins.items[next_origin].event == event;
             next_origin++) {
            if (events->flags[event] & EVENT_HAS_INSTRUCTION)
                continue;
            own->has_pc = true;
            own->pc = segment->origins.items[next_origin].pc;
        }
        if (is_wanted && kind == EVENT_TABLE_EVENTS)
            put_event_row(rows, segment, own, event);
        for (; has_registers && next_register < segment->registers.count &&
               segment->registers.items[next_register].event == event;
             next_register++) {
            if (is_wanted)
                put_register_rows(rows, segment, own, &segment->registers.items[next_register]);
        }
        for (; has_accesses && next_access < segment->accesses.count &&
               segment->accesses.items[next_access].event == event;
             next_access++) {
            if (is_wanted &&
                !(kind == EVENT_TABLE_WRITES && segment->accesses.items[next_access].is_read))
                put_access_row(rows, segment, own, &segment->accesses.items[next_access]);
        }
    }
    table_flush_part(&own->part);
    return !out_failed(&own->out) || no_memory(err);
}

static bool write_rows(void *self, struct segment *segment, struct error *err)
{
    struct event_table *rows = self;
    struct own *own = segment->own;
    if (rows->lacks_memory)
        return no_memory(err);
    rows->has_rows |= own->row_count != 0;
    rows->late_count += segment->late.count;
    table_take(rows->table, &own->part);
    if (out_failed(rows->table->out))
        return table_failure(rows->table, err), false;
    return true;
}

struct segment_consumer event_table_consumer(struct event_table *rows)
{
    return (struct segment_consumer){
        .self = rows,
        .segment_events = EVENT_TABLE_SEGMENT_EVENTS,
        .names = writes_registers(rows->options.kind) ? &rows->named : NULL,
        .found_lane = found_lane,
        .found_name = found_name,
        .carry = carry,
        .build = build,
        .write = write_rows,
        .free_own = free_own,
    };
}

struct event_table *event_table_new(const struct event_table_options *options, struct table *table)
{
    struct event_table *rows = calloc(1, sizeof *rows);
    if (!rows)
        return NULL;
    rows->options = *options;
    rows->table = table;
    pthread_mutex_init(&rows->names_lock, NULL);
    if (!stable_table_begin(&rows->lane_room, sizeof *rows->lanes, LIMIT_LANES)) {
        event_table_free(rows);
        return NULL;
    }
    rows->lanes = rows->lane_room.items;
    if (!writes_registers(options->kind) ||
        (rows->places = register_places_new(options->registers)))
        return rows;
    event_table_free(rows);
    return NULL;
}

void event_table_free(struct event_table *rows)
{
    if (!rows)
        return;
    for (size_t i = 0; i < ARRAY_COUNT(rows->named_texts); i++)
        free(rows->named_texts[i]);
    stable_table_free(&rows->lane_room);
    free(rows->points.items);
    register_names_free(&rows->named);
    register_places_free(rows->places);
    pthread_mutex_destroy(&rows->names_lock);
    free(rows);
}

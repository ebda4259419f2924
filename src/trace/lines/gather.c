#include "trace/lines/gather.h"

#include <stdlib.h>

void chunk_data_free(struct chunk_data *data)
{
    parsed_chunk_free(&data->parsed);
    for (size_t i = 0; i < data->scans.count; i++) {
        scan_result_free(&data->scans.items[i].result);
        free(data->scans.items[i].ranks.items);
        shadow_chunk_free(data->scans.items[i].shadow);
        calls_chunk_free(data->scans.items[i].reference);
    }
    for (size_t way = 0; way < CALLS_WAYS; way++) {
        if (data->calls[way].store)
            data->calls[way].kind->discard(data->calls[way].store);
    }
    free(data->scans.items);
    free(data->event_lines.items);
    free(data->line_parts.items);
    free(data);
}

// --- The order of events -------------------------------------------------------------------------

static bool takes_part(const struct chunk_data *data, size_t part)
{
    return data->scans.items[part].lane != LIMIT_LANES;
}

static uint32_t line_of_node(const struct chunk_data *data, size_t part, size_t node)
{
    return data->scans.items[part].result.nodes.line[node];
}

#define NO_PART UINT32_MAX

// Including a last line without a newline, which is not counted.
static uint32_t lines_of(const struct chunk_data *data)
{
    return data->parsed.line_count + 1;
}

// Records which part begins an event on each line of the chunk. A line belongs to one lane, and
// begins at most one event. False: no memory.
static bool note_lines(struct chunk_data *data)
{
    size_t lines = lines_of(data);
    data->line_parts.count = 0;
    if (!VEC_ROOM(&data->line_parts, lines))
        return false;
    memset(data->line_parts.items, 0xff, lines * sizeof *data->line_parts.items);
    for (size_t i = 0; i < data->scan_count; i++) {
        const struct part_scan *scan = &data->scans.items[i];
        for (size_t node = 0; takes_part(data, i) && node < scan->result.nodes.count; node++)
            data->line_parts.items[line_of_node(data, i, node)] = (uint32_t)i;
    }
    return true;
}

static bool merge_parts(struct chunk_data *data)
{
    data->event_lines.count = 0;
    for (size_t i = 0; i < data->scan_count; i++) {
        struct part_scan *scan = &data->scans.items[i];
        scan->ranks.count = 0;
        if (takes_part(data, i) && !VEC_ROOM(&scan->ranks, scan->result.nodes.count))
            return false;
    }
    if (!VEC_ROOM(&data->event_lines, (size_t)data->event_count) || !note_lines(data))
        return false;
    for (uint32_t line = 0; line < lines_of(data); line++) {
        uint32_t part = data->line_parts.items[line];
        if (part == NO_PART)
            continue;
        struct part_scan *scan = &data->scans.items[part];
        scan->ranks.items[scan->ranks.count++] = (uint32_t)data->event_lines.count;
        data->event_lines.items[data->event_lines.count++] = line;
    }
    return true;
}

bool chunk_data_order(struct chunk_data *data)
{
    size_t parts = 0;
    data->event_count = 0;
    data->only_part = 0;
    for (size_t i = 0; i < data->scan_count; i++) {
        if (!takes_part(data, i))
            continue;
        data->event_count += data->scans.items[i].result.nodes.count;
        data->only_part = i;
        parts++;
    }
    if (parts <= 1)
        return true;
    data->only_part = SIZE_MAX;
    return merge_parts(data);
}

uint64_t chunk_data_position(const struct chunk_data *data, uint64_t event)
{
    if (event < data->first_event || event - data->first_event >= data->event_count)
        return UINT64_MAX;
    uint64_t rank = event - data->first_event;
    if (data->only_part != SIZE_MAX)
        return data->base.position + data->scans.items[data->only_part].result.nodes.position[rank];
    for (size_t i = 0; i < data->scan_count; i++) {
        const struct part_scan *scan = &data->scans.items[i];
        size_t node;
        if (!takes_part(data, i))
            continue;
        PARTITION_POINT(node, scan->ranks.count, scan->ranks.items[middle] < rank);
        if (node < scan->ranks.count && scan->ranks.items[node] == rank)
            return data->base.position + scan->result.nodes.position[node];
    }
    return UINT64_MAX;
}

// --- The memory of a segment ---------------------------------------------------------------------

// How far ahead the data of a chunk are prefetched, which are no longer in the caches.
#define PREFETCH_ITEMS 64

// --- Gathering -----------------------------------------------------------------------------------

// What a segment takes from a chunk: the chunk's events [first, last), and the lines of these
// events and of an event that continues from before the chunk.
struct extent {
    uint64_t first, last;        // counted in the chunk
    uint32_t line_from, line_to; // of the chunk; line_to is one past the end
};

struct gather {
    struct segment *segment;
    const struct chunk_data *data;
    struct extent extent;
};

static uint32_t line_of_event(const struct chunk_data *data, uint64_t event)
{
    return data->only_part == SIZE_MAX ? data->event_lines.items[event]
                                       : line_of_node(data, data->only_part, (size_t)event);
}

static struct extent extent_of(const struct segment *segment, const struct chunk_data *data)
{
    uint64_t from = segment->first_event, to = from + segment->event_count;
    uint64_t begin = data->first_event, end = begin + data->event_count;
    struct extent extent = {0};
    extent.first = from > begin ? u64_min(from, end) - begin : 0;
    extent.last = to > begin ? u64_min(to, end) - begin : 0;
    // What comes before the chunk's first event belongs to the event before the chunk.
    bool takes_head = from < begin || from == 0;
    if (extent.first > 0 || !takes_head)
        extent.line_from =
            extent.first < data->event_count ? line_of_event(data, extent.first) : UINT32_MAX;
    extent.line_to =
        extent.last < data->event_count ? line_of_event(data, extent.last) : UINT32_MAX;
    return extent;
}

static uint64_t rank_of(const struct chunk_data *data, size_t part, size_t node)
{
    return data->only_part == SIZE_MAX ? data->scans.items[part].ranks.items[node] : node;
}

// Writes nodes [from, to) of a part to the rows from `at` on.
static void gather_rows(const struct segment_events *events, const struct part_scan *scan,
                        const struct chunk_base *base, size_t from, size_t to, size_t at)
{
    const struct scan_nodes *nodes = &scan->result.nodes;
    size_t count = to - from;
    memcpy(events->time + at, nodes->time + from, count * sizeof *events->time);
    memcpy(events->pc + at, nodes->pc + from, count * sizeof *events->pc);
    memcpy(events->flags + at, nodes->flags + from, count);
    uint16_t *lanes = events->lane + at;
    const uint16_t lane = (uint16_t)scan->lane;
    for (size_t i = 0; i < count; i++)
        lanes[i] = lane;
    for (size_t i = 0; i < count; i++)
        events->line[at + i] = base->line + 1 + nodes->line[from + i];
    for (size_t i = 0; i < count; i++) {
        uint64_t position = base->position + nodes->position[from + i];
        bool has_instruction = nodes->flags[from + i] & EVENT_HAS_INSTRUCTION;
        events->position[at + i] = position;
        events->instruction_position[at + i] = has_instruction ? position : 0;
    }
}

// Adds the instructions that nodes [from, to) of a part name.
static bool gather_origins(const struct gather *gather, const struct part_scan *scan, size_t from,
                           size_t to, uint64_t moved)
{
    const struct node_origin *origins = scan->result.origins.items;
    bool is_only = gather->data->only_part != SIZE_MAX;
    struct segment *segment = gather->segment;
    size_t at;
    PARTITION_POINT(at, scan->result.origins.count, origins[middle].node < from);
    for (; at < scan->result.origins.count && origins[at].node < to; at++) {
        uint64_t rank = is_only ? origins[at].node : scan->ranks.items[origins[at].node];
        if (!VEC_ROOM(&segment->origins, 1))
            return false;
        segment->origins.items[segment->origins.count++] =
            (struct segment_origin){origins[at].pc, (uint32_t)(rank + moved)};
    }
    return true;
}

// False: no memory.
static bool gather_events(const struct gather *gather, size_t part)
{
    const struct chunk_data *data = gather->data;
    const struct part_scan *scan = &data->scans.items[part];
    const struct segment_events *events = &gather->segment->events;
    uint64_t moved = data->first_event - gather->segment->first_event;
    size_t from, to, count = scan->result.nodes.count;
    PARTITION_POINT(from, count, rank_of(data, part, middle) < gather->extent.first);
    PARTITION_POINT(to, count, rank_of(data, part, middle) < gather->extent.last);
    if (LIKELY(data->only_part != SIZE_MAX)) {
        gather_rows(events, scan, &data->base, from, to, from + moved);
        return gather_origins(gather, scan, from, to, moved);
    }
    for (size_t node = from; node < to; node++)
        gather_rows(events, scan, &data->base, node, node + 1, scan->ranks.items[node] + moved);
    return gather_origins(gather, scan, from, to, moved);
}

// The event of node `node` of the part, counted from 1 in the chunk; 0: the node carried in.
static uint64_t event_of_node(const struct chunk_data *data, size_t part, size_t node)
{
    return node ? data->first_event + rank_of(data, part, node - 1)
                : data->scans.items[part].carried_event;
}

// Adds instructions and exceptions that join a node begun before them.
static bool gather_joins(const struct gather *gather, size_t part)
{
    const struct chunk_data *data = gather->data;
    const struct part_scan *scan = &data->scans.items[part];
    const struct marks *marks = &data->parsed.parts.items[part].marks;
    struct segment *segment = gather->segment;
    const struct node_join *joins = scan->result.joins.items;
    size_t at;
    PARTITION_POINT(at, scan->result.joins.count,
                    marks->items[joins[middle].mark].line < gather->extent.line_from);
    for (; at < scan->result.joins.count; at++) {
        const struct mark *mark = &marks->items[joins[at].mark];
        uint64_t event = event_of_node(data, part, joins[at].node);
        if (mark->line >= gather->extent.line_to)
            return true;
        if (event == NO_EVENT)
            continue;
        bool is_instruction = mark->summary.kind == MARK_INSTRUCTION;
        struct segment_late late = {event, is_instruction ? mark->value : EVENT_WITHOUT_PC,
                                    data->base.position + mark->position,
                                    mark_event_flags(mark, mark->summary.kind)};
        if (event < segment->first_event) {
            if (!VEC_ROOM(&segment->late, 1))
                return false;
            segment->late.items[segment->late.count++] = late;
            continue;
        }
        uint64_t row = event - segment->first_event;
        segment->events.flags[row] |= late.flags;
        // Its accesses from earlier chunks come before a host call that joins it.
        struct segment_access *accesses = segment->accesses.items;
        for (size_t i = segment->accesses.count; late.flags & EVENT_HOST_CALL && i--;) {
            if (accesses[i].event < row)
                break;
            accesses[i].is_before_host_call |= accesses[i].event == row;
        }
        if (is_instruction) {
            segment->events.pc[row] = late.pc;
            segment->events.instruction_position[row] = late.instruction_position;
        }
    }
    return true;
}

// Walks forward over the lines of a part, keeping track of the rows of the events at or before
// each.
struct line_walk {
    const struct gather *gather;
    const uint32_t *lines; // of the part's nodes
    size_t part, node;     // `node` is the first one after the line
    size_t node_count;
    uint64_t rank;       // the same, counted in all lanes
    uint64_t moved;      // difference between rows of the segment and events of the chunk
    uint32_t next_line;  // lines[node]
    uint32_t own_row;    // of the lane's event
    uint32_t latest_row; // of the latest event of all lanes
};

// The row of the latest event of all lanes. Lines before the first event of the trace belong to it.
static uint32_t row_of_latest(const struct gather *gather, uint64_t rank)
{
    uint64_t events = gather->data->first_event + rank;
    return events ? (uint32_t)(events - 1 - gather->segment->first_event) : 0;
}

static void find_rows(struct line_walk *walk)
{
    const struct gather *gather = walk->gather;
    const uint64_t own = event_of_node(gather->data, walk->part, walk->node);
    walk->latest_row = row_of_latest(gather, walk->rank);
    // If the lane's own event is before the segment, its row is the latest.
    walk->own_row = own == NO_EVENT || own < gather->segment->first_event
                        ? walk->latest_row
                        : (uint32_t)(own - gather->segment->first_event);
}

static NEVER_INLINE void walk_all_lanes(struct line_walk *walk, uint32_t line)
{
    const struct chunk_data *data = walk->gather->data;
    const uint32_t *lines = data->event_lines.items;
    // In doubling steps: if there are many lanes, each has few of the events.
    uint64_t rank = walk->rank, left = data->event_count - rank, step = 1, passed;
    while (step < left && lines[rank + step - 1] <= line)
        step *= 2;
    PARTITION_POINT(passed, (size_t)u64_min(step, left), lines[rank + middle] < (uint64_t)line + 1);
    walk->rank += passed;
    find_rows(walk);
}

static ALWAYS_INLINE void walk_to_line(struct line_walk *walk, uint32_t line)
{
    bool is_only = walk->gather->data->only_part != SIZE_MAX;
    if (LIKELY(is_only) && line < walk->next_line)
        return;
    while (walk->next_line <= line)
        walk->next_line = walk->lines[++walk->node];
    if (LIKELY(is_only)) // at a node of the chunk, which is the latest of its lane and of all lanes
        walk->own_row = walk->latest_row = (uint32_t)(walk->node - 1 + walk->moved);
    else
        walk_all_lanes(walk, line);
}

static struct line_walk line_walk_at(const struct gather *gather, size_t part)
{
    const struct chunk_data *data = gather->data;
    const struct scan_result *scan = &data->scans.items[part].result;
    struct line_walk walk = {
        .gather = gather,
        .lines = scan->nodes.line,
        .part = part,
        .node_count = scan->nodes.count,
        .rank = gather->extent.first,
        .moved = data->first_event - gather->segment->first_event,
    };
    PARTITION_POINT(walk.node, scan->nodes.count,
                    rank_of(data, part, middle) < gather->extent.first);
    walk.next_line = walk.lines[walk.node];
    find_rows(&walk);
    return walk;
}

// Whether a record counts, if the chunk begins in that mode (mark_mode).
static ALWAYS_INLINE bool is_in_state(const struct register_record *record, uint8_t mode)
{
    if (LIKELY(record->state == RECORD_IN_ANY_STATE) || record->state == RECORD_OF_Z)
        return true;
    if (record->state >= RECORD_OF_BANK)
        return bank_is_in_use(register_cell(record->cell),
                              (enum sp_bank)(record->state - RECORD_OF_BANK), mode_bank(mode));
    return (record->state == RECORD_IN_AARCH64) == (mode_isa(mode) == ISA_AARCH64);
}

// What clearing the rest of z needs to know at a line of a part.
struct z_walk {
    const struct marks *marks;
    size_t next_mark; // the first one after the line
    bool is_aarch64;
    uint32_t vector_bytes; // the widest write to a z so far
    uint32_t line, vector; // cleared last
};

static struct z_walk z_walk_at(const struct gather *gather, size_t part, size_t from)
{
    const struct part_scan *scan = &gather->data->scans.items[part];
    const struct lane_part *parsed = &gather->data->parsed.parts.items[part];
    struct z_walk walk = {
        .marks = &parsed->marks,
        .is_aarch64 = lane_state_is_aarch64(&scan->before),
        .vector_bytes = scan->vector_bytes,
        .line = UINT32_MAX,
    };
    for (size_t i = 0; i < from && walk.vector_bytes < parsed->records.vector_bytes; i++) {
        const struct register_record *record = &parsed->records.registers.items[i];
        if (record->state == RECORD_OF_Z)
            walk.vector_bytes = (uint32_t)u64_max(
                walk.vector_bytes, records_vector_bytes(record->cell & ~REGISTER_VALUE_UNKNOWN));
    }
    return walk;
}

// In AArch64, a write to v under any name but z clears the rest of z. How long a vector is, only
// writes to z show: so it is cleared up to the widest one so far, and not before the first. False:
// no memory.
static bool clear_rest_of_z(struct z_walk *walk, struct segment *segment,
                            const struct register_record *record, uint32_t row, uint16_t lane)
{
    enum { FIRST = REGISTER_OFFSET_VECTORS / 8, END = REGISTER_OFFSET_PREDICATES / 8 };
    const uint32_t cell = record->cell & ~REGISTER_VALUE_UNKNOWN;
    if (cell < FIRST || cell >= END)
        return true;
    if (record->state == RECORD_OF_Z) {
        walk->vector_bytes = (uint32_t)u64_max(walk->vector_bytes, records_vector_bytes(cell));
        return true;
    }
    for (; walk->next_mark < walk->marks->count &&
           walk->marks->items[walk->next_mark].line <= record->line;
         walk->next_mark++) {
        const struct mark *mark = &walk->marks->items[walk->next_mark];
        if (mark->summary.kind == MARK_INSTRUCTION)
            walk->is_aarch64 = mark_isa(mark) == ISA_AARCH64;
    }
    const uint32_t vector = (cell - FIRST) / (REGISTER_BYTES_Z / 8);
    if (!walk->is_aarch64 || (walk->line == record->line && walk->vector == vector))
        return true;
    walk->line = record->line;
    walk->vector = vector;
    for (uint32_t at = REGISTER_BYTES_V / 8; at < walk->vector_bytes / 8; at++) {
        if (!VEC_ROOM(&segment->registers, 1))
            return false;
        segment->registers.items[segment->registers.count++] = (struct segment_register){
            .event = row,
            .cell = (uint16_t)(FIRST + vector * (REGISTER_BYTES_Z / 8) + at),
            .mask = UINT8_MAX,
            .lane = lane,
        };
    }
    return true;
}

// Adds records [from, to) of a lane of which vectors are longer than v.
static NEVER_INLINE bool gather_long_vectors(const struct gather *gather, size_t part, size_t from,
                                             size_t to, struct line_walk *walk)
{
    const struct part_scan *scan = &gather->data->scans.items[part];
    const struct register_record *items =
        gather->data->parsed.parts.items[part].records.registers.items;
    struct segment *segment = gather->segment;
    struct z_walk z_walk = z_walk_at(gather, part, from);
    const uint16_t lane = (uint16_t)scan->lane;
    for (size_t i = from; i < to; i++) {
        if (!is_in_state(&items[i], scan->before.mode))
            continue;
        walk_to_line(walk, items[i].line);
        if (!VEC_ROOM(&segment->registers, 1))
            return false;
        segment->registers.items[segment->registers.count++] = (struct segment_register){
            .value = items[i].value,
            .event = walk->own_row,
            .cell = items[i].cell,
            .mask = items[i].mask,
            .lane = lane,
        };
        if (!clear_rest_of_z(&z_walk, segment, &items[i], walk->own_row, lane))
            return false;
    }
    return true;
}

// Adds records [from, to) of a part. False: no memory.
static ALWAYS_INLINE bool gather_records(const struct gather *gather, size_t part, size_t from,
                                         size_t to, struct line_walk *walk)
{
    const struct part_scan *scan = &gather->data->scans.items[part];
    const struct register_record *items =
        gather->data->parsed.parts.items[part].records.registers.items;
    struct segment *segment = gather->segment;
    uint16_t lane = (uint16_t)scan->lane;
    if (from == to)
        return true;
    if (UNLIKELY(scan->clears_z))
        return gather_long_vectors(gather, part, from, to, walk);
    if (!VEC_ROOM(&segment->registers, to - from))
        return false;
    struct segment_register *out = segment->registers.items + segment->registers.count;
    for (size_t i = from; i < to; i++) {
        __builtin_prefetch(&items[i + PREFETCH_ITEMS]);
        if (!is_in_state(&items[i], scan->before.mode))
            continue;
        walk_to_line(walk, items[i].line);
        *out++ = (struct segment_register){
            .value = items[i].value,
            .event = walk->own_row,
            .cell = items[i].cell,
            .mask = items[i].mask,
            .lane = lane,
        };
    }
    segment->registers.count = (size_t)(out - segment->registers.items);
    return true;
}

// Adds a change to a mode of the M profile. False: no memory.
static bool push_mode(struct segment *segment, const struct mode_change *change, uint32_t row,
                      uint16_t lane)
{
    if (mode_bank(change->now) < MODE_M)
        return true;
    if (!VEC_ROOM(&segment->modes, 1))
        return false;
    segment->modes.items[segment->modes.count++] =
        (struct segment_mode){row, lane, (uint8_t)(mode_bank(change->now) - MODE_M)};
    return true;
}

static bool push_regime(struct segment *segment, unsigned mode, uint32_t row, size_t lane)
{
    const enum address_regime regime = bank_regime(mode_bank(mode));
    if (regime == REGIME_UNKNOWN)
        return true;
    if (!VEC_ROOM(&segment->regimes, 1))
        return false;
    segment->regimes.items[segment->regimes.count++] =
        (struct segment_regime){row, (uint16_t)lane, (uint8_t)regime};
    return true;
}

// Adds what the registers with banks show from a change of mode on. False: no memory.
static bool gather_mode(const struct gather *gather, size_t part, const struct mode_change *change,
                        struct line_walk *walk)
{
    const struct part_scan *scan = &gather->data->scans.items[part];
    struct segment *segment = gather->segment;
    const uint16_t lane = (uint16_t)scan->lane;
    struct bank_row rows[BANK_ROWS];
    size_t count = scan_bank_rows(change, &scan->carried, rows);
    walk_to_line(walk, gather->data->parsed.parts.items[part].marks.items[change->mark].line);
    if (!push_mode(segment, change, walk->own_row, lane) ||
        !push_regime(segment, change->now, walk->own_row, lane) ||
        !VEC_ROOM(&segment->registers, 2 * count))
        return false;
    for (size_t i = 0; i < 2 * count; i++) {
        const struct bank_row *row = &rows[i / 2];
        const uint8_t mask = row->mask & (uint8_t)(i % 2 ? ~BANK_LOW_MASK : BANK_LOW_MASK);
        bool is_known = row->value != ADDRESS_UNKNOWN;
        segment->registers.items[segment->registers.count++] = (struct segment_register){
            .value = is_known ? row->value & bytes_of_mask(mask) : 0,
            .event = walk->own_row,
            .cell = (uint16_t)(row->cell | (is_known ? 0 : REGISTER_VALUE_UNKNOWN)),
            .mask = mask,
            .lane = lane,
        };
    }
    return true;
}

static bool gather_registers(const struct gather *gather, size_t part)
{
    const struct lane_part *parsed = &gather->data->parsed.parts.items[part];
    const struct register_record *items = parsed->records.registers.items;
    const struct scan_result *scan = &gather->data->scans.items[part].result;
    const struct mode_change *modes = scan->modes.items;
    const struct extent *extent = &gather->extent;
    struct line_walk walk = line_walk_at(gather, part);
    size_t from, to, mode, mode_to;
    PARTITION_POINT(from, parsed->records.registers.count, items[middle].line < extent->line_from);
    PARTITION_POINT(to, parsed->records.registers.count, items[middle].line < extent->line_to);
    PARTITION_POINT(mode, scan->modes.count,
                    parsed->marks.items[modes[middle].mark].line < extent->line_from);
    PARTITION_POINT(mode_to, scan->modes.count,
                    parsed->marks.items[modes[middle].mark].line < extent->line_to);
    const uint64_t first_row = u64_max(gather->data->first_event, gather->segment->first_event) -
                               gather->segment->first_event;
    const unsigned mode_before =
        mode ? modes[mode - 1].now : gather->data->scans.items[part].before.mode;
    if (!VEC_ROOM(&gather->segment->registers, to - from + 2 * BANK_ROWS * (mode_to - mode)) ||
        !push_regime(gather->segment, mode_before, (uint32_t)first_row,
                     gather->data->scans.items[part].lane))
        return false;
    for (; mode < mode_to; mode++) {
        size_t left = to - from, passed;
        const uint32_t line = parsed->marks.items[modes[mode].mark].line;
        PARTITION_POINT(passed, left, items[from + middle].line < line);
        if (!gather_records(gather, part, from, from + passed, &walk) ||
            !gather_mode(gather, part, &modes[mode], &walk))
            return false;
        from += passed;
    }
    return gather_records(gather, part, from, to, &walk);
}

// Adds writes to registers with names of their own. Their order among other writes does not matter.
static NEVER_INLINE bool gather_named(const struct gather *gather, size_t part)
{
    const struct parsed_chunk *parsed = &gather->data->parsed;
    const struct records *records = &parsed->parts.items[part].records;
    const struct named_record *items = records->named.items;
    struct segment *segment = gather->segment;
    size_t from, to;
    PARTITION_POINT(from, records->named.count, items[middle].line < gather->extent.line_from);
    PARTITION_POINT(to, records->named.count, items[middle].line < gather->extent.line_to);
    if (from == to)
        return true;
    if (!VEC_ROOM(&segment->registers, to - from))
        return false;
    struct line_walk walk = line_walk_at(gather, part);
    for (size_t i = from; i < to; i++) {
        uint32_t number = parsed->names.names.items.items[items[i].name].number;
        if (number == NO_REGISTER_NAME)
            continue; // beyond the limit
        // Walks to the line in growing steps, as such lines are far apart.
        const uint32_t line = items[i].line;
        size_t left = walk.node_count - walk.node, step = 1;
        while (step < left && walk.lines[walk.node + step] <= line) {
            walk.node += step;
            left -= step;
            step *= 2;
        }
        walk.next_line = walk.lines[walk.node];
        if (step > 1 && left > 1) {
            const uint32_t *lines = walk.lines + walk.node;
            size_t skipped, count = (size_t)u64_min(left, step);
            PARTITION_POINT(skipped, count, lines[middle] < line + 1);
            walk.node += skipped - (skipped > 0);
            walk.next_line = walk.lines[walk.node];
        }
        walk_to_line(&walk, line);
        segment->registers.items[segment->registers.count++] = (struct segment_register){
            .value = items[i].value,
            .event = walk.own_row,
            .cell = (uint16_t)((NAMED_REGISTER_CELL(number) + items[i].word) |
                               (items[i].is_unknown ? REGISTER_VALUE_UNKNOWN : 0)),
            .mask = items[i].mask,
            .lane = (uint16_t)gather->data->scans.items[part].lane,
        };
    }
    return true;
}

static bool gather_instructions(const struct gather *gather, size_t part)
{
    const struct records *records = &gather->data->parsed.parts.items[part].records;
    const struct instruction_record *items = records->instructions.items;
    struct segment *segment = gather->segment;
    uint64_t base = gather->data->base.position;
    size_t lane = gather->data->scans.items[part].lane;
    struct line_walk walk = line_walk_at(gather, part);
    size_t from, to;
    PARTITION_POINT(from, records->instructions.count,
                    items[middle].line < gather->extent.line_from);
    PARTITION_POINT(to, records->instructions.count, items[middle].line < gather->extent.line_to);
    if (!VEC_ROOM(&segment->instructions, to - from))
        return false;
    for (size_t i = from; i < to; i++) {
        walk_to_line(&walk, items[i].line);
        uint32_t row = walk.own_row;
        uint64_t event = event_of_node(gather->data, part, walk.node);
        bool is_late = event < segment->first_event;
        bool is_own = event != NO_EVENT && (is_late || segment->events.instruction_position[row] ==
                                                           base + items[i].position);
        if (!is_own)
            continue; // at NO_TIME, so it belongs to no event
        segment->instructions.items[segment->instructions.count++] = (struct segment_instruction){
            .address = items[i].address,
            .text = base + items[i].text,
            .text_bytes = items[i].text_bytes,
            .encoding = items[i].encoding,
            .event = row,
            .lane = (uint16_t)lane,
            .is_aarch64 = items[i].is_aarch64,
            .is_executed = items[i].is_executed,
        };
    }
    return true;
}

// Whether a host call joins the event in row `row` on a line of the chunk after `line`.
static bool is_before_host_call(const struct gather *gather, uint32_t row, uint32_t line)
{
    const struct segment_events *events = &gather->segment->events;
    const struct chunk_data *data = gather->data;
    uint64_t event = gather->segment->first_event + row;
    if (LIKELY(!(events->flags[row] & EVENT_HOST_CALL)) ||
        events->instruction_position[row] == events->position[row])
        return false; // the call is its first line
    for (size_t part = 0; part < data->scan_count; part++) {
        const struct scan_result *scan = &data->scans.items[part].result;
        const struct mark *marks = data->parsed.parts.items[part].marks.items;
        size_t at;
        if (!takes_part(data, part) || data->scans.items[part].lane != events->lane[row])
            continue;
        PARTITION_POINT(at, scan->joins.count,
                        marks[scan->joins.items[middle].mark].line < line + 1);
        for (; at < scan->joins.count; at++) {
            const struct node_join *join = &scan->joins.items[at];
            uint64_t joined = event_of_node(data, part, join->node);
            if (joined == event &&
                mark_event_flags(&marks[join->mark], marks[join->mark].summary.kind) &
                    EVENT_HOST_CALL)
                return true;
            if (joined != NO_EVENT && joined > event)
                return false;
        }
    }
    return false;
}

static void push_access(const struct gather *gather, const struct memory_record *record,
                        uint32_t row, const struct part_scan *scan)
{
    struct segment *segment = gather->segment;
    enum sp_bank mode = (enum sp_bank)record->mode;
    if (UNLIKELY(mode == SP_BANK_NONE))
        mode = mode_bank(scan->before.mode);
    segment->accesses.items[segment->accesses.count++] = (struct segment_access){
        .address = record->address,
        .value = record->value,
        .event = row,
        .size_bytes = record->size_bytes,
        .is_read = record->is_read,
        .is_known = record->is_known,
        .is_before_host_call = is_before_host_call(gather, row, record->line),
        .lane = (uint16_t)scan->lane,
        .regime = (uint8_t)bank_regime(mode),
        .to_place = record->to_place,
    };
}

static void accesses_in_extent(const struct gather *gather, size_t part, size_t *from, size_t *to)
{
    const struct records *records = &gather->data->parsed.parts.items[part].records;
    const struct memory_record *items = records->accesses.items;
    PARTITION_POINT(*from, records->accesses.count, items[middle].line < gather->extent.line_from);
    PARTITION_POINT(*to, records->accesses.count, items[middle].line < gather->extent.line_to);
}

static bool gather_accesses(const struct gather *gather, size_t part)
{
    const struct records *records = &gather->data->parsed.parts.items[part].records;
    struct line_walk walk = line_walk_at(gather, part);
    size_t from, to;
    accesses_in_extent(gather, part, &from, &to);
    if (!VEC_ROOM(&gather->segment->accesses, to - from))
        return false;
    for (size_t i = from; i < to; i++) {
        __builtin_prefetch(&records->accesses.items[i + PREFETCH_ITEMS]);
        const struct memory_record *record = &records->accesses.items[i];
        walk_to_line(&walk, record->line);
        push_access(gather, record, walk.latest_row, &gather->data->scans.items[part]);
    }
    return true;
}

static const struct memory_record *access_at(const struct chunk_data *data, size_t part, size_t at)
{
    return &data->parsed.parts.items[part].records.accesses.items[at];
}

// The accesses of a segment in a chunk, by line; each line belongs to one lane.
struct line_accesses {
    uint32_t *parts; // for each line in the extent; NO_PART: it has no access
    size_t *next;    // for each part, its next access
    size_t count;
};

// `from` and `to` are the lines of the extent. False: no memory.
static bool sort_accesses(const struct gather *gather, struct line_accesses *by_line, uint32_t from,
                          uint32_t to)
{
    const struct chunk_data *data = gather->data;
    size_t lines = to - from;
    by_line->parts = malloc((lines + 1) * sizeof *by_line->parts);
    by_line->next = calloc(data->scan_count + 1, sizeof *by_line->next);
    if (!by_line->parts || !by_line->next)
        return false;
    memset(by_line->parts, 0xff, lines * sizeof *by_line->parts);
    for (size_t i = 0; i < data->scan_count; i++) {
        size_t end;
        if (!takes_part(data, i))
            continue;
        accesses_in_extent(gather, i, &by_line->next[i], &end);
        by_line->count += end - by_line->next[i];
        for (size_t at = by_line->next[i]; at < end; at++)
            by_line->parts[access_at(data, i, at)->line - from] = (uint32_t)i;
    }
    return true;
}

// All lanes share one memory: accesses are in the order of their lines, and belong to the latest
// event of all lanes.
static bool gather_accesses_of_all(const struct gather *gather)
{
    const struct chunk_data *data = gather->data;
    struct line_accesses by_line = {0};
    uint64_t rank = gather->extent.first; // events that begin at or before the line
    uint32_t to = (uint32_t)u64_min(gather->extent.line_to, lines_of(data));
    uint32_t from = (uint32_t)u64_min(gather->extent.line_from, to);
    bool has_memory = sort_accesses(gather, &by_line, from, to) &&
                      VEC_ROOM(&gather->segment->accesses, by_line.count);
    for (uint32_t line = from; has_memory && line < to && by_line.count; line++) {
        uint32_t part = by_line.parts[line - from];
        if (part == NO_PART)
            continue;
        const struct records *records = &data->parsed.parts.items[part].records;
        while (rank < data->event_count && data->event_lines.items[rank] <= line)
            rank++;
        for (size_t *next = &by_line.next[part];
             *next < records->accesses.count && access_at(data, part, *next)->line == line; ++*next)
            push_access(gather, access_at(data, part, *next), row_of_latest(gather, rank),
                        &data->scans.items[part]);
    }
    free(by_line.parts);
    free(by_line.next);
    return has_memory;
}

bool segment_gather(struct segment *segment, const struct chunk_data *data)
{
    const struct gather gather = {segment, data, extent_of(segment, data)};
    for (size_t i = 0; i < data->scan_count; i++) {
        if (!takes_part(data, i))
            continue;
        if (!gather_events(&gather, i) || !gather_joins(&gather, i) ||
            !gather_registers(&gather, i) || !gather_instructions(&gather, i))
            return false;
        if (data->parsed.parts.items[i].records.named.count && !gather_named(&gather, i))
            return false;
        if (data->only_part != SIZE_MAX && !gather_accesses(&gather, i))
            return false;
    }
    return data->only_part != SIZE_MAX || gather_accesses_of_all(&gather);
}

bool segment_gather_modes(struct segment *segment, const struct chunk_data *data)
{
    const struct gather gather = {segment, data, extent_of(segment, data)};
    for (size_t part = 0; part < data->scan_count; part++) {
        const struct part_scan *scan = &data->scans.items[part];
        const struct mark *marks = data->parsed.parts.items[part].marks.items;
        for (size_t i = 0; takes_part(data, part) && i < scan->result.modes.count; i++) {
            const struct mode_change *change = &scan->result.modes.items[i];
            const uint32_t line = marks[change->mark].line;
            if (line >= gather.extent.line_from && line < gather.extent.line_to &&
                !push_mode(segment, change, 0, (uint16_t)scan->lane))
                return false;
        }
    }
    return true;
}

static int compare_origins(const void *a, const void *b)
{
    const struct segment_origin *first = a, *second = b;
    return (first->event > second->event) - (first->event < second->event);
}

void segment_finish(struct segment *segment)
{
    if (segment->origins.count)
        qsort(segment->origins.items, segment->origins.count, sizeof *segment->origins.items,
              compare_origins);
    segment_late_sort(segment->late.items, segment->late.count);
}

#include "trace/tfile/tfile.h"

#include "base/limits.h"
#include "flow/segment_crew.h"
#include "idx/index_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TRACEPOINTS 65536
#define SEGMENT_EVENTS_MOST 4096
#define SEGMENT_BYTES_MOST (UINT64_C(8) << 20)

struct walk {
    struct tfile_pass *pass;
    const struct tfile *file;
    struct pass_result *result;
    uint16_t *lane_of;                // of each tracepoint that has frames
    size_t slot_next;                 // where to search first for the next variable
    size_t frame_next;                // the next frame
    VEC(, struct tfile_block) memory; // of the current frame
    struct error failure;             // of reading a frame
};

uint32_t tfile_pass_cell(const struct tfile_pass *pass, size_t slot)
{
    return (uint32_t)((pass->file->register_bytes + 7) / 8 + slot);
}

// --- How many ------------------------------------------------------------------------------------

// Whether no range of `count` frames, starting at a multiple of `count`, exceeds the size of a
// segment.
static bool fits(const struct tfile *file, uint32_t count)
{
    const struct tfile_frame *frames = file->frames.items;
    for (size_t first = 0; first < file->frames.count; first += count) {
        size_t last = (size_t)u64_min(first + count, file->frames.count) - 1;
        if (frames[last].offset + frames[last].size_bytes - frames[first].offset >
            SEGMENT_BYTES_MOST)
            return false;
    }
    return true;
}

uint32_t tfile_pass_segment_events(const struct tfile *file)
{
    uint32_t count = SEGMENT_EVENTS_MOST;
    while (count > 1 && !fits(file, count))
        count /= 2;
    return count;
}

// --- Lanes ---------------------------------------------------------------------------------------

// The largest number of lanes: the index has a number for each lane and segment.
static uint64_t lanes_most(const struct walk *walk)
{
    uint64_t per_segment = u64_max(walk->pass->segments.segment_events, 1);
    uint64_t segments = walk->file->frames.count / per_segment + 1;
    return u64_min(u64_max(LIMIT_LANE_SEGMENTS / segments, LIMIT_SNAPSHOT_LANES), INDEX_LANES_MAX);
}

// Makes a lane for each tracepoint that has frames. When there are too many, the rest shares the
// last lane.
static void make_lanes(struct walk *walk, const uint64_t frames[TRACEPOINTS], uint64_t most)
{
    struct pass_result *result = walk->result;
    size_t count = 0;
    for (unsigned number = 0; number < TRACEPOINTS; number++) {
        if (!frames[number])
            continue;
        size_t at = (size_t)u64_min(count++, most - 1);
        struct lane_result *lane = &result->lanes[at];
        walk->lane_of[number] = (uint16_t)at;
        lane->events += frames[number];
        lane->nodes += frames[number];
        if (!*lane->name)
            snprintf(lane->name, sizeof lane->name, "tp%u", number);
        else if (count == most + 1)
            strcat(lane->name, "+");
    }
    result->lane_count = (size_t)u64_min(count, most);
}

static bool count_lanes(struct walk *walk, struct error *err)
{
    const struct tfile *file = walk->file;
    uint64_t *frames = calloc(TRACEPOINTS, sizeof *frames), count = 0, most = lanes_most(walk);
    for (size_t i = 0; frames && i < file->frames.count; i++)
        count += frames[file->frames.items[i].number]++ == 0;
    walk->result->lanes = calloc((size_t)u64_min(count, most) + 1, sizeof *walk->result->lanes);
    walk->lane_of = calloc(TRACEPOINTS, sizeof *walk->lane_of);
    bool has_memory = frames && walk->result->lanes && walk->lane_of;
    if (has_memory)
        make_lanes(walk, frames, most);
    else
        error_set(err, STATUS_MEMORY, "no memory for the index");
    free(frames);
    return has_memory;
}

// --- Registers -----------------------------------------------------------------------------------

static bool add_cells(struct segment *segment, uint16_t lane, uint32_t cell, const uint8_t *bytes,
                      size_t size_bytes)
{
    size_t cells = (size_bytes + 7) / 8;
    if (!VEC_ROOM(&segment->registers, cells))
        return false;
    struct segment_register *rows = &segment->registers.items[segment->registers.count];
    segment->registers.count += cells;
    for (size_t i = 0; i < cells; i++) {
        size_t left = size_bytes - 8 * i;
        uint64_t value = 0;
        memcpy(&value, bytes + 8 * i, (size_t)u64_min(left, 8));
        rows[i] = (struct segment_register){
            .value = value,
            .event = segment->event_count,
            .cell = (uint16_t)(cell + i),
            .mask = left < 8 ? (uint8_t)((1u << left) - 1) : 0xff,
            .lane = lane,
        };
    }
    return true;
}

// Most frames have the variables in the same order.
static bool find_slot(struct walk *walk, int32_t number, size_t *slot)
{
    struct tfile_pass *pass = walk->pass;
    size_t count = pass->slots.count;
    for (size_t i = 0; i < count; i++) {
        *slot = (walk->slot_next + i) % count;
        if (pass->slots.items[*slot].variable == number)
            break;
        *slot = count;
    }
    if (!count || *slot == count) {
        const struct tfile_variable *variable = tfile_variable_numbered(walk->file, number);
        if (!VEC_ROOM(&pass->slots, 1))
            return false;
        *slot = pass->slots.count++;
        pass->slots.items[*slot] = (struct tfile_slot){number, variable ? variable->name : NULL};
    }
    walk->slot_next = *slot + 1;
    return true;
}

static bool add_variable(struct walk *walk, struct segment *segment, uint16_t lane,
                         const struct tfile_block *block, struct error *err)
{
    uint8_t bytes[8];
    size_t slot;
    memcpy(bytes, &block->value, sizeof bytes);
    if (!find_slot(walk, block->variable, &slot))
        return error_set(err, STATUS_MEMORY, "no memory for the index"), false;
    uint32_t cell = tfile_pass_cell(walk->pass, slot);
    if (cell >= REGISTER_CELLS)
        return error_set(err, STATUS_LIMIT,
                         "%zu variables: an index has no room for so many besides the registers",
                         slot + 1),
               false;
    return add_cells(segment, lane, cell, bytes, sizeof bytes) ||
           (error_set(err, STATUS_MEMORY, "no memory for the index"), false);
}

// --- Memory --------------------------------------------------------------------------------------

// Adds a block, divided at multiples of eight bytes. An access has a number, from which the index
// takes the bytes again in the order that it was told, whichever order the file has.
static bool add_memory(const struct walk *walk, struct segment *segment, uint16_t lane,
                       const struct tfile_block *block)
{
    uint64_t mask = walk->file->address_mask;
    for (uint32_t done = 0; done < block->size_bytes;) {
        uint64_t address = (block->address + done) & mask, value = 0;
        size_t size = (size_t)u64_min(8 - address % 8, block->size_bytes - done);
        if (!VEC_ROOM(&segment->accesses, 1))
            return false;
        memcpy(&value, block->bytes + done, size);
        segment->accesses.items[segment->accesses.count++] = (struct segment_access){
            .address = address,
            .value = memory_bytes_of_number(value, (unsigned)size, walk->pass->big_endian),
            .event = segment->event_count,
            .size_bytes = (uint8_t)size,
            .is_known = true,
            .lane = lane,
        };
        done += (uint32_t)size;
    }
    return true;
}

// Backwards, because the first block that covers a byte counts, but the last store in a segment.
static bool add_memory_backwards(struct walk *walk, struct segment *segment, uint16_t lane,
                                 struct error *err)
{
    bool has_memory = true;
    for (size_t i = walk->memory.count; i-- > 0 && has_memory;) {
        has_memory = add_memory(walk, segment, lane, &walk->memory.items[i]);
        if (segment->accesses.count > LIMIT_SEGMENT_RECORDS)
            return error_set(err, STATUS_LIMIT,
                             "event %" PRIu32 " of a segment: more memory than "
                             "an index has room for%s",
                             segment->event_count,
                             segment->event_count ? " (see --segment-events)" : ""),
                   false;
    }
    return has_memory || (error_set(err, STATUS_MEMORY, "no memory for the index"), false);
}

// --- Frames --------------------------------------------------------------------------------------

static bool add_block(struct walk *walk, struct segment *segment, uint16_t lane,
                      const struct tfile_block *block, struct error *err)
{
    switch (block->kind) {
    case TFILE_MEMORY:
        if (VEC_ROOM(&walk->memory, 1)) {
            walk->memory.items[walk->memory.count++] = *block;
            return true;
        }
        break;
    case TFILE_VARIABLE:
        return add_variable(walk, segment, lane, block, err);
    default: // text of static tracepoints is only in the file
        return true;
    }
    return error_set(err, STATUS_MEMORY, "no memory for the index"), false;
}

static bool add_frame(struct walk *walk, struct segment *segment, const struct tfile_frame *frame,
                      struct error *err)
{
    const struct tfile *file = walk->file;
    uint16_t lane = walk->lane_of[frame->number];
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    const uint8_t *registers = tfile_frame_registers(file, frame);
    if (registers && !add_cells(segment, lane, 0, registers, file->register_bytes))
        return error_set(err, STATUS_MEMORY, "no memory for the index"), false;
    walk->memory.count = 0;
    while (tfile_next(file, &cursor, &block)) {
        if (!add_block(walk, segment, lane, &block, err))
            return false;
    }
    if (!add_memory_backwards(walk, segment, lane, err))
        return false;
    struct segment_events *events = &segment->events;
    uint32_t row = segment->event_count; // its time and line stay 0
    uint64_t pc = EVENT_WITHOUT_PC;
    bool has_pc = tfile_frame_pc(walk->file, frame, &pc);
    events->position[row] = frame->offset;
    events->lane[row] = lane;
    events->pc[row] = pc;
    events->flags[row] =
        (uint8_t)((has_pc ? EVENT_HAS_INSTRUCTION | EVENT_EXECUTED : 0) |
                  (frame->marks & TFILE_RECOVERED ? EVENT_FRAME_RECOVERED : 0) |
                  (tfile_frame_is_whole(walk->file, frame) ? 0 : EVENT_FRAME_DAMAGED));
    walk->result->lanes[lane].instructions += has_pc;
    segment->event_count++;
    return true;
}

static bool take_frames(void *self, unsigned worker, struct segment *segment)
{
    struct walk *walk = self;
    const struct tfile *file = walk->file;
    (void)worker;
    while (segment->event_count < walk->pass->segments.segment_events &&
           walk->frame_next < file->frames.count) {
        if (!add_frame(walk, segment, &file->frames.items[walk->frame_next++], &walk->failure))
            return false;
    }
    return true;
}

static void add_frames(struct walk *walk, struct error *err)
{
    const struct tfile_pass *pass = walk->pass;
    const struct segment_crew crew = {&pass->segments, pass->threads, walk, take_frames, NULL};
    if (tfile_pass_cell(pass, 0) > REGISTER_CELLS) {
        error_set(err, STATUS_LIMIT, "registers take %" PRIu32 " bytes: an index has room for %d",
                  walk->file->register_bytes, REGISTER_CELLS * 8);
        return;
    }
    segment_crew_run(&crew, err);
    if (err->status == STATUS_OK)
        *err = walk->failure;
}

// Variables that the file defines come first, in its order, even if no frame has them.
static bool add_slots(struct tfile_pass *pass)
{
    const struct tfile *file = pass->file;
    for (size_t i = 0; i < file->variables.count; i++) {
        if (tfile_pass_cell(pass, i) >= REGISTER_CELLS)
            break;
        if (!VEC_ROOM(&pass->slots, 1))
            return false;
        pass->slots.items[pass->slots.count++] =
            (struct tfile_slot){file->variables.items[i].number, file->variables.items[i].name};
    }
    return true;
}

enum status tfile_pass_run(struct tfile_pass *pass, struct pass_result *result, struct error *err)
{
    struct walk walk = {
        .pass = pass, .file = pass->file, .result = result, .failure = {.status = STATUS_OK}};
    *result = (struct pass_result){.bytes = pass->file->size_bytes,
                                   .damaged_lines = pass->damage->count,
                                   .damaged_bytes = pass->damage->size_bytes};
    *err = (struct error){.status = STATUS_OK};
    if (!add_slots(pass))
        error_set(err, STATUS_MEMORY, "no memory for the index");
    else if (count_lanes(&walk, err))
        add_frames(&walk, err);
    free(walk.memory.items);
    free(walk.lane_of);
    return err->status;
}

void tfile_pass_free(struct tfile_pass *pass)
{
    free(pass->slots.items);
    pass->slots.items = NULL;
    pass->slots.count = 0;
}

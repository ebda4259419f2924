#include "flow/transfer_log.h"

#include "base/vec.h"
#include "flow/task_key.h"
#include "idx/varint.h"

#include <stdlib.h>

// The most rows of a batch.
#define BATCH_ROWS (16 * COLUMN_BLOCK)

// The columns of a batch. Those from FIELD_EVENT on are the fields of a transfer.
enum field {
    FIELD_LANE,
    FIELD_FLAGS,
    FIELD_EVENT,
    FIELD_PREVIOUS_EVENT,
    FIELD_PREVIOUS_TIME,
    FIELD_TIME,
    FIELD_PREVIOUS_LINE,
    FIELD_LINE,
    FIELD_PREVIOUS_POSITION,
    FIELD_POSITION,
    FIELD_PREVIOUS_PC,
    FIELD_PC,
    FIELD_SP,
    FIELD_RETURN,
    FIELD_DROP,
    FIELD_FROM_PC,
    FIELD_FROM_NEXT,
    FIELD_FROM_TARGET,
    FIELD_SP_THERE,
    FIELD_SP_LEFT,
    FIELD_SP_USER,
    FIELD_RESUME,
    FIELD_LINK,
    FIELD_ENTERED,
    FIELD_KEY,
    FIELD_COUNT,
};

_Static_assert(FIELD_COUNT <= PARTS_MAX, "each is a part");

// The field that a field is stored as a difference from: an earlier one of the same transfer, or
// any one of the lane's previous transfer.
static const struct {
    uint8_t field;
    bool is_of_last;
    bool may_lack; // if it has the value `lacking`, only a flag is stored
    uint64_t lacking;
} near[FIELD_COUNT] = {
    [FIELD_EVENT] = {FIELD_EVENT, true, false, 0},
    [FIELD_PREVIOUS_EVENT] = {FIELD_EVENT, false, false, 0},
    [FIELD_PREVIOUS_TIME] = {FIELD_TIME, true, false, 0},
    [FIELD_TIME] = {FIELD_PREVIOUS_TIME, false, false, 0},
    [FIELD_PREVIOUS_LINE] = {FIELD_LINE, true, false, 0},
    [FIELD_LINE] = {FIELD_PREVIOUS_LINE, false, false, 0},
    [FIELD_PREVIOUS_POSITION] = {FIELD_POSITION, true, false, 0},
    [FIELD_POSITION] = {FIELD_PREVIOUS_POSITION, false, false, 0},
    [FIELD_PREVIOUS_PC] = {FIELD_PC, true, false, 0},
    [FIELD_PC] = {FIELD_PREVIOUS_PC, false, false, 0},
    [FIELD_SP] = {FIELD_SP, true, true, ADDRESS_UNKNOWN},
    [FIELD_RETURN] = {FIELD_RETURN, true, false, 0},
    [FIELD_DROP] = {FIELD_SP, false, true, 0},
    [FIELD_FROM_PC] = {FIELD_PREVIOUS_PC, false, false, 0},
    [FIELD_FROM_NEXT] = {FIELD_FROM_PC, false, false, 0},
    [FIELD_FROM_TARGET] = {FIELD_PC, false, true, ADDRESS_UNKNOWN},
    [FIELD_SP_THERE] = {FIELD_SP, false, true, ADDRESS_UNKNOWN},
    [FIELD_SP_LEFT] = {FIELD_SP_THERE, false, true, ADDRESS_UNKNOWN},
    [FIELD_SP_USER] = {FIELD_SP_THERE, false, true, ADDRESS_UNKNOWN},
    [FIELD_RESUME] = {FIELD_PREVIOUS_PC, false, true, ADDRESS_UNKNOWN},
    [FIELD_LINK] = {FIELD_RETURN, false, true, ADDRESS_UNKNOWN},
    [FIELD_ENTERED] = {FIELD_PC, false, true, 0},
    [FIELD_KEY] = {FIELD_KEY, true, true, 0},
};

// Bits of FIELD_FLAGS. From FLAGS_SHIFT on there is one for each field, set if the field has its
// `lacking` value.
enum {
    FLAG_KINDS = 0x7, // enum branch_kind
    FLAG_CONDITIONAL = 0x8,
    FLAG_MAY_BE_CALL = 0x10,
    FLAG_EXCEPTION = 0x20,
    FLAG_GAP = 0x40,
    FLAG_CHANGES_MODE = 0x80,
    FLAG_OPENS_FRAME = 0x100,
    FLAG_OVERTAKEN = 0x200,
    FLAG_LINK_NEW = 0x400,
    FLAG_DROP = 0x800, // no transfer: a drop
    FLAGS_SHIFT = 12,
    // Behind those of the fields.
    FLAG_ENDS_LOOP_BIT = FLAGS_SHIFT + FIELD_COUNT,
    FLAG_CHANGES_WORLD_BIT,
    FLAG_FALLS_THROUGH_BIT,
    FLAG_KEY_IS_READ_BIT,
    FLAG_ENTERS_USER_BIT,
    FLAG_ENTERS_GATE_BIT,
    FLAG_KEY_KIND_SHIFT, // three bits
};

#define FLAG_ENDS_LOOP (UINT64_C(1) << FLAG_ENDS_LOOP_BIT)
#define FLAG_CHANGES_WORLD (UINT64_C(1) << FLAG_CHANGES_WORLD_BIT)
#define FLAG_FALLS_THROUGH (UINT64_C(1) << FLAG_FALLS_THROUGH_BIT)
#define FLAG_KEY_IS_READ (UINT64_C(1) << FLAG_KEY_IS_READ_BIT)
#define FLAG_ENTERS_USER (UINT64_C(1) << FLAG_ENTERS_USER_BIT)
#define FLAG_ENTERS_GATE (UINT64_C(1) << FLAG_ENTERS_GATE_BIT)
#define KEY_KIND_MASK 7

#define LACKS(field) (UINT64_C(1) << (FLAGS_SHIFT + (field)))

_Static_assert(BRANCH_LEAVES <= FLAG_KINDS && KEY_KINDS <= KEY_KIND_MASK + 1 &&
                   FLAG_KEY_KIND_SHIFT + 3 <= 64,
               "a kind has room");

// --- Transfers as fields -------------------------------------------------------------------------

static void to_fields(const struct transfer *transfer, uint64_t *fields)
{
    const struct node_ref *node = &transfer->node, *previous = &transfer->previous;
    const struct branch *from = &transfer->from;
    fields[FIELD_FLAGS] = (uint64_t)from->kind | (from->is_conditional ? FLAG_CONDITIONAL : 0) |
                          (from->ends_loop ? FLAG_ENDS_LOOP : 0) |
                          (transfer->changes_world ? FLAG_CHANGES_WORLD : 0) |
                          (transfer->enters_gate ? FLAG_ENTERS_GATE : 0) |
                          (transfer->falls_through ? FLAG_FALLS_THROUGH : 0) |
                          (transfer->may_be_call ? FLAG_MAY_BE_CALL : 0) |
                          (transfer->is_exception ? FLAG_EXCEPTION : 0) |
                          (transfer->is_gap ? FLAG_GAP : 0) |
                          (transfer->changes_mode ? FLAG_CHANGES_MODE : 0) |
                          (transfer->opens_frame ? FLAG_OPENS_FRAME : 0) |
                          (transfer->is_overtaken ? FLAG_OVERTAKEN : 0) |
                          (transfer->is_link_new ? FLAG_LINK_NEW : 0) |
                          (transfer->key_is_read ? FLAG_KEY_IS_READ : 0) |
                          (transfer->enters_user ? FLAG_ENTERS_USER : 0) |
                          (uint64_t)transfer->key_kind << FLAG_KEY_KIND_SHIFT;
    fields[FIELD_EVENT] = node->event;
    fields[FIELD_PREVIOUS_EVENT] = previous->event;
    fields[FIELD_PREVIOUS_TIME] = previous->time;
    fields[FIELD_TIME] = node->time;
    fields[FIELD_PREVIOUS_LINE] = previous->line;
    fields[FIELD_LINE] = node->line;
    fields[FIELD_PREVIOUS_POSITION] = previous->position;
    fields[FIELD_POSITION] = node->position;
    fields[FIELD_PREVIOUS_PC] = previous->pc;
    fields[FIELD_PC] = node->pc;
    fields[FIELD_SP] = transfer->sp;
    fields[FIELD_RETURN] = transfer->return_address;
    fields[FIELD_DROP] = transfer->drop_below;
    fields[FIELD_FROM_PC] = from->pc;
    fields[FIELD_FROM_NEXT] = from->next;
    fields[FIELD_FROM_TARGET] = from->target;
    fields[FIELD_SP_THERE] = transfer->sp_there;
    fields[FIELD_SP_LEFT] = transfer->sp_left;
    fields[FIELD_SP_USER] = transfer->sp_user;
    fields[FIELD_RESUME] = transfer->resume;
    fields[FIELD_LINK] = transfer->link;
    fields[FIELD_ENTERED] = transfer->entered;
    fields[FIELD_KEY] = transfer->key;
}

static void of_fields(const uint64_t *fields, struct transfer *transfer)
{
    uint64_t flags = fields[FIELD_FLAGS];
    *transfer = (struct transfer){
        .previous = {fields[FIELD_PREVIOUS_EVENT], fields[FIELD_PREVIOUS_TIME],
                     fields[FIELD_PREVIOUS_LINE], fields[FIELD_PREVIOUS_POSITION],
                     fields[FIELD_PREVIOUS_PC]},
        .node = {fields[FIELD_EVENT], fields[FIELD_TIME], fields[FIELD_LINE],
                 fields[FIELD_POSITION], fields[FIELD_PC]},
        .sp = fields[FIELD_SP],
        .return_address = fields[FIELD_RETURN],
        .drop_below = fields[FIELD_DROP],
        .may_be_call = flags & FLAG_MAY_BE_CALL,
        .is_exception = flags & FLAG_EXCEPTION,
        .is_gap = flags & FLAG_GAP,
        .changes_mode = flags & FLAG_CHANGES_MODE,
        .changes_world = flags & FLAG_CHANGES_WORLD,
        .enters_gate = flags & FLAG_ENTERS_GATE,
        .falls_through = flags & FLAG_FALLS_THROUGH,
        .opens_frame = flags & FLAG_OPENS_FRAME,
        .is_overtaken = flags & FLAG_OVERTAKEN,
        .from = {(enum branch_kind)(flags & FLAG_KINDS), flags & FLAG_CONDITIONAL,
                 flags & FLAG_ENDS_LOOP, fields[FIELD_FROM_PC], fields[FIELD_FROM_NEXT],
                 fields[FIELD_FROM_TARGET]},
        .sp_there = fields[FIELD_SP_THERE],
        .sp_left = fields[FIELD_SP_LEFT],
        .sp_user = fields[FIELD_SP_USER],
        .resume = fields[FIELD_RESUME],
        .link = fields[FIELD_LINK],
        .entered = fields[FIELD_ENTERED],
        .key = fields[FIELD_KEY],
        .is_link_new = flags & FLAG_LINK_NEW,
        .key_is_read = flags & FLAG_KEY_IS_READ,
        .enters_user = flags & FLAG_ENTERS_USER,
        .key_kind = flags >> FLAG_KEY_KIND_SHIFT & KEY_KIND_MASK,
    };
}

// The fields of the last transfer of each lane in a batch.
struct last_transfer {
    uint64_t batch; // that `fields` belong to; 0: none
    uint64_t fields[FIELD_COUNT];
};

// The fields of the lane's last transfer in a batch; all zero before the first.
static uint64_t *last_of(struct last_transfer *last, uint64_t batch)
{
    if (last->batch != batch)
        *last = (struct last_transfer){.batch = batch};
    return last->fields;
}

// --- Keeping -------------------------------------------------------------------------------------

struct transfer_log {
    struct transfer_batches batches;
    struct parts_writer parts;
    uint64_t batch; // the number of the current one, from 1
    VEC(, struct last_transfer) lanes;
    size_t row_count;
    uint64_t columns[FIELD_COUNT][BATCH_ROWS];
};

struct transfer_log *transfer_log_new(const struct transfer_batches *batches, enum simd simd)
{
    struct transfer_log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->batches = *batches;
    log->parts.simd = simd;
    log->batch = 1;
    return log;
}

void transfer_log_free(struct transfer_log *log)
{
    if (!log)
        return;
    free(log->lanes.items);
    parts_writer_free(&log->parts);
    free(log);
}

// Begins a row, in a new batch if this one is full. Returns the fields of the lane's last transfer;
// NULL: no memory.
static uint64_t *begin_row(struct transfer_log *log, size_t lane)
{
    if ((log->row_count == BATCH_ROWS && !transfer_log_end(log)) ||
        !VEC_EXTEND(&log->lanes, lane + 1))
        return NULL;
    log->columns[FIELD_LANE][log->row_count] = lane;
    return last_of(&log->lanes.items[lane], log->batch);
}

// Packs the fields of a transfer, and stores them as the lane's last ones.
static void put_fields(struct transfer_log *log, uint64_t *fields, uint64_t *last)
{
    size_t row = log->row_count++;
    for (enum field field = FIELD_EVENT; field < FIELD_COUNT; field++) {
        uint64_t base =
            near[field].is_of_last ? last[near[field].field] : fields[near[field].field];
        if (near[field].may_lack && fields[field] == near[field].lacking) {
            fields[FIELD_FLAGS] |= LACKS(field);
            fields[field] = base;
        }
        log->columns[field][row] = zigzag(fields[field] - base);
    }
    log->columns[FIELD_FLAGS][row] = fields[FIELD_FLAGS];
    memcpy(last, fields, FIELD_COUNT * sizeof *last);
}

bool transfer_log_add(struct transfer_log *log, size_t lane, const struct transfer *transfers,
                      size_t count, uint64_t drop_below)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t fields[FIELD_COUNT], *last = begin_row(log, lane);
        if (!last)
            return false;
        to_fields(&transfers[i], fields);
        put_fields(log, fields, last);
    }
    if (!drop_below)
        return true;
    if (!begin_row(log, lane))
        return false;
    size_t row = log->row_count++;
    for (enum field field = FIELD_EVENT; field < FIELD_COUNT; field++)
        log->columns[field][row] = 0;
    log->columns[FIELD_FLAGS][row] = FLAG_DROP;
    log->columns[FIELD_DROP][row] = drop_below;
    return true;
}

bool transfer_log_end(struct transfer_log *log)
{
    bool is_done = true;
    if (!log->row_count)
        return true;
    parts_writer_reset(&log->parts);
    for (enum field field = 0; field < FIELD_COUNT && is_done; field++)
        is_done = parts_add_column(&log->parts, field, log->columns[field], log->row_count);
    log->row_count = 0;
    log->batch++;
    return is_done && log->batches.add(log->batches.self, &log->parts);
}

// --- Reading -------------------------------------------------------------------------------------

struct transfer_reader {
    size_t lane_count;
    uint64_t batch;
    struct last_transfer *lanes;
    uint64_t rows[FIELD_COUNT][COLUMN_BLOCK];
};

struct transfer_reader *transfer_reader_new(size_t lane_count)
{
    struct transfer_reader *reader = calloc(1, sizeof *reader);
    if (!reader || !(reader->lanes = calloc(lane_count + 1, sizeof *reader->lanes))) {
        free(reader);
        return NULL;
    }
    reader->lane_count = lane_count;
    return reader;
}

void transfer_reader_free(struct transfer_reader *reader)
{
    if (!reader)
        return;
    free(reader->lanes);
    free(reader);
}

static enum status damaged(struct error *err)
{
    return error_set(err, STATUS_DAMAGED, "transfers of control");
}

// Unpacks row `at` into `fields`, which have those of the previous transfer. False: it is not after
// that one.
static bool get_fields(const struct transfer_reader *reader, size_t at, uint64_t *fields)
{
    uint64_t flags = reader->rows[FIELD_FLAGS][at];
    uint64_t event = fields[FIELD_EVENT], line = fields[FIELD_LINE];
    for (enum field field = FIELD_EVENT; field < FIELD_COUNT; field++)
        fields[field] = fields[near[field].field] + unzigzag(reader->rows[field][at]);
    fields[FIELD_FLAGS] = flags;
    return fields[FIELD_EVENT] >= event &&
           fields[FIELD_EVENT] == fields[FIELD_PREVIOUS_EVENT] + 1 &&
           fields[FIELD_PREVIOUS_LINE] >= line && fields[FIELD_LINE] >= fields[FIELD_PREVIOUS_LINE];
}

static bool give(const uint64_t *fields, size_t lane, const struct transfer_handler *handler)
{
    struct transfer transfer;
    uint64_t given[FIELD_COUNT];
    memcpy(given, fields, sizeof given);
    for (enum field field = FIELD_EVENT; field < FIELD_COUNT; field++) {
        if (fields[FIELD_FLAGS] & LACKS(field))
            given[field] = near[field].lacking;
    }
    of_fields(given, &transfer);
    return handler->transfer(handler->self, lane, &transfer);
}

static enum status take_row(struct transfer_reader *reader, size_t at,
                            const struct transfer_handler *handler, struct error *err)
{
    uint64_t lane = reader->rows[FIELD_LANE][at], flags = reader->rows[FIELD_FLAGS][at];
    bool has_memory;
    if (lane >= reader->lane_count)
        return damaged(err);
    if (flags & FLAG_DROP) {
        has_memory = handler->drop(handler->self, lane, reader->rows[FIELD_DROP][at]);
    } else {
        uint64_t *fields = last_of(&reader->lanes[lane], reader->batch);
        if (!get_fields(reader, at, fields) || (flags & FLAG_KINDS) > BRANCH_LEAVES)
            return damaged(err);
        has_memory = give(fields, lane, handler);
    }
    return has_memory ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory for calls");
}

enum status transfer_reader_take(struct transfer_reader *reader, const struct parts *batch,
                                 const struct transfer_handler *handler, struct error *err)
{
    struct column columns[FIELD_COUNT];
    reader->batch++;
    for (enum field field = 0; field < FIELD_COUNT; field++) {
        if (parts_column(batch, field, &columns[field], NULL) != STATUS_OK ||
            columns[field].count != columns[FIELD_LANE].count)
            return damaged(err);
    }
    if (columns[FIELD_LANE].count > BATCH_ROWS) // damaged bytes can claim any number
        return damaged(err);
    for (uint64_t from = 0; from < columns[FIELD_LANE].count; from += COLUMN_BLOCK) {
        size_t count = (size_t)u64_min(columns[FIELD_LANE].count - from, COLUMN_BLOCK);
        for (enum field field = 0; field < FIELD_COUNT; field++) {
            if (!column_read(&columns[field], from, count, reader->rows[field]))
                return damaged(err);
        }
        for (size_t at = 0; at < count; at++) {
            enum status status = take_row(reader, at, handler, err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

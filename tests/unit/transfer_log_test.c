// Transfers that are packed and read back are unchanged and in order; a damaged batch is refused,
// or read to its end.
#include "flow/transfer_log.h"

#include "base/vec.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

#define LANES 3
#define CHUNKS 60
#define TRANSFERS_MAX 2000 // in a lane's part of a chunk
#define DAMAGES 400

struct row {
    size_t lane;
    bool is_drop;
    uint64_t drop_below;
    struct transfer transfer;
};

struct trial {
    struct prng prng;
    VEC(, struct row) rows;
    VEC(, size_t) batch_ends;
    struct bytes batches;
    size_t read; // rows so far
    bool differs;
};

static uint64_t maybe(struct trial *trial, uint64_t value, uint64_t other)
{
    return prng_below(&trial->prng, 4) ? value : other;
}

static struct node_ref node_after(struct trial *trial, const struct node_ref *node)
{
    return (struct node_ref){
        .event = node->event,
        .time = node->time + prng_below(&trial->prng, 100),
        .line = node->line + prng_below(&trial->prng, 9),
        .position = node->position + prng_below(&trial->prng, 900),
        .pc = maybe(trial, node->pc + 4, prng_next(&trial->prng)),
    };
}

static struct transfer transfer_after(struct trial *trial, const struct transfer *last)
{
    struct transfer transfer = {.previous = node_after(trial, &last->node)};
    uint64_t sp = 0x80000 - 16 * (uint64_t)prng_below(&trial->prng, 64);
    unsigned bits = (unsigned)prng_next(&trial->prng);
    transfer.previous.event += prng_below(&trial->prng, 5);
    transfer.node = node_after(trial, &transfer.previous);
    transfer.node.event++;
    transfer.sp = maybe(trial, sp, UINT64_MAX);
    transfer.return_address = maybe(trial, transfer.previous.pc + 4, 0);
    transfer.drop_below = maybe(trial, 0, sp + 32);
    transfer.may_be_call = bits & 1;
    transfer.is_exception = bits & 2;
    transfer.is_gap = bits & 4;
    transfer.changes_mode = bits & 8;
    transfer.changes_world = bits & 4096;
    transfer.falls_through = bits & 8192;
    transfer.opens_frame = bits & 16;
    transfer.is_overtaken = bits & 32;
    transfer.is_link_new = bits & 64;
    transfer.from = (struct branch){(enum branch_kind)(bits >> 8 & 3),
                                    bits & 128,
                                    bits & 2048,
                                    transfer.previous.pc,
                                    transfer.previous.pc + 4,
                                    maybe(trial, transfer.node.pc, ADDRESS_UNKNOWN)};
    transfer.sp_there = maybe(trial, sp, ADDRESS_UNKNOWN);
    transfer.sp_left = maybe(trial, sp, prng_next(&trial->prng));
    transfer.sp_user = maybe(trial, ADDRESS_UNKNOWN, sp);
    transfer.resume = maybe(trial, ADDRESS_UNKNOWN, transfer.previous.pc);
    transfer.link = maybe(trial, transfer.return_address, ADDRESS_UNKNOWN);
    return transfer;
}

static bool add_batch(void *self, const struct parts_writer *batch)
{
    struct trial *trial = self;
    bool has_memory = parts_finish(batch, &trial->batches) && VEC_ROOM(&trial->batch_ends, 1);
    if (has_memory)
        trial->batch_ends.items[trial->batch_ends.count++] = trial->batches.count;
    return has_memory;
}

static void write_all(struct trial *trial)
{
    const struct transfer_batches batches = {trial, add_batch};
    struct transfer_log *log = transfer_log_new(&batches, SIMD_SCALAR);
    struct transfer last[LANES] = {{.sp = 0}},
                    *transfers = calloc(TRANSFERS_MAX, sizeof *transfers);
    bool has_memory = log && transfers && VEC_ROOM(&trial->rows, CHUNKS * (TRANSFERS_MAX + 1));
    for (size_t chunk = 0; chunk < CHUNKS && has_memory; chunk++) {
        size_t lane = prng_below(&trial->prng, LANES),
               count = prng_below(&trial->prng, TRANSFERS_MAX);
        uint64_t drop = maybe(trial, 0, prng_next(&trial->prng));
        for (size_t i = 0; i < count; i++) {
            transfers[i] = last[lane] = transfer_after(trial, &last[lane]);
            trial->rows.items[trial->rows.count++] = (struct row){lane, false, 0, transfers[i]};
        }
        if (drop)
            trial->rows.items[trial->rows.count++] = (struct row){.lane = lane, true, drop};
        has_memory = transfer_log_add(log, lane, transfers, count, drop);
    }
    CHECK(has_memory && transfer_log_end(log));
    transfer_log_free(log);
    free(transfers);
}

static bool are_nodes_equal(const struct node_ref *a, const struct node_ref *b)
{
    return a->event == b->event && a->time == b->time && a->line == b->line &&
           a->position == b->position && a->pc == b->pc;
}

static bool are_equal(const struct transfer *a, const struct transfer *b)
{
    return are_nodes_equal(&a->previous, &b->previous) && are_nodes_equal(&a->node, &b->node) &&
           a->sp == b->sp && a->return_address == b->return_address &&
           a->drop_below == b->drop_below && a->may_be_call == b->may_be_call &&
           a->is_exception == b->is_exception && a->is_gap == b->is_gap &&
           a->changes_mode == b->changes_mode && a->changes_world == b->changes_world &&
           a->falls_through == b->falls_through && a->opens_frame == b->opens_frame &&
           a->is_overtaken == b->is_overtaken && a->from.kind == b->from.kind &&
           a->from.is_conditional == b->from.is_conditional &&
           a->from.ends_loop == b->from.ends_loop && a->from.pc == b->from.pc &&
           a->from.next == b->from.next && a->from.target == b->from.target &&
           a->sp_there == b->sp_there && a->sp_left == b->sp_left && a->sp_user == b->sp_user &&
           a->resume == b->resume && a->link == b->link && a->is_link_new == b->is_link_new;
}

static bool see_transfer(void *self, size_t lane, const struct transfer *transfer)
{
    struct trial *trial = self;
    const struct row *row =
        trial->read < trial->rows.count ? &trial->rows.items[trial->read++] : NULL;
    trial->differs |=
        !row || row->is_drop || row->lane != lane || !are_equal(&row->transfer, transfer);
    return true;
}

static bool see_drop(void *self, size_t lane, uint64_t below)
{
    struct trial *trial = self;
    const struct row *row =
        trial->read < trial->rows.count ? &trial->rows.items[trial->read++] : NULL;
    trial->differs |= !row || !row->is_drop || row->lane != lane || row->drop_below != below;
    return true;
}

// Reads all batches, up to the first refused one.
static enum status read_all(struct trial *trial, size_t lanes)
{
    const struct transfer_handler handler = {trial, see_transfer, see_drop};
    struct transfer_reader *reader = transfer_reader_new(lanes);
    enum status status = reader ? STATUS_OK : STATUS_MEMORY;
    size_t from = 0;
    trial->read = 0;
    trial->differs = false;
    for (size_t i = 0; i < trial->batch_ends.count && status == STATUS_OK; i++) {
        struct parts batch;
        status = parts_open(&batch, SIMD_SCALAR, trial->batches.items + from,
                            trial->batch_ends.items[i] - from, NULL);
        if (status == STATUS_OK)
            status = transfer_reader_take(reader, &batch, &handler, NULL);
        from = trial->batch_ends.items[i];
    }
    transfer_reader_free(reader);
    return status;
}

static void free_trial(struct trial *trial)
{
    free(trial->rows.items);
    free(trial->batch_ends.items);
    free(trial->batches.items);
}

static void reads_back(void)
{
    struct trial trial = {.prng = {.state = 1}};
    write_all(&trial);
    CHECK(trial.batch_ends.count > 2 && trial.rows.count > 2 * TRANSFERS_MAX);
    CHECK(read_all(&trial, LANES) == STATUS_OK);
    CHECK(!trial.differs && trial.read == trial.rows.count);
    CHECK(read_all(&trial, LANES - 1) == STATUS_DAMAGED); // there are more lanes
    free_trial(&trial);
}

static void refuses_damage(void)
{
    struct trial trial = {.prng = {.state = 2}};
    size_t refused = 0;
    write_all(&trial);
    trial.batch_ends.count = 1;
    for (size_t i = 0; i < DAMAGES; i++) {
        size_t at = prng_below(&trial.prng, (uint32_t)trial.batch_ends.items[0]);
        uint8_t bit = (uint8_t)(1U << prng_below(&trial.prng, 8));
        trial.batches.items[at] ^= bit;
        enum status status = read_all(&trial, LANES);
        refused += status == STATUS_DAMAGED;
        CHECK(status == STATUS_DAMAGED || !trial.differs);
        trial.batches.items[at] ^= bit;
    }
    CHECK(refused > DAMAGES / 2);
    free_trial(&trial);
}

// A batch with more rows than allowed, all equal, takes no bytes for them.
static void refuses_endless_batch(void)
{
    struct trial trial = {.prng = {.state = 3}};
    struct parts_writer parts = {0};
    size_t count = 32 * COLUMN_BLOCK;
    uint64_t *zeros = calloc(count, sizeof *zeros);
    for (uint32_t part = 0; part < 23 && zeros; part++)
        CHECK(parts_add_column(&parts, part, zeros, count));
    CHECK(zeros && add_batch(&trial, &parts) && read_all(&trial, LANES) == STATUS_DAMAGED);
    CHECK(trial.read == 0);
    free(zeros);
    parts_writer_free(&parts);
    free_trial(&trial);
}

const struct test_case transfer_log_tests[] = {
    {"transfers are read back as they were", reads_back},
    {"a damaged batch of transfers is refused", refuses_damage},
    {"a batch of too many transfers is refused", refuses_endless_batch},
    {0},
};

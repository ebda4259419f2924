// Indexes for the Tarmac Trace Utilities: items are compared with simple bytes; and the limits of
// that format.
#include "base/limits.h"
#include "compat/ttu/ttu_index.h"
#include "compat/ttu/versions.h"
#include "random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct scratch {
    char directory[40], path[60];
    struct ttu_file file;
    struct ttu_stream stream;
};

static void scratch_make(struct scratch *scratch)
{
    strcpy(scratch->directory, "/tmp/trawl-ttu-XXXXXX");
    CHECK(mkdtemp(scratch->directory) != NULL);
    snprintf(scratch->path, sizeof scratch->path, "%s/index", scratch->directory);
}

static void scratch_open(struct scratch *scratch)
{
    scratch_make(scratch);
    CHECK(ttu_file_open(&scratch->file, scratch->path, -1, NULL) == STATUS_OK);
    CHECK(ttu_stream_begin(&scratch->stream, &scratch->file, TTU_HEADER_BYTES));
}

static void scratch_close(struct scratch *scratch)
{
    ttu_stream_free(&scratch->stream);
    ttu_file_free(&scratch->file);
    CHECK(rmdir(scratch->directory) == 0); // nothing is left
}

// --- Items ---------------------------------------------------------------------------------------

#define PLAIN_BYTES 200

struct plain_byte {
    bool is_known;
    uint8_t value;
    uint32_t line;
};

static bool agrees(const struct ttu_items *items, const struct plain_byte *plain)
{
    for (unsigned i = 0; i < PLAIN_BYTES; i++) {
        const struct ttu_item *item = ttu_items_first(items, TTU_MEMORY, i);
        if (!item || item->lo > i || item->hi < i || item->is_known != plain[i].is_known ||
            item->line != plain[i].line)
            return false;
        if (item->is_known && (uint8_t)(item->value >> 8 * (i - item->lo)) != plain[i].value)
            return false;
    }
    return true;
}

// Whether the tree is a treap with consistent links, and nothing left to record.
static bool is_sound(const struct ttu_items *items, uint32_t number)
{
    const struct ttu_item *item = &items->items[number];
    const uint32_t children[] = {item->left, item->right};
    if (!number)
        return true;
    if (item->is_marked || item->is_changed || !item->record)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct ttu_item *child = &items->items[children[i]];
        if (children[i] && (child->parent != number || child->priority > item->priority))
            return false;
        if (children[i] && child->record != (i ? item->record_right : item->record_left))
            return false;
    }
    return is_sound(items, item->left) && is_sound(items, item->right);
}

static void write_bytes(struct ttu_items *items, struct plain_byte *plain, struct prng *prng,
                        uint32_t line)
{
    bool is_known = prng_percent(prng, 80);
    unsigned size = 1 + prng_below(prng, is_known ? 8 : 30);
    unsigned from = prng_below(prng, PLAIN_BYTES - size);
    const struct ttu_write write = {
        .space = TTU_MEMORY,
        .is_known = is_known,
        .lo = from,
        .hi = from + size - 1,
        .contents = 100,
        .value = prng_next(prng),
        .line = line,
    };
    ttu_items_write(items, &write);
    for (unsigned i = 0; i < size; i++)
        plain[from + i] =
            (struct plain_byte){is_known, (uint8_t)(is_known ? write.value >> 8 * i : 0), line};
}

// Random hot keys, with priorities from a tree.
static size_t choose_hot(struct ttu_hot_key *hot, size_t most, struct prng *prng)
{
    size_t count = 0;
    uint64_t lo = prng_below(prng, 20);
    while (count < most && lo < PLAIN_BYTES) {
        hot[count++] = (struct ttu_hot_key){
            .lo = lo, .space = TTU_MEMORY, .priority = UINT32_MAX - prng_below(prng, 9)};
        lo += 1 + prng_below(prng, 20);
    }
    return count;
}

static void items_are_plain_bytes(void)
{
    int wrong = 0;
    struct ttu_items *items = malloc(sizeof *items);
    for (uint64_t seed = 1; items && seed <= 60; seed++) {
        struct scratch scratch;
        struct prng prng = {seed};
        struct plain_byte plain[PLAIN_BYTES] = {{0}};
        struct ttu_hot_key hot[2][16];
        scratch_open(&scratch);
        CHECK(ttu_items_begin(items, 40));
        for (uint32_t line = 1; line < 400; line++) {
            if (line % 40 == 1) {
                struct ttu_hot_key *keys = hot[line / 40 % 2];
                ttu_items_begin_window(items, keys, choose_hot(keys, 16, &prng));
            }
            for (uint32_t left = prng_below(&prng, 3); left; left--)
                write_bytes(items, plain, &prng, line);
            wrong += !ttu_items_record(items, &scratch.stream) || !agrees(items, plain) ||
                     !is_sound(items, items->root);
        }
        ttu_items_free(items);
        scratch_close(&scratch);
    }
    free(items);
    CHECK(wrong == 0);
}

// Ascending addresses with descending priorities: each is below the previous one.
static void deep_trees_are_noticed(void)
{
    enum { LEVELS = LIMIT_TTU_TREE_DEPTH + 20 };
    struct scratch scratch;
    struct ttu_items *items = malloc(sizeof *items);
    uint32_t band = UINT32_C(0x7fffffff) / (LEVELS + 2);
    scratch_open(&scratch);
    CHECK(items && ttu_items_begin(items, 40));
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint64_t lo = (uint64_t)(level + 1) << 32;
        while (ttu_cold_priority(TTU_REGISTERS, lo) / band != LEVELS - level)
            lo += 2;
        const struct ttu_write write = {
            .space = TTU_REGISTERS, .is_known = true, .lo = lo, .hi = lo, .line = 1};
        ttu_items_write(items, &write);
        ttu_items_record(items, &scratch.stream);
        if (level < LIMIT_TTU_TREE_DEPTH - 10)
            CHECK(!items->is_too_deep);
    }
    CHECK(items->is_too_deep);
    ttu_items_free(items);
    free(items);
    scratch_close(&scratch);
}

// --- Limits --------------------------------------------------------------------------------------

// A segment of two events, on lines 1 and `line`.
static enum status take_lines(uint64_t line, struct error *err)
{
    struct scratch scratch;
    struct ttu_index *index;
    scratch_make(&scratch);
    const struct ttu_index_options options = {.path = scratch.path, .like = -1, .threads = 1};
    enum status status = ttu_index_begin(&index, &options, err);
    const struct segment_consumer consumer = ttu_index_segments(index);
    struct segment segment = {.event_count = 2};
    CHECK(status == STATUS_OK && segment_reserve(&segment, 2));
    for (uint32_t i = 0; i < 2; i++) {
        segment.events.time[i] = segment.events.position[i] = i;
        segment.events.line[i] = i ? line : 1;
        segment.events.pc[i] = EVENT_WITHOUT_PC;
        segment.events.flags[i] = 0;
    }
    *err = (struct error){0};
    if (consumer.build(consumer.self, &segment, err) &&
        consumer.write(consumer.self, &segment, err)) {
        const struct ttu_index_end end = {line, 100};
        status = ttu_index_end(index, &end, err);
        CHECK(status != STATUS_OK || unlink(scratch.path) == 0);
    } else {
        status = err->status;
    }
    consumer.free_own(consumer.self, segment.own);
    segment_free(&segment);
    ttu_index_free(index);
    CHECK(rmdir(scratch.directory) == 0);
    return status;
}

static void lines_have_32_bits(void)
{
    struct error err;
    CHECK(take_lines(TTU_LINES_END - 1, &err) == STATUS_OK);
    CHECK(take_lines(TTU_LINES_END, &err) == STATUS_LIMIT);
    CHECK(strstr(err.text, "counts them in 32 bits") != NULL);
    CHECK(take_lines(UINT64_C(1) << 32, &err) == STATUS_LIMIT);
}

const struct test_case ttu_index_tests[] = {
    {"items_are_plain_bytes", items_are_plain_bytes},
    {"deep_trees_are_noticed", deep_trees_are_noticed},
    {"lines_have_32_bits", lines_have_32_bits},
    {NULL, NULL},
};

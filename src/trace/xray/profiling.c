#include "trace/xray/profiling.h"

#include "base/hash_index.h"
#include "flow/context_tree.h"
#include "flow/function_id.h"
#include "report/items.h"
#include "trace/xray/objects.h"
#include "trace/xray/xray.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAGIC UINT64_C(0x7872617970726f66)
#define VERSION UINT64_C(0x20180424)

enum { HEADER_BYTES = 32, BLOCK_HEADER_BYTES = 16, SUMS_BYTES = 16 };

// Counts of contexts have 60 bits.
#define SUM_MAX ((UINT64_C(1) << 60) - 1)

enum fault_kind {
    FAULT_BLOCK,   // no block begins here; the rest is not read
    FAULT_CUT,     // the file ends inside a block
    FAULT_RECORD,  // a block ends inside a record
    FAULT_NO_PATH, // a record of no function
    FAULT_SUMS,    // calls or ticks that no program can have had
    FAULT_THREADS, // LIMIT_XRAY_THREADS are reached; the rest is not read
};

struct profiled_thread {
    uint64_t tid;
    uint32_t root; // its context
    uint64_t stacks, calls;
};

struct profiling_trace {
    struct trace trace;
    bool is_big_endian;
    uint64_t size_bytes, nanoseconds, pid, blocks, stacks;
    uint64_t calls, ticks;                 // sums over all stacks, which bound all others
    struct context_tree tree;              // a root for each thread
    VEC(, struct profiled_thread) threads; // by their first blocks
    struct hash_index by_tid;
    uint64_t unreturned, lacking; // stacks, see profiling.h
};

static struct profiling_trace *profiling_in(struct trace *trace)
{
    return (struct profiling_trace *)(void *)trace;
}

static const struct profiling_trace *profiling_in_const(const struct trace *trace)
{
    return (const struct profiling_trace *)(const void *)trace;
}

// --- Reading the file ----------------------------------------------------------------------------

static bool is(const void *head, size_t size_bytes)
{
    return size_bytes >= sizeof MAGIC &&
           (load_u64(head, false) == MAGIC || load_u64(head, true) == MAGIC);
}

static void add_fault(struct profiling_trace *profiling, enum fault_kind kind, uint64_t offset,
                      uint64_t size_bytes)
{
    trace_damage_add(&profiling->trace.damage, &(struct trace_fault){kind, 0, offset, size_bytes});
}

// The thread with this id; a thread has several blocks if it is profiled several times. NULL: no
// memory.
static struct profiled_thread *find_thread(struct profiling_trace *profiling, uint64_t tid)
{
    uint64_t hash = hash_key(hash_index_seed(&profiling->by_tid), tid);
    uint32_t found;
    HASH_INDEX_FIND(found, &profiling->by_tid, hash,
                    profiling->threads.items[candidate].tid == tid);
    if (found != HASH_INDEX_NONE)
        return &profiling->threads.items[found];
    uint32_t root = context_tree_child(&profiling->tree, CONTEXT_NONE, 0);
    if (root == CONTEXT_NONE || !VEC_ROOM(&profiling->threads, 1) ||
        !hash_index_add(&profiling->by_tid, hash, (uint32_t)profiling->threads.count))
        return NULL;
    struct profiled_thread *thread = &profiling->threads.items[profiling->threads.count++];
    *thread = (struct profiled_thread){.tid = tid, .root = root};
    return thread;
}

// Adds the record of `depth` functions at `ids`, the innermost first. False: no memory.
static bool add_stack(struct profiling_trace *profiling, struct profiled_thread *thread,
                      const uint8_t *ids, size_t depth, uint64_t calls, uint64_t ticks)
{
    struct context_tree *tree = &profiling->tree;
    uint32_t at = thread->root;
    while (depth-- > 0 && at != CONTEXT_NONE) {
        uint32_t id = load_u32(ids + depth * sizeof id, profiling->is_big_endian);
        at = context_tree_enter(tree, at, function_pc(id));
    }
    if (at == CONTEXT_NONE)
        return false;
    tree->nodes.items[at].count += calls;
    tree->nodes.items[at].ticks += ticks;
    profiling->calls += calls;
    profiling->ticks += ticks;
    profiling->stacks++;
    thread->stacks++;
    thread->calls += calls;
    return true;
}

// Reads the records of a block, at offsets `at` to `end`. False: no memory.
static bool read_records(struct profiling_trace *profiling, struct profiled_thread *thread,
                         const uint8_t *bytes, uint64_t at, uint64_t end)
{
    const bool is_big_endian = profiling->is_big_endian;
    while (at < end) {
        uint64_t ids = at;
        while (end - at >= 4 && load_u32(bytes + at, is_big_endian))
            at += 4;
        uint64_t depth = (at - ids) / 4;
        if (end - at < 4 + SUMS_BYTES) {
            add_fault(profiling, FAULT_RECORD, ids, end - ids);
            return true;
        }
        uint64_t calls = load_u64(bytes + at + 4, is_big_endian);
        uint64_t ticks = load_u64(bytes + at + 12, is_big_endian);
        ticks = ticks >> 63 ? 0 : ticks; // it is negative
        at += 4 + SUMS_BYTES;
        if (!depth)
            add_fault(profiling, FAULT_NO_PATH, ids, at - ids);
        else if (calls > SUM_MAX - profiling->calls || ticks > SUM_MAX - profiling->ticks)
            add_fault(profiling, FAULT_SUMS, ids, at - ids);
        else if (!add_stack(profiling, thread, bytes + ids, (size_t)depth, calls, ticks))
            return false;
    }
    return true;
}

// False: no memory.
static bool read_blocks(struct profiling_trace *profiling, const uint8_t *bytes)
{
    const uint64_t size_bytes = profiling->size_bytes;
    uint64_t at = HEADER_BYTES;
    while (at < size_bytes) {
        uint64_t left = size_bytes - at, block_bytes = 0;
        if (left >= BLOCK_HEADER_BYTES)
            block_bytes = load_u32(bytes + at, profiling->is_big_endian);
        if (block_bytes < BLOCK_HEADER_BYTES) {
            add_fault(profiling, FAULT_BLOCK, at, left);
            return true;
        }
        uint64_t tid = load_u64(bytes + at + 8, profiling->is_big_endian);
        uint64_t end = at + u64_min(block_bytes, left);
        if (profiling->threads.count == LIMIT_XRAY_THREADS) {
            add_fault(profiling, FAULT_THREADS, at, left);
            return true;
        }
        struct profiled_thread *thread = find_thread(profiling, tid);
        if (!thread)
            return false;
        if (block_bytes > left)
            add_fault(profiling, FAULT_CUT, size_bytes, 0);
        if (!read_records(profiling, thread, bytes, at + BLOCK_HEADER_BYTES, end))
            return false;
        profiling->blocks++;
        at = end;
    }
    return true;
}

// Adds up the time of the calls in each context, outwards: a context comes after the one around it.
static void add_up(struct profiling_trace *profiling)
{
    struct context_node *nodes = profiling->tree.nodes.items;
    for (size_t i = profiling->tree.nodes.count; i-- > 1;) {
        struct context_node *node = &nodes[i];
        bool is_thread = node->parent == CONTEXT_NONE;
        bool is_returned = is_thread || node->count;
        bool lacks = !is_thread && node->ticks < node->ticks_inside;
        profiling->unreturned += !is_returned;
        profiling->lacking += is_returned && lacks;
        node->count += !is_returned;
        node->ticks = is_thread || lacks ? node->ticks_inside : node->ticks;
        nodes[node->parent].ticks_inside += is_thread ? 0 : node->ticks;
    }
}

static enum status open_profile(struct trace *trace, const struct image_set *images,
                                struct error *err)
{
    struct profiling_trace *profiling = profiling_in(trace);
    const char *text;
    (void)images;
    enum status status = source_read_all(trace->source, &text, &profiling->size_bytes, err);
    if (status != STATUS_OK)
        return status;
    const uint8_t *bytes = (const uint8_t *)text;
    if (profiling->size_bytes < HEADER_BYTES)
        return error_set_at(err, STATUS_INPUT, profiling->size_bytes,
                            "%s: the XRay profile ends inside its header", trace->path);
    const bool is_big_endian = profiling->is_big_endian = load_u64(bytes, true) == MAGIC;
    uint64_t version = load_u64(bytes + 8, is_big_endian);
    if (version != VERSION)
        return error_set_at(err, STATUS_INPUT, 8,
                            "%s: XRay profile of version 0x%" PRIx64 ", which trawl does not read",
                            trace->path, version);
    profiling->nanoseconds = load_u64(bytes + 16, is_big_endian);
    profiling->pid = load_u64(bytes + 24, is_big_endian);
    trace->is_checked = true;
    if (!context_tree_init(&profiling->tree) || !read_blocks(profiling, bytes))
        return error_set(err, STATUS_MEMORY, "%s: no memory for the contexts of calls",
                         trace->path);
    add_up(profiling);
    return source_is_intact(trace->source)
               ? STATUS_OK
               : error_set(err, STATUS_INPUT, "%s: was changed while it was read", trace->path);
}

static void close_profile(struct trace *trace)
{
    struct profiling_trace *profiling = profiling_in(trace);
    context_tree_free(&profiling->tree);
    free(profiling->threads.items);
    hash_index_free(&profiling->by_tid);
}

// --- Passes --------------------------------------------------------------------------------------

// Each thread is active for as long as its outermost calls.
static enum status run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err)
{
    const struct profiling_trace *profiling = profiling_in_const(trace);
    const size_t count = profiling->threads.count;
    (void)observer;
    *result = (struct pass_result){.bytes = profiling->size_bytes,
                                   .damaged_lines = trace->damage.count,
                                   .damaged_bytes = trace->damage.size_bytes,
                                   .lanes = calloc(count + 1, sizeof *result->lanes),
                                   .lane_count = count};
    if (!result->lanes)
        return error_set(err, STATUS_MEMORY, "no memory for the threads of the profile");
    for (size_t i = 0; i < count; i++) {
        const struct profiled_thread *thread = &profiling->threads.items[i];
        struct lane_result *lane = &result->lanes[i];
        snprintf(lane->name, sizeof lane->name, "tid%" PRIu64, thread->tid);
        clip_init(&lane->clip, &options->range, &call_consumer_none);
        lane->events = lane->nodes = thread->stacks;
        lane->has_root = thread->stacks > 0;
        lane->root = lane->last = (struct node_ref){.pc = FUNCTION_PC_OUTSIDE};
        lane->last.time = profiling->tree.nodes.items[thread->root].ticks;
        lane->counts.returned = thread->calls;
    }
    return STATUS_OK;
}

static enum status contexts(struct trace *trace, const struct pass_options *options,
                            struct context_tree *tree, struct pass_result *result,
                            struct error *err)
{
    const struct profiling_trace *profiling = profiling_in_const(trace);
    enum status status = run(trace, options, NULL, result, err);
    for (size_t i = 0; i < result->lane_count && status == STATUS_OK; i++) {
        if (!context_tree_graft(tree, &profiling->tree, profiling->threads.items[i].root,
                                &result->lanes[i].calls))
            status = error_set(err, STATUS_MEMORY, "no memory for the contexts of calls");
    }
    return status;
}

static enum status profile(struct trace *trace, const struct pass_options *options,
                           const char *lane, struct profile *profile, struct pass_result *result,
                           struct error *err)
{
    struct context_tree tree;
    VEC(, uint32_t) roots = {0};
    *profile = (struct profile){0};
    *result = (struct pass_result){0};
    bool has_memory = context_tree_init(&tree);
    enum status status = has_memory ? contexts(trace, options, &tree, result, err) : STATUS_OK;
    for (size_t i = 0; i < result->lane_count && has_memory && status == STATUS_OK; i++) {
        const struct lane_result *of = &result->lanes[i];
        if (!of->has_root || (lane && strcmp(lane, of->name) != 0))
            continue;
        uint32_t root = context_tree_root(&tree, &of->calls, &of->root, &of->last);
        has_memory = root != CONTEXT_NONE && VEC_ROOM(&roots, 1);
        if (has_memory)
            roots.items[roots.count++] = root;
    }
    if (has_memory && status == STATUS_OK)
        status = profile_make(profile, &tree, roots.items, roots.count, UINT64_MAX, false, err);
    free(roots.items);
    context_tree_free(&tree);
    return has_memory ? status : error_set(err, STATUS_MEMORY, "no memory for the profile");
}

// --- What is said --------------------------------------------------------------------------------

static void fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES])
{
    static const char *const texts[] = {
        [FAULT_BLOCK] = "no block of a thread begins here; the rest is not read",
        [FAULT_CUT] = "the profile ends inside the block of a thread",
        [FAULT_RECORD] = "the block ends inside the record of a stack",
        [FAULT_NO_PATH] = "a record of no function",
        [FAULT_SUMS] = "more calls or ticks than a program can have",
        [FAULT_THREADS] = "too many threads; the rest is not read",
    };
    snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s", texts[fault->kind]);
}

static void sum_up(const struct trace *trace, const struct pass_result *result,
                   const struct trace_reporter *reporter)
{
    const struct profiling_trace *profiling = profiling_in_const(trace);
    char line[240];
    (void)result;
    if (profiling->unreturned) {
        snprintf(line, sizeof line,
                 "stacks of which no call had returned when the profile was written, which count "
                 "as one call, as long as the calls in it: %" PRIu64,
                 profiling->unreturned);
        reporter->warn(reporter->self, line);
    }
    if (profiling->lacking) {
        snprintf(line, sizeof line,
                 "stacks whose time is too short for the calls in them, because functions were "
                 "left by an exception or longjmp, and that count as long as those: %" PRIu64,
                 profiling->lacking);
        reporter->warn(reporter->self, line);
    }
}

static void put(struct trace *trace, const struct pass_result *result, struct items *items)
{
    const struct profiling_trace *profiling = profiling_in_const(trace);
    (void)result;
    items_text(items, "format", "format", "XRay profile");
    items_text(items, "byte order", "byte_order", profiling->is_big_endian ? "big" : "little");
    items_u64(items, "bytes", "bytes", profiling->size_bytes);
    items_u64(items, "process", "process", profiling->pid);
    items_u64(items, "written [ns]", "written_ns", profiling->nanoseconds);
    items_u64(items, "threads", "threads", profiling->threads.count);
    items_u64(items, "stacks", "stacks", profiling->stacks);
    items_u64(items, "calls", "calls", profiling->calls);
    items_u64(items, "stacks not returned", "stacks_not_returned", profiling->unreturned);
    items_u64(items, "stacks shorter than calls", "stacks_lacking_time", profiling->lacking);
    items_u64(items, "damaged places", "damaged_places", trace->damage.count);
    items_u64(items, "damaged bytes", "damaged_bytes", trace->damage.size_bytes);
}

static const struct table_column thread_columns[] = {
    {"Thread", "lane", COLUMN_TEXT},
    {"Stacks", "stacks", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Ticks", "ticks", COLUMN_U64},
};

static void put_threads(void *self, struct table *table)
{
    const struct profiling_trace *profiling = self;
    for (size_t i = 0; i < profiling->threads.count; i++) {
        const struct profiled_thread *thread = &profiling->threads.items[i];
        char name[LIMIT_LANE_NAME_BYTES + 1];
        snprintf(name, sizeof name, "tid%" PRIu64, thread->tid);
        table_text(table, name);
        table_u64(table, thread->stacks);
        table_u64(table, thread->calls);
        table_u64(table, profiling->tree.nodes.items[thread->root].ticks);
    }
}

static enum status put_tables(struct trace *trace, const struct pass_result *result,
                              const struct trace_namer *namer, struct items *items,
                              struct error *err)
{
    (void)result, (void)namer;
    return items_table(items, "lanes", thread_columns, ARRAY_COUNT(thread_columns), put_threads,
                       profiling_in(trace), err);
}

static uint64_t identity(const struct trace *trace, const struct pass_options *options,
                         bool is_for_queries, uint64_t *mask)
{
    (void)trace, (void)options, (void)is_for_queries;
    *mask = 0;
    return 0;
}

static const char *lacks_index(const struct trace *trace)
{
    (void)trace;
    return "an XRay profile has only sums, which need no index";
}

static enum status number_objects(const struct trace *trace, void *id_names, struct error *err)
{
    struct xray_objects *objects = id_names;
    const struct context_tree *tree = &profiling_in_const(trace)->tree;
    if (!objects)
        return STATUS_OK;
    for (size_t i = 1; i < tree->nodes.count && xray_objects_are_open(objects); i++) {
        const struct context_node *node = &tree->nodes.items[i];
        if (node->parent != CONTEXT_NONE &&
            !xray_objects_note_entry(objects, function_id(node->pc)))
            return error_set(err, STATUS_MEMORY, "no memory for the objects of the profile");
    }
    return xray_objects_settle(objects, err);
}

static const struct trace_direct direct = {.contexts = contexts, .profile = profile};

static const struct trace_ids ids = {.functions = &xray_function_ids,
                                     .number_objects = number_objects};

static const struct trace_description description = {
    .noun = "profile",
    .event_noun = "stack",
    .put = put,
    .put_tables = put_tables,
};

const struct trace_kind xray_profiling_kind = {
    .name = "xray-profile",
    .words = {"an XRay profile", "thread", "Thread", "places"},
    .abilities = TRACE_CONTEXTS,
    .size_bytes = sizeof(struct profiling_trace),
    .is = is,
    .open = open_profile,
    .close = close_profile,
    .run = run,
    .indexing = {.identity = identity, .lacks = lacks_index},
    .telling = {.description = &description, .fault_text = fault_text, .sum_up = sum_up},
    .direct = &direct,
    .ids = &ids,
};

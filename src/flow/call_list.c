#include "flow/call_list.h"

#include "idx/varint.h"

#include <stddef.h>
#include <stdlib.h>

// A record: links to its next sibling and its first child, of LINK_BYTES each (their distance in
// bytes, negative for records before it; 0: none); two bytes of flags; the ends; the rest of the
// four nodes. Each figure is a varint of its difference from a figure that is probably close to it.
#define LINK_BYTES 6
#define FIGURE_BYTES_MAX 10
#define FIGURES 18
#define RECORD_BYTES_MAX (2 * LINK_BYTES + 2 + FIGURES * FIGURE_BYTES_MAX)

// How many bytes are used before the memory of earlier ones is released.
#define AT_HAND_BYTES (UINT64_C(16) << 20)

// The words of a call's content: the places of the first and the last call in it, and the number of
// its calls, including those in them.
enum {
    CONTENT_FIRST,
    CONTENT_LAST,
    CONTENT_COUNT,
};

static void put_link(char *at, uint64_t distance)
{
    memcpy(at, &distance, LINK_BYTES); // all supported hosts are little-endian
}

// The place that a link of the record at `place` leads to; 0: none.
static call_ref get_link(const char *at, call_ref place)
{
    uint64_t distance = 0;
    memcpy(&distance, at, LINK_BYTES);
    unsigned unused = 64 - 8 * LINK_BYTES;
    return distance ? place + (uint64_t)((int64_t)(distance << unused) >> unused) : 0;
}

static char *put_difference(char *at, uint64_t value, uint64_t near)
{
    uint64_t difference = zigzag(value - near);
    for (; difference >= 0x80; difference >>= 7)
        *at++ = (char)(difference | 0x80);
    *at++ = (char)difference;
    return at;
}

static const char *get_difference(const char *at, uint64_t *value, uint64_t near)
{
    uint64_t difference = 0;
    int shift = 0;
    for (; (uint8_t)*at & 0x80; at++, shift += 7)
        difference |= (uint64_t)(*at & 0x7f) << shift;
    difference |= (uint64_t)(uint8_t)*at++ << shift;
    *value = near + unzigzag(difference);
    return at;
}

// Writes the first figures of a call: its PC, unpacked; the events of its entry and exit; for a
// resumed call, the event at which its first part began.
static char *put_ends(char *at, const struct call *call)
{
    memcpy(at, &call->entry.pc, sizeof call->entry.pc);
    at = put_difference(at + sizeof call->entry.pc, call->entry.event, 0);
    at = put_difference(at, call->exit.event, call->entry.event);
    return call->how & CALL_RESUMED ? put_difference(at, call->began, call->entry.event) : at;
}

static const char *get_ends(const char *at, struct call *call)
{
    memcpy(&call->entry.pc, at, sizeof call->entry.pc);
    at = get_difference(at + sizeof call->entry.pc, &call->entry.event, 0);
    at = get_difference(at, &call->exit.event, call->entry.event);
    call->began = call->entry.event;
    return call->how & CALL_RESUMED ? get_difference(at, &call->began, call->entry.event) : at;
}

static char *put_place(char *at, const struct node_ref *node, const struct node_ref *near)
{
    at = put_difference(at, node->time, near->time);
    return put_difference(at, node->line, near->line);
}

static const char *get_place(const char *at, struct node_ref *node, const struct node_ref *near)
{
    node->position = 0;
    at = get_difference(at, &node->time, near->time);
    return get_difference(at, &node->line, near->line);
}

static char *put_node(char *at, const struct node_ref *node, const struct node_ref *near)
{
    at = put_difference(at, node->event, near->event);
    at = put_difference(at, node->pc, near->pc);
    return put_place(at, node, near);
}

static const char *get_node(const char *at, struct node_ref *node, const struct node_ref *near)
{
    at = get_difference(at, &node->event, near->event);
    at = get_difference(at, &node->pc, near->pc);
    return get_place(at, node, near);
}

static char *put_rest(char *at, const struct call *call)
{
    static const struct node_ref zero = {0};
    at = put_place(at, &call->entry, &zero);
    at = put_place(at, &call->exit, &call->entry);
    at = put_difference(at, call->exit.pc, call->entry.pc);
    at = put_node(at, &call->site, &call->entry);
    at = put_node(at, &call->resume, &call->exit);
    return put_difference(at, call->exit_ticks, call->resume.time - call->exit.time);
}

static char *record_at(const struct call_list *list, call_ref place)
{
    return list->spool.base + (place - 1);
}

// Records that the spool is used at `place`, and releases what was used before. Both writing and
// reading mostly go forward.
static void use(struct call_list *list, uint64_t place)
{
    if (place >= list->at_hand && place - list->at_hand < AT_HAND_BYTES)
        return;
    if (place > list->at_hand)
        spool_leave(&list->spool, list->at_hand, place);
    list->at_hand = place;
}

static void link_after(struct call_list *list, struct call_content *into, call_ref first,
                       call_ref last, uint64_t count)
{
    call_ref before = into->words[CONTENT_LAST];
    if (before)
        put_link(record_at(list, before), first - before);
    else
        into->words[CONTENT_FIRST] = first;
    into->words[CONTENT_LAST] = last;
    into->words[CONTENT_COUNT] += count;
}

static bool merge_content(void *self, struct call_content *into, const struct call_content *from)
{
    if (from->words[CONTENT_FIRST])
        link_after(self, into, from->words[CONTENT_FIRST], from->words[CONTENT_LAST],
                   from->words[CONTENT_COUNT]);
    return true;
}

static bool fold_call(void *self, struct call_content *into, const struct call *call,
                      const struct call_content *inner)
{
    struct call_list *list = self;
    char *record = spool_reserve(&list->spool, RECORD_BYTES_MAX);
    if (!record)
        return false;
    call_ref place = list->spool.used_bytes + 1, child = inner->words[CONTENT_FIRST];
    put_link(record, 0);
    put_link(record + LINK_BYTES, child ? child - place : 0);
    record[2 * LINK_BYTES] =
        (char)(call->is_open | call->is_clipped << 1 | call->has_no_entry << 2 |
               (call->how & CALL_GUESSED ? 8 : 0) | (call->how & CALL_INTERRUPT ? 16 : 0));
    record[2 * LINK_BYTES + 1] = (char)call->how;
    char *at = put_ends(record + 2 * LINK_BYTES + 2, call);
    if (!list->ends_only)
        at = put_rest(at, call);
    list->spool.used_bytes += (uint64_t)(at - record);
    list->count++;
    use(list, place);
    link_after(list, into, place, place, 1 + inner->words[CONTENT_COUNT]);
    return true;
}

// --- Chunks --------------------------------------------------------------------------------------

// Calls of a chunk. Records do not depend on their positions, so runs of them are copied unchanged.
struct chunk_list {
    struct call_list list;
    uint64_t taken_bytes, taken_count; // of `list`, up to the end of the run taken last
    uint64_t moved_by;                 // distance by which that run moved into the list that took
                                       // it
    uint64_t forest_start;             // where calls of its next content begin in that list
};

static void *make_chunk(void *self)
{
    const struct call_list *list = self;
    struct chunk_list *chunk = calloc(1, sizeof *chunk);
    if (chunk) {
        chunk->list.ends_only = list->ends_only;
        chunk->list.spool.is_small = true;
    }
    return chunk;
}

static void discard_chunk(void *store)
{
    struct chunk_list *chunk = store;
    call_list_free(&chunk->list);
    free(chunk);
}

static void clear_chunk(void *store)
{
    struct chunk_list *chunk = store;
    chunk->list.spool.used_bytes = chunk->list.count = chunk->list.at_hand = 0;
    chunk->taken_bytes = chunk->taken_count = 0;
}

static struct call_consumer consumer_of_chunk(void *store)
{
    struct chunk_list *chunk = store;
    return (struct call_consumer){.self = &chunk->list, .fold = fold_call, .merge = merge_content};
}

enum { MARK_BYTES, MARK_COUNT };

static struct call_mark mark_chunk(const void *store)
{
    const struct chunk_list *chunk = store;
    return (struct call_mark){
        {[MARK_BYTES] = chunk->list.spool.used_bytes, [MARK_COUNT] = chunk->list.count}};
}

static void skip_run(void *store, struct call_mark until)
{
    struct chunk_list *chunk = store;
    chunk->taken_bytes = until.words[MARK_BYTES];
    chunk->taken_count = until.words[MARK_COUNT];
}

static bool take_run(void *self, void *store, struct call_mark until)
{
    struct call_list *list = self;
    struct chunk_list *chunk = store;
    uint64_t bytes = until.words[MARK_BYTES] - chunk->taken_bytes;
    char *at = bytes ? spool_reserve(&list->spool, bytes) : NULL;
    if (bytes && !at)
        return false;
    if (bytes) {
        memcpy(at, chunk->list.spool.base + chunk->taken_bytes, bytes);
        chunk->moved_by = list->spool.used_bytes - chunk->taken_bytes;
        chunk->forest_start = list->spool.used_bytes;
        list->spool.used_bytes += bytes;
        list->count += until.words[MARK_COUNT] - chunk->taken_count;
        use(list, list->spool.used_bytes);
    }
    skip_run(store, until);
    return true;
}

// A forest with fewer bytes of records is not worth a thread's time; one with more is too much for
// one thread.
#define FOREST_BYTES_LEAST UINT64_C(512)
#define FOREST_BYTES_MOST UINT64_C(65536)

static bool merge_of_chunk(void *self, struct call_content *into, void *store,
                           const struct call_content *from)
{
    struct chunk_list *chunk = store;
    if (!from->words[CONTENT_FIRST])
        return true;
    const struct call_forest forest = {.first = from->words[CONTENT_FIRST] + chunk->moved_by,
                                       .last = from->words[CONTENT_LAST] + chunk->moved_by,
                                       .count = from->words[CONTENT_COUNT]};
    struct call_list *list = self;
    link_after(list, into, forest.first, forest.last, forest.count);
    // If there is no memory to record the forest, its calls are treated like any others.
    const uint64_t bytes = forest.last - chunk->forest_start;
    chunk->forest_start = forest.last;
    if (bytes >= FOREST_BYTES_LEAST && bytes <= FOREST_BYTES_MOST && VEC_ROOM(&list->forests, 1))
        list->forests.items[list->forests.count++] = forest;
    return true;
}

static const struct call_stores list_stores = {
    .make = make_chunk,
    .discard = discard_chunk,
    .clear = clear_chunk,
    .consumer = consumer_of_chunk,
    .mark = mark_chunk,
    .take = take_run,
    .skip = skip_run,
    .merge = merge_of_chunk,
};

static void begin_again(void *self)
{
    struct call_list *list = self;
    list->spool.used_bytes = list->count = list->at_hand = list->forests.count = 0;
}

struct call_consumer call_list_consumer(struct call_list *list)
{
    return (struct call_consumer){.self = list,
                                  .fold = fold_call,
                                  .merge = merge_content,
                                  .begin_again = begin_again,
                                  .stores = &list_stores};
}

// --- Reading a list ------------------------------------------------------------------------------

// Returns the address of the rest of the record.
static const char *read_ends(const struct call_list *list, call_ref place, struct listed_call *call)
{
    const char *record = record_at(list, place);
    call->next_sibling = get_link(record, place);
    call->first_child = get_link(record + LINK_BYTES, place);
    call->call.is_open = record[2 * LINK_BYTES] & 1;
    call->call.is_clipped = record[2 * LINK_BYTES] & 2;
    call->call.has_no_entry = record[2 * LINK_BYTES] & 4;
    call->call.how = (uint8_t)record[2 * LINK_BYTES + 1];
    call->call.how |= record[2 * LINK_BYTES] & 8 ? CALL_GUESSED : 0;
    call->call.how |= record[2 * LINK_BYTES] & 16 ? CALL_INTERRUPT : 0;
    return get_ends(record + 2 * LINK_BYTES + 2, &call->call);
}

void call_list_read_ends(const struct call_list *list, call_ref place, struct listed_call *call)
{
    read_ends(list, place, call);
}

const struct call_forest *call_list_forest(const struct call_list *list, call_ref first)
{
    size_t count = list->forests.count;
    _Static_assert(offsetof(struct call_forest, first) == 0, "forests are compared by that");
    return count ? bsearch(&first, list->forests.items, count, sizeof *list->forests.items,
                           u64_compare)
                 : NULL;
}

call_ref call_list_pass(struct call_list *list, const struct call_forest *forest)
{
    use(list, forest->last);
    return get_link(record_at(list, forest->last), forest->last);
}

void call_list_read_any(const struct call_list *list, call_ref place, struct listed_call *call)
{
    ASSERT(!list->ends_only);
    const char *at = read_ends(list, place, call);
    static const struct node_ref zero = {0};
    at = get_place(at, &call->call.entry, &zero);
    at = get_place(at, &call->call.exit, &call->call.entry);
    at = get_difference(at, &call->call.exit.pc, call->call.entry.pc);
    at = get_node(at, &call->call.site, &call->call.entry);
    at = get_node(at, &call->call.resume, &call->call.exit);
    get_difference(at, &call->call.exit_ticks, call->call.resume.time - call->call.exit.time);
    call->call.from = 0;
}

void call_list_read(struct call_list *list, call_ref place, struct listed_call *call)
{
    use(list, place);
    call_list_read_any(list, place, call);
}

bool call_list_are_same(const struct call_list *a, const struct call_list *b)
{
    return a->spool.used_bytes == b->spool.used_bytes &&
           (a->count == 0 || memcmp(a->spool.base, b->spool.base, a->spool.used_bytes) == 0);
}

void call_list_free(struct call_list *list)
{
    free(list->forests.items);
    spool_free(&list->spool);
    *list = (struct call_list){0};
}

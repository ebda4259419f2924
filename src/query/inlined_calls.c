#include "query/frame_split.h"

#include "base/limits.h"

#include <stdlib.h>

enum { NO_PLACE = HASH_INDEX_NONE };

bool inlined_calls_init(struct inlined_calls *calls, const struct call_consumer *consumer,
                        const struct names *names, struct source_lines *lines)
{
    *calls = (struct inlined_calls){.consumer = *consumer, .names = names, .lines = lines};
    bool has_room = VEC_ROOM(&calls->places, 1) && VEC_ROOM(&calls->frames, 1) &&
                    VEC_ROOM(&calls->surroundings, 1);
    if (!has_room)
        return false;
    calls->places.items[calls->places.count++] = (struct inline_place){0};
    calls->frames.items[calls->frames.count++] = (struct inlined_frame){0};
    calls->surroundings.items[calls->surroundings.count++] = (struct inlined_surrounding){0};
    return true;
}

void inlined_calls_free(struct inlined_calls *calls)
{
    free(calls->places.items);
    free(calls->frames.items);
    free(calls->surroundings.items);
    free(calls->pcs.items);
    hash_index_free(&calls->by_entry);
    hash_index_free(&calls->by_pc);
    *calls = (struct inlined_calls){0};
}

// --- Places --------------------------------------------------------------------------------------

// The place of a function inlined into `parent`. NO_PLACE: no memory.
static uint32_t place_inside(struct inlined_calls *calls, uint32_t parent,
                             const struct debug_inline *inlined)
{
    const struct inline_place *places = calls->places.items;
    uint64_t hash = hash_keys(hash_index_seed(&calls->by_entry), parent, inlined->entry);
    uint32_t number;
    HASH_INDEX_FIND(number, &calls->by_entry, hash,
                    places[candidate].parent == parent &&
                        places[candidate].entry == inlined->entry);
    if (number != HASH_INDEX_NONE)
        return number;
    number = (uint32_t)calls->places.count;
    if (calls->places.count >= NO_PLACE - 1 || !VEC_ROOM(&calls->places, 1) ||
        !hash_index_add(&calls->by_entry, hash, number))
        return NO_PLACE;
    calls->places.items[calls->places.count++] = (struct inline_place){
        inlined->entry, inlined->name, parent, calls->places.items[parent].depth + 1};
    return number;
}

static NEVER_INLINE uint32_t look_up(struct inlined_calls *calls, uint64_t pc, uint64_t hash)
{
    struct debug_inline chain[LIMIT_DEBUG_SCOPES];
    size_t count = source_lines_inlines(calls->lines, calls->names, pc, chain, ARRAY_COUNT(chain));
    uint32_t place = 0;
    for (size_t i = count; i-- > 1 && place != NO_PLACE;)
        place = place_inside(calls, place, &chain[i - 1]);
    if (place == NO_PLACE || calls->pcs.count >= HASH_INDEX_NONE || !VEC_ROOM(&calls->pcs, 1) ||
        !hash_index_add(&calls->by_pc, hash, (uint32_t)calls->pcs.count))
        return NO_PLACE;
    calls->pcs.items[calls->pcs.count++] = (struct inlined_pc){pc, place};
    return place;
}

// NO_PLACE: no memory.
static uint32_t place_of(struct inlined_calls *calls, uint64_t pc)
{
    uint64_t hash = hash_key(hash_index_seed(&calls->by_pc), pc);
    uint32_t found;
    HASH_INDEX_FIND(found, &calls->by_pc, hash, calls->pcs.items[candidate].pc == pc);
    return LIKELY(found != HASH_INDEX_NONE) ? calls->pcs.items[found].place
                                            : look_up(calls, pc, hash);
}

const char *inlined_calls_name(struct inlined_calls *calls, uint64_t pc, uint32_t depth)
{
    uint32_t place = place_of(calls, pc & ~UINT64_C(1));
    while (place != NO_PLACE && calls->places.items[place].depth > depth)
        place = calls->places.items[place].parent;
    const char *name = place == NO_PLACE ? NULL : calls->places.items[place].name;
    return name ? name : "";
}

// --- Frames --------------------------------------------------------------------------------------

static struct inlined_surrounding *surrounding_of(const struct inlined_calls *calls,
                                                  const struct call_content *content)
{
    return &calls->surroundings.items[content->words[0]];
}

// Gives a content a surrounding. False: no memory.
static bool begin(struct inlined_calls *calls, struct call_content *content)
{
    uint32_t at = calls->free_surrounding;
    if (LIKELY(content->words[0]))
        return true;
    if (at) {
        calls->free_surrounding = calls->surroundings.items[at].next_free;
    } else {
        if (calls->surroundings.count > UINT32_MAX - 1 || !VEC_ROOM(&calls->surroundings, 1))
            return false;
        at = (uint32_t)calls->surroundings.count++;
    }
    calls->surroundings.items[at] = (struct inlined_surrounding){0};
    content->words[0] = at;
    return true;
}

// Returns the consumer's content of it.
static struct call_content finish(struct inlined_calls *calls, struct call_content *content)
{
    struct inlined_surrounding *ended = surrounding_of(calls, content);
    const struct call_content outside = ended->outside;
    if (content->words[0]) {
        ended->next_free = calls->free_surrounding;
        calls->free_surrounding = (uint32_t)content->words[0];
    }
    content->words[0] = 0;
    return outside;
}

// The consumer's content in which events happen now.
static struct call_content *inside(struct inlined_calls *calls,
                                   struct inlined_surrounding *surrounding)
{
    return surrounding->innermost ? &calls->frames.items[surrounding->innermost].content
                                  : &surrounding->outside;
}

// Enters a place directly below the current place of the surrounding. False: no memory.
static bool enter(struct inlined_calls *calls, struct inlined_surrounding *surrounding,
                  uint32_t place, const struct node_ref *entry)
{
    uint32_t at = calls->free_frame;
    if (at) {
        calls->free_frame = calls->frames.items[at].outer;
    } else {
        if (calls->frames.count > UINT32_MAX - 1 || !VEC_ROOM(&calls->frames, 1))
            return false;
        at = (uint32_t)calls->frames.count++;
    }
    calls->frames.items[at] = (struct inlined_frame){
        .site = surrounding->has_last ? surrounding->last : *entry,
        .entry = *entry,
        .outer = surrounding->innermost,
    };
    surrounding->innermost = at;
    surrounding->place = place;
    return true;
}

// Leaves the innermost frame; `around`: how the call around it ends, if that is the reason. False:
// no memory.
static bool leave(struct inlined_calls *calls, struct inlined_surrounding *surrounding,
                  const struct node_ref *exit, const struct node_ref *resume,
                  const struct call *around)
{
    uint32_t at = surrounding->innermost;
    const struct inlined_frame left = calls->frames.items[at];
    unsigned how = around ? around->how & (CALL_LEFT | CALL_TAIL_EXIT | CALL_SUSPENDED) : 0;
    const struct call call = {
        .site = left.site,
        .entry = left.entry,
        .began = left.entry.event,
        .exit = *exit,
        .resume = *resume,
        .from = left.site.pc,
        .exit_ticks = resume->time > exit->time ? resume->time - exit->time : 0,
        .how = (uint8_t)(CALL_INLINED | how),
        .is_open = around && around->is_open,
    };
    calls->frames.items[at].outer = calls->free_frame;
    calls->free_frame = at;
    surrounding->innermost = left.outer;
    surrounding->place = calls->places.items[surrounding->place].parent;
    return calls->consumer.fold(calls->consumer.self, inside(calls, surrounding), &call,
                                &left.content);
}

static bool leave_all(struct inlined_calls *calls, struct inlined_surrounding *surrounding,
                      const struct node_ref *exit, const struct node_ref *resume,
                      const struct call *around)
{
    bool has_memory = true;
    while (surrounding->innermost && has_memory)
        has_memory = leave(calls, surrounding, exit, resume, around);
    return has_memory;
}

static bool is_in(const struct inlined_calls *calls, uint32_t place, uint32_t outer)
{
    const struct inline_place *places = calls->places.items;
    while (places[place].depth > places[outer].depth)
        place = places[place].parent;
    return place == outer;
}

// Leaves and enters functions until `place` is reached. False: no memory.
static NEVER_INLINE bool move(struct inlined_calls *calls, struct inlined_surrounding *surrounding,
                              uint32_t place, const struct node_ref *node)
{
    uint32_t inward[LIMIT_DEBUG_SCOPES];
    size_t count = 0;
    bool has_memory = true;
    while (has_memory && !is_in(calls, place, surrounding->place))
        has_memory = leave(calls, surrounding, &surrounding->last, node, NULL);
    for (; has_memory && place != surrounding->place; place = calls->places.items[place].parent)
        inward[count++] = place;
    while (count && has_memory)
        has_memory = enter(calls, surrounding, inward[--count], node);
    return has_memory;
}

// --- The consumer --------------------------------------------------------------------------------

static void pass(struct inlined_surrounding *surrounding, const struct node_ref *node)
{
    surrounding->last = *node;
    surrounding->has_last = true;
}

static bool take_instruction(void *self, struct call_content *into, const struct node_ref *node,
                             bool is_executed, uint64_t ticks)
{
    struct inlined_calls *calls = self;
    uint32_t place = place_of(calls, node->pc & ~UINT64_C(1));
    (void)is_executed, (void)ticks;
    if (place == NO_PLACE || !begin(calls, into))
        return false;
    struct inlined_surrounding *surrounding = surrounding_of(calls, into);
    if (place != surrounding->place && !move(calls, surrounding, place, node))
        return false;
    pass(surrounding, node);
    return true;
}

// After a call, its surroundings continue. The outermost function of a task was called by nobody.
static bool take_call(void *self, struct call_content *into, const struct call *call,
                      const struct call_content *inner)
{
    struct inlined_calls *calls = self;
    struct call_content ending = *inner;
    if (!leave_all(calls, surrounding_of(calls, &ending), &call->exit, &call->resume, call) ||
        !begin(calls, into))
        return false;
    const struct call_content ended = finish(calls, &ending);
    struct inlined_surrounding *surrounding = surrounding_of(calls, into);
    if (call->how & CALL_TASK)
        return calls->consumer.fold(calls->consumer.self, &surrounding->outside, call, &ended);
    pass(surrounding, &call->exit);
    return calls->consumer.fold(calls->consumer.self, inside(calls, surrounding), call, &ended);
}

static bool take_merge(void *self, struct call_content *into, const struct call_content *from)
{
    struct inlined_calls *calls = self;
    struct call_content ending = *from;
    struct inlined_surrounding *other = surrounding_of(calls, &ending);
    const struct node_ref last = other->last;
    if (!from->words[0])
        return true;
    if (!leave_all(calls, other, &last, &last, NULL) || !begin(calls, into))
        return false;
    struct inlined_surrounding *surrounding = surrounding_of(calls, into);
    if (surrounding_of(calls, &ending)->has_last)
        pass(surrounding, &last);
    const struct call_content ended = finish(calls, &ending);
    return calls->consumer.merge(calls->consumer.self, inside(calls, surrounding), &ended);
}

static void begin_again(void *self)
{
    struct inlined_calls *calls = self;
    calls->frames.count = calls->surroundings.count = 1;
    calls->free_frame = calls->free_surrounding = 0;
    calls->consumer.begin_again(calls->consumer.self);
}

struct call_consumer inlined_calls_consumer(struct inlined_calls *calls)
{
    return (struct call_consumer){.self = calls,
                                  .fold = take_call,
                                  .merge = take_merge,
                                  .instruction = take_instruction,
                                  .begin_again = calls->consumer.begin_again ? begin_again : NULL};
}

bool inlined_calls_end(struct inlined_calls *calls, struct call_content *content,
                       const struct node_ref *last)
{
    const struct call open = {.is_open = true};
    bool has_memory = leave_all(calls, surrounding_of(calls, content), last, last, &open);
    *content = finish(calls, content);
    return has_memory;
}

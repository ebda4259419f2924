// Blocks of heaps: by their functions, and not by how they keep them. What such a function itself
// accesses, down to what it calls, is its own affair.
//
// A block that a function returns where another still is ends that one without a word: heaps can be
// reset as a whole, and a trace may have a gap where it was freed.
#include "check/check.h"

#include "arch/arch.h"
#include "query/point.h"

#include <stdlib.h>

// Of a pointer. Heaps keep words of their own about a block: one before it, and what is before the
// next one; further away may be a block that is not known.
static unsigned word_bytes(const struct check *check)
{
    const struct index_view *view = check->flow->view;
    return view->arch->isas[view->isa].word_bytes == 4 ? 4 : 8;
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the blocks of the heap");
}

static uint32_t find_block(struct heap *heap, uint64_t address)
{
    const uint64_t hash = hash_key(hash_index_seed(&heap->by_address), address);
    uint32_t found;
    HASH_INDEX_FIND(found, &heap->by_address, hash,
                    heap->blocks.items[candidate].address == address);
    return found;
}

const struct heap_block *heap_block_at(const struct heap *heap, uint64_t address, uint64_t event)
{
    for (size_t i = 0; i < heap->blocks.count; i++) {
        const struct heap_block *block = &heap->blocks.items[i];
        if (address - block->address < block->size_bytes && block->allocated <= event &&
            (block->freed == TRAWL_NONE || block->freed > event))
            return block;
    }
    return NULL;
}

static void add_cause(struct finding *finding, const char *what, uint64_t event, uint64_t lane)
{
    for (unsigned i = 0; i < FINDING_CAUSES; i++) {
        if (!finding->causes[i].what) {
            finding->causes[i] = (struct finding_cause){what, event, lane};
            return;
        }
    }
}

static void tell_block(struct finding *finding, const struct heap_block *block)
{
    finding->block = block->address;
    finding->block_bytes = block->size_bytes;
    if (block->freed != TRAWL_NONE)
        add_cause(finding, "freed", block->freed, block->freed_lane);
    add_cause(finding, "allocated", block->allocated, block->lane);
}

static void end_block(struct check *check, struct heap_block *block, uint64_t event, uint64_t lane)
{
    block->freed = event;
    block->freed_lane = lane;
    check->heap.live_count--;
    check->heap.live_bytes -= block->size_bytes;
}

static enum status allocate(struct check *check, const struct pair_call *call, uint64_t address,
                            uint64_t size_bytes, uint64_t defined_bytes, struct error *err)
{
    struct heap *heap = &check->heap;
    const uint64_t watched = u64_min(size_bytes, LIMIT_WATCHED_BLOCK_BYTES);
    uint32_t number = find_block(heap, address);
    if (number != HASH_INDEX_NONE && heap->blocks.items[number].freed == TRAWL_NONE)
        end_block(check, &heap->blocks.items[number], pair_event(call), call->lane);
    const struct heap_block block = {.address = address,
                                     .size_bytes = size_bytes,
                                     .allocated = pair_event(call),
                                     .freed = TRAWL_NONE,
                                     .lane = call->lane,
                                     .caller = call->caller,
                                     .family = call->function->family};
    // A new number for each life of a block, so that what is told of an earlier one stays.
    if (heap->blocks.count >= UINT32_MAX - 1 || !VEC_ROOM(&heap->blocks, 1))
        return no_memory(err);
    const uint64_t hash = hash_key(hash_index_seed(&heap->by_address), address);
    if (number == HASH_INDEX_NONE) {
        if (!hash_index_add(&heap->by_address, hash, (uint32_t)heap->blocks.count))
            return no_memory(err);
        heap->blocks.items[heap->blocks.count++] = block;
    } else { // the table keeps the number of the latest life
        heap->blocks.items[heap->blocks.count++] = heap->blocks.items[number];
        heap->blocks.items[number] = block;
    }
    heap->live_count++;
    heap->live_bytes += size_bytes;
    if (heap->live_bytes > heap->most_bytes) {
        heap->most_bytes = heap->live_bytes;
        heap->most_event = pair_event(call);
    }
    const bool fences = size_bytes == watched;
    const uint64_t fence = word_bytes(check);
    for (uint64_t at = address - fence; at != address + size_bytes + 2 * fence; at++) {
        if (at == address)
            at += size_bytes;
        if ((at < address || fences) && !(shadow_any(&check->shadow, at, 1) & SHADOW_LIVE))
            check->is_cut |= !shadow_change(&check->shadow, at, 1, 0, SHADOW_FENCE);
    }
    // What was copied there is as it was; what nothing has set begins behind it.
    const unsigned undefined = check->parts & CHECK_UNDEFINED ? SHADOW_UNDEFINED : 0;
    const uint64_t defined = u64_min(defined_bytes, watched);
    const unsigned takes = SHADOW_DEAD | SHADOW_FREED | SHADOW_RETURN;
    check->is_cut |=
        !shadow_change(&check->shadow, address, defined, takes, SHADOW_LIVE | SHADOW_KNOWN) ||
        !shadow_change(&check->shadow, address + defined, watched - defined, takes | SHADOW_COPIED,
                       SHADOW_LIVE | SHADOW_KNOWN | undefined);
    return STATUS_OK;
}

static void release(struct check *check, const struct pair_call *call, uint64_t address)
{
    struct heap *heap = &check->heap;
    uint32_t number = find_block(heap, address);
    struct heap_block *block = number == HASH_INDEX_NONE ? NULL : &heap->blocks.items[number];
    struct finding *finding = NULL;
    if (!block && !heap->blocks.count)
        return; // allocated before the trace begins
    if (!block) {
        finding = check_note(check, FINDING_BAD_FREE, call->caller, 0);
    } else if (block->freed != TRAWL_NONE) {
        finding = check_note(check, FINDING_DOUBLE_FREE, call->caller, block->caller);
    } else {
        if (block->family != call->function->family)
            finding = check_note(check, FINDING_WRONG_FREE, call->caller, block->caller);
        if (finding)
            tell_block(finding, block);
        end_block(check, block, pair_event(call), call->lane);
        shadow_change(&check->shadow, address,
                      u64_min(block->size_bytes, LIMIT_WATCHED_BLOCK_BYTES), SHADOW_LIVE,
                      SHADOW_FREED);
    }
    if (!finding)
        return;
    finding->event = pair_event(call);
    finding->lane = call->lane;
    finding->address = address;
    if (block && finding->kind == FINDING_DOUBLE_FREE)
        tell_block(finding, block);
}

static bool is_inside(const struct heap *heap, uint64_t owner)
{
    for (size_t i = 0; i < heap->inside.count; i++) {
        if (heap->inside.items[i] == owner)
            return true;
    }
    return false;
}

static void leave(struct heap *heap, uint64_t owner)
{
    for (size_t i = heap->inside.count; i--;) {
        if (heap->inside.items[i] == owner) {
            heap->inside.items[i] = heap->inside.items[--heap->inside.count];
            return;
        }
    }
}

static enum status note_call(struct check *check, const struct pair_call *call, bool is_end,
                             struct error *err)
{
    const struct pair_function *function = call->function;
    const uint64_t object = call->arguments[function->object_argument];
    uint64_t size = call->arguments[function->size_argument];
    struct pair_value result;
    // Only what is called from outside counts: realloc may call malloc and free.
    if (is_end)
        leave(&check->heap, call->owner);
    const bool is_inner = is_inside(&check->heap, call->owner);
    if (!is_end && call->end != TRAWL_NONE) {
        if (!VEC_ROOM(&check->heap.inside, 1))
            return no_memory(err);
        check->heap.inside.items[check->heap.inside.count++] = call->owner;
    }
    if (is_inner)
        return STATUS_OK;
    if (!is_end) {
        if (function->role == PAIR_FREE && object)
            release(check, call, object);
        return STATUS_OK;
    }
    if (!call->has_returned || function->role == PAIR_FREE)
        return STATUS_OK;
    enum status status = pair_result(check->flow->view, call, &result, err);
    if (status != STATUS_OK || !result.is_known)
        return status;
    const uint64_t address = result.number;
    if (function->role == PAIR_ALLOCATE_ARRAY &&
        __builtin_mul_overflow(size, call->arguments[function->size_argument - 1], &size))
        return STATUS_OK;
    uint64_t defined = function->role == PAIR_ALLOCATE_ARRAY ? UINT64_MAX : 0;
    if (function->role == PAIR_REALLOCATE && object && (address || !size)) {
        const uint32_t old = find_block(&check->heap, object);
        const bool is_live =
            old != HASH_INDEX_NONE && check->heap.blocks.items[old].freed == TRAWL_NONE;
        defined = is_live ? check->heap.blocks.items[old].size_bytes : UINT64_MAX;
        release(check, call, object);
    }
    return address ? allocate(check, call, address, size, defined, err) : STATUS_OK;
}

enum status heap_call(struct check *check, const struct pair_call *call, bool is_end,
                      struct error *err)
{
    struct heap *heap = &check->heap;
    const uint64_t bytes = heap->live_bytes, count = heap->live_count;
    enum status status = note_call(check, call, is_end, err);
    if (status != STATUS_OK || !check->wants_steps ||
        (heap->live_bytes == bytes && heap->live_count == count))
        return status;
    if (!VEC_ROOM(&heap->steps, 1))
        return no_memory(err);
    heap->steps.items[heap->steps.count++] =
        (struct heap_step){check->now->event, heap->live_bytes, heap->live_count};
    return STATUS_OK;
}

// Whether an object of its own is accessed, which is next to the first or last block of a heap.
static bool is_other_object(struct check *check, const struct access *access)
{
    const struct image_set *images = &check->names->images;
    const uint64_t fence = word_bytes(check);
    struct image_symbol symbol;
    if (!image_set_by_address(images, access->address, &symbol) || !symbol.symbol->is_data ||
        symbol.symbol->size < 2)
        return false;
    // A byte of a block in the same object, around it?
    for (uint64_t at = access->address - 2 * fence;
         at != access->address + access->size_bytes + fence; at++) {
        const unsigned state = shadow_any(&check->shadow, at, 1) & SHADOW_FENCE;
        if ((state == SHADOW_LIVE || state == SHADOW_FREED) &&
            at - symbol.address < symbol.symbol->size)
            return false;
    }
    return true;
}

void heap_access(struct check *check, const struct access *access, unsigned state)
{
    const struct heap *heap = &check->heap;
    const struct trawl_event *now = check->now;
    const bool is_fence = (state & SHADOW_FENCE) == SHADOW_FENCE;
    if (heap->inside.count &&
        is_inside(heap, pair_owner(&check->pairs, check->flow->view, now->lane, now->event)))
        return;
    if (is_fence && (stack_has(check, access->address) || is_other_object(check, access)))
        return;
    struct finding *finding =
        check_note_access(check, is_fence ? FINDING_PAST_BLOCK : FINDING_USE_AFTER_FREE, access);
    if (!finding)
        return;
    // The block that was there last. Every finding asks once, so a walk is good enough.
    const struct heap_block *best = NULL;
    for (size_t i = 0; i < heap->blocks.count; i++) {
        const struct heap_block *block = &heap->blocks.items[i];
        const uint64_t fence = is_fence ? word_bytes(check) : 0;
        const uint64_t low = block->address - fence;
        const uint64_t span = block->size_bytes + 3 * fence;
        if (access->address + access->size_bytes - 1 - low < span + access->size_bytes - 1 &&
            (is_fence || block->freed != TRAWL_NONE) &&
            (!best || block->allocated >= best->allocated))
            best = block;
    }
    if (best)
        tell_block(finding, best);
}

// --- Leaks ---------------------------------------------------------------------------------------

// A word that points into a block.
struct pointer {
    uint64_t at; // its place
    uint32_t block;
};

struct leaks {
    struct check *check;
    VEC(, uint32_t) live;           // blocks, by address
    VEC(, struct pointer) pointers; // by their places
    VEC(, uint32_t) reached;
    uint8_t *is_reached; // of each in `live`
};

enum { WORDS = 512 };

static int compare_live(const void *a, const void *b, void *self)
{
    const struct heap_block *blocks = self;
    const uint64_t x = blocks[*(const uint32_t *)a].address,
                   y = blocks[*(const uint32_t *)b].address;
    return x < y ? -1 : x > y;
}

// The live block that a value points into, its end included. UINT32_MAX: none.
static uint32_t block_at(const struct leaks *leaks, uint64_t value)
{
    const struct heap_block *blocks = leaks->check->heap.blocks.items;
    size_t low;
    PARTITION_POINT(low, leaks->live.count, blocks[leaks->live.items[middle]].address <= value);
    if (!low)
        return UINT32_MAX;
    const struct heap_block *block = &blocks[leaks->live.items[low - 1]];
    return value - block->address <= block->size_bytes ? (uint32_t)(low - 1) : UINT32_MAX;
}

static bool reach(struct leaks *leaks, uint64_t value)
{
    const uint32_t block = block_at(leaks, value);
    if (block == UINT32_MAX || leaks->is_reached[block])
        return true;
    leaks->is_reached[block] = 1;
    if (!VEC_ROOM(&leaks->reached, 1))
        return false;
    leaks->reached.items[leaks->reached.count++] = block;
    return true;
}

static enum status reach_from_registers(struct leaks *leaks, struct error *err)
{
    const struct index_view *view = leaks->check->flow->view;
    const unsigned size = word_bytes(leaks->check);
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        uint8_t values[64 * 8], known[64 * 8];
        struct trawl_error from;
        enum trawl_status read = trawl_registers(view->index, lane, view->info.events - 1, 0,
                                                 sizeof values, values, known, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        for (size_t at = 0; at < sizeof values; at += size) {
            if (!memchr(known + at, 0, size) &&
                !reach(leaks, point_number(values + at, size, false)))
                return no_memory(err);
        }
    }
    return STATUS_OK;
}

// Words outside of blocks keep blocks alive; of those in blocks it is noted what they point to.
static enum status take_word(struct leaks *leaks, uint64_t at, const uint8_t *values,
                             const uint8_t *known, unsigned size, struct error *err)
{
    const bool is_big = leaks->check->flow->view->info.options & TRAWL_BIG_ENDIAN;
    if (memchr(known, 0, size))
        return STATUS_OK;
    const uint64_t value = point_number(values, size, is_big);
    const uint32_t block = block_at(leaks, value);
    if (block == UINT32_MAX)
        return STATUS_OK;
    const unsigned state = shadow_any(&leaks->check->shadow, at, size);
    if (!(state & (SHADOW_LIVE | SHADOW_DEAD | SHADOW_FREED)))
        return reach(leaks, value) ? STATUS_OK : no_memory(err);
    if ((state & SHADOW_FENCE) != SHADOW_LIVE)
        return STATUS_OK;
    if (!VEC_ROOM(&leaks->pointers, 1))
        return no_memory(err);
    leaks->pointers.items[leaks->pointers.count++] = (struct pointer){at, block};
    return STATUS_OK;
}

static enum status read_words(struct leaks *leaks, struct error *err)
{
    const struct index_view *view = leaks->check->flow->view;
    const unsigned size = word_bytes(leaks->check);
    const uint64_t last = view->info.events - 1;
    uint64_t words[WORDS], next = 0;
    for (size_t count = WORDS; count == WORDS;) {
        struct trawl_error from;
        enum trawl_status read =
            trawl_stored_words(view->index, TRAWL_START, last, next, words, WORDS, &count, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        for (size_t i = 0, run; i < count; i += run) {
            uint8_t values[64 * 8], known[64 * 8];
            for (run = 1; run < 64 && i + run < count && words[i + run] == words[i] + 8 * run;)
                run++;
            read = dataflow_memory(view, last, words[i], 8 * run, values, known, &from);
            if (read != TRAWL_OK)
                return index_status(read, &from, err);
            for (size_t at = 0; at < 8 * run; at += size) {
                enum status status =
                    take_word(leaks, words[i] + at, values + at, known + at, size, err);
                if (status != STATUS_OK)
                    return status;
            }
        }
        if (count && words[count - 1] > UINT64_MAX - 8)
            break;
        next = count ? words[count - 1] + 8 : 0;
    }
    return STATUS_OK;
}

// What reached blocks point to is reached as well.
static bool follow(struct leaks *leaks)
{
    const struct heap_block *blocks = leaks->check->heap.blocks.items;
    while (leaks->reached.count) {
        const uint32_t number = leaks->reached.items[--leaks->reached.count];
        const struct heap_block *block = &blocks[leaks->live.items[number]];
        size_t low;
        PARTITION_POINT(low, leaks->pointers.count,
                        leaks->pointers.items[middle].at < block->address);
        for (; low < leaks->pointers.count &&
               leaks->pointers.items[low].at - block->address < block->size_bytes;
             low++) {
            const uint32_t to = leaks->pointers.items[low].block;
            if (!reach(leaks, blocks[leaks->live.items[to]].address))
                return false;
        }
    }
    return true;
}

enum status heap_end(struct check *check, struct error *err)
{
    struct heap *heap = &check->heap;
    struct leaks leaks = {.check = check};
    enum status status = STATUS_OK;
    if (!heap->live_count || !(check->parts & CHECK_HEAP))
        return STATUS_OK;
    for (size_t i = 0; i < heap->blocks.count && status == STATUS_OK; i++) {
        if (heap->blocks.items[i].freed != TRAWL_NONE)
            continue;
        if (VEC_ROOM(&leaks.live, 1))
            leaks.live.items[leaks.live.count++] = (uint32_t)i;
        else
            status = no_memory(err);
    }
    leaks.is_reached = calloc(leaks.live.count + 1, 1);
    if (!leaks.is_reached)
        status = no_memory(err);
    if (leaks.live.count)
        qsort_r(leaks.live.items, leaks.live.count, sizeof *leaks.live.items, compare_live,
                heap->blocks.items);
    if (status == STATUS_OK)
        status = reach_from_registers(&leaks, err);
    if (status == STATUS_OK)
        status = read_words(&leaks, err);
    if (status == STATUS_OK && !follow(&leaks))
        status = no_memory(err);
    for (size_t i = 0; i < leaks.live.count && status == STATUS_OK; i++) {
        const struct heap_block *block = &heap->blocks.items[leaks.live.items[i]];
        if (leaks.is_reached[i] || (check->lane != TRAWL_ANY_LANE && check->lane != block->lane))
            continue;
        bool is_new, lacks_memory = false;
        struct finding *finding =
            findings_note(&check->findings, FINDING_LEAK, block->caller, 0, &is_new, &lacks_memory);
        if (lacks_memory)
            status = no_memory(err);
        if (finding && is_new) {
            finding->event = block->allocated;
            finding->lane = block->lane;
            finding->block = finding->address = block->address;
            finding->block_bytes = block->size_bytes;
        }
        if (finding)
            finding->bytes += block->size_bytes;
    }
    free(leaks.live.items);
    free(leaks.pointers.items);
    free(leaks.reached.items);
    free(leaks.is_reached);
    return status;
}

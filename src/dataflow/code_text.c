#include "dataflow/code_text.h"

#include "dataflow/step.h"

#include <stdlib.h>

enum { EVENTS_AHEAD = 24 }; // of which the lines are fetched

void code_texts_free(struct code_texts *texts)
{
    free(texts->items.items);
    hash_index_free(&texts->by_pc);
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory to follow the instructions");
}

// Short texts, mostly of 9 to 25 bytes.
static ALWAYS_INLINE bool is_same_text(const char *a, const char *b, size_t size_bytes)
{
    uint64_t x, y, differ;
    if (UNLIKELY(size_bytes < sizeof x))
        return memcmp(a, b, size_bytes) == 0;
    memcpy(&x, a + size_bytes - sizeof x, sizeof x);
    memcpy(&y, b + size_bytes - sizeof y, sizeof y);
    differ = x ^ y;
    for (size_t at = 0; at + sizeof x < size_bytes; at += sizeof x) {
        memcpy(&x, a + at, sizeof x);
        memcpy(&y, b + at, sizeof y);
        differ |= x ^ y;
    }
    return !differ;
}

// Whether a remembered instruction stands at an offset of an event's text.
static ALWAYS_INLINE bool is_at(const struct trace_lines *lines, uint64_t position, uint32_t offset,
                                const struct code_text *item)
{
    const uint64_t at = position + offset, end = at + item->size_bytes;
    return end <= lines->size_bytes && trace_lines_want(lines, at, end) &&
           is_same_text(lines->text + at, item->text, item->size_bytes);
}

// Whether it stands some digits later or earlier than the last time.
static NEVER_INLINE bool is_moved(const struct trace_lines *lines, uint64_t position,
                                  struct code_text *item)
{
    enum { MOVED = 10 };
    for (uint32_t by = 1; by <= MOVED; by++) {
        const bool is_later = is_at(lines, position, item->offset + by, item);
        if (is_later || (by <= item->offset && is_at(lines, position, item->offset - by, item))) {
            item->offset += is_later ? by : 0 - by;
            return true;
        }
    }
    return false;
}

static uint64_t number_of(const struct hash_seed *seed, const struct code_text *item)
{
    uint64_t number = hash_keys(seed, item->isa, item->size_bytes), eight;
    for (size_t at = 0; at < CODE_TEXT_BYTES; at += sizeof eight) {
        memcpy(&eight, item->text + at, sizeof eight);
        number = hash_keys(seed, number, eight);
    }
    return number == CODE_TEXT_UNKNOWN ? 1 : number;
}

// Reads the line of an event.
static enum status read_item(const struct code_texts *texts, struct dataflow *flow,
                             const struct trawl_event *about, struct code_text *item,
                             struct error *err)
{
    struct trace_step step;
    const char *text = NULL;
    enum status status = dataflow_read(flow, about, &step, &text, err);
    if (status != STATUS_OK)
        return status;
    *item = (struct code_text){.pc = about->pc, .code = step.code, .isa = about->flags & TRAWL_ISA};
    if (!step.code_bytes || step.code_bytes > CODE_TEXT_BYTES)
        return STATUS_OK;
    item->offset = step.code_offset;
    item->size_bytes = step.code_bytes;
    memcpy(item->text, text + step.code_offset, step.code_bytes);
    item->number = number_of(&texts->seed, item);
    return STATUS_OK;
}

static ALWAYS_INLINE struct code_text *item_of(struct code_texts *texts, uint64_t pc)
{
    uint32_t *near = &texts->near[pc >> 1 & (CODE_TEXTS_NEAR - 1)], number = *near - 1;
    if (LIKELY(*near && texts->items.items[number].pc == pc))
        return &texts->items.items[number];
    const uint64_t hash = hash_key(hash_index_seed(&texts->by_pc), pc);
    HASH_INDEX_FIND(number, &texts->by_pc, hash, texts->items.items[candidate].pc == pc);
    if (number == HASH_INDEX_NONE) {
        if (!VEC_ROOM(&texts->items, 1) || texts->items.count >= UINT32_MAX - 1 ||
            !hash_index_add(&texts->by_pc, hash, (uint32_t)texts->items.count))
            return NULL;
        number = (uint32_t)texts->items.count++;
        texts->items.items[number] = (struct code_text){.pc = pc};
    }
    *near = number + 1;
    return &texts->items.items[number];
}

// Of an event with an instruction.
static ALWAYS_INLINE enum status find_item(struct code_texts *texts, struct dataflow *flow,
                                           const struct trawl_event *about,
                                           const struct code_text **found, struct error *err)
{
    struct code_text *item = item_of(texts, about->pc);
    *found = item;
    if (!item)
        return no_memory(err);
    const bool is_same = item->size_bytes && item->isa == (about->flags & TRAWL_ISA) &&
                         (is_at(&flow->lines, about->position, item->offset, item) ||
                          is_moved(&flow->lines, about->position, item));
    return LIKELY(is_same) ? STATUS_OK : read_item(texts, flow, about, item, err);
}

enum status code_texts_of(struct code_texts *texts, struct dataflow *flow, uint64_t first,
                          size_t count, const struct code_text_events *events, uint64_t *numbers,
                          struct error *err)
{
    const struct trace_lines *lines = &flow->lines;
    for (size_t i = 0; i < count; i++) {
        // A quarter of the time would be spent waiting for them.
        const uint64_t ahead = events->position[i + EVENTS_AHEAD < count ? i + EVENTS_AHEAD : i];
        const uint32_t flags = (uint32_t)events->flags[i];
        if (ahead < lines->size_bytes)
            __builtin_prefetch(lines->text + ahead);
        numbers[i] = CODE_TEXT_UNKNOWN;
        if (!(flags & TRAWL_HAS_INSTRUCTION))
            continue;
        const struct trawl_event about = {.event = first + i,
                                          .position = events->position[i],
                                          .pc = events->pc[i],
                                          .flags = flags};
        const struct code_text *item;
        const enum status status = find_item(texts, flow, &about, &item, err);
        if (status != STATUS_OK)
            return status;
        numbers[i] = item->number;
    }
    return STATUS_OK;
}

enum status code_texts_code(struct code_texts *texts, struct dataflow *flow,
                            const struct trawl_event *about, const struct trace_code **code,
                            struct error *err)
{
    const struct code_text *item;
    const enum status status = find_item(texts, flow, about, &item, err);
    if (status == STATUS_OK)
        *code = &item->code;
    return status;
}

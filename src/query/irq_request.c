#include "query/irq_request.h"

#include "query/point.h"
#include "query/writes.h"

#include <stdlib.h>

// A word of memory after an event. False: not all of it is known.
static bool read_word(const struct index_view *view, uint64_t event, uint64_t address,
                      uint32_t *word)
{
    uint8_t bytes[4], known[4];
    if (index_view_memory(view, event, address, sizeof bytes, bytes, known, NULL) != TRAWL_OK ||
        memchr(known, 0, sizeof known))
        return false;
    *word = (uint32_t)point_number(bytes, sizeof bytes, view->info.options & TRAWL_BIG_ENDIAN);
    return true;
}

uint32_t irq_number(const struct index_view *view, uint64_t event, uint64_t pc)
{
    const struct arch_requests *requests = arch_requests(view->arch);
    uint32_t table = 0, vector, found = 0;
    if (!requests)
        return 0;
    read_word(view, event, requests->vectors_at, &table); // at 0 after a reset
    for (uint32_t i = 1; i < requests->vectors; i++) {
        if (!read_word(view, event, table + UINT64_C(4) * i, &vector))
            continue;
        if ((vector & ~UINT32_C(1)) != (pc & ~UINT64_C(1)))
            continue;
        if (found)
            return 0;
        found = i;
    }
    return found;
}

// Whether a word that was stored to a register asks for the exception, or takes that back.
static bool is_about(const struct arch_request *row, uint32_t word_number, uint32_t word,
                     uint32_t number)
{
    const int64_t bit = (int64_t)number - row->first - INT64_C(32) * word_number;
    if (!row->mask)
        return (int64_t)(word & 0x1ff) + row->first == number;
    return bit >= 0 && bit < 32 && row->mask >> bit & word >> bit & 1;
}

// The word of the row's registers that may be about an exception.
static uint32_t word_of(const struct arch_request *row, uint32_t number)
{
    const int64_t bit = (int64_t)number - row->first;
    return row->mask && bit >= 0 ? (uint32_t)(bit / 32) : 0;
}

// The first request by the stores to one register in ]before, entry], after `after`, which becomes
// the last that took it back.
static enum status look_at(const struct index_view *view, uint64_t lane,
                           const struct arch_request *row, uint32_t number, uint64_t before,
                           uint64_t entry, uint64_t *first, uint64_t *last, struct error *err)
{
    const uint32_t which = word_of(row, number);
    const struct write_target target = {
        .lane = TRAWL_ANY_LANE, .start = row->address + UINT64_C(4) * which, .size_bytes = 4};
    struct write_walk *walk = malloc(sizeof *walk);
    struct write_found found;
    enum status status = STATUS_OK;
    *first = *last = TRAWL_START;
    if (which >= row->words)
        return free(walk), STATUS_OK;
    if (!walk)
        return error_set(err, STATUS_MEMORY, "no memory");
    writes_begin(walk, view, &target, entry, true);
    while ((status = writes_next(walk, &found, err)) == STATUS_OK &&
           (before == TRAWL_START || found.event > before)) {
        struct trawl_event about;
        uint32_t word;
        status = index_view_event(view, found.event, &about, err);
        if (status != STATUS_OK)
            break;
        if (about.lane != lane || found.kind != WRITE_STORE ||
            !read_word(view, found.event, target.start, &word) ||
            !is_about(row, which, word, number))
            continue;
        *first = found.event;
        if (*last == TRAWL_START)
            *last = found.event;
    }
    free(walk);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status irq_request_find(const struct index_view *view, uint64_t lane, uint32_t number,
                             uint64_t before, uint64_t entry, struct irq_request *request,
                             struct error *err)
{
    const struct arch_requests *requests = arch_requests(view->arch);
    enum status status = STATUS_OK;
    uint64_t first, last, from = before;
    *request = (struct irq_request){TRAWL_START, NULL};
    // Those that take it back first: what was asked for before the last of them does not count.
    for (int denied = 1; denied >= 0; denied--) {
        for (const struct arch_request *row = requests ? requests->rows : NULL;
             row && row->name && status == STATUS_OK; row++) {
            if (row->is_denied != (denied == 1))
                continue;
            status =
                look_at(view, lane, row, number, denied ? before : from, entry, &first, &last, err);
            if (denied && last != TRAWL_START && (from == TRAWL_START || last > from))
                from = last;
            else if (!denied && first != TRAWL_START &&
                     (request->event == TRAWL_START || first < request->event))
                *request = (struct irq_request){first, row->name};
        }
    }
    return status == STATUS_OK && !request->name ? STATUS_NOT_FOUND : status;
}

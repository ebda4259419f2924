#include "query/writes.h"

void writes_begin(struct write_walk *walk, const struct index_view *view,
                  const struct write_target *target, uint64_t event, bool is_back)
{
    walk->view = view;
    walk->target = *target;
    walk->is_back = is_back;
    walk->event = walk->first = event;
    walk->at = walk->count = 0;
    walk->wanted = 1; // often only one is requested
}

// --- Registers -----------------------------------------------------------------------------------

static enum trawl_direction direction_of(const struct write_walk *walk)
{
    return walk->is_back ? TRAWL_BACKWARD : TRAWL_FORWARD;
}

// The nearest write to the registers of one lane or of all.
static enum trawl_status next_of_registers(const struct write_walk *walk, struct write_found *found,
                                           struct trawl_error *from)
{
    bool is_any = walk->target.lane == TRAWL_ANY_LANE, is_found = false;
    uint64_t lane = is_any ? 0 : walk->target.lane, event;
    uint64_t end = is_any ? walk->view->info.lanes : lane + 1;
    for (; lane < end; lane++) {
        enum trawl_status status = trawl_register_written(
            walk->view->index, lane, walk->event, direction_of(walk), walk->target.start,
            (size_t)walk->target.size_bytes, &event, from);
        if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
            return status;
        if (status == TRAWL_OK && (!is_found || (event > found->event) == walk->is_back)) {
            *found = (struct write_found){.event = event, .lane = lane, .kind = WRITE_REGISTER};
            is_found = true;
        }
    }
    return is_found ? TRAWL_OK : TRAWL_NOT_FOUND;
}

// --- Memory --------------------------------------------------------------------------------------

static enum write_kind kind_of(enum trawl_write_kind kind)
{
    return kind == TRAWL_STORE           ? WRITE_STORE
           : kind == TRAWL_STORE_UNKNOWN ? WRITE_STORE_UNKNOWN
           : kind == TRAWL_OUTSIDE       ? WRITE_OUTSIDE
                                         : WRITE_HOST;
}

// Finds up to walk->wanted writes.
static enum trawl_status find_writes(struct write_walk *walk, struct trawl_error *from)
{
    struct trawl_write writes[WRITES_AT_ONCE];
    const struct write_target *target = &walk->target;
    enum trawl_status status =
        trawl_memory_writes(walk->view->index, walk->event, direction_of(walk), target->start,
                            target->size_bytes, writes, walk->wanted, &walk->count, from);
    for (size_t i = 0; i < walk->count; i++)
        walk->found[i] =
            (struct write_found){writes[i].event,   TRAWL_NONE,           kind_of(writes[i].kind),
                                 writes[i].address, writes[i].size_bytes, writes[i].since};
    return status;
}

static enum trawl_status find_reads(struct write_walk *walk, struct trawl_error *from)
{
    struct trawl_read reads[WRITES_AT_ONCE];
    const struct write_target *target = &walk->target;
    enum trawl_status status =
        trawl_memory_reads(walk->view->index, walk->event, direction_of(walk), target->start,
                           target->size_bytes, reads, walk->wanted, &walk->count, from);
    for (size_t i = 0; i < walk->count; i++)
        walk->found[i] = (struct write_found){reads[i].event,   TRAWL_NONE,          WRITE_NONE,
                                              reads[i].address, reads[i].size_bytes, TRAWL_NONE};
    return status;
}

// The next access of either kind.
static enum trawl_status find_access(struct write_walk *walk, struct trawl_error *from)
{
    const struct write_target *target = &walk->target;
    struct trawl_memory_access access = {0};
    enum trawl_status status =
        trawl_memory_accessed(walk->view->index, walk->event, direction_of(walk), target->start,
                              target->size_bytes, &access, from);
    walk->count = status == TRAWL_OK;
    walk->found[0] = (struct write_found){.event = access.event,
                                          .lane = TRAWL_NONE,
                                          .kind = !access.is_written ? WRITE_NONE
                                                  : access.is_read   ? WRITE_BOTH
                                                                     : WRITE_STORE,
                                          .start = access.address,
                                          .size_bytes = access.size_bytes,
                                          .since = TRAWL_NONE};
    return status;
}

// Finds the next ones, more each time. The walk is over accesses to one place, wherever its address
// is later.
static enum trawl_status find_more(struct write_walk *walk, struct trawl_error *from)
{
    struct trawl_index *index = walk->view->index;
    struct trawl_memory_view seen, pinned;
    trawl_seen_memory(index, &seen);
    pinned = seen;
    if (seen.event == TRAWL_NONE)
        pinned.event = walk->first;
    enum trawl_status status = trawl_see_memory(index, &pinned, from);
    if (status != TRAWL_OK)
        return status;
    status = walk->target.wish == WISH_WRITES  ? find_writes(walk, from)
             : walk->target.wish == WISH_READS ? find_reads(walk, from)
                                               : find_access(walk, from);
    trawl_see_memory(index, &seen, NULL);
    walk->at = 0;
    walk->wanted = (size_t)u64_min(4 * walk->wanted, WRITES_AT_ONCE);
    return status != TRAWL_OK || walk->count ? status : TRAWL_NOT_FOUND;
}

static enum trawl_status next_of_memory(struct write_walk *walk, struct write_found *found,
                                        struct trawl_error *from)
{
    enum trawl_status status = walk->at == walk->count ? find_more(walk, from) : TRAWL_OK;
    if (status == TRAWL_OK)
        *found = walk->found[walk->at++];
    return status;
}

// --- One write after the other -------------------------------------------------------------------

static enum trawl_status next_of_any(struct write_walk *walk, struct write_found *found,
                                     struct trawl_error *from)
{
    if (walk->is_back && walk->event == TRAWL_START)
        return TRAWL_NOT_FOUND;
    enum trawl_status status = walk->target.is_register ? next_of_registers(walk, found, from)
                                                        : next_of_memory(walk, found, from);
    if (status != TRAWL_OK)
        return status;
    bool is_ahead = walk->event == TRAWL_START || found->event > walk->event;
    if (is_ahead == walk->is_back)
        return index_view_no_progress(from);
    walk->event = walk->is_back ? found->event - 1 : found->event; // the point before 0 is
                                                                   // TRAWL_START
    return TRAWL_OK;
}

// Whether memory was written by an event of the requested lane.
static enum trawl_status is_of_lane(const struct write_walk *walk, const struct write_found *found,
                                    bool *is_wanted, struct trawl_error *from)
{
    struct trawl_event about;
    *is_wanted = true;
    if (walk->target.is_register || walk->target.lane == TRAWL_ANY_LANE)
        return TRAWL_OK;
    enum trawl_status status = trawl_event(walk->view->index, found->event, &about, from);
    *is_wanted = status != TRAWL_OK || about.lane == walk->target.lane;
    return status;
}

enum status writes_next(struct write_walk *walk, struct write_found *found, struct error *err)
{
    struct trawl_error from;
    enum trawl_status status;
    bool is_wanted = false;
    do {
        status = next_of_any(walk, found, &from);
        if (status == TRAWL_OK)
            status = is_of_lane(walk, found, &is_wanted, &from);
    } while (status == TRAWL_OK && !is_wanted);
    return status == TRAWL_NOT_FOUND ? STATUS_NOT_FOUND : index_status(status, &from, err);
}

#include "browse/growth.h"

// Lines to come may belong to the last event of a lane.
void growth_take(struct growth *growth, const struct index_view *indexed, uint64_t text_bytes)
{
    growth->text_bytes = text_bytes;
    growth->known_events = indexed->info.events;
    for (uint64_t lane = 0; lane < indexed->info.lanes; lane++) {
        struct trawl_event last;
        struct error err;
        uint64_t events = indexed->lanes[lane].events;
        if (!events)
            continue;
        bool is_found =
            index_view_event_of_lane(indexed, lane, events - 1, &last, &err) == STATUS_OK;
        growth->known_events = is_found ? u64_min(growth->known_events, last.event) : 0;
    }
}

void growth_put_status(const struct growth *growth, struct row *row)
{
    uint64_t total = growth->total_bytes ? growth->total_bytes : 1;
    uint64_t done = growth->progress ? growth->progress->done_bytes : 0;
    if (growth->is_cancelled)
        row_string(row, ROLE_STATUS, "   no index: cancelled");
    else
        row_format(row, ROLE_STATUS, "   indexing: %u %%",
                   (unsigned)((unsigned __int128)u64_min(done, total) * 100 / total));
}

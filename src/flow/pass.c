#include "flow/pass.h"

#include <stdlib.h>

const char *pass_stage_name(enum pass_stage stage)
{
    static const char *const names[STAGE_COUNT] = {"split", "parse",  "stitch", "scan",  "match",
                                                   "join",  "gather", "carry",  "build", "write"};
    return names[stage];
}

static bool call_consumer_can(const struct call_consumer *consumer)
{
    return !consumer->fold || consumer->begin_again;
}

bool pass_may_begin_again(const struct pass_options *options, const struct pass_observer *observer)
{
    return call_consumer_can(&options->consumer) && call_consumer_can(&options->other_consumer) &&
           (!options->segments.segment_events || options->segments.begin_again) &&
           !options->transfers.take && !options->shard.end && !observer->transfer;
}

enum status pass_begin_again(const struct pass_options *options, struct error *err)
{
    const struct segment_consumer *segments = &options->segments;
    if (options->consumer.fold)
        options->consumer.begin_again(options->consumer.self);
    if (options->other_consumer.fold)
        options->other_consumer.begin_again(options->other_consumer.self);
    return !segments->segment_events || segments->begin_again(segments->self, err) ? STATUS_OK
                                                                                   : err->status;
}

bool pass_result_has_events(const struct pass_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].nodes)
            return true;
    }
    return false;
}

bool pass_result_has_instructions(const struct pass_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].instructions)
            return true;
    }
    return false;
}

// In a trace without instructions, most lines must be understood: otherwise the others may be
// chance.
bool pass_result_is_understood(const struct pass_result *result)
{
    uint64_t events = 0;
    if (pass_result_has_instructions(result))
        return true;
    for (size_t i = 0; i < result->lane_count; i++)
        events += result->lanes[i].events;
    return events > result->unknown_events + result->damaged_lines;
}

void pass_result_add_gaps(struct pass_result *result, bool is_ttu)
{
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct lane_result *lane = &result->lanes[i];
        doubt_join(&result->doubts.of[DOUBT_GAPS],
                   is_ttu ? &lane->other_counts.gaps : &lane->counts.gaps);
        doubt_join(&result->doubts.of[DOUBT_GUESSES],
                   is_ttu ? &lane->other_counts.guesses : &lane->counts.guesses);
        doubt_join(&result->doubts.of[DOUBT_MISPLACED],
                   is_ttu ? &lane->other_counts.misplaced : &lane->counts.misplaced);
    }
}

void lane_result_free(struct lane_result *lane)
{
    visit_log_free(&lane->visits);
    task_log_free(&lane->tasks);
    pc_counts_free(&lane->pcs);
}

void pass_result_free(struct pass_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++)
        lane_result_free(&result->lanes[i]);
    free(result->lanes);
    *result = (struct pass_result){0};
}

// --- Visits --------------------------------------------------------------------------------------
//
// Those of one lane to the watched addresses, in a chain for each address, so that reporting takes
// one step per visit for any number of addresses. Stored in a spool, so there is no limit.

// Each lane has a log, so each only gets little memory before it uses a file.
#define VISITS_MEMORY_BYTES (UINT64_C(16) << 20)

struct kept_visit {
    struct visit visit; // must be first, so that a visit is also its record
    uint64_t next;      // the place of the next in the chain, 0: none
};

static struct kept_visit *at_place(const struct visit_log *log, uint64_t place)
{
    return (struct kept_visit *)(void *)log->spool.base + (place - 1);
}

bool visit_log_add(struct visit_log *log, const struct visit *visits, size_t count,
                   size_t watch_count, uint64_t events_before)
{
    if (count && !log->chains) {
        log->spool.memory_bytes = VISITS_MEMORY_BYTES;
        log->chains = calloc(watch_count, sizeof *log->chains);
        log->chain_count = watch_count;
    }
    if (count && !log->chains)
        return false;
    for (size_t i = 0; i < count; i++) {
        void *room = spool_reserve(&log->spool, sizeof(struct kept_visit));
        if (!room)
            return false;
        struct kept_visit kept = {visits[i], 0};
        kept.visit.event += events_before;
        memcpy(room, &kept, sizeof kept);
        uint64_t place = log->spool.used_bytes / sizeof kept + 1;
        log->spool.used_bytes += sizeof kept;
        struct visit_chain *chain = &log->chains[kept.visit.watch];
        *(chain->last ? &at_place(log, chain->last)->next : &chain->first) = place;
        chain->last = place;
    }
    return true;
}

const struct visit *visit_log_first(const struct visit_log *log, uint32_t watch)
{
    if (watch >= log->chain_count || !log->chains[watch].first)
        return NULL;
    return &at_place(log, log->chains[watch].first)->visit;
}

const struct visit *visit_log_next(const struct visit_log *log, const struct visit *visit)
{
    uint64_t next = ((const struct kept_visit *)(const void *)visit)->next;
    return next ? &at_place(log, next)->visit : NULL;
}

void visit_log_free(struct visit_log *log)
{
    spool_free(&log->spool);
    free(log->chains);
    *log = (struct visit_log){0};
}

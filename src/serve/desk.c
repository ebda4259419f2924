#include "serve/desk.h"

#include "report/out.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

struct desks {
    struct desks_plan plan;
    pthread_mutex_t lock;
    pthread_cond_t is_back;
    struct desk *free;
    unsigned count; // that there are
};

// --- One desk ------------------------------------------------------------------------------------

// What of the trace is wanted is what the first session has.
static enum status open_session(struct session *session, const struct session *first,
                                struct error *err)
{
    session_begin(session, first->reading, 1);
    enum status status = session_wish_as(session, first, err);
    session->path = first->path;
    session->index.use = INDEX_NO_BUILD;
    if (status == STATUS_OK)
        status = session_open_trace(session, err);
    if (status == STATUS_OK)
        status = source_lay_out(session->trace->source, err);
    if (status == STATUS_OK)
        status = session_open_images(session, err);
    if (status == STATUS_OK)
        status = index_view_open_again(&session->view, &first->view, err);
    if (status == STATUS_OK)
        status = names_take_index(&session->names, session->view.index, err);
    return status;
}

static void desk_free(struct desk *desk)
{
    browser_close(&desk->browser);
    timeline_close(&desk->timeline);
    screen_free(&desk->screen);
    session_free(&desk->session);
    free(desk);
}

static enum status desk_open(struct desk **out, const struct desks_plan *plan, struct error *err)
{
    struct desk *desk = calloc(1, sizeof *desk);
    if (!desk)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    enum status status = open_session(&desk->session, plan->session, err);
    if (status == STATUS_OK) {
        browse_source_open(&desk->source, &desk->session);
        status = timeline_open(&desk->timeline, &desk->session.view, err);
    }
    if (status == STATUS_OK)
        status = browser_open(&desk->browser, &desk->source, &desk->timeline, false, err);
    if (status != STATUS_OK) {
        desk_free(desk);
        return status;
    }
    desk->lane = desk->browser.lane;
    desk->browser.source_directories = plan->source_directories;
    desk->browser.source_directory_count = plan->source_directory_count;
    *out = desk;
    return STATUS_OK;
}

bool desk_failed(struct desk *desk, struct error *err)
{
    return browser_failed(&desk->browser, err);
}

// --- Folds ---------------------------------------------------------------------------------------

static bool take_number(const char **text, uint64_t *number)
{
    const char *at = *text;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    bool is_there = at != *text;
    *text = at;
    return is_there;
}

static bool take_character(const char **text, char wanted)
{
    bool is_there = **text == wanted;
    *text += is_there;
    return is_there;
}

static bool take_limit(const char **text, uint64_t *limit)
{
    *limit = FOLD_NOTHING;
    return take_character(text, '*') || take_number(text, limit);
}

// FIRST.LIMIT or FIRST.LIMIT.REPEATS. Ranges ascend.
static bool take_range(const char **text, struct fold_range *range)
{
    *range = (struct fold_range){0};
    return take_number(text, &range->first) && take_character(text, '.') &&
           take_limit(text, &range->limit) &&
           (!take_character(text, '.') || take_number(text, &range->repeats));
}

enum outcome { IS_TAKEN, IS_WRONG, IS_TOO_MUCH };

static enum outcome take_lane(struct timeline *timeline, const char **text)
{
    uint64_t lane;
    if (!take_number(text, &lane) || !take_character(text, ':') || lane >= timeline->lane_count)
        return IS_WRONG;
    struct folds *folds = &timeline->lanes[lane].folds;
    if (folds->ranges.count)
        return IS_WRONG;
    do {
        struct fold_range range;
        size_t count = folds->ranges.count;
        uint64_t first_min = count ? folds->ranges.items[count - 1].first + 1 : 0;
        if (!take_range(text, &range) || range.first < first_min || (!count && range.first) ||
            range.first > timeline->lanes[lane].calls.event_count)
            return IS_WRONG;
        if (!VEC_ROOM(&folds->ranges, 1))
            return IS_TOO_MUCH;
        folds->ranges.items[folds->ranges.count++] = range;
    } while (take_character(text, ','));
    return IS_TAKEN;
}

static void unfold_all(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->lane_count; i++)
        timeline->lanes[i].folds.ranges.count = 0;
}

enum status desk_fold(struct desk *desk, const char *text, struct error *err)
{
    enum outcome outcome = IS_TAKEN;
    unfold_all(&desk->timeline);
    if (!text || !*text)
        return STATUS_OK;
    do {
        outcome = take_lane(&desk->timeline, &text);
    } while (outcome == IS_TAKEN && take_character(&text, ';'));
    if (outcome == IS_TAKEN && !*text)
        return STATUS_OK;
    unfold_all(&desk->timeline);
    return outcome == IS_TOO_MUCH
               ? error_set(err, STATUS_MEMORY, "no memory for folds")
               : error_set(err, STATUS_INPUT, "folds: expected LANE:FIRST.LIMIT,...;...");
}

static void put_range(const struct fold_range *range, struct out *out)
{
    out_u64(out, range->first);
    out_byte(out, '.');
    if (range->limit == FOLD_NOTHING)
        out_byte(out, '*');
    else
        out_u64(out, range->limit);
    if (!range->repeats)
        return;
    out_byte(out, '.');
    out_u64(out, range->repeats);
}

void desk_put_folds(const struct desk *desk, struct out *out)
{
    bool is_first = true;
    for (size_t i = 0; i < desk->timeline.lane_count; i++) {
        const struct folds *folds = &desk->timeline.lanes[i].folds;
        if (folds_are_none(folds))
            continue;
        if (!is_first)
            out_byte(out, ';');
        is_first = false;
        out_u64(out, i);
        for (size_t k = 0; k < folds->ranges.count; k++) {
            out_byte(out, k ? ',' : ':');
            put_range(&folds->ranges.items[k], out);
        }
    }
}

// --- All of them ---------------------------------------------------------------------------------

enum status desks_open(struct desks **out, const struct desks_plan *plan, struct error *err)
{
    struct desks *desks = calloc(1, sizeof *desks);
    if (!desks)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    desks->plan = *plan;
    pthread_mutex_init(&desks->lock, NULL);
    pthread_cond_init(&desks->is_back, NULL);
    *out = desks;
    return STATUS_OK;
}

void desks_close(struct desks *desks)
{
    if (!desks)
        return;
    while (desks->free) {
        struct desk *desk = desks->free;
        desks->free = desk->next;
        desk_free(desk);
    }
    pthread_cond_destroy(&desks->is_back);
    pthread_mutex_destroy(&desks->lock);
    free(desks);
}

// A desk that is free. NULL: there may be one more, which is counted already.
static struct desk *wait_for(struct desks *desks)
{
    pthread_mutex_lock(&desks->lock);
    while (!desks->free && desks->count >= desks->plan.count_max)
        pthread_cond_wait(&desks->is_back, &desks->lock);
    struct desk *desk = desks->free;
    if (desk)
        desks->free = desk->next;
    else
        desks->count++;
    pthread_mutex_unlock(&desks->lock);
    return desk;
}

static void take_off(struct desks *desks)
{
    pthread_mutex_lock(&desks->lock);
    desks->count--;
    pthread_cond_signal(&desks->is_back);
    pthread_mutex_unlock(&desks->lock);
}

enum status desks_take(struct desks *desks, struct desk **desk, struct error *err)
{
    *desk = wait_for(desks);
    if (!*desk) {
        enum status status = desk_open(desk, &desks->plan, err);
        if (status != STATUS_OK)
            take_off(desks);
        return status;
    }
    unfold_all(&(*desk)->timeline);
    return STATUS_OK;
}

void desks_give_back(struct desks *desks, struct desk *desk)
{
    struct error err;
    if (desk_failed(desk, &err)) { // what it has read is not to be relied on
        desk_free(desk);
        take_off(desks);
        return;
    }
    pthread_mutex_lock(&desks->lock);
    desk->next = desks->free;
    desks->free = desk;
    pthread_cond_signal(&desks->is_back);
    pthread_mutex_unlock(&desks->lock);
}

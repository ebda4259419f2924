#include "analysis/writes.h"

// --- One write after the other -------------------------------------------------------------------

static enum write_kind kind_of(enum trawl_write_kind kind)
{
    return kind == TRAWL_STORE           ? WRITE_STORE
           : kind == TRAWL_STORE_UNKNOWN ? WRITE_STORE_UNKNOWN
                                         : WRITE_HOST;
}

typedef enum trawl_status step_function(const struct session *session,
                                        const struct write_target *target, uint64_t event,
                                        struct write_found *found, struct trawl_error *from);

static enum trawl_status step_back(const struct session *session, const struct write_target *target,
                                   uint64_t event, struct write_found *found,
                                   struct trawl_error *from)
{
    struct trawl_write write;
    *found = (struct write_found){.lane = target->lane, .kind = WRITE_REGISTER};
    if (event == TRAWL_START)
        return TRAWL_NOT_FOUND;
    if (target->is_register)
        return trawl_register_written(session->index, target->lane, event, target->start,
                                      (size_t)target->size_bytes, &found->event, from);
    enum trawl_status status = trawl_memory_written(session->index, event, target->start,
                                                    (size_t)target->size_bytes, &write, from);
    if (status == TRAWL_OK)
        *found = (struct write_found){write.event, TRAWL_NONE, kind_of(write.kind)};
    return status;
}

static enum trawl_status step_on(const struct session *session, const struct write_target *target,
                                 uint64_t event, struct write_found *found,
                                 struct trawl_error *from)
{
    struct trawl_write write;
    *found = (struct write_found){.lane = target->lane, .kind = WRITE_REGISTER};
    if (target->is_register)
        return trawl_register_written_next(session->index, target->lane, event, target->start,
                                           (size_t)target->size_bytes, &found->event, from);
    enum trawl_status status = trawl_memory_written_next(session->index, event, target->start,
                                                         (size_t)target->size_bytes, &write, from);
    if (status == TRAWL_OK)
        *found = (struct write_found){write.event, TRAWL_NONE, kind_of(write.kind)};
    return status;
}

// Of the registers of every lane, the nearest write.
static enum trawl_status step_any_lane(const struct session *session,
                                       const struct write_target *target, uint64_t event,
                                       step_function *step, struct write_found *nearest,
                                       struct trawl_error *from)
{
    struct write_target one = *target;
    bool is_back = step == step_back, is_found = false;
    for (one.lane = 0; one.lane < session->info.lanes; one.lane++) {
        struct write_found found;
        enum trawl_status status = step(session, &one, event, &found, from);
        if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
            return status;
        if (status == TRAWL_OK && (!is_found || (found.event > nearest->event) == is_back)) {
            *nearest = found;
            is_found = true;
        }
    }
    return is_found ? TRAWL_OK : TRAWL_NOT_FOUND;
}

// Of memory, the nearest write by an event of the lane.
static enum trawl_status step_by_lane(const struct session *session,
                                      const struct write_target *target, uint64_t event,
                                      step_function *step, struct write_found *found,
                                      struct trawl_error *from)
{
    struct trawl_event about;
    for (;;) {
        enum trawl_status status = step(session, target, event, found, from);
        if (status == TRAWL_OK)
            status = trawl_event(session->index, found->event, &about, from);
        if (status != TRAWL_OK || about.lane == target->lane)
            return status;
        if ((event == TRAWL_START || found->event > event) == (step == step_back))
            return session_no_progress(from);
        event = step == step_back ? found->event - 1 : found->event; // before 0 is TRAWL_START
    }
}

static enum status step_wanted(const struct session *session, const struct write_target *target,
                               uint64_t event, step_function *step, struct write_found *found,
                               struct error *err)
{
    struct trawl_error from;
    enum trawl_status status;
    bool is_any_lane = target->lane == TRAWL_ANY_LANE;
    if (target->is_register && is_any_lane)
        status = step_any_lane(session, target, event, step, found, &from);
    else if (!target->is_register && !is_any_lane)
        status = step_by_lane(session, target, event, step, found, &from);
    else
        status = step(session, target, event, found, &from);
    if (status == TRAWL_NOT_FOUND)
        return STATUS_NOT_FOUND;
    bool is_ahead = event == TRAWL_START || found->event > event;
    if (status == TRAWL_OK && is_ahead == (step == step_back))
        status = session_no_progress(&from);
    return session_status(status, &from, err);
}

enum status writes_previous(const struct session *session, const struct write_target *target,
                            uint64_t event, struct write_found *found, struct error *err)
{
    return step_wanted(session, target, event, step_back, found, err);
}

enum status writes_next(const struct session *session, const struct write_target *target,
                        uint64_t event, struct write_found *found, struct error *err)
{
    return step_wanted(session, target, event, step_on, found, err);
}

// --- Where a write is ----------------------------------------------------------------------------

// Whether memory [start, start + size) was written behind `after` and up to and including `until`.
static enum status is_written(const struct session *session, uint64_t start, uint64_t size_bytes,
                              uint64_t after, uint64_t until, bool *written, struct error *err)
{
    struct trawl_error from;
    struct trawl_write write;
    *written = false;
    if (until == TRAWL_START)
        return STATUS_OK;
    enum trawl_status status =
        trawl_memory_written(session->index, until, start, (size_t)size_bytes, &write, &from);
    *written = status == TRAWL_OK && (after == TRAWL_START || write.event > after);
    return status == TRAWL_NOT_FOUND ? STATUS_OK : session_status(status, &from, err);
}

// Halves the bytes until those before (or behind, `from_end`) the first (last) written one are off.
static enum status trim(const struct session *session, uint64_t event, bool from_end,
                        uint64_t *start, uint64_t *size_bytes, struct error *err)
{
    uint64_t low = 0, high = *size_bytes - 1; // how many bytes may go, at least and at most
    while (low < high) {
        uint64_t count = low + (high - low) / 2 + 1;
        uint64_t at = from_end ? *start + (*size_bytes - count) : *start;
        bool written;
        enum status status = is_written(session, at, count, event - 1, event, &written, err);
        if (status != STATUS_OK)
            return status;
        if (written)
            high = count - 1;
        else
            low = count;
    }
    *start += from_end ? 0 : low;
    *size_bytes -= low;
    return STATUS_OK;
}

enum status writes_extent(const struct session *session, uint64_t event, uint64_t *start,
                          uint64_t *size_bytes, struct error *err)
{
    enum status status = trim(session, event, false, start, size_bytes, err);
    return status == STATUS_OK ? trim(session, event, true, start, size_bytes, err) : status;
}

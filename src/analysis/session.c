#include "analysis/session.h"

#include "idx/index.h"

#include <fcntl.h>
#include <stdlib.h>

enum status session_status(enum trawl_status status, const struct trawl_error *from,
                           struct error *err)
{
    static const enum status statuses[] = {
        [TRAWL_OK] = STATUS_OK,           [TRAWL_IO] = STATUS_IO,
        [TRAWL_DAMAGED] = STATUS_DAMAGED, [TRAWL_LIMIT] = STATUS_LIMIT,
        [TRAWL_MEMORY] = STATUS_MEMORY,   [TRAWL_NOT_FOUND] = STATUS_NOT_FOUND,
    };
    if (status == TRAWL_OK || !err)
        return statuses[status];
    error_set_at(err, statuses[status], from->offset, "%s", from->text);
    err->line = from->line;
    return err->status;
}

static enum status read_lanes(struct session *session, struct error *err)
{
    struct trawl_error from;
    session->lanes = calloc(session->info.lanes + 1, sizeof *session->lanes);
    if (!session->lanes)
        return error_set(err, STATUS_MEMORY, "no memory for the cores of the index");
    for (uint64_t i = 0; i < session->info.lanes; i++) {
        enum trawl_status status = trawl_lane(session->index, i, &session->lanes[i], &from);
        if (status != TRAWL_OK)
            return session_status(status, &from, err);
    }
    return STATUS_OK;
}

static enum status begin(struct session *session, struct error *err)
{
    trawl_info(session->index, &session->info);
    enum status status = read_lanes(session, err);
    if (status != STATUS_OK)
        session_close(session);
    return status;
}

enum status session_open(struct session *session, const char *path, struct error *err)
{
    struct trawl_error from;
    *session = (struct session){0};
    enum trawl_status opened = trawl_open(&session->index, path, &from);
    return opened == TRAWL_OK ? begin(session, err) : session_status(opened, &from, err);
}

enum status session_open_file(struct session *session, int fd, const char *name, struct error *err)
{
    struct map map;
    *session = (struct session){0};
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return error_set_errno(err, name, "open");
    enum status status = map_open(&map, copy, name, err);
    if (status == STATUS_OK)
        status = index_open_map(&session->index, name, &map, err);
    return status == STATUS_OK ? begin(session, err) : status;
}

void session_close(struct session *session)
{
    trawl_close(session->index);
    free(session->lanes);
    *session = (struct session){0};
}

bool session_index_is_intact(const struct trawl_index *index)
{
    return index_is_intact(index);
}

enum trawl_status session_no_progress(struct trawl_error *err)
{
    *err = (struct trawl_error){.status = TRAWL_DAMAGED,
                                .offset = ERROR_NO_OFFSET,
                                .text = "the index is damaged: its events are out of order"};
    return err->status;
}

uint64_t session_lane_named(const struct session *session, const char *name)
{
    for (uint64_t i = 0; i < session->info.lanes; i++) {
        if (strcmp(session->lanes[i].name, name) == 0)
            return i;
    }
    return TRAWL_NONE;
}

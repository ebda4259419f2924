#include "trace/index_view.h"

#include "arch/arches.h"
#include "elf/image_memory.h"
#include "idx/index.h"
#include "idx/rows.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static enum status read_lanes(struct index_view *view, struct error *err)
{
    struct trawl_error from;
    view->lanes = calloc(view->info.lanes + 1, sizeof *view->lanes);
    if (!view->lanes)
        return error_set(err, STATUS_MEMORY, "no memory for the cores of the index");
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        enum trawl_status status = trawl_lane(view->index, i, &view->lanes[i], &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
    }
    return STATUS_OK;
}

static enum status begin(struct index_view *view, enum reading reading, struct error *err)
{
    index_choose_calls(view->index, reading == READING_TTU);
    trawl_info(view->index, &view->info);
    view->arch = arch_of_machine(view->info.machine);
    view->isa = view->info.options & TRAWL_USES_AARCH64 ? ARCH_ISA_64 : 0;
    enum status status = read_lanes(view, err);
    if (status != STATUS_OK)
        index_view_close(view);
    return status;
}

enum status index_view_open(struct index_view *view, const char *path, enum reading reading,
                            struct error *err)
{
    struct trawl_error from;
    *view = (struct index_view){0};
    enum trawl_status opened = trawl_open(&view->index, path, &from);
    return opened == TRAWL_OK ? begin(view, reading, err) : index_status(opened, &from, err);
}

enum status index_view_adopt(struct index_view *view, struct trawl_index *index,
                             enum reading reading, struct error *err)
{
    *view = (struct index_view){.index = index};
    return begin(view, reading, err);
}

enum status index_view_open_file(struct index_view *view, int fd, const char *name,
                                 enum reading reading, struct error *err)
{
    struct map map;
    *view = (struct index_view){0};
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return error_set_errno(err, name, "open");
    enum status status = map_open(&map, copy, name, err);
    if (status == STATUS_OK)
        status = index_open_map(&view->index, name, &map, err);
    return status == STATUS_OK ? begin(view, reading, err) : status;
}

enum status index_view_open_again(struct index_view *view, const struct index_view *of,
                                  struct error *err)
{
    struct trawl_error from;
    *view = (struct index_view){0};
    enum trawl_status opened = trawl_open_bytes(&view->index, of->index->path, of->index->bytes,
                                                (size_t)of->index->size_bytes, &from);
    if (opened != TRAWL_OK)
        return index_status(opened, &from, err);
    bool is_of_ttu = (of->info.options & TRAWL_READ_AS_TTU) != 0;
    if (of->index->has_other_calls)
        is_of_ttu = !is_of_ttu;
    view->images = of->images;
    return begin(view, is_of_ttu ? READING_TTU : READING_TRUE, err);
}

void index_view_close(struct index_view *view)
{
    trawl_close(view->index);
    free(view->lanes);
    *view = (struct index_view){0};
}

bool index_view_is_intact(const struct trawl_index *index)
{
    return index_is_intact(index);
}

struct file_stamp index_view_stamp(const struct index_view *view)
{
    int fd = view->index->map.fd;
    return fd >= 0 ? file_stamp_of(fd) : (struct file_stamp){0};
}

int index_view_unnamed(const struct index_view *view)
{
    struct stat about;
    const int fd = view->index->map.fd;
    return fd >= 0 && fstat(fd, &about) == 0 && about.st_nlink == 0 ? fd : -1;
}

enum trawl_status index_view_no_progress(struct trawl_error *err)
{
    *err = (struct trawl_error){.status = TRAWL_DAMAGED,
                                .offset = ERROR_NO_OFFSET,
                                .text = "the index is damaged: its events are out of order"};
    return err->status;
}

enum status index_view_event(const struct index_view *view, uint64_t event,
                             struct trawl_event *about, struct error *err)
{
    struct trawl_error from;
    return index_status(trawl_event(view->index, event, about, &from), &from, err);
}

enum status index_view_event_of_lane(const struct index_view *view, uint64_t lane, uint64_t in_lane,
                                     struct trawl_event *about, struct error *err)
{
    struct trawl_error from;
    uint64_t event;
    enum trawl_status found = trawl_event_of_lane(view->index, lane, in_lane, &event, &from);
    return found == TRAWL_OK ? index_view_event(view, event, about, err)
                             : index_status(found, &from, err);
}

enum status index_view_origin(const struct index_view *view, struct trawl_event *about,
                              bool *has_pc, struct error *err)
{
    struct trawl_error from;
    *has_pc = about->flags & TRAWL_HAS_INSTRUCTION;
    if (*has_pc)
        return STATUS_OK;
    enum trawl_status found = trawl_instruction_of(view->index, about->event, &about->pc, &from);
    *has_pc = found == TRAWL_OK;
    return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
}

bool index_view_has_snapshots(const struct index_view *view)
{
    return view->info.is_snapshots;
}

uint64_t index_view_lane_named(const struct index_view *view, const char *name)
{
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        if (strcmp(view->lanes[i].name, name) == 0)
            return i;
    }
    return TRAWL_NONE;
}

uint64_t index_view_first_time(const struct index_view *view)
{
    uint64_t first = UINT64_MAX;
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        struct trawl_event about;
        struct error err;
        if (view->lanes[lane].events &&
            index_view_event_of_lane(view, lane, 0, &about, &err) == STATUS_OK)
            first = u64_min(first, about.time);
    }
    return first;
}

// --- Memory --------------------------------------------------------------------------------------

// Forgets what images have of bytes that the trace stores to at any time: they are not read-only.
static enum trawl_status forget_stored_at_places(const struct index_view *view, uint64_t address,
                                                 size_t size_bytes, uint8_t *known,
                                                 struct trawl_error *err)
{
    for (size_t at = 0, end; at < size_bytes; at = end) {
        struct trawl_write write;
        for (end = at + 1; end < size_bytes && known[end] == known[at];)
            end++;
        if (known[at] != IMAGE_MEMORY_KNOWN)
            continue;
        enum trawl_status status = trawl_memory_written(view->index, TRAWL_START, TRAWL_FORWARD,
                                                        address + at, end - at, &write, err);
        if (status == TRAWL_NOT_FOUND)
            continue;
        for (size_t i = at; i < end && (status == TRAWL_OK || status == TRAWL_NOT_FOUND); i++) {
            status = trawl_memory_written(view->index, TRAWL_START, TRAWL_FORWARD, address + i, 1,
                                          &write, err);
            known[i] = status == TRAWL_OK ? 0 : known[i];
        }
        if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
            return status;
    }
    return TRAWL_OK;
}

// The same for addresses as they are at an event.
static enum trawl_status forget_stored(const struct index_view *view, uint64_t event,
                                       uint64_t address, size_t size_bytes, uint8_t *known,
                                       struct trawl_error *err)
{
    struct trawl_memory_view seen, pinned;
    trawl_seen_memory(view->index, &seen);
    pinned = seen;
    if (seen.event == TRAWL_NONE)
        pinned.event = event;
    enum trawl_status status = trawl_see_memory(view->index, &pinned, err);
    if (status == TRAWL_OK) {
        status = forget_stored_at_places(view, address, size_bytes, known, err);
        trawl_see_memory(view->index, &seen, NULL);
    }
    return status;
}

enum trawl_status index_view_memory(const struct index_view *view, uint64_t event, uint64_t address,
                                    size_t size_bytes, uint8_t *values, uint8_t *known,
                                    struct trawl_error *err)
{
    enum trawl_status status =
        trawl_memory(view->index, event, address, size_bytes, values, known, err);
    if (status != TRAWL_OK || !view->images || !size_bytes || !memchr(known, 0, size_bytes) ||
        view->info.is_snapshots ||
        !image_memory_fill(view->images, address, size_bytes, values, known))
        return status;
    status = forget_stored(view, event, address, size_bytes, known, err);
    for (size_t i = 0; i < size_bytes; i++)
        values[i] = known[i] ? values[i] : 0;
    return status;
}

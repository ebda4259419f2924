#include "serve/notes.h"

#include "base/file_start.h"
#include "base/limits.h"
#include "idx/trawl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct notes {
    pthread_mutex_t lock;
    struct note_list list;
    char path[PATH_MAX]; // of the file; "": notes are not stored
};

static enum status read_file(struct notes *notes, int fd, uint64_t event_count, struct error *err)
{
    char *text = malloc(LIMIT_SERVE_NOTES_FILE_BYTES + 1);
    if (!text)
        return error_set(err, STATUS_MEMORY, "no memory for notes");
    ssize_t size = file_start_read(fd, text, LIMIT_SERVE_NOTES_FILE_BYTES + 1);
    struct error why;
    enum status status = STATUS_OK;
    if (size < 0)
        status = error_set_errno(err, notes->path, "read");
    else if (size > LIMIT_SERVE_NOTES_FILE_BYTES)
        status = error_set(err, STATUS_LIMIT, "%s: too large for notes", notes->path);
    else if (note_list_parse(&notes->list, text, (size_t)size, event_count, &why) != STATUS_OK)
        status = error_set(err, why.status, "%s: %s", notes->path, why.text);
    free(text);
    return status;
}

static enum status open_file(struct notes *notes, const char *trace, uint64_t event_count,
                             struct error *err)
{
    int length = snprintf(notes->path, sizeof notes->path, "%s.notes.json", trace);
    if (length < 0 || (size_t)length >= sizeof notes->path)
        return error_set(err, STATUS_INPUT, "%s: its name is too long for notes", trace);
    int fd = open(notes->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? STATUS_OK : error_set_errno(err, notes->path, "open");
    enum status status = read_file(notes, fd, event_count, err);
    close(fd);
    return status;
}

enum status notes_open(struct notes **out, const char *trace, uint64_t event_count, bool is_kept,
                       struct error *err)
{
    struct notes *notes = calloc(1, sizeof *notes);
    if (!notes)
        return error_set(err, STATUS_MEMORY, "no memory for notes");
    pthread_mutex_init(&notes->lock, NULL);
    *out = notes; // also on failure, to be closed
    return is_kept ? open_file(notes, trace, event_count, err) : STATUS_OK;
}

void notes_close(struct notes *notes)
{
    if (!notes)
        return;
    note_list_free(&notes->list);
    pthread_mutex_destroy(&notes->lock);
    free(notes);
}

static enum status write_file(const struct notes *notes, struct error *err)
{
    struct out out;
    enum status status = out_open(&out, notes->path, err);
    if (status != STATUS_OK)
        return status;
    note_list_write(&notes->list, &out);
    return out_close(&out, err);
}

enum status notes_set(struct notes *notes, uint64_t event, const char *text, struct error *err)
{
    pthread_mutex_lock(&notes->lock);
    enum status status = note_list_set(&notes->list, event, text, err);
    if (status == STATUS_OK && notes->path[0])
        status = write_file(notes, err);
    pthread_mutex_unlock(&notes->lock);
    return status;
}

void notes_put(struct notes *notes, struct json *json)
{
    pthread_mutex_lock(&notes->lock);
    json_member_bool(json, "are_kept", notes->path[0] != '\0');
    json_key(json, "notes");
    json_begin_array(json);
    for (size_t i = 0; i < notes->list.items.count; i++) {
        const struct note *note = &notes->list.items.items[i];
        json_begin_object(json);
        json_key(json, "event");
        if (note->event == TRAWL_START)
            json_text(json, "start");
        else
            json_u64(json, note->event);
        json_member_text(json, "text", note->text);
        json_end_object(json);
    }
    json_end_array(json);
    pthread_mutex_unlock(&notes->lock);
}

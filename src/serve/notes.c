#include "serve/notes.h"

#include "base/file_stamp.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "idx/trawl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- A list --------------------------------------------------------------------------------------

void note_list_free(struct note_list *list)
{
    for (size_t i = 0; i < list->items.count; i++)
        free(list->items.items[i].text);
    free(list->items.items);
    *list = (struct note_list){0};
}

enum status note_list_set(struct note_list *list, uint64_t event, const char *text,
                          struct error *err)
{
    struct note *items = list->items.items;
    size_t i = 0;
    if (strlen(text) > LIMIT_SERVE_NOTE_BYTES)
        return error_set(err, STATUS_LIMIT, "a note has up to %d bytes", LIMIT_SERVE_NOTE_BYTES);
    while (i < list->items.count && items[i].event + 1 < event + 1) // TRAWL_START + 1 is 0
        i++;
    if (i < list->items.count && items[i].event == event) {
        free(items[i].text);
        list->items.count--;
        memmove(items + i, items + i + 1, (list->items.count - i) * sizeof *items);
    }
    if (!*text)
        return STATUS_OK;
    if (list->items.count >= LIMIT_SERVE_NOTES)
        return error_set(err, STATUS_LIMIT, "there are %d notes, and no room for more",
                         LIMIT_SERVE_NOTES);
    char *copy = VEC_ROOM(&list->items, 1) ? strdup(text) : NULL;
    if (!copy)
        return error_set(err, STATUS_MEMORY, "no memory for notes");
    items = list->items.items;
    utf8_make_inert(copy, strlen(copy));
    memmove(items + i + 1, items + i, (list->items.count - i) * sizeof *items);
    items[i] = (struct note){event, copy};
    list->items.count++;
    return STATUS_OK;
}

static void put_notes(const struct note_list *list, struct json *json)
{
    json_key(json, "notes");
    json_begin_array(json);
    for (size_t i = 0; i < list->items.count; i++) {
        const struct note *note = &list->items.items[i];
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
}

void note_list_write(const struct note_list *list, struct out *out)
{
    struct json json;
    json_begin(&json, out, 2);
    json_begin_object(&json);
    json_member_text(&json, "format", "trawl notes 1");
    put_notes(list, &json);
    json_end_object(&json);
    json_end(&json);
}

// --- Of a trace ----------------------------------------------------------------------------------

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

enum status notes_open(struct notes **out, const char *trace, uint64_t event_count, bool is_kept,
                       struct error *err)
{
    struct notes *notes = calloc(1, sizeof *notes);
    if (!notes)
        return error_set(err, STATUS_MEMORY, "no memory for notes");
    pthread_mutex_init(&notes->lock, NULL);
    *out = notes; // also on failure, to be closed
    if (!is_kept)
        return STATUS_OK;
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

void notes_close(struct notes *notes)
{
    if (!notes)
        return;
    note_list_free(&notes->list);
    pthread_mutex_destroy(&notes->lock);
    free(notes);
}

enum status notes_set(struct notes *notes, uint64_t event, const char *text, struct error *err)
{
    pthread_mutex_lock(&notes->lock);
    enum status status = note_list_set(&notes->list, event, text, err);
    if (status == STATUS_OK && notes->path[0]) {
        struct out out;
        status = out_open(&out, notes->path, err);
        if (status == STATUS_OK) {
            note_list_write(&notes->list, &out);
            status = out_close(&out, err);
        }
    }
    pthread_mutex_unlock(&notes->lock);
    return status;
}

void notes_put(struct notes *notes, struct json *json)
{
    pthread_mutex_lock(&notes->lock);
    json_member_bool(json, "are_kept", notes->path[0] != '\0');
    put_notes(&notes->list, json);
    pthread_mutex_unlock(&notes->lock);
}

// --- Files of notes ------------------------------------------------------------------------------

// Reads a file of notes, which is untrusted: {"format": "trawl notes 1", "notes": [{"event": N or
// "start", "text": "..."}]}.

static enum status refuse(const struct json_value *value, const char *expected, struct error *err)
{
    return error_set(err, STATUS_INPUT, "byte %u: expected %s", (unsigned)value->offset, expected);
}

static enum status read_note(const struct json_document *document, const struct json_value *note,
                             uint64_t event_count, struct note_list *list, struct error *err)
{
    const char *text = "";
    uint64_t event = 0;
    bool has_event = false;
    if (note->type != JSON_OBJECT)
        return refuse(note, "a note", err);
    for (const struct json_value *member = json_first(document, note); member;
         member = json_next(document, member)) {
        if (strcmp(member->name, "text") == 0) {
            text = json_string(member);
            if (!text || strlen(text) > LIMIT_SERVE_NOTE_BYTES)
                return refuse(member, text ? "a shorter string" : "a string", err);
        } else if (strcmp(member->name, "event") == 0) {
            const char *word = json_string(member);
            bool is_start = word && strcmp(word, "start") == 0;
            has_event = true;
            if (!is_start && !json_whole(member, &event))
                return refuse(member, "start, or a number", err);
            if (!is_start && event >= event_count)
                return refuse(member, "an event that the trace has", err);
            event = is_start ? TRAWL_START : event;
        } else {
            return refuse(member, "event or text", err);
        }
    }
    return has_event ? note_list_set(list, event, text, err)
                     : refuse(note, "a note with an event", err);
}

static enum status read_notes(const struct json_document *document, uint64_t event_count,
                              struct note_list *list, struct error *err)
{
    const struct json_value *root = document->values.items;
    const struct json_value *notes = json_find(document, root, "notes");
    enum status status = STATUS_OK;
    if (root->type != JSON_OBJECT)
        return refuse(root, "an object", err);
    for (const struct json_value *member = json_first(document, root); member;
         member = json_next(document, member)) {
        bool is_text = json_string(member) != NULL;
        if (member == notes ? member->type != JSON_ARRAY : !is_text)
            return refuse(member, member == notes ? "a list of notes" : "a string", err);
        if (strcmp(member->name, "format") == 0 && strcmp(member->text, "trawl notes 1") != 0)
            return refuse(member, "a known version of the format of notes", err);
    }
    for (const struct json_value *note = json_first(document, notes); note && status == STATUS_OK;
         note = json_next(document, note))
        status = read_note(document, note, event_count, list, err);
    return status;
}

enum status note_list_parse(struct note_list *list, const char *text, size_t size,
                            uint64_t event_count, struct error *err)
{
    struct json_document document;
    enum status status = json_read(&document, text, size, err);
    if (status == STATUS_OK)
        status = read_notes(&document, event_count, list, err);
    json_document_free(&document);
    return status;
}

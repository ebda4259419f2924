#include "base/limits.h"
#include "base/utf8.h"
#include "idx/trawl.h"
#include "serve/notes.h"

#include <stdlib.h>

void note_list_free(struct note_list *list)
{
    for (size_t i = 0; i < list->items.count; i++)
        free(list->items.items[i].text);
    free(list->items.items);
    *list = (struct note_list){0};
}

// The start, which has the highest number, comes first.
static bool is_before(uint64_t a, uint64_t b)
{
    return a + 1 < b + 1;
}

static void take_out(struct note_list *list, size_t i)
{
    struct note *items = list->items.items;
    free(items[i].text);
    list->items.count--;
    memmove(items + i, items + i + 1, (list->items.count - i) * sizeof *items);
}

static enum status put_in(struct note_list *list, size_t i, uint64_t event, const char *text,
                          struct error *err)
{
    if (list->items.count >= LIMIT_SERVE_NOTES)
        return error_set(err, STATUS_LIMIT, "there are %d notes, and no room for more",
                         LIMIT_SERVE_NOTES);
    char *copy = VEC_ROOM(&list->items, 1) ? strdup(text) : NULL;
    if (!copy)
        return error_set(err, STATUS_MEMORY, "no memory for notes");
    struct note *items = list->items.items;
    utf8_make_inert(copy, strlen(copy));
    memmove(items + i + 1, items + i, (list->items.count - i) * sizeof *items);
    items[i] = (struct note){event, copy};
    list->items.count++;
    return STATUS_OK;
}

enum status note_list_set(struct note_list *list, uint64_t event, const char *text,
                          struct error *err)
{
    size_t i = 0;
    if (strlen(text) > LIMIT_SERVE_NOTE_BYTES)
        return error_set(err, STATUS_LIMIT, "a note has up to %d bytes", LIMIT_SERVE_NOTE_BYTES);
    while (i < list->items.count && is_before(list->items.items[i].event, event))
        i++;
    if (i < list->items.count && list->items.items[i].event == event)
        take_out(list, i);
    return *text ? put_in(list, i, event, text, err) : STATUS_OK;
}

void note_list_write(const struct note_list *list, struct out *out)
{
    struct json json;
    json_begin(&json, out, 2);
    json_begin_object(&json);
    json_member_text(&json, "format", "trawl notes 1");
    json_key(&json, "notes");
    json_begin_array(&json);
    for (size_t i = 0; i < list->items.count; i++) {
        const struct note *note = &list->items.items[i];
        json_begin_object(&json);
        json_key(&json, "event");
        if (note->event == TRAWL_START)
            json_text(&json, "start");
        else
            json_u64(&json, note->event);
        json_member_text(&json, "text", note->text);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    json_end(&json);
}

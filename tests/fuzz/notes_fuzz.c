// Any bytes as a file of notes: accepted notes can be written and read again unchanged, in order,
// and every note is short, inert, and belongs to an existing event.
#include "fuzz.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "idx/trawl.h"
#include "serve/notes.h"

enum { EVENTS = 1000 };

static void check_list(const struct note_list *list)
{
    CLAIM(list->items.count <= LIMIT_SERVE_NOTES);
    for (size_t i = 0; i < list->items.count; i++) {
        const struct note *note = &list->items.items[i];
        size_t length = strlen(note->text);
        char inert[LIMIT_SERVE_NOTE_BYTES + 1];
        CLAIM(length && length <= LIMIT_SERVE_NOTE_BYTES);
        memcpy(inert, note->text, length + 1);
        utf8_make_inert(inert, length);
        CLAIM(strcmp(inert, note->text) == 0);
        CLAIM(note->event == TRAWL_START || note->event < EVENTS);
        CLAIM(!i || note[-1].event + 1 < note->event + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct note_list first = {0}, second = {0};
    struct out out, again;
    struct error err;
    char *text = malloc(size_bytes + 1);
    CLAIM(text && out_open_memory(&out, &err) == STATUS_OK &&
          out_open_memory(&again, &err) == STATUS_OK);
    memcpy(text, data, size_bytes); // of exactly its size, to detect reads after it
    bool is_taken = note_list_parse(&first, text, size_bytes, EVENTS, &err) == STATUS_OK;
    check_list(&first);
    if (is_taken) {
        note_list_write(&first, &out);
        CLAIM(note_list_parse(&second, out_memory_text(&out), (size_t)out_position(&out), EVENTS,
                              &err) == STATUS_OK);
        note_list_write(&second, &again);
        CLAIM(strcmp(out_memory_text(&out), out_memory_text(&again)) == 0);
    }
    note_list_free(&first);
    note_list_free(&second);
    out_abandon(&out);
    out_abandon(&again);
    free(text);
    return 0;
}

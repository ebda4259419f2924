// Reads a file of notes, which is untrusted: {"format": "trawl notes 1", "notes": [{"event": N or
// "start", "text": "..."}]}.
#include "base/json_read.h"
#include "base/limits.h"
#include "idx/trawl.h"
#include "serve/notes.h"

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

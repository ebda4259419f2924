#include "flow/messages.h"

#include "idx/index_format.h"

#include <stdlib.h>

// --- Storing -------------------------------------------------------------------------------------

static bool add_figures(struct message_log *log, const uint64_t *figures)
{
    if (!VEC_ROOM(&log->figures, MESSAGE_ROWS))
        return false;
    memcpy(log->figures.items + log->figures.count, figures, MESSAGE_ROWS * sizeof *figures);
    log->figures.count += MESSAGE_ROWS;
    return true;
}

static enum message_kind kind_of(enum line_note note)
{
    switch (note) {
    case NOTE_UNSUPPORTED_SYSTEM:
        return MESSAGE_UNSUPPORTED_SYSTEM;
    case NOTE_TOO_MANY_REGISTERS:
        return MESSAGE_TOO_MANY_REGISTERS;
    default:
        return MESSAGE_UNKNOWN_EVENT;
    }
}

// The note for a kind of message; NOTE_NONE: not a note.
static enum line_note note_of(uint64_t kind)
{
    switch (kind) {
    case MESSAGE_UNKNOWN_EVENT:
        return NOTE_UNKNOWN_EVENT;
    case MESSAGE_UNSUPPORTED_SYSTEM:
        return NOTE_UNSUPPORTED_SYSTEM;
    case MESSAGE_TOO_MANY_REGISTERS:
        return NOTE_TOO_MANY_REGISTERS;
    default:
        return NOTE_NONE;
    }
}

bool message_log_note(struct message_log *log, const struct line_note_report *note)
{
    if (log->is_cut)
        return true;
    log->is_cut = note->subject_length > LIMIT_MESSAGE_BYTES - log->text.count;
    const uint64_t figures[MESSAGE_ROWS] = {
        [MESSAGE_KIND] = log->is_cut ? MESSAGE_NOTES_CUT : kind_of(note->note),
        [MESSAGE_LINE] = note->line,
        [MESSAGE_OFFSET] = note->offset,
        [MESSAGE_FIRST_EVENT] = note->is_first_event,
        [MESSAGE_TEXT_BYTES] = log->is_cut ? 0 : note->subject_length,
    };
    return add_figures(log, figures) &&
           bytes_append(&log->text, note->subject, figures[MESSAGE_TEXT_BYTES]);
}

bool message_log_fault(struct message_log *log, const struct line_fault *fault)
{
    if (log->fault_count == LIMIT_DAMAGE_KEPT)
        return true;
    bool keeps_line = log->fault_count++ == 0;
    // Of a line over the limit, which the reference does not refuse, only the beginning is stored.
    size_t kept_bytes = fault->length > LIMIT_LINE_BYTES ? 64 : fault->length;
    const uint64_t figures[MESSAGE_ROWS] = {
        [MESSAGE_KIND] = fault->is_partial ? MESSAGE_FAULT_PARTIAL : MESSAGE_FAULT,
        [MESSAGE_LINE] = fault->line,
        [MESSAGE_OFFSET] = fault->offset,
        [MESSAGE_FIRST_EVENT] = fault->has_events ? fault->header_lines + 1 : 0,
        [MESSAGE_COLUMN] = fault->fault.column,
        [MESSAGE_LENGTH] = fault->fault.length,
        [MESSAGE_WORDS_BYTES] = strlen(fault->fault.text),
        [MESSAGE_TEXT_BYTES] = keeps_line ? kept_bytes : 0,
    };
    return add_figures(log, figures) &&
           bytes_append(&log->text, fault->fault.text, figures[MESSAGE_WORDS_BYTES]) &&
           bytes_append(&log->text, fault->text, figures[MESSAGE_TEXT_BYTES]);
}

// If there are too many words to count, an entry without text stands for all.
bool message_log_unknown(struct message_log *log, const struct unknown_summary *unknown)
{
    for (size_t i = 0; i < UNKNOWN_WORDS_SHOWN && unknown->line_count; i++) {
        const struct unknown_word *word = &unknown->most[i];
        const uint64_t figures[MESSAGE_ROWS] = {
            [MESSAGE_KIND] = MESSAGE_UNKNOWN_WORD,     [MESSAGE_LINE] = word->line_count,
            [MESSAGE_OFFSET] = unknown->line_count,    [MESSAGE_FIRST_EVENT] = unknown->kinds,
            [MESSAGE_TEXT_BYTES] = strlen(word->text),
        };
        if (!word->line_count && i > 0)
            break;
        if (!add_figures(log, figures) ||
            !bytes_append(&log->text, word->text, figures[MESSAGE_TEXT_BYTES]))
            return false;
    }
    return true;
}

bool message_log_write(const struct message_log *log, struct parts_writer *parts)
{
    return parts_add_column(parts, PART_MESSAGE_FIGURES, log->figures.items, log->figures.count) &&
           parts_add_text(parts, PART_MESSAGE_TEXT, log->text.items, log->text.count);
}

void message_log_free(struct message_log *log)
{
    free(log->figures.items);
    free(log->text.items);
    *log = (struct message_log){0};
}

// --- Replaying -----------------------------------------------------------------------------------

// Whether a message is valid, with its text within the remaining bytes.
static bool is_sound(const uint64_t *figures, uint64_t text_bytes)
{
    uint64_t words = figures[MESSAGE_WORDS_BYTES];
    return figures[MESSAGE_KIND] < MESSAGE_KINDS && words <= text_bytes &&
           words < sizeof((struct text_fault){{0}, 0, 0}.text) &&
           figures[MESSAGE_TEXT_BYTES] <= text_bytes - words &&
           (figures[MESSAGE_KIND] != MESSAGE_UNKNOWN_WORD ||
            figures[MESSAGE_TEXT_BYTES] < UNKNOWN_WORD_BYTES) &&
           figures[MESSAGE_COLUMN] <= LIMIT_LINE_BYTES &&
           figures[MESSAGE_LENGTH] <= LIMIT_LINE_BYTES;
}

// The figures of message `i`, whose text begins before the last `text_bytes`.
static bool read_figures(const struct messages *messages, size_t i, uint64_t text_bytes,
                         uint64_t *figures)
{
    return column_read(&messages->figures, i * MESSAGE_ROWS, MESSAGE_ROWS, figures) &&
           is_sound(figures, text_bytes);
}

enum status messages_open(struct messages *messages, const struct parts *parts, struct error *err)
{
    *messages = (struct messages){0};
    enum status status = parts_column(parts, PART_MESSAGE_FIGURES, &messages->figures, err);
    if (status == STATUS_OK)
        status = parts_text(parts, PART_MESSAGE_TEXT, &messages->text, &messages->text_bytes, err);
    if (status != STATUS_OK)
        return status;
    if (messages->figures.count % MESSAGE_ROWS)
        return error_set(err, STATUS_DAMAGED, "messages");
    messages->count = (size_t)(messages->figures.count / MESSAGE_ROWS);
    uint64_t left = messages->text_bytes;
    // Every message has text, except one of each kind: subjects of notes differ, and one may be
    // empty.
    if (messages->count > left + MESSAGE_KINDS)
        return error_set(err, STATUS_DAMAGED, "messages");
    for (size_t i = 0; i < messages->count; i++) {
        uint64_t figures[MESSAGE_ROWS];
        if (!read_figures(messages, i, left, figures))
            return error_set(err, STATUS_DAMAGED, "messages");
        left -= figures[MESSAGE_WORDS_BYTES] + figures[MESSAGE_TEXT_BYTES];
        messages->is_cut |= figures[MESSAGE_KIND] == MESSAGE_NOTES_CUT;
    }
    return STATUS_OK;
}

static bool replay_fault(const uint64_t *figures, const char *text,
                         const struct pass_observer *observer)
{
    struct line_fault fault = {
        .line = figures[MESSAGE_LINE],
        .offset = figures[MESSAGE_OFFSET],
        .has_events = figures[MESSAGE_FIRST_EVENT] != 0,
        .is_partial = figures[MESSAGE_KIND] == MESSAGE_FAULT_PARTIAL,
        .fault = {.column = (uint32_t)figures[MESSAGE_COLUMN],
                  .length = (uint32_t)figures[MESSAGE_LENGTH]},
        .text = text + figures[MESSAGE_WORDS_BYTES],
        .length = figures[MESSAGE_TEXT_BYTES],
    };
    fault.header_lines = fault.has_events ? figures[MESSAGE_FIRST_EVENT] - 1 : 0;
    memcpy(fault.fault.text, text, figures[MESSAGE_WORDS_BYTES]);
    return !observer->fault || observer->fault(observer->self, &fault);
}

bool messages_replay(const struct messages *messages, const struct pass_observer *observer)
{
    const char *text = messages->text ? messages->text : "", *end = text + messages->text_bytes;
    for (size_t i = 0; i < messages->count; i++) {
        uint64_t figures[MESSAGE_ROWS];
        if (!read_figures(messages, i, (uint64_t)(end - text), figures))
            return true; // it was read once, so the file has changed: stop silently
        uint64_t kind = figures[MESSAGE_KIND];
        if (kind == MESSAGE_FAULT || kind == MESSAGE_FAULT_PARTIAL) {
            if (!replay_fault(figures, text, observer))
                return false;
        } else if (note_of(kind) != NOTE_NONE) {
            const struct line_note_report note = {
                .line = figures[MESSAGE_LINE],
                .offset = figures[MESSAGE_OFFSET],
                .is_first_event = figures[MESSAGE_FIRST_EVENT] != 0,
                .note = note_of(figures[MESSAGE_KIND]),
                .subject = text,
                .subject_length = figures[MESSAGE_TEXT_BYTES],
            };
            if (observer->note)
                observer->note(observer->self, &note);
        }
        text += figures[MESSAGE_WORDS_BYTES] + figures[MESSAGE_TEXT_BYTES];
    }
    return true;
}

void messages_unknown(const struct messages *messages, struct unknown_summary *unknown)
{
    const char *text = messages->text ? messages->text : "", *end = text + messages->text_bytes;
    size_t shown = 0;
    for (size_t i = 0; i < messages->count && shown < UNKNOWN_WORDS_SHOWN; i++) {
        uint64_t figures[MESSAGE_ROWS];
        if (!read_figures(messages, i, (uint64_t)(end - text), figures))
            return;
        if (figures[MESSAGE_KIND] == MESSAGE_UNKNOWN_WORD) {
            struct unknown_word *word = &unknown->most[shown++];
            *word = (struct unknown_word){.line_count = figures[MESSAGE_LINE]};
            memcpy(word->text, text, figures[MESSAGE_TEXT_BYTES]);
            unknown->line_count = figures[MESSAGE_OFFSET];
            unknown->kinds = figures[MESSAGE_FIRST_EVENT];
        }
        text += figures[MESSAGE_WORDS_BYTES] + figures[MESSAGE_TEXT_BYTES];
    }
}

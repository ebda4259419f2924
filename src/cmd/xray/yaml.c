// The YAML of llvm-xray: a header, and a line for each call and event.
#include "cmd/xray/convert.h"
#include "report/out.h"

#include "base/characters.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Fields are private.
struct yaml_lines {
    struct xray_input *input;
    struct line_head *heads; // by the low bits of the function
    struct line_tail *tails; // of each thread, by kind
    struct out scratch;
};

// --- Texts ---------------------------------------------------------------------------------------

enum quotes { QUOTES_NONE, QUOTES_SINGLE, QUOTES_DOUBLE };

static bool is_word(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++) {
        if (strlen(*words) == length && memcmp(*words, text, length) == 0)
            return true;
    }
    return false;
}

// Whether a text without quotes would be read as something other than a text.
static bool is_ambiguous(const char *text, size_t length)
{
    static const char *const words[] = {"null",  "Null",  "NULL",  "~",    "true", "True", "TRUE",
                                        "false", "False", "FALSE", ".nan", ".NaN", ".NAN", NULL};
    bool is_number = true;
    for (size_t i = 0; i < length; i++)
        is_number &= is_alphanumeric(text[i]) || strchr("+-.", text[i]);
    return is_blank(text[0]) || is_blank(text[length - 1]) ||
           strchr("-?:\\,[]{}#&*!|>'\"%@`", text[0]) || is_word(text, length, words) ||
           (is_number && (is_digit(text[0]) || strchr("+.", text[0])));
}

static enum quotes quotes_of(const char *text, size_t length)
{
    enum quotes quotes = !length || is_ambiguous(text, length) ? QUOTES_SINGLE : QUOTES_NONE;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte < 0x20 && byte != '\t') || byte >= 0x7f)
            return QUOTES_DOUBLE;
        if (!isalnum(byte) && !strchr("_-^. \t", byte))
            quotes = QUOTES_SINGLE;
    }
    return quotes;
}

void xray_put_yaml(struct out *out, const char *text, size_t length)
{
    static const char *const marks[] = {"", "'", "\""};
    enum quotes quotes = quotes_of(text, length);
    out_text(out, marks[quotes]);
    if (quotes == QUOTES_NONE)
        out_bytes(out, text, length);
    else if (quotes == QUOTES_DOUBLE) {
        // Writes bytes that are not ASCII text as \xNN.
        for (size_t i = 0; i < length; i++) {
            unsigned char byte = (unsigned char)text[i];
            if (byte < 0x20 || byte >= 0x7f) {
                out_text(out, "\\x");
                out_hex(out, byte, 2);
                continue;
            }
            if (byte == '"' || byte == '\\')
                out_byte(out, '\\');
            out_byte(out, (char)byte);
        }
    } else
        for (size_t i = 0; i < length; i++)
            out_bytes(out, "''", text[i] == '\'' ? 2 : 0),
                out_bytes(out, &text[i], text[i] != '\'');
    out_text(out, marks[quotes]);
}

// --- Lines ---------------------------------------------------------------------------------------

static const char *const kind_names[] = {
    [XRAY_ENTER] = "function-enter",         [XRAY_EXIT] = "function-exit",
    [XRAY_TAIL_EXIT] = "function-tail-exit", [XRAY_ENTER_ARGS] = "function-enter-arg",
    [XRAY_CUSTOM_EVENT] = "custom-event",    [XRAY_TYPED_EVENT] = "typed-event",
};

static void put_number(struct out *out, const char *label, uint64_t value)
{
    out_text(out, label);
    out_u64(out, value);
}

// Writes the beginning of a line, up to the number of the processor.
static void put_head(struct xray_input *input, const struct xray_item *item, struct out *out)
{
    const struct xray_record *record = &item->record;
    uint32_t function = xray_is_function(record->kind) ? record->function : 0;
    const char *name = xray_convert_name(input, function);
    put_number(out, "  - { type: ", record->kind == XRAY_TYPED_EVENT ? record->number : 0);
    put_number(out, ", func-id: ", function);
    out_text(out, ", function: ");
    xray_put_yaml(out, name, strlen(name));
    for (size_t i = 0; i < item->argument_count; i++)
        put_number(out, i ? ", " : ", args: [ ", item->arguments[i]);
    if (item->argument_count)
        out_text(out, " ]");
    out_text(out, ", cpu: ");
}

// Writes any line.
static void put_item(struct xray_input *input, const struct xray_item *item, struct out *out)
{
    const struct xray_record *record = &item->record;
    const struct xray_thread *thread = &input->log.threads.items[item->thread];
    bool is_function = xray_is_function(record->kind);
    put_head(input, item, out);
    out_u64(out, item->cpu);
    if (thread->tid)
        put_number(out, ", thread: ", thread->tid);
    if (thread->pid)
        put_number(out, ", process: ", thread->pid);
    out_text(out, ", kind: ");
    out_text(out, kind_names[record->kind]);
    put_number(out, ", tsc: ", record->tsc);
    out_text(out, ", data: ");
    xray_put_yaml(out, is_function ? "" : (const char *)record->payload,
                  is_function ? 0 : record->payload_bytes);
    out_text(out, " }\n");
}

// --- Plain calls ---------------------------------------------------------------------------------

// Nearly all lines are calls without arguments and differ from others of their function, or of
// their thread, in two numbers. The common parts are written once and copied, in whole steps, so
// that lengths are constant.
enum { COPY_BYTES = 32, HEADS = 4096, HEAD_BYTES = 6 * COPY_BYTES, TAIL_BYTES = 3 * COPY_BYTES };

// The beginning of a function's lines; length 0: none, or too long to store.
struct line_head {
    uint32_t function, length;
    char text[HEAD_BYTES];
};

// The text between the numbers of the processor and the time.
struct line_tail {
    uint32_t length;
    char text[TAIL_BYTES];
};

#define LINE_END ", data: '' }\n"

static void make_tail(const struct xray_thread *thread, unsigned kind, struct line_tail *tail)
{
    char tid[32] = "", pid[32] = "";
    if (thread->tid)
        snprintf(tid, sizeof tid, ", thread: %" PRIu32, thread->tid);
    if (thread->pid)
        snprintf(pid, sizeof pid, ", process: %" PRIu32, thread->pid);
    tail->length = (uint32_t)snprintf(tail->text, sizeof tail->text, "%s%s, kind: %s, tsc: ", tid,
                                      pid, kind_names[kind]);
}

// False: no memory. Ended by yaml_lines_end either way.
static bool yaml_lines_begin(struct yaml_lines *lines, struct xray_input *input)
{
    struct error err;
    size_t threads = input->log.threads.count;
    *lines = (struct yaml_lines){.input = input};
    lines->heads = calloc(HEADS, sizeof *lines->heads);
    lines->tails = calloc(threads + 1, (XRAY_TAIL_EXIT + 1) * sizeof *lines->tails);
    if (out_open_memory(&lines->scratch, &err) != STATUS_OK || !lines->heads || !lines->tails)
        return false;
    for (size_t i = 0; i < threads * (XRAY_TAIL_EXIT + 1); i++)
        make_tail(&input->log.threads.items[i / (XRAY_TAIL_EXIT + 1)], i % (XRAY_TAIL_EXIT + 1),
                  &lines->tails[i]);
    return true;
}

static NEVER_INLINE void make_head(struct yaml_lines *lines, const struct xray_item *item,
                                   struct line_head *head)
{
    out_clear(&lines->scratch);
    put_head(lines->input, item, &lines->scratch);
    size_t length = (size_t)out_position(&lines->scratch);
    *head = (struct line_head){.function = item->record.function};
    if (out_failed(&lines->scratch) || length > HEAD_BYTES)
        return;
    head->length = (uint32_t)length;
    memcpy(head->text, out_memory_text(&lines->scratch), length);
}

// Copies up to COPY_BYTES - 1 bytes too many; returns the end of the copy.
static ALWAYS_INLINE char *put_copy(char *at, const char *text, size_t length)
{
    for (size_t done = 0; done < length; done += COPY_BYTES)
        memcpy(at + done, text + done, COPY_BYTES);
    return at + length;
}

// Writes the line of an item.
static void yaml_lines_put(struct yaml_lines *lines, const struct xray_item *item, struct out *out)
{
    const struct xray_record *record = &item->record;
    struct line_head *head = &lines->heads[record->function % HEADS];
    if (UNLIKELY(record->kind > XRAY_TAIL_EXIT || item->argument_count)) {
        put_item(lines->input, item, out);
        return;
    }
    if (UNLIKELY(!head->length || head->function != record->function))
        make_head(lines, item, head);
    if (UNLIKELY(!head->length)) {
        put_item(lines->input, item, out);
        return;
    }
    const struct line_tail *tail =
        &lines->tails[item->thread * (XRAY_TAIL_EXIT + 1) + (unsigned)record->kind];
    char *room = out_room(out, HEAD_BYTES + TAIL_BYTES + 2 * DECIMAL_ROOM_BYTES + sizeof LINE_END);
    char *at = put_copy(room, head->text, head->length);
    at = put_copy(decimal_put(at, item->cpu), tail->text, tail->length);
    at = decimal_put(at, record->tsc);
    memcpy(at, LINE_END, sizeof LINE_END - 1);
    out_commit(out, (size_t)(at + sizeof LINE_END - 1 - room));
}

// --- The log -------------------------------------------------------------------------------------

bool xray_write_yaml(struct xray_input *input, struct xray_merge *merge, struct out *out)
{
    const struct xray_item *item;
    struct yaml_lines lines;
    bool has_memory = yaml_lines_begin(&lines, input);
    const struct xray_header *header = &input->log.told;
    put_number(out, "---\nheader:\n  version:         ", header->version);
    put_number(out, "\n  type:            ", header->type);
    out_text(out, "\n  constant-tsc:    ");
    out_text(out, header->constant_tsc ? "true" : "false");
    out_text(out, "\n  nonstop-tsc:     ");
    out_text(out, header->nonstop_tsc ? "true" : "false");
    put_number(out, "\n  cycle-frequency: ", header->frequency_hz);
    out_text(out, "\nrecords:\n");
    while (has_memory && !out_failed(out) && (item = xray_merge_next(merge)))
        yaml_lines_put(&lines, item, out);
    out_text(out, "...\n");
    out_abandon(&lines.scratch);
    free(lines.heads);
    free(lines.tails);
    return has_memory;
}

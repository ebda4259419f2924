// Reads the prefix that a line may have (time, unit, CPU), and selects the rule by the record word.
#include "trace/tarmac/line_read.h"

#include "flow/reading.h"
#include "trace/tarmac/record_words.h"
#include "trace/tarmac/rules.h"

#include "base/characters.h"

// Whether it is a core with an unusual name. The reference takes it for an event.
static bool is_other_core(struct parser *parser, const struct token *token)
{
    if (!parser->layout->time.start || tarmac_names_record(token))
        return false;
    struct lexer behind = parser->lexer;
    const struct token word = line_lex(&behind);
    if (!tarmac_names_core(token, &word))
        return false;
    parser->line->readings_differ = true;
    return parser->options->reading == READING_TRUE;
}

// Reads time, unit and CPU name. `token` is the first token of the line and becomes the record
// word.
static bool read_prefix(struct parser *parser, struct token *token)
{
    struct trace_line *line = parser->line;
    if (!tarmac_time(parser, token))
        return false;
    bool begins_with_cpu = token->kind == TOKEN_WORD && token->first == 'c' &&
                           token_length(token) >= 3 && memcmp(token->start, "cpu", 3) == 0;
    if (begins_with_cpu || is_other_core(parser, token)) {
        line->cpu = token->start;
        line->cpu_length = (uint32_t)token_length(token);
        parser->bare_number.kind = TOKEN_END;
        *token = parser_next(parser);
    }
    return true;
}

// What an unknown event without a record word is counted by: its first word; if it has none, its
// first character or, if only its time is there, that. Empty for a blank line.
static struct text_span word_of_unknown(const struct parser *parser, const struct token *type)
{
    struct lexer lexer = parser->lexer;
    struct token token = *type;
    while (token.kind == TOKEN_PUNCT)
        token = line_lex(&lexer);
    if (token.kind == TOKEN_WORD)
        return token_span(&token);
    if (type->kind != TOKEN_END)
        return token_span(type);
    return parser->bare_number.kind == TOKEN_END ? parser->layout->time : (struct text_span){0};
}

static bool text_event(struct parser *parser, const struct token *type)
{
    parser->line->kind = LINE_TEXT;
    if (!parser_accept(parser, type))
        return false;
    // The readings know different types of events that are ignored.
    const bool is_silent_under_ttu = tarmac_names_silent_event(type, READING_TTU);
    const bool is_silent_when_right = tarmac_names_silent_event(type, READING_TRUE);
    parser->line->readings_differ |= is_silent_under_ttu != is_silent_when_right;
    if (parser->options->reading == READING_TTU ? !is_silent_under_ttu : !is_silent_when_right) {
        parser->line->note = NOTE_UNKNOWN_EVENT;
        parser->line->note_subject = *type;
        if (type->kind != TOKEN_WORD) {
            parser->line->note_subject.end = type->start;
            parser->line->unknown_word = word_of_unknown(parser, type);
        }
    }
    struct token text = parser_next(parser);
    layout_peek(parser->layout, &text);
    return parser_accept(parser, &text);
}

// After "E WORD": "WORD NUMBER" up to the end of the line. ARMulator writes and counts various
// events in this form, such as walks of translation tables; models write the name of an exception.
static bool is_numbered_event(const struct parser *parser)
{
    struct lexer lexer = parser->lexer;
    const struct token word = line_lex(&lexer), number = line_lex(&lexer);
    return token_has_class(&word, CHAR_HEX) && token_has_class(&number, CHAR_HEX) &&
           line_lex(&lexer).kind == TOKEN_END;
}

// After "E ADDRESS": models of the M profile write the change of mode at an exception, or at a
// return from one, in a record next to that of the exception.
static bool is_change_of_mode(const struct parser *parser)
{
    struct lexer lexer = parser->lexer;
    struct token token = line_lex(&lexer);
    while (token.kind == TOKEN_WORD || token.kind == TOKEN_PUNCT) {
        if (TOKEN_IS(&token, "CoreEvent_ModeChange"))
            return true;
        token = line_lex(&lexer);
    }
    return false;
}

static bool is_no_exception(const struct parser *parser, const struct token *what)
{
    if (!token_has_class(what, CHAR_HEX))
        return tarmac_names_no_exception(what);
    return is_numbered_event(parser) || is_change_of_mode(parser);
}

// The address in a record of an exception; 0: it is none.
static uint64_t address_of(const struct token *what)
{
    uint64_t address = 0;
    if (!token_has_class(what, CHAR_HEX) || token_length(what) > 16)
        return 0;
    for (const char *at = what->start; at < what->end; at++)
        address = address << 4 | (uint64_t)hex_digit((uint8_t)*at);
    return address;
}

// LD or ST; stores the column of the address for a continuation.
static bool diagram_line(struct parser *parser, bool is_read, uint32_t *address_column)
{
    struct token address = parser_next(parser);
    *address_column = (uint32_t)(address.start - parser->start) - parser->layout->prefix_bytes;
    return tarmac_diagram(parser, &address, is_read);
}

static bool is_short_memory_type(const struct token *type)
{
    return token_length(type) == 3 && (type->first == 'R' || type->first == 'W') &&
           type->start[1] == '0' && type->start[2] != '0' && memchr("1248", type->start[2], 4);
}

static bool read_record(struct parser *parser, const struct token *type, uint32_t *address_column)
{
    if (type->kind != TOKEN_WORD)
        return text_event(parser, type);
    if (token_length(type) == 2) {
        const char *word = type->start;
        if (word[0] == 'I' && (word[1] == 'T' || word[1] == 'S' || word[1] == 'F'))
            return tarmac_instruction(parser, type);
        if (word[0] == 'E' && word[1] == 'S')
            return tarmac_instruction(parser, type);
        if (word[0] == 'L' && word[1] == 'D')
            return diagram_line(parser, true, address_column);
        if (word[0] == 'S' && word[1] == 'T')
            return diagram_line(parser, false, address_column);
    }
    if (TOKEN_IS(type, "R"))
        return tarmac_register(parser);
    if (type->first == 'M' || is_short_memory_type(type))
        return tarmac_memory(parser, type);
    if (TOKEN_IS(type, "EXC")) {
        parser->line->kind = LINE_EXCEPTION;
        parser->line->handler = 0;
        return true;
    }
    if (TOKEN_IS(type, "E")) {
        static const char debug_event[] = "DebugEvent_";
        size_t length = sizeof debug_event - 1;
        struct token what = parser_next(parser);
        bool is_debug = what.kind == TOKEN_WORD && token_length(&what) >= length &&
                        memcmp(what.start, debug_event, length) == 0;
        parser->line->kind = is_debug ? LINE_TEXT : LINE_EXCEPTION;
        parser->line->handler = address_of(&what);
        if (!parser_accept(parser, &what))
            return false;
        parser->layout->is_particular |= token_has_class(&what, CHAR_HEX) != 0;
        if (is_no_exception(parser, &what)) {
            parser->line->readings_differ = true;
            if (parser->options->reading == READING_TRUE)
                parser->line->kind = LINE_TEXT;
        }
        return true;
    }
    if (TOKEN_IS(type, "Tarmac")) {
        parser->line->kind = LINE_NOTHING;
        return true;
    }
    return text_event(parser, type);
}

// A number is the time of the record after it. If that record is unknown, and nothing else shows
// that the number is a time (a unit, a CPU name), it may also be the rest of a line that was torn
// apart: an address, an encoding, a value.
static bool accept_number(struct parser *parser)
{
    struct trace_line *line = parser->line;
    if (parser->bare_number.kind == TOKEN_END || line->note != NOTE_UNKNOWN_EVENT)
        return true;
    line->readings_differ = true;
    return parser->options->reading == READING_TTU ||
           parser_fail(parser, &parser->bare_number,
                       "expected a known record after a number without a unit");
}

// If the last token read is a word, only the character after it shows where it ends.
static void set_read_end(struct parser *parser)
{
    const struct lexer *lexer = &parser->lexer;
    if (!parser->layout->ends_in_peek)
        parser->layout->read_end = lexer->at + (lexer->at < lexer->end);
}

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define BYTE_ORDER_MARK_BYTES (sizeof BYTE_ORDER_MARK - 1)

// The end of a line without the sequence with which a terminal ends a color.
static const char *without_color(const char *start, const char *end)
{
    const char *at = end;
    if (at == start || at[-1] != 'm')
        return end;
    for (at--; at > start && (at[-1] == ';' || is_digit(at[-1]));)
        at--;
    return at - start >= 2 && at[-1] == '[' && at[-2] == '\033' ? at - 2 : end;
}

// Begins after the prefix that the line has in the file, which may have begun a color.
static NEVER_INLINE void strip_prefix(struct parser *parser)
{
    const char *start = parser->lexer.at;
    size_t seen_bytes;
    const char *end =
        line_prefix_end(parser->options->prefix, start, parser->lexer.end, &seen_bytes);
    size_t before = (size_t)(start - parser->start);
    const char *line_end = without_color(end, parser->lexer.end);
    parser->layout->is_particular |= line_end != parser->lexer.end;
    parser->lexer.end = line_end;
    parser->lexer.at = end;
    parser->layout->prefix_bytes = (uint32_t)(end - parser->start);
    parser->layout->prefix_seen_bytes = (uint32_t)(before + seen_bytes);
}

bool tarmac_line_study(const char *start, const char *end, const struct reading_options *options,
                       struct line_context *context, struct trace_line *line,
                       struct text_fault *fault, struct line_columns *layout)
{
    struct parser parser = {{start, end}, start, options, line, fault, layout, {0}, {0}, false};
    *layout = (struct line_columns){0};
    line_begin(line, context);
    // A byte order mark, which some editors put at the beginning of a text.
    if (UNLIKELY((size_t)(end - start) >= BYTE_ORDER_MARK_BYTES &&
                 memcmp(start, BYTE_ORDER_MARK, BYTE_ORDER_MARK_BYTES) == 0) &&
        options->reading == READING_TRUE) {
        parser.lexer.at += BYTE_ORDER_MARK_BYTES;
        line->readings_differ = true;
    }
    if (UNLIKELY(options->prefix != NULL))
        strip_prefix(&parser);
    layout->end = parser.lexer.end;
    struct token token = parser_next(&parser);
    layout->first = token.start;
    uint32_t column = (uint32_t)(token.start - start) - layout->prefix_bytes;
    if (UNLIKELY(column == context->address_column)) {
        if (!tarmac_diagram(&parser, &token, context->address_is_read))
            return false;
        set_read_end(&parser);
        return true;
    }
    uint32_t address_column = LINE_NO_COLUMN;
    if (!read_prefix(&parser, &token))
        return false;
    layout->type = token.start;
    uint16_t wraps = context->wraps;
    if (UNLIKELY(layout->is_counter && line->time < context->time)) {
        const struct unwrapped_time unwrapped = line_unwrap(context->time, wraps, line->time);
        line->time = unwrapped.time;
        wraps = unwrapped.wraps;
    }
    if (!read_record(&parser, &token, &address_column) || !accept_number(&parser))
        return false;
    set_read_end(&parser);
    if (UNLIKELY(line->note == NOTE_UNKNOWN_EVENT)) {
        line->readings_differ = true;
        if (options->reading == READING_TRUE) {
            // Only a line that is understood has a time and a core: others can be of another
            // program that writes to the same output, with a clock of its own.
            line->kind = LINE_NOTHING;
            line->time_doubt = TIME_IS_SURE;
            line->time = context->time;
            line->cpu = NULL;
            line->cpu_length = 0;
            return true;
        }
    }
    context->time = line->time;
    context->wraps = wraps;
    context->address_column = address_column;
    context->address_is_read = line->is_read;
    return true;
}

bool tarmac_line_read(const char *start, const char *end, const struct reading_options *options,
                      struct line_context *context, struct trace_line *line,
                      struct text_fault *fault)
{
    struct line_columns layout;
    return tarmac_line_study(start, end, options, context, line, fault, &layout);
}

// Reads the beginning of a line. False: it has no time, or is not understood, as far as its record
// word shows: the rest of a word that continues from the previous line may be digits, too.
static bool read_stamp(struct parser *parser, struct token *token)
{
    if (parser->options->prefix)
        strip_prefix(parser);
    *token = parser_next(parser);
    return read_prefix(parser, token) && parser->layout->time.start &&
           (tarmac_names_record(token) ||
            (parser->bare_number.kind == TOKEN_END && token->kind == TOKEN_WORD &&
             tarmac_names_silent_event(token, READING_TRUE)));
}

struct line_stamp tarmac_line_stamp(const char *start, const char *end,
                                    const struct line_prefix *prefix)
{
    const struct reading_options options = {.reading = READING_TRUE, .prefix = prefix};
    struct trace_line line = {0};
    struct text_fault fault;
    struct line_columns layout = {0};
    struct parser parser = {{start, end}, start, &options, &line, &fault, &layout, {0}, {0}, false};
    struct line_stamp stamp = {0};
    struct token token;
    if (!read_stamp(&parser, &token))
        return stamp;
    stamp.has_time = true;
    stamp.has_unit = parser.unit.base == TIME_SECONDS;
    stamp.has_point = parser.has_point;
    stamp.exponent = parser.unit.exponent;
    stamp.time = line.time;
    stamp.name_at = (size_t)((line.cpu ? line.cpu : token.start) - start);
    stamp.name_length = line.cpu ? line.cpu_length : 0;
    return stamp;
}

struct time_unit tarmac_line_unit(const char *start, const char *end,
                                  const struct line_prefix *prefix, bool *has_point)
{
    const struct reading_options options = {.reading = READING_TRUE, .prefix = prefix};
    struct trace_line line = {0};
    struct text_fault fault;
    struct line_columns layout = {0};
    struct parser parser = {{start, end}, start, &options, &line, &fault, &layout, {0}, {0}, false};
    struct token token;
    if (!read_stamp(&parser, &token))
        return (struct time_unit){TIME_OF_NOTHING, 0};
    *has_point = parser.has_point;
    return parser.unit;
}

// The header: lines of text in any order, up to an empty line.
#include "base/arena.h"
#include "trace/tfile/file.h"

#include <stdlib.h>

// The rest of a line.
struct tfile_text {
    const char *at, *end;
};

static bool tfile_take_char(struct tfile_text *text, char wanted)
{
    if (text->at == text->end || *text->at != wanted)
        return false;
    text->at++;
    return true;
}

static bool tfile_take_word(struct tfile_text *text, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

// A number of at least one digit and at most 64 bits.
static bool tfile_take_hex(struct tfile_text *text, uint64_t *value)
{
    const char *start = text->at;
    *value = 0;
    for (; text->at < text->end && hex_digit(*text->at) >= 0; text->at++) {
        if (*value >> 60)
            return false;
        *value = *value << 4 | (uint64_t)hex_digit(*text->at);
    }
    return text->at > start;
}

// The text up to the next `stop`, which is skipped, or up to the end.
static struct tfile_text tfile_take_until(struct tfile_text *text, char stop)
{
    const char *at = memchr(text->at, stop, (size_t)(text->end - text->at));
    struct tfile_text taken = {text->at, at ? at : text->end};
    text->at = at ? at + 1 : text->end;
    return taken;
}

// Decodes text in hexadecimal digits, up to the first character that is not a digit; a byte of 0
// becomes a question mark. NULL: no memory.
static const char *tfile_decode(struct arena *arena, struct tfile_text text)
{
    size_t length = (size_t)(text.end - text.at) / 2, count = 0;
    char *copy = arena_alloc(arena, length + 1);
    if (!copy)
        return NULL;
    for (; count < length; count++) {
        int high = hex_digit(text.at[2 * count]), low = hex_digit(text.at[2 * count + 1]);
        if (high < 0 || low < 0)
            break;
        copy[count] = (char)(high << 4 | low);
        if (!copy[count])
            copy[count] = '?';
    }
    return copy;
}

struct header {
    struct tfile *file;
    struct tfile_xml *description; // NULL: no line of it was read yet
    uint64_t description_offset;
    bool has_memory, is_readable; // of the current line
    bool has_register_bytes;
};

// --- Status --------------------------------------------------------------------------------------

static const char *decoded(struct header *header, struct tfile_text text)
{
    const char *copy = tfile_decode(&header->file->arena, text);
    header->has_memory &= copy != NULL;
    return copy;
}

static void read_field(struct header *header, struct tfile_text field)
{
    struct tfile_status *status = &header->file->status;
    struct tfile_text name = tfile_take_until(&field, ':');
    uint64_t flag = 0;
    const struct {
        const char *key;
        uint64_t *number;
        bool *flag;
        const char **text;
    } keys[] = {
        {"tframes", &status->frames, NULL, NULL},
        {"tcreated", &status->frames_created, NULL, NULL},
        {"tfree", &status->free_bytes, NULL, NULL},
        {"tsize", &status->buffer_bytes, NULL, NULL},
        {"starttime", &status->start_us, NULL, NULL},
        {"stoptime", &status->stop_us, NULL, NULL},
        {"disconn", &flag, &status->goes_on_alone, NULL},
        {"circular", &flag, &status->is_circular, NULL},
        {"notes", NULL, NULL, &status->notes},
        {"username", NULL, NULL, &status->user},
    };
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        size_t length = strlen(keys[i].key);
        if (length != (size_t)(name.end - name.at) || memcmp(name.at, keys[i].key, length) != 0)
            continue;
        if (keys[i].text)
            *keys[i].text = decoded(header, field);
        else
            header->is_readable &= tfile_take_hex(&field, keys[i].number);
        if (keys[i].flag)
            *keys[i].flag = flag != 0;
    }
}

static void read_status(struct header *header, struct tfile_text line)
{
    struct tfile_status *status = &header->file->status;
    status->is_told = true;
    tfile_take_char(&line, 'T'); // as in the remote protocol
    status->is_running = tfile_take_char(&line, '1');
    tfile_take_until(&line, ';');
    struct tfile_text field = tfile_take_until(&line, ';');
    static const char *const names[] = {
        [TFILE_STOP_UNKNOWN] = "tunknown",  [TFILE_STOP_NOT_RUN] = "tnotrun",
        [TFILE_STOP_COMMAND] = "tstop",     [TFILE_STOP_FULL] = "tfull",
        [TFILE_STOP_PASSES] = "tpasscount", [TFILE_STOP_DISCONNECTED] = "tdisconnected",
        [TFILE_STOP_ERROR] = "terror",
    };
    struct tfile_text name = tfile_take_until(&field, ':');
    size_t length = (size_t)(name.end - name.at);
    for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
        if (strlen(names[i]) == length && memcmp(names[i], name.at, length) == 0)
            status->stop = (enum tfile_stop)i;
    }
    bool has_text = status->stop == TFILE_STOP_ERROR || status->stop == TFILE_STOP_COMMAND;
    if (has_text && memchr(field.at, ':', (size_t)(field.end - field.at)))
        status->stop_text = decoded(header, tfile_take_until(&field, ':'));
    tfile_take_hex(&field, &status->stop_tracepoint);
    while (line.at < line.end)
        read_field(header, tfile_take_until(&line, ';'));
}

// --- Variables and tracepoints -------------------------------------------------------------------

static void read_variable(struct header *header, struct tfile_text line)
{
    struct tfile *file = header->file;
    uint64_t number, initial, builtin;
    header->is_readable = tfile_take_hex(&line, &number) && number <= INT32_MAX &&
                          tfile_take_char(&line, ':') && tfile_take_hex(&line, &initial) &&
                          tfile_take_char(&line, ':') && tfile_take_hex(&line, &builtin) &&
                          tfile_take_char(&line, ':');
    if (!header->is_readable)
        return;
    const char *name = decoded(header, line);
    header->has_memory &= VEC_ROOM(&file->variables, 1);
    if (header->has_memory)
        file->variables.items[file->variables.count++] = (struct tfile_variable){
            .number = (int32_t)number,
            .is_builtin = builtin != 0,
            .initial = (int64_t)initial,
            .name = name,
        };
}

// KIND:START:LENGTH:TEXT. Unknown kinds are ignored, because they could not be shown.
static bool read_source(struct header *header, struct tfile_text *line, struct tfile_piece *piece)
{
    static const struct {
        const char *name;
        enum tfile_piece_kind kind;
    } kinds[] = {{"at", TFILE_AT}, {"cond", TFILE_CONDITION}, {"cmd", TFILE_COMMAND}};
    uint64_t start, length;
    struct tfile_text name = tfile_take_until(line, ':');
    header->is_readable = tfile_take_hex(line, &start) && tfile_take_char(line, ':') &&
                          tfile_take_hex(line, &length) && tfile_take_char(line, ':');
    for (size_t i = 0; i < ARRAY_COUNT(kinds) && header->is_readable; i++) {
        if (strlen(kinds[i].name) != (size_t)(name.end - name.at) ||
            memcmp(name.at, kinds[i].name, strlen(kinds[i].name)) != 0)
            continue;
        piece->kind = kinds[i].kind;
        piece->text = decoded(header, *line);
        return true;
    }
    return false;
}

static void read_tracepoint(struct header *header, struct tfile_text line)
{
    static const char letters[] = "TASV";
    static const enum tfile_piece_kind kinds[] = {TFILE_DEFINITION, TFILE_ACTION, TFILE_STEP_ACTION,
                                                  TFILE_STATISTICS};
    struct tfile *file = header->file;
    struct tfile_piece piece = {.order = (uint32_t)file->pieces.count};
    uint64_t number;
    char letter = line.at < line.end ? *line.at++ : 0;
    const char *kind = letter ? strchr(letters, letter) : NULL;
    if (letter != 'Z' && !kind) {
        file->unknown_lines++;
        return;
    }
    header->is_readable = tfile_take_hex(&line, &number) && number <= UINT32_MAX &&
                          tfile_take_char(&line, ':') && tfile_take_hex(&line, &piece.address) &&
                          tfile_take_char(&line, ':');
    if (!header->is_readable)
        return;
    piece.number = (uint32_t)number;
    if (kind) {
        piece.kind = kinds[kind - letters];
        piece.text = arena_copy_string(&file->arena, line.at, (size_t)(line.end - line.at));
    } else if (!read_source(header, &line, &piece)) {
        return;
    }
    header->has_memory &= piece.text && VEC_ROOM(&file->pieces, 1);
    if (header->has_memory)
        file->pieces.items[file->pieces.count++] = piece;
}

// --- Locations -----------------------------------------------------------------------------------

ORDER_BY_3(compare_pieces, struct tfile_piece, number, address, order)

// E|D:STEPS:PASSES, followed by any number of :Fsize :S :Xlength,bytes.
static void read_definition(struct tfile_location *location, const char *definition)
{
    struct tfile_text text = {definition, definition + strlen(definition)};
    location->is_enabled = tfile_take_char(&text, 'E');
    location->is_defined = (location->is_enabled || tfile_take_char(&text, 'D')) &&
                           tfile_take_char(&text, ':') && tfile_take_hex(&text, &location->steps) &&
                           tfile_take_char(&text, ':') && tfile_take_hex(&text, &location->passes);
    if (!tfile_take_char(&text, ':'))
        return;
    while (text.at < text.end) {
        struct tfile_text more = tfile_take_until(&text, ':');
        location->is_fast |= tfile_take_char(&more, 'F');
        location->is_static |= tfile_take_char(&more, 'S');
        if (tfile_take_char(&more, 'X')) {
            tfile_take_until(&more, ',');
            location->condition = more.at;
            break; // it is the last field
        }
    }
}

// Actions follow one after the other, each a letter and numbers.
static void read_action(const char *text, bool *takes_registers, uint32_t *blocks)
{
    for (; *text; text++) {
        *takes_registers |= *text == 'R';
        *blocks += *text == 'M';
    }
}

static bool make_locations(struct tfile *file)
{
    struct tfile_piece *pieces = file->pieces.items;
    if (file->pieces.count)
        qsort(pieces, file->pieces.count, sizeof *pieces, compare_pieces);
    struct tfile_location *location = NULL;
    for (size_t i = 0; i < file->pieces.count; i++) {
        if (!location || location->number != pieces[i].number ||
            location->address != pieces[i].address) {
            if (!VEC_ROOM(&file->locations, 1))
                return false;
            location = &file->locations.items[file->locations.count++];
            *location = (struct tfile_location){.number = pieces[i].number,
                                                .address = pieces[i].address,
                                                .pieces = &pieces[i],
                                                .hits = TFILE_UNKNOWN,
                                                .data_bytes = TFILE_UNKNOWN};
            // Frames contain the lower 16 bits of a number.
            uint32_t *first = &file->location_of[location->number & UINT16_MAX];
            *first = *first ? *first : (uint32_t)file->locations.count;
            file->locations.items[*first - 1].places++;
        }
        location->piece_count++;
        const struct tfile_piece *piece = &pieces[i];
        if (piece->kind == TFILE_ACTION)
            read_action(piece->text, &location->hits_take_registers, &location->hit_blocks);
        if (piece->kind == TFILE_STEP_ACTION)
            read_action(piece->text, &location->steps_take_registers, &location->step_blocks);
        if (piece->kind == TFILE_DEFINITION)
            read_definition(location, piece->text);
        else if (piece->kind == TFILE_AT)
            location->at = piece->text;
    }
    return true;
}

ORDER_BY(compare_variables, struct tfile_variable, number)

// --- Lines ---------------------------------------------------------------------------------------

static void read_register_bytes(struct header *header, struct tfile_text line)
{
    uint64_t size;
    header->is_readable = tfile_take_hex(&line, &size) && size && size <= INT32_MAX;
    if (header->is_readable) {
        header->file->register_bytes = (uint32_t)size;
        header->has_register_bytes = true;
    }
}

static void read_line(struct header *header, struct tfile_text line)
{
    struct tfile *file = header->file;
    struct tfile_text whole = line;
    header->is_readable = true;
    if (tfile_take_word(&line, "R "))
        read_register_bytes(header, line);
    else if (tfile_take_word(&line, "status "))
        read_status(header, line);
    else if (tfile_take_word(&line, "tsv "))
        read_variable(header, line);
    else if (tfile_take_word(&line, "tp "))
        read_tracepoint(header, line);
    else if (tfile_take_word(&line, "tdesc ")) {
        if (!header->description) {
            header->description_offset = (uint64_t)((const uint8_t *)line.at - file->data);
            header->description = tfile_xml_begin(&file->registers, &file->arena);
            header->has_memory &= header->description != NULL;
        }
        if (header->description)
            tfile_xml_line(header->description, line.at, (size_t)(line.end - line.at));
    } else
        file->unknown_lines++;
    if (!header->is_readable)
        trace_damage_add(&file->damage,
                         &(struct trace_fault){
                             .kind = TFILE_FAULT_LINE,
                             .offset = (uint64_t)((const uint8_t *)whole.at - file->data),
                             .size_bytes = (uint64_t)(whole.end - whole.at),
                         });
}

static void add_fault(struct header *header, enum tfile_fault_kind kind, uint64_t offset,
                      uint64_t size_bytes)
{
    trace_damage_add(&header->file->damage, &(struct trace_fault){kind, 0, offset, size_bytes});
}

static void read_lines(struct header *header)
{
    struct tfile *file = header->file;
    const char *data = (const char *)file->data;
    const char *end = data + u64_min(file->size_bytes, LIMIT_TFILE_HEADER_BYTES);
    struct tfile_text rest = {data + TFILE_MAGIC_BYTES, end};
    while (header->has_memory) {
        const char *newline = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
        if (!newline) { // the rest of a line that was cut could change its meaning
            uint64_t offset = (uint64_t)(rest.at - data);
            add_fault(header, TFILE_FAULT_HEADER_ENDS, offset, file->size_bytes - offset);
            return;
        }
        struct tfile_text line = {rest.at, newline};
        rest.at = newline + 1;
        if (line.at == line.end)
            break;
        read_line(header, line);
    }
    file->frames_offset = (uint64_t)(rest.at - data);
}

// --- All of it -----------------------------------------------------------------------------------

static bool find_registers(struct header *header, const struct tfile_options *options)
{
    struct tfile *file = header->file;
    struct tfile_registers *registers = &file->registers;
    if (header->description && !tfile_xml_end(header->description))
        return false;
    bool is_described = registers->is_described;
    if (header->description && !is_described)
        add_fault(header, TFILE_FAULT_DESCRIPTION, header->description_offset, 0);
    enum tfile_machine machine =
        options->machine == TFILE_MACHINE_UNKNOWN ? registers->machine : options->machine;
    if (!is_described && !tfile_registers_default(registers, machine, &options->elf,
                                                  file->register_bytes, &file->arena))
        return false;
    tfile_registers_finish(registers, file->register_bytes);
    file->address_mask = registers->address_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    return true;
}

enum status tfile_read_header(struct tfile *file, const struct tfile_options *options,
                              struct error *err)
{
    struct header header = {.file = file, .has_memory = true};
    struct tfile_status *status = &file->status;
    status->frames = status->frames_created = TFILE_UNKNOWN;
    status->free_bytes = status->buffer_bytes = TFILE_UNKNOWN;
    read_lines(&header);
    if (file->variables.count)
        qsort(file->variables.items, file->variables.count, sizeof *file->variables.items,
              compare_variables);
    if (!header.has_register_bytes)
        add_fault(&header, TFILE_FAULT_REGISTER_BYTES, TFILE_MAGIC_BYTES, 0);
    header.has_memory &= find_registers(&header, options);
    if (!header.has_memory || !make_locations(file))
        return error_set(err, STATUS_MEMORY, "no memory for the header");
    return STATUS_OK;
}

// tfile show: the complete contents of frames.
#include "cli/values.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/tfile/commands.h"
#include "report/out.h"
#include "report/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_ALL_REGISTERS = OPTION_OWN, NAME_WIDTH = 15, HEX_WIDTH = 19 };

struct show {
    struct command common;
    struct out *out; // the command's
    struct typed typed;
    uint64_t number; // of the current frame
    bool shows_all_registers;
    VEC(, uint64_t) numbers;
};

// --- As a table ----------------------------------------------------------------------------------

struct value_cells {
    uint64_t frame, size_bytes;
    const char *kind, *name, *value, *number, *type;
    const uint64_t *address;
};

#define VALUE(name) FIELD_VALUE(struct value_cells, name)

static const struct field fields[] = {
    {"Frame", "frame", COLUMN_U64, VALUE(frame)},
    {"Kind", "kind", COLUMN_TEXT, VALUE(kind)},
    {"Name", "name", COLUMN_TEXT, VALUE(name)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Bytes", "bytes", COLUMN_U64, VALUE(size_bytes)},
    {"Value", "value", COLUMN_WHOLE, VALUE(value)},
    {"Number", "number", COLUMN_TEXT, VALUE(number)},
    {"Type", "type", COLUMN_TEXT, VALUE(type)},
};

// The data of the images that is at an address. False: none, or code.
static bool find_object(const struct show *show, uint64_t address, struct image_symbol *found)
{
    return image_set_by_address(&show->common.session.names.images, address, found) &&
           !found->symbol->is_function && address - found->address < found->symbol->size;
}

static const char *object_name(struct show *show, const struct image_symbol *object)
{
    return names_of_root(&show->common.session.names, object->address);
}

// The name of the data that a block of memory contains, or is part of: "label"; NULL: unknown.
static const char *object_of(struct show *show, const struct tfile_block *block)
{
    struct image_symbol found;
    if (block->kind != TFILE_MEMORY || !find_object(show, block->address, &found))
        return NULL;
    uint64_t offset = block->address - found.address;
    bool is_within = block->size_bytes <= found.symbol->size - offset;
    return is_within ? object_name(show, &found) : NULL;
}

// Writes bytes in order, in hexadecimal.
static void put_bytes_row(struct show *show, uint64_t number, const char *kind,
                          const struct tfile_block *block)
{
    char *text = malloc(2 * (size_t)block->size_bytes + 1);
    uint8_t known[16];
    bool is_memory = block->kind == TFILE_MEMORY;
    memset(known, 1, sizeof known);
    for (size_t i = 0; text && i <= block->size_bytes; i += sizeof known)
        value_bytes(text + 2 * i, block->bytes + i, known,
                    (size_t)u64_min(block->size_bytes - i, sizeof known));
    command_row(&show->common,
                &(struct value_cells){.frame = number,
                                      .kind = kind,
                                      .name = object_of(show, block),
                                      .address = is_memory ? &block->address : NULL,
                                      .size_bytes = block->size_bytes,
                                      .value = text},
                NULL);
    if (!text) // like any other lack of memory of an output
        show->out->error_number = ENOMEM;
    free(text);
}

// --- As text, much as GDB's tdump ----------------------------------------------------------------

static void put_padded(struct out *out, const char *text, size_t width)
{
    size_t length = strlen(text);
    out_bytes(out, text, length);
    out_pad(out, length < width ? width - length : 1);
}

// The location of a frame: the one at its PC, otherwise the first of its tracepoint; NULL: none.
static const struct tfile_location *location_of(const struct tfile *file,
                                                const struct tfile_frame *frame)
{
    size_t count;
    uint64_t pc;
    const struct tfile_location *locations = tfile_locations_of(file, frame->number, &count);
    if (!locations || !tfile_frame_pc(file, frame, &pc))
        return locations;
    for (size_t i = 0; i < count; i++) {
        if (locations[i].address == pc)
            return &locations[i];
    }
    return locations;
}

static void put_source(struct out *out, const char *lead, const char *text)
{
    out_text(out, lead);
    out_clean(out, text);
    out_byte(out, '\n');
}

// "int main(int argc, char **argv)", or the name of the symbol.
static void put_function(struct show *show, uint64_t pc)
{
    struct out signature;
    struct error err;
    const char *name = tfile_function(&show->common, pc);
    if (out_open_memory(&signature, &err) != STATUS_OK) {
        show->out->error_number = ENOMEM;
        return;
    }
    bool is_known = typed_signature(&show->typed, &show->common, pc, &signature);
    if (out_failed(&signature)) {
        show->out->error_number = ENOMEM;
    } else if (is_known || name) {
        out_text(show->out, " in ");
        out_clean(show->out, is_known ? out_memory_text(&signature) : name);
    }
    out_abandon(&signature);
}

static void put_heading(struct show *show, uint64_t number, bool is_first)
{
    struct command *command = &show->common;
    const struct tfile *file = tfile_file(command);
    const struct tfile_frame *frame = &file->frames.items[number];
    const char *marks = tfile_frame_marks(file, frame);
    uint64_t pc;
    out_text(show->out,
             is_first ? "Data collected at tracepoint " : "\nData collected at tracepoint ");
    out_u64(show->out, frame->number);
    out_text(show->out, ", trace frame ");
    out_u64(show->out, number);
    if (tfile_frame_pc(file, frame, &pc)) {
        out_text(show->out, ", at 0x");
        out_hex(show->out, pc, 1);
        put_function(show, pc);
    }
    if (marks) {
        out_text(show->out, " (");
        out_text(show->out, marks);
        out_byte(show->out, ')');
    }
    out_text(show->out, ":\n");
    // Shows the user's definition of the tracepoint in the file: what to collect, and when.
    const struct tfile_location *location = location_of(tfile_file(&show->common), frame);
    for (size_t i = 0; location && i < location->piece_count; i++) {
        const struct tfile_piece *piece = &location->pieces[i];
        if (piece->kind == TFILE_AT)
            put_source(show->out, "  at ", piece->text);
        else if (piece->kind == TFILE_CONDITION)
            put_source(show->out, "  if ", piece->text);
        else if (piece->kind == TFILE_COMMAND)
            put_source(show->out, "  ", piece->text);
    }
}

// --- Blocks --------------------------------------------------------------------------------------

static void put_registers(struct show *show, uint64_t number, const struct tfile_block *block)
{
    const struct tfile *file = tfile_file(&show->common);
    char value[VALUE_TEXT_MAX], natural[VALUE_TEXT_MAX];
    if (!file->registers.items.count) { // which sum_up of the kind explains
        if (show->common.format) {
            put_bytes_row(show, number, "registers", block);
            return;
        }
        out_text(show->out, "registers, as bytes:\n");
        struct hexdump dump;
        hexdump_begin(&dump, show->out, 0, block->size_bytes, false);
        hexdump_bytes(&dump, block->bytes, NULL, block->size_bytes);
        hexdump_end(&dump);
        return;
    }
    for (uint32_t i = 0; i < file->registers.items.count; i++) {
        const struct tfile_register *item = &file->registers.items.items[i];
        if (!show->shows_all_registers && !tfile_register_is_general(item))
            continue;
        tfile_value_hex(file, block->bytes, i, value);
        tfile_value_natural(file, block->bytes, i, natural);
        if (show->common.format) {
            command_row(&show->common,
                        &(struct value_cells){.frame = number,
                                              .kind = "register",
                                              .name = item->name,
                                              .size_bytes = item->size_bytes,
                                              .value = value,
                                              .number = *natural ? natural : NULL},
                        NULL);
            continue;
        }
        put_padded(show->out, item->name, NAME_WIDTH);
        if (*natural)
            put_padded(show->out, value, HEX_WIDTH);
        out_text(show->out, *natural ? natural : value);
        out_byte(show->out, '\n');
    }
}

static void put_variable(struct show *show, uint64_t number, const struct tfile_block *block)
{
    const struct tfile_variable *variable =
        tfile_variable_numbered(tfile_file(&show->common), block->variable);
    char other[16];
    snprintf(other, sizeof other, "%" PRId32, block->variable);
    const char *name = variable ? variable->name : other;
    char value[32], natural[32];
    snprintf(value, sizeof value, "0x%" PRIx64, (uint64_t)block->value);
    snprintf(natural, sizeof natural, "%" PRId64, block->value);
    if (show->common.format) {
        command_row(&show->common,
                    &(struct value_cells){.frame = number,
                                          .kind = "variable",
                                          .name = name,
                                          .size_bytes = sizeof block->value,
                                          .value = value,
                                          .number = natural},
                    NULL);
        return;
    }
    out_byte(show->out, '$');
    out_clean(show->out, name);
    out_text(show->out, " = ");
    out_text(show->out, natural);
    out_byte(show->out, '\n');
}

static void put_block(struct show *show, uint64_t number, const struct tfile_block *block)
{
    static const char unreadable[] = "unreadable bytes: ";
    bool is_table = show->common.format != NULL;
    if (block->kind == TFILE_REGISTERS) {
        put_registers(show, number, block);
    } else if (block->kind == TFILE_VARIABLE) {
        put_variable(show, number, block);
    } else if (is_table) {
        put_bytes_row(show, number,
                      block->kind == TFILE_MEMORY   ? "memory"
                      : block->kind == TFILE_STATIC ? "static"
                                                    : "unreadable",
                      block);
    } else if (block->kind == TFILE_MEMORY) {
        struct hexdump dump;
        // "label, mean:": GDB collects adjacent data as one block.
        struct image_symbol found;
        uint64_t offset = 0, size_bytes = block->size_bytes;
        while (offset < size_bytes && find_object(show, block->address + offset, &found)) {
            uint64_t rest = found.symbol->size - (block->address + offset - found.address);
            out_text(show->out, offset ? ", " : "");
            out_clean(show->out, object_name(show, &found));
            offset += u64_min(rest, size_bytes - offset);
        }
        if (offset)
            out_text(show->out, ":\n");
        hexdump_begin(&dump, show->out, block->address, block->size_bytes, false);
        hexdump_bytes(&dump, block->bytes, NULL, block->size_bytes);
        hexdump_end(&dump);
    } else {
        out_text(show->out, block->kind == TFILE_STATIC ? "bytes of static data: " : unreadable);
        out_u64(show->out, block->size_bytes);
        out_byte(show->out, '\n');
    }
}

static void put_value(void *self, const struct typed_value *value)
{
    struct show *show = self;
    const struct debug_value_text *text = value->text;
    if (show->common.format) {
        command_row(&show->common,
                    &(struct value_cells){.frame = show->number,
                                          .kind = value->kind,
                                          .name = text->name,
                                          .address = text->address,
                                          .size_bytes = text->size_bytes,
                                          .value = text->value,
                                          .type = text->type && *text->type ? text->type : NULL},
                    NULL);
        return;
    }
    out_clean(show->out, text->name);
    out_text(show->out, " = ");
    out_clean(show->out, text->value);
    out_byte(show->out, '\n');
}

static void put_frame(struct show *show, uint64_t number, bool is_first)
{
    const struct tfile *file = tfile_file(&show->common);
    const struct tfile_frame *frame = &file->frames.items[number];
    const struct typed_sink sink = {show, put_value};
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    if (!show->common.format)
        put_heading(show, number, is_first);
    show->number = number;
    typed_values(&show->typed, &show->common, frame, location_of(file, frame), &sink);
    if (show->typed.lacks_memory)
        show->out->error_number = ENOMEM;
    while (tfile_next(file, &cursor, &block))
        put_block(show, number, &block);
}

// --- The command ---------------------------------------------------------------------------------

static bool report(void *self)
{
    struct show *show = self;
    struct command *command = &show->common;
    if (!tfile_is_open(command))
        return false;
    const struct tfile *file = tfile_file(command);
    for (size_t i = 0; i < show->numbers.count; i++) {
        if (show->numbers.items[i] >= file->frames.count)
            return command_fail_with(command, STATUS_NOT_FOUND,
                                     "%s: has no frame %" PRIu64 ", only %zu frame%s",
                                     command->session.path, show->numbers.items[i],
                                     file->frames.count, plural(file->frames.count));
    }
    show->out = &command->out;
    if (!(command->format ? command_fields(command, fields, ARRAY_COUNT(fields), 0)
                          : command_output(command)))
        return false;
    for (size_t i = 0; i < show->numbers.count; i++)
        put_frame(show, show->numbers.items[i], i == 0);
    return true;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct show *show = self;
    uint64_t number;
    if (option == OPTION_ALL_REGISTERS) {
        show->shows_all_registers = true;
        return OPTION_END;
    }
    if (!parse_u64(match->value, &number))
        return options_error(parser, "'%s': expected the number of a frame", match->value);
    if (!VEC_ROOM(&show->numbers, 1))
        return options_no_memory(parser);
    show->numbers.items[show->numbers.count++] = number;
    return OPTION_END;
}

static bool check(void *self, struct options_parser *parser)
{
    struct show *show = self;
    struct command *command = &show->common;
    if (!command->format || table_format_named(command->format, &command->table_format))
        return true;
    options_error(parser, "'--format': '%s': expected table, csv or json", command->format);
    return false;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct show show = {0};
    tfile_begin(&show.common, self);
    enum exit_status status =
        command_run(&show.common, argc, argv, &(struct command_steps){&show, take, check, report});
    free(show.numbers.items);
    if (show.typed.command)
        typed_free(&show.typed);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_ALL_REGISTERS, 0, "all-registers", NULL, "also vector and floating-point registers"},
    {OPTION_FORMAT, 0, "format", "FORMAT", "table, csv or json (default: text for people)"},
    {ROW_WIDE},
    {0},
};

const struct command_spec tfile_show_command = {
    .name = "tfile show",
    .option_set = OPTIONS_TRAWL,
    .summary = "shows everything that frames hold",
    .description =
        "Shows what each frame collected, block by block in the order of collection, below the "
        "definition of its tracepoint. A value is a hexadecimal number; memory is shown as bytes "
        "in the order of their addresses, with the name of the data if an image has one. If an "
        "image has debugging information (gcc -g), what the actions collected comes first, as in "
        "GDB's tdump: each expression, arguments and local variables, by name and type.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"how to read the file", tfile_read_options},
                                            {"how to run", tfile_run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "trace file of GDB; - for standard input", NULL, false, false},
            {"N", "a frame, counted from 0", NULL, false, true},
            {0}},
    .examples = "trawl tfile show run.tf 17\n"
                "trawl tfile show --format json run.tf 0 1 2\n",
    .alternatives = trace_alternatives,
    .run = run,
};

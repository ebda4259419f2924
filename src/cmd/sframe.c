// sframe: the contents of the SFrame tables of an image.
#include "cmd/sframe.h"

#include "cli/diag.h"
#include "cmd/commands.h"
#include "elf/sframe_section.h"
#include "report/out.h"
#include "report/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    OPTION_LOOKUP = 1,
    OPTION_CHECK,
    OPTION_STATS,
    OPTION_SECTION,
    OPTION_FORMAT,
    OPTION_OUTPUT,

    LOOKUPS_AT_ONCE = 4096,
};

enum mode { MODE_DUMP, MODE_LOOKUP, MODE_CHECK, MODE_STATS, MODE_CONVERT };
enum format { FORMAT_TEXT, FORMAT_TSV, FORMAT_CSV, FORMAT_JSON };

static const enum table_format table_formats[] = {
    [FORMAT_TEXT] = TABLE_TEXT, [FORMAT_CSV] = TABLE_CSV, [FORMAT_JSON] = TABLE_JSON};

struct sframe_command {
    enum mode mode;
    enum format format;
    const char *path, *output, *code_section;
    VEC(, const char *) words; // positionals: [convert] ELF PC...
    VEC(, const char *) pcs;
    struct diag diag;
    struct sframe_faults faults;
    struct image *image;
    struct sframe_section section;
    struct sframe_flat flat;
    bool has_section;
    struct out out;
    struct table table; // of a look-up
};

static enum exit_status fail(struct sframe_command *command, const struct error *err)
{
    return diag_error(&command->diag, err);
}

static enum exit_status no_memory(struct sframe_command *command)
{
    struct error err;
    error_set(&err, STATUS_MEMORY, "%s: no memory", command->path ? command->path : "sframe");
    return fail(command, &err);
}

static void on_fault(void *self, const struct error *err)
{
    struct sframe_command *command = self;
    diag_damage(&command->diag, command->path, 0, err->offset, 0, err->text);
}

// --- Input ---------------------------------------------------------------------------------------

enum status sframe_open(const char *path, struct image **image, struct sframe_section *section,
                        const struct sframe_faults *faults, struct error *err)
{
    *image = NULL;
    if (sframe_flat_is_file(path))
        return error_set(err, STATUS_INPUT,
                         "%s: is a stored array of rules: only --lookup and --stats read it", path);
    enum status status = image_open(image, path, err);
    return status == STATUS_OK ? sframe_section_read(section, *image, faults, err) : status;
}

// Reads the tables of the image. False: reported.
static bool open_section(struct sframe_command *command, enum exit_status *status)
{
    struct error err;
    command->has_section = sframe_open(command->path, &command->image, &command->section,
                                       &command->faults, &err) == STATUS_OK;
    if (!command->has_section)
        *status = fail(command, &err);
    return command->has_section;
}

static const char *section_name(const struct sframe_section *section, uint32_t number)
{
    size_t low;
    PARTITION_POINT(low, section->code.count, section->code.items[middle].section < number);
    bool is_it = low < section->code.count && section->code.items[low].section == number;
    return is_it ? section->code.items[low].name : "";
}

// In an object, PCs count from a section: the requested one, otherwise .text, otherwise the first
// described by the tables. If it was chosen from several, this is reported.
static enum status choose_code(struct sframe_command *command, uint32_t *number, struct error *err)
{
    const struct sframe_section *section = &command->section;
    const char *wanted = command->code_section ? command->code_section : ".text";
    uint32_t first = 0, last = 0, found = 0;
    bool has_several = false;
    *number = 0;
    for (uint64_t i = 0, count = sframe_function_total(section); section->is_object && i < count;
         i++) {
        uint32_t at = section->code_sections[i];
        if (at == last || at == 0)
            continue;
        last = at;
        first = first ? first : at;
        has_several |= at != first;
        if (!found && strcmp(section_name(section, at), wanted) == 0)
            found = at;
    }
    if (command->code_section && !found)
        return error_set(err, STATUS_NOT_FOUND, "%s: describes no code section '%s'", command->path,
                         wanted);
    *number = found ? found : first;
    if (has_several && !command->code_section)
        diag_warning(&command->diag,
                     "%s: only code section '%s' of several is shown (see --section)",
                     command->path, section_name(section, *number));
    return STATUS_OK;
}

// Makes the array, or maps one that was stored.
static bool open_flat(struct sframe_command *command, enum exit_status *status)
{
    struct error err;
    enum status result;
    uint32_t code_section;
    bool is_stored = sframe_flat_is_file(command->path);
    if (!is_stored && !open_section(command, status))
        return false;
    if (command->code_section && (is_stored || !command->section.is_object))
        result =
            error_set(&err, STATUS_INPUT,
                      "%s: --section applies to object files: the PCs of this file are addresses",
                      command->path);
    else if (is_stored)
        result = sframe_flat_open(&command->flat, command->path, &err);
    else if ((result = choose_code(command, &code_section, &err)) == STATUS_OK)
        result = sframe_flat_build(&command->flat, &command->section, code_section,
                                   &command->faults, &err);
    if (result != STATUS_OK)
        *status = fail(command, &err);
    return result == STATUS_OK;
}

// --- Looking up ----------------------------------------------------------------------------------

static const struct table_column lookup_columns[] = {
    {"PC", "pc", COLUMN_ADDRESS}, {"Status", "status", COLUMN_TEXT},
    {"CFA", "cfa", COLUMN_TEXT},  {"RA", "ra", COLUMN_TEXT},
    {"FP", "fp", COLUMN_TEXT},    {"Marks", "marks", COLUMN_TEXT},
};

static void put_tsv(struct sframe_command *command, uint64_t pc, const struct sframe_rule *rule)
{
    struct out *out = &command->out;
    const struct sframe_location *const places[] = {&rule->cfa, &rule->ra, &rule->fp};
    char text[SFRAME_TEXT_MAX];
    out_hex(out, pc, 1);
    out_byte(out, '\t');
    out_text(out, sframe_rule_kind_name(rule->kind));
    for (size_t i = 0; i < ARRAY_COUNT(places) && rule->kind == SFRAME_ROW; i++) {
        sframe_location_text(text, command->flat.head->abi, places[i], i == 0);
        out_byte(out, '\t');
        out_text(out, text);
    }
    if (rule->kind == SFRAME_ROW) {
        sframe_marks_text(text, rule->marks);
        out_byte(out, '\t');
        out_text(out, text);
    }
    out_byte(out, '\n');
}

static void look_up(struct sframe_command *command, const uint64_t *pcs, size_t count)
{
    const struct sframe_rule *rules[LOOKUPS_AT_ONCE];
    sframe_flat_find_many(&command->flat, pcs, count, rules);
    for (size_t i = 0; i < count; i++) {
        if (command->format == FORMAT_TSV) {
            put_tsv(command, pcs[i], rules[i]);
        } else {
            const uint64_t pc = pcs[i];
            const struct sframe_rule *rule = rules[i];
            struct table *table = &command->table;
            const struct sframe_location *const places[] = {&rule->cfa, &rule->ra, &rule->fp};
            char text[SFRAME_TEXT_MAX];
            table_address(table, pc);
            table_text(table, sframe_rule_kind_name(rule->kind));
            for (size_t j = 0; j < ARRAY_COUNT(places); j++) {
                sframe_location_text(text, command->flat.head->abi, places[j], j == 0);
                table_text(table, rule->kind == SFRAME_ROW ? text : NULL);
            }
            sframe_marks_text(text, rule->marks);
            table_text(table, rule->kind == SFRAME_ROW ? text : NULL);
        }
    }
}

// Reads a hexadecimal number, with or without 0x, up to a space or the end. Returns what follows;
// NULL: not a number.
static const char *take_hex(const char *text, uint64_t *value)
{
    const char *at = text;
    *value = 0;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        at += 2;
    const char *digits = at;
    for (; hex_digit(*at) >= 0; at++) {
        if (*value >> 60)
            return NULL;
        *value = *value << 4 | (uint64_t)hex_digit(*at);
    }
    return at > digits && (!*at || isspace((unsigned char)*at)) ? at : NULL;
}

// Looks up the PCs on standard input, separated by spaces or line ends.
static enum status look_up_input(struct sframe_command *command, struct error *err)
{
    uint64_t pcs[LOOKUPS_AT_ONCE];
    size_t count = 0, capacity = 0;
    char *line = NULL;
    enum status status = STATUS_OK;
    for (uint64_t number = 1; status == STATUS_OK && getline(&line, &capacity, stdin) > 0;
         number++) {
        const char *at = line;
        while (*(at += strspn(at, " \t\r\n"))) {
            const char *next = take_hex(at, &pcs[count]);
            if (!next) {
                status = error_set(err, STATUS_INPUT,
                                   "standard input: '%.*s': expected a hexadecimal PC",
                                   (int)strcspn(at, " \t\r\n"), at);
                err->line = number;
                break;
            }
            at = next;
            if (++count == LOOKUPS_AT_ONCE) {
                look_up(command, pcs, count);
                count = 0;
            }
        }
    }
    look_up(command, pcs, count);
    free(line);
    if (status == STATUS_OK && ferror(stdin))
        status = error_set_errno(err, "standard input", "cannot read");
    return status;
}

static enum exit_status end_output(struct sframe_command *command, enum status result,
                                   const struct error *err)
{
    struct error close_err;
    enum status closed = out_close(&command->out, &close_err);
    if (result != STATUS_OK)
        return fail(command, err);
    if (closed != STATUS_OK)
        return fail(command, &close_err);
    return diag_end(&command->diag, command->path, "functions");
}

static enum exit_status report_lookup(struct sframe_command *command)
{
    struct error err;
    enum status result = STATUS_OK;
    bool has_table = command->format != FORMAT_TSV;
    if (has_table && table_begin(&command->table, &command->out, table_formats[command->format],
                                 lookup_columns, ARRAY_COUNT(lookup_columns), &err) != STATUS_OK) {
        out_abandon(&command->out);
        return fail(command, &err);
    }
    for (size_t i = 0; i < command->pcs.count && result == STATUS_OK; i++) {
        uint64_t pc;
        if (strcmp(command->pcs.items[i], "-") == 0) {
            result = look_up_input(command, &err);
        } else {
            take_hex(command->pcs.items[i], &pc);
            look_up(command, &pc, 1);
        }
    }
    if (has_table)
        table_end(&command->table);
    return end_output(command, result, &err);
}

// --- Other reports -------------------------------------------------------------------------------

static enum exit_status report_stats(struct sframe_command *command)
{
    const struct sframe_flat_head *head = command->flat.head;
    uint64_t rows = head->row_count - (uint64_t)SFRAME_WINDOW * head->region_count;
    const bool is_stored = !command->has_section;
    uint64_t covered = 0, code = sframe_code_bytes(&command->section);
    for (uint32_t i = 0; i < head->region_count; i++) {
        const struct sframe_region *region = &command->flat.regions[i];
        for (uint32_t row = region->first_row; row + 1 < region->first_row + region->row_count;
             row++)
            if (command->flat.numbers[row])
                covered += command->flat.starts[row + 1] - command->flat.starts[row];
    }
    const struct {
        const char *key, *title;
        uint64_t value;
        bool is_unknown; // in a stored array
    } figures[] = {
        {"tables", "tables", command->section.tables.count, is_stored},
        {"section_bytes", "bytes of the section", command->section.size_bytes, is_stored},
        {"functions", "functions", head->function_count, false},
        {"table_rows", "rows of their tables", head->table_row_count, false},
        {"code_bytes", "bytes of code", code, is_stored},
        {"covered_bytes", "bytes of code with a rule", covered, false},
        {"rows", "rows of the flat array", rows, false},
        {"rules", "different rules", head->rule_count, false},
        {"patterns", "repeating patterns", head->pattern_count, false},
        {"flat_bytes", "bytes of the flat array", head->size_bytes, false},
    };
    struct json json;
    bool is_json = command->format == FORMAT_JSON;
    if (is_json) {
        json_begin(&json, &command->out, 1);
        json_begin_object(&json);
    }
    for (size_t i = 0; i < ARRAY_COUNT(figures); i++) {
        if (figures[i].is_unknown)
            continue;
        if (is_json) {
            json_key(&json, figures[i].key);
            json_u64(&json, figures[i].value);
            continue;
        }
        out_text(&command->out, figures[i].title);
        out_pad(&command->out, 28 - strlen(figures[i].title));
        out_u64(&command->out, figures[i].value);
        out_byte(&command->out, '\n');
    }
    if (is_json) {
        json_end_object(&json);
        json_end(&json);
    }
    return end_output(command, STATUS_OK, NULL);
}

static enum exit_status convert(struct sframe_command *command)
{
    struct error err;
    if (sframe_flat_save(&command->flat, command->output, &err) != STATUS_OK)
        return fail(command, &err);
    return diag_end(&command->diag, command->path, "functions");
}

static enum exit_status report(struct sframe_command *command)
{
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (command->mode == MODE_CHECK) {
        struct sframe_check check = {.diag = &command->diag,
                                     .paths = command->words.items,
                                     .path_count = command->words.count,
                                     .output = command->output,
                                     .format = table_formats[command->format]};
        return sframe_check_run(&check);
    }
    if (command->mode != MODE_DUMP ? !open_flat(command, &status) : !open_section(command, &status))
        return status;
    if (command->mode == MODE_CONVERT)
        return convert(command);
    if ((command->output
             ? out_open(&command->out, command->output, &err)
             : out_open_fd(&command->out, STDOUT_FILENO, "standard output", &err)) != STATUS_OK)
        return fail(command, &err);
    switch (command->mode) {
    case MODE_LOOKUP:
        return report_lookup(command);
    case MODE_STATS:
        return report_stats(command);
    default:
        if (command->format == FORMAT_JSON) {
            struct json json;
            json_begin(&json, &command->out, 5);
            json_begin_object(&json);
            json_key(&json, "tables");
            sframe_dump_json(&json, &command->section, &command->faults);
            json_end_object(&json);
            json_end(&json);
        } else {
            sframe_dump(&command->out, &command->section, &command->faults);
        }
        return end_output(command, STATUS_OK, NULL);
    }
}

// --- The command line ----------------------------------------------------------------------------

static bool take_format(struct sframe_command *command, const char *name)
{
    static const struct {
        const char *name;
        enum format format;
    } formats[] = {
        {"table", FORMAT_TEXT}, {"tsv", FORMAT_TSV}, {"csv", FORMAT_CSV}, {"json", FORMAT_JSON}};
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
        if (strcmp(formats[i].name, name) == 0) {
            command->format = formats[i].format;
            return true;
        }
    }
    return false;
}

static bool take_mode(struct sframe_command *command, struct options_parser *parser, enum mode mode)
{
    if (command->mode != MODE_DUMP && command->mode != mode) {
        options_error(parser, "--lookup, --check, --stats and convert cannot be combined");
        return false;
    }
    command->mode = mode;
    return true;
}

// Takes the positionals: `convert`, the image, PCs. False: reported.
static bool take_words(struct sframe_command *command, struct options_parser *parser)
{
    size_t next = 0;
    const char *const *words = command->words.items;
    if (command->words.count > 1 && strcmp(words[0], "convert") == 0) {
        next = 1;
        if (!take_mode(command, parser, MODE_CONVERT))
            return false;
        if (!command->output) {
            options_error(parser, "convert needs -o FILE");
            return false;
        }
    }
    command->path = words[next++];
    if (command->mode == MODE_CHECK) {
        if (command->format != FORMAT_TSV && !command->code_section)
            return true;
        options_error(parser, command->code_section ? "--section needs --lookup, --stats or convert"
                                                    : "'--format': only --lookup has tsv");
        return false;
    }
    if (next < command->words.count && command->mode != MODE_LOOKUP) {
        options_error(parser, "'%s': only one image is expected", words[next]);
        return false;
    }
    for (; next < command->words.count; next++)
        command->pcs.items[command->pcs.count++] = words[next];
    for (size_t i = 0; i < command->pcs.count; i++) {
        uint64_t pc;
        if (strcmp(command->pcs.items[i], "-") != 0 && !take_hex(command->pcs.items[i], &pc)) {
            options_error(parser, "'%s': expected a hexadecimal PC or -", command->pcs.items[i]);
            return false;
        }
    }
    bool is_tabular = command->format == FORMAT_TSV || command->format == FORMAT_CSV;
    if (command->code_section && command->mode == MODE_DUMP) {
        options_error(parser, "--section needs --lookup, --stats or convert");
        return false;
    }
    if (is_tabular && command->mode != MODE_LOOKUP) {
        options_error(parser,
                      "'--format': only --lookup and --check have csv, only --lookup has tsv");
        return false;
    }
    return true;
}

static bool take_options(struct sframe_command *command, struct options_parser *parser)
{
    struct option_match match;
    for (;;) {
        bool is_fine = true;
        switch (options_next(parser, &match)) {
        case OPTION_END:
            return take_words(command, parser);
        case OPTION_STOP:
            return false;
        case OPTION_POSITIONAL:
            command->words.items[command->words.count++] = match.value;
            break;
        case OPTION_LOOKUP:
            command->pcs.items[command->pcs.count++] = match.value;
            is_fine = take_mode(command, parser, MODE_LOOKUP);
            break;
        case OPTION_CHECK:
            is_fine = take_mode(command, parser, MODE_CHECK);
            break;
        case OPTION_STATS:
            is_fine = take_mode(command, parser, MODE_STATS);
            break;
        case OPTION_SECTION:
            command->code_section = match.value;
            break;
        case OPTION_OUTPUT:
            command->output = match.value;
            break;
        case OPTION_FORMAT:
            is_fine = take_format(command, match.value);
            if (!is_fine)
                options_bad_value(parser, &match, "table, tsv, csv or json");
            break;
        }
        if (!is_fine)
            return false;
    }
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct sframe_command command = {0};
    struct options_parser parser;
    enum exit_status status;
    command.flat.map.fd = -1;
    command.faults = (struct sframe_faults){&command, on_fault};
    diag_begin(&command.diag, stderr, NULL);
    options_begin(&parser, self, argc, argv);
    if (!VEC_ROOM(&command.words, (size_t)argc + 1) || !VEC_ROOM(&command.pcs, (size_t)argc + 1)) {
        status = no_memory(&command);
        for (int i = 0; i < argc; i++) // which could not be checked
            status = strcmp(argv[i], "--check") == 0 ? EXIT_STATUS_TROUBLE : status;
    } else if (!take_options(&command, &parser)) {
        status = parser.status;
    } else {
        status = report(&command);
    }
    sframe_flat_free(&command.flat);
    sframe_section_free(&command.section);
    image_close(command.image);
    free(command.words.items);
    free(command.pcs.items);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_LOOKUP, 0, "lookup", "PC",
     "the rules at this PC, in hexadecimal, and at those that follow; - for those on standard "
     "input"},
    {OPTION_CHECK, 0, "check", NULL,
     "list violations of the format, known faults of the tools that made it, rules that differ "
     "from "
     "the image's call frame information, and code without a function; a table of several images, "
     "or of those in a directory"},
    {OPTION_STATS, 0, "stats", NULL, "show sizes and counts"},
    {OPTION_SECTION, 0, "section", "NAME",
     "of an object: the code section that PCs count from (default: .text)"},
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "table (default) or json; --lookup: also tsv or csv; --check of several: also csv"},
    {OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {0},
};

const struct command_spec sframe_command = {
    .name = "sframe",
    .option_set = OPTIONS_TRAWL,
    .summary = "show, check and look up SFrame tables",
    .description =
        "Shows the SFrame tables of an image in the form of 'readelf --sframe'. 'trawl sframe "
        "convert ELF -o FILE' stores all rules as one array, which --lookup and --stats accept in "
        "place of the image.\n"
        "The exit status of --check is 0 if nothing is wrong, 1 for violations, defects and "
        "differences, 2 if an image could not be checked, 3 if parts of the tables are damaged.\n"
        "With --lookup --format tsv each line has the PC, a status (row, miss, outermost, norows, "
        "norows-signal) and, for a row, the CFA, return address, frame pointer and marks. REG+N "
        "is a value, [X] the memory at X; 'same' means that the register still holds it.",
    .groups = (const struct option_group[]){{"options", own_options}, {0}},
    .positionals =
        (const struct positional_spec[]){
            {"[convert] ELF",
             "image or object; then PCs for --lookup, more images or directories "
             "for --check",
             NULL, false, true},
            {0}},
    .examples = "trawl sframe prog.elf\n"
                "trawl sframe prog.elf --lookup 401136 401140\n"
                "trawl sframe prog.elf --lookup - --format tsv <pcs.txt\n"
                "trawl sframe --check libfast.so\n"
                "trawl sframe --check --format csv *.so\n"
                "trawl sframe convert prog.elf -o prog.sframe\n",
    .run = run,
};

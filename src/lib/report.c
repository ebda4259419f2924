// Reports: commands that run in this process, whose table stays in memory.
#include "lib/library.h"

#include "cmd/commands.h"

#include <stdio.h>
#include <stdlib.h>

struct trawl_table {
    struct export_owner owner; // first: the table is freed with its last array
    struct arrow rows;
    struct table_column columns[TRACE_COLUMNS_MAX];
    size_t column_count;
    char tick_unit[16];
    char *text, *messages;
    bool is_partial;
};

// --- Which there are -----------------------------------------------------------------------------

struct report {
    const struct command_spec *command;
    const char *format; // unless another is given
};

static const struct report reports[] = {
    {&annotate_command, "--format=json"}, {&calls_command, "--format=csv"},
    {&callinfo_command, "--format=csv"},  {&calltree_command, NULL},
    {&check_command, "--format=csv"},     {&coverage_command, "--format=csv"},
    {&diff_command, "--format=csv"},      {&doctor_command, NULL},
    {&find_command, "--format=csv"},      {&grep_command, "--format=csv"},
    {&info_command, "--format=json"},     {&origin_command, "--format=csv"},
    {&pc_command, "--format=csv"},        {&profile_command, "--format=csv"},
    {&reaches_command, "--format=csv"},   {&reads_command, "--format=csv"},
    {&show_command, "--format=csv"},      {&stack_command, "--format=csv"},
    {&state_command, "--format=json"},    {&tasks_command, "--format=csv"},
    {&writes_command, "--format=csv"},
};

static const struct report *report_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(reports); i++) {
        if (strcmp(reports[i].command->name, name) == 0)
            return &reports[i];
    }
    return NULL;
}

// --- The command line ----------------------------------------------------------------------------

// Whether a command has the option of a word, "--image=FILE".
static bool takes(const struct command_spec *command, const char *word)
{
    const size_t length = strcspn(word + 2, "=");
    for (const struct option_group *group = command->groups; group->options; group++) {
        for (const struct option_spec *option = group->options; option->id; option++) {
            const char *name = option->names;
            while (name && *name) {
                const size_t own = strcspn(name, ",");
                if (own == length && memcmp(name, word + 2, length) == 0)
                    return true;
                name += own + (name[own] == ',');
            }
        }
    }
    return false;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

// What opened the trace, as far as the command takes it, then what was given for the report.
static void put_words(struct words *words, const struct trawl_trace *trace,
                      const struct report *report, const char *const *given, uint64_t count)
{
    const struct words *opened = &trace->words;
    const int unnamed = index_view_unnamed(&trace->command.session.view);
    uint64_t options = 0;
    bool has_format = false;
    for (size_t i = 0; i + 2 < opened->items.count; i++) {
        if (takes(report->command, opened->items.items[i]) &&
            !(unnamed >= 0 && strcmp(opened->items.items[i], "--memory-index") == 0))
            words_add(words, "%s", opened->items.items[i]);
    }
    if (unnamed >= 0 && takes(report->command, "--index")) {
        words_add(words, "--index=/proc/self/fd/%d", unnamed);
        words_add(words, "--no-index");
    }
    for (; options < count && strcmp(given[options], "--") != 0; options++) {
        if (!is_option(given[options]))
            continue;
        words_add(words, "%s", given[options]);
        has_format |= strncmp(given[options], "--format", 8) == 0;
    }
    if (report->format && !has_format)
        words_add(words, "%s", report->format);
    words_add(words, "--");
    words_add(words, "%s", trace->command.session.path);
    for (uint64_t i = 0; i < count; i++) {
        if (i > options || (i < options && !is_option(given[i])))
            words_add(words, "%s", given[i]);
    }
}

// --- A table -------------------------------------------------------------------------------------

static void free_table(struct export_owner *owner)
{
    struct trawl_table *table = (struct trawl_table *)owner;
    arrow_free(&table->rows);
    free(table->text);
    free(table->messages);
    free(table);
}

void trawl_table_free(struct trawl_table *table)
{
    if (table)
        export_owner_drop(&table->owner);
}

// Of commands whose answer is a status, 1 is an answer.
static bool has_answered(const struct command_spec *command, enum exit_status status)
{
    return status == EXIT_STATUS_DONE || status == EXIT_STATUS_DAMAGED ||
           (command->answers[0] && status == EXIT_STATUS_DIFFERENT);
}

enum trawl_result trawl_trace_report(struct trawl_trace *trace, const char *name,
                                     const char *const *words, uint64_t word_count,
                                     struct trawl_table **out, struct trawl_failure *failure)
{
    const struct report *report = report_named(name);
    *out = NULL;
    if (!report)
        return library_refuse(failure, "'%.100s': no such report", name);
    struct trawl_table *table = calloc(1, sizeof *table);
    struct command_spec spec = *report->command;
    size_t messages_bytes;
    struct command_host host = {.rows = table ? &table->rows : NULL,
                                .shown = table ? table->columns : NULL};
    spec.host = &host;
    if (table)
        *table = (struct trawl_table){.owner = {.users = 1, .free = free_table}};
    struct words line = {0};
    put_words(&line, trace, report, words, word_count);
    char **argv = words_end(&line);
    host.messages = table ? open_memstream(&table->messages, &messages_bytes) : NULL;
    if (!argv || !host.messages) {
        words_free(&line);
        trawl_table_free(table);
        const struct error err = {
            .status = STATUS_MEMORY, .offset = ERROR_NO_OFFSET, .text = "no memory for a report"};
        return library_fail(failure, &err);
    }
    const enum exit_status status = spec.run(&spec, (int)line.items.count, argv);
    fclose(host.messages);
    words_free(&line);
    table->text = host.text;
    table->column_count = host.shown_count;
    table->is_partial = status == EXIT_STATUS_DAMAGED;
    if (host.tick_unit)
        snprintf(table->tick_unit, sizeof table->tick_unit, "%s", host.tick_unit);
    if (has_answered(report->command, status) && !table->column_count && !table->text) {
        trawl_table_free(table); // it was asked for its help, or to write a file
        return library_refuse(failure, "'%.100s': these options give no answer", name);
    }
    if (!has_answered(report->command, status)) {
        const enum trawl_result result =
            library_host_failure(failure, &host, table->messages, status);
        trawl_table_free(table);
        return result;
    }
    *out = table;
    return TRAWL_DONE;
}

// --- What is in it -------------------------------------------------------------------------------

uint64_t trawl_table_row_count(const struct trawl_table *table)
{
    return table->column_count ? table->rows.columns[0].count : 0;
}

uint64_t trawl_table_column_count(const struct trawl_table *table)
{
    return table->column_count;
}

const char *trawl_table_text(const struct trawl_table *table)
{
    return table->column_count ? NULL : table->text;
}

const char *trawl_table_messages(const struct trawl_table *table)
{
    return table->messages;
}

uint64_t trawl_table_is_partial(const struct trawl_table *table)
{
    return table->is_partial;
}

static const char *unit_of(const struct trawl_table *table, enum column_kind kind)
{
    switch (kind) {
    case COLUMN_TICKS:
    case COLUMN_CHANGE:
        return table->tick_unit;
    case COLUMN_ADDRESS:
        return "address";
    case COLUMN_SECONDS:
        return "s";
    case COLUMN_SHARE:
    case COLUMN_CHANGE_SHARE:
        return "share";
    default:
        return "";
    }
}

enum trawl_result trawl_table_column(const struct trawl_table *table, uint64_t column,
                                     struct trawl_table_column *about,
                                     struct trawl_failure *failure)
{
    static const int32_t none = 0;
    static const enum trawl_cell cells[] = {
        [ARROW_U64] = TRAWL_CELL_NUMBER,
        [ARROW_F64] = TRAWL_CELL_DOUBLE,
        [ARROW_TEXT] = TRAWL_CELL_TEXT,
    };
    if (column >= table->column_count)
        return library_refuse(failure, "column %llu: there are %zu, numbered from 0",
                              (unsigned long long)column, table->column_count);
    const struct arrow_column *of = &table->rows.columns[column];
    const struct arrow_texts *texts = &of->texts;
    struct trawl_table_column ours = {
        .name = table->columns[column].key,
        .unit = unit_of(table, table->columns[column].kind),
        .cell = cells[of->type],
        .has_value = of->empty_count ? of->has_value.items : NULL,
    };
    if (of->type == ARROW_TEXT) {
        ours.texts = of->ids.items;
        ours.ends = texts->ends.count ? texts->ends.items : &none;
        ours.bytes = texts->text.items;
        ours.distinct_texts = texts->ends.count ? texts->ends.count - 1 : 0;
    } else if (of->type == ARROW_F64) {
        ours.doubles = (const double *)(const void *)of->numbers.items;
    } else {
        ours.numbers = of->numbers.items;
    }
    library_give(about, &ours, sizeof ours);
    return TRAWL_DONE;
}

uint64_t trawl_table_column_named(const struct trawl_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].key, name) == 0)
            return i;
    }
    return TRAWL_NOTHING;
}

// The column, if it has a value in that row; otherwise NULL.
static const struct arrow_column *cell_at(const struct trawl_table *table, uint64_t row,
                                          uint64_t column)
{
    if (column >= table->column_count || row >= trawl_table_row_count(table))
        return NULL;
    const struct arrow_column *of = &table->rows.columns[column];
    const bool has_value = !of->empty_count || of->has_value.items[row / 8] >> row % 8 & 1;
    return has_value ? of : NULL;
}

uint64_t trawl_table_number(const struct trawl_table *table, uint64_t row, uint64_t column)
{
    const struct arrow_column *of = cell_at(table, row, column);
    return of && of->type == ARROW_U64 ? of->numbers.items[row] : 0;
}

const char *trawl_table_cell(const struct trawl_table *table, uint64_t row, uint64_t column,
                             uint64_t *length)
{
    const struct arrow_column *of = cell_at(table, row, column);
    *length = 0;
    if (!of || of->type != ARROW_TEXT)
        return NULL;
    const int32_t *end = &of->texts.ends.items[of->ids.items[row]];
    *length = (uint64_t)(end[1] - end[0]);
    return of->texts.text.items + end[0];
}

enum trawl_result trawl_table_arrow(struct trawl_table *table, struct ArrowSchema *schema,
                                    struct ArrowArray *array, struct trawl_failure *failure)
{
    static const char *const formats[] = {
        [TRAWL_CELL_NUMBER] = "L", [TRAWL_CELL_DOUBLE] = "g", [TRAWL_CELL_TEXT] = "i"};
    struct export_column columns[TRACE_COLUMNS_MAX];
    if (!table->column_count)
        return library_refuse(failure, "this report is a text, not a table");
    for (size_t i = 0; i < table->column_count; i++) {
        struct trawl_table_column of = {.struct_bytes = sizeof of};
        trawl_table_column(table, i, &of, NULL);
        columns[i] = (struct export_column){
            .name = of.name,
            .format = formats[of.cell],
            .has_value = of.has_value,
            .values = of.cell == TRAWL_CELL_TEXT ? (const void *)of.texts
                                                 : table->rows.columns[i].numbers.items,
            .empty_count = (int64_t)table->rows.columns[i].empty_count,
            .has_texts = of.cell == TRAWL_CELL_TEXT,
            .ends = of.ends,
            .bytes = of.bytes,
            .distinct_texts = (int64_t)of.distinct_texts};
    }
    bool has_memory = export_schema(schema, columns, table->column_count);
    if (has_memory && !export_array(array, columns, table->column_count,
                                    trawl_table_row_count(table), &table->owner)) {
        schema->release(schema);
        has_memory = false;
    }
    const struct error err = {
        .status = STATUS_MEMORY, .offset = ERROR_NO_OFFSET, .text = "no memory for a table"};
    return has_memory ? TRAWL_DONE : library_fail(failure, &err);
}

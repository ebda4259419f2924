// In text for humans, the first rows determine the widths of columns, and are kept until then.
// Later rows are written at once, and a cell that is wider than its column shifts the rest of its
// line. So a table of any length begins soon and takes little memory. Where lines have to fit a
// terminal (out_fit), names are cut in their middle, because they differ at both ends: the widest
// column first, as in psql and nushell, and no number, value or instruction ever.

#include "report/table.h"
#include "base/program_pc.h"
#include "report/out.h"

#include <errno.h>
#include <stdlib.h>

#define TABLE_ROWS_MEASURED 4096
#define TABLE_GAP 2
#define TABLE_TEXT_COLUMNS_MIN 20 // what a column of texts keeps, if it has as many

// Text for humans

static bool is_text(const struct table_column *column)
{
    return column->kind == COLUMN_TEXT || column->kind == COLUMN_WHOLE;
}

// Makes columns of texts narrower until a line fits, if it can.
static void fit_widths(struct table *table)
{
    const struct table_cell *heading = table->cells.items;
    size_t total = 0;
    table->is_fitted = true;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].kind != COLUMN_BELOW)
            total += table->widths[i] + (i ? TABLE_GAP : 0);
    }
    while (total > table->out->columns) {
        size_t *widest = NULL;
        for (size_t i = 0; i < table->column_count; i++) {
            size_t min = heading[i].width > TABLE_TEXT_COLUMNS_MIN ? heading[i].width
                                                                   : TABLE_TEXT_COLUMNS_MIN;
            if (table->columns[i].kind == COLUMN_TEXT && table->widths[i] > min &&
                (!widest || table->widths[i] > *widest))
                widest = &table->widths[i];
        }
        if (!widest)
            return;
        --*widest;
        total--;
    }
    table->spare_columns = table->out->columns - total;
}

// The first characters of a cell that fit into `columns`, with the marks on them.
static struct table_cell start_of(const struct table_cell *cell, const char *text, size_t columns)
{
    struct table_cell start = {0};
    while (start.bytes < cell->bytes) {
        const unsigned bytes = utf8_character(text + start.bytes, cell->bytes - start.bytes);
        const size_t width = utf8_columns(utf8_code(text + start.bytes, bytes));
        ASSERT(bytes); // the text is inert
        if (start.width + width > columns)
            break;
        start.bytes += bytes;
        start.width += width;
    }
    return start;
}

// Writes both ends of a cell in `columns`, fewer than it has. Returns how many they take: one less
// at each end where a wide character does not fit.
static size_t write_cut(struct out *out, const struct table_cell *cell, const char *text,
                        size_t columns)
{
    const size_t wanted = cell->width - (columns - 1) / 2; // to be left out, with the start
    const struct table_cell start = start_of(cell, text, columns / 2);
    struct table_cell skipped = start_of(cell, text, wanted);
    if (skipped.width < wanted)
        skipped = start_of(cell, text, wanted + 1);
    out_bytes(out, text, start.bytes);
    out_text(out, "\xe2\x80\xa6");
    out_bytes(out, text + skipped.bytes, cell->bytes - skipped.bytes);
    return start.width + 1 + cell->width - skipped.width;
}

// Writes padding only before another cell: no line ends in blanks.
static void write_row(struct table *table, const struct table_cell *cells, const char **text)
{
    size_t pad = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        const size_t width = table->widths[i], room = width + table->spare_columns;
        size_t shown = cells[i].width;
        if (column->kind == COLUMN_BELOW)
            break;
        if (i)
            pad += TABLE_GAP;
        if (!is_text(column) && width > shown)
            pad += width - shown;
        if (cells[i].bytes) {
            out_pad(table->out, pad);
            if (table->is_fitted && room && shown > room && column->kind == COLUMN_TEXT)
                shown = write_cut(table->out, &cells[i], *text, room);
            else
                out_bytes(table->out, *text, cells[i].bytes);
            pad = 0;
        }
        if (is_text(column) && width > shown)
            pad += width - shown;
        *text += cells[i].bytes;
    }
    out_byte(table->out, '\n');
    size_t last = table->column_count - 1;
    if (table->columns[last].kind != COLUMN_BELOW)
        return;
    out_bytes(table->out, *text, cells[last].bytes);
    *text += cells[last].bytes;
}

static void write_kept_rows(struct table *table)
{
    const char *text = table->text.buffer;
    if (out_failed(&table->text)) {
        table->out->error_number = ENOMEM;
        return;
    }
    if (table->out->columns && !table->is_fitted && table->cells.count)
        fit_widths(table);
    for (size_t i = 0; i < table->cells.count; i += table->column_count)
        write_row(table, table->cells.items + i, &text);
    table->cells.count = 0;
    table->text.used_bytes = 0;
}

// Ends a cell that began at `start`, with `hidden_bytes` that take no column.
static void keep_cell(struct table *table, size_t hidden_bytes)
{
    struct table_cell cell;
    if (out_failed(&table->text) || !VEC_ROOM(&table->cells, 1)) {
        // The table would be incomplete: table_end reports it.
        table->text.error_number = ENOMEM;
        return;
    }
    cell.bytes = (size_t)(out_position(&table->text) - table->cell_start);
    cell.width = cell.bytes - hidden_bytes;
    table->cells.items[table->cells.count++] = cell;
    size_t *width = &table->widths[table->next_column];
    if (table->row_count <= TABLE_ROWS_MEASURED && cell.width > *width)
        *width = cell.width;
}

// Cells

static bool is_json(const struct table *table)
{
    return table->format == TABLE_JSON || table->format == TABLE_JSON_LINES;
}

// Cells are text between separators.
static bool is_separated(const struct table *table)
{
    return table->separator;
}

static bool is_columnar(const struct table *table)
{
    return table->format == TABLE_ARROW || table->format == TABLE_PARQUET;
}

static void tsv_field(struct out *out, const char *text)
{
    for (text = text && *text ? text : "-"; *text; text++)
        out_byte(out, (unsigned char)*text < ' ' ? '?' : *text);
}

static void put_number(struct table *table, uint64_t value)
{
    if (table->format == TABLE_ARROW)
        arrow_u64(table->arrow, table->next_column, value);
    else
        parquet_cells_number(table->rows, table->next_column, value);
}

static void put_double(struct table *table, double value)
{
    if (table->format == TABLE_ARROW)
        arrow_f64(table->arrow, table->next_column, value);
    else
        parquet_cells_f64(table->rows, table->next_column, value);
}

static void put_none(struct table *table)
{
    if (table->format == TABLE_ARROW)
        arrow_none(table->arrow, table->next_column);
    else
        parquet_cells_none(table->rows, table->next_column);
}

static void put_text(struct table *table, const char *text)
{
    if (!text)
        put_none(table);
    else if (table->format == TABLE_ARROW)
        arrow_text(table->arrow, table->next_column, text);
    else
        parquet_cells_text(table->rows, table->next_column, text);
}

// Returns where to write the text of a cell, for text and CSV.
static struct out *begin_cell(struct table *table)
{
    if (table->format == TABLE_TEXT) {
        table->cell_start = out_position(&table->text);
        return &table->text;
    }
    if (is_separated(table)) {
        if (table->next_column)
            out_byte(table->out, table->separator);
    } else if (is_json(table)) {
        if (table->next_column == 0)
            json_begin_object(&table->json);
        json_key(&table->json, table->columns[table->next_column].key);
    }
    return table->out;
}

static void end_cell(struct table *table, size_t hidden_bytes)
{
    if (table->format == TABLE_TEXT)
        keep_cell(table, hidden_bytes);
    table->next_column++;
    bool has_below = table->columns[table->column_count - 1].kind == COLUMN_BELOW;
    if (table->of_bytes && table->format != TABLE_TEXT &&
        table->next_column == table->column_count - 2 - has_below) {
        table_u64(table, table->covered_bytes);
        table_u64(table, table->of_bytes);
    } else if (table->next_column == table->column_count) {
        table->next_column = 0;
        table->row_count++;
        if (is_separated(table)) {
            out_byte(table->out, '\n');
        } else if (is_json(table)) {
            json_end_object(&table->json);
            if (table->format == TABLE_JSON_LINES) { // each line is a document
                json_end(&table->json);
                table->json.has_members = false;
            }
        } else if (is_columnar(table)) {
            if (table->format == TABLE_ARROW)
                arrow_end_row(table->arrow);
            else if (table->parquet)
                parquet_end_row(table->parquet);
            else
                parquet_cells_end_row(table->rows);
            if (table->parquet && parquet_failed(table->parquet))
                table->out->error_number = EIO;
        } else if (table->row_count > TABLE_ROWS_MEASURED) {
            write_kept_rows(table);
        }
    }
}

static struct out *begin_cell_of(struct table *table, enum column_kind kind)
{
    ASSERT(table->columns[table->next_column].kind == kind);
    return begin_cell(table);
}

void table_u64(struct table *table, uint64_t value)
{
    enum column_kind kind = table->columns[table->next_column].kind;
    ASSERT(kind == COLUMN_U64 || kind == COLUMN_LINE || kind == COLUMN_TICKS);
    struct out *out = begin_cell(table);
    if (is_json(table))
        json_u64(&table->json, value);
    else if (is_columnar(table))
        put_number(table, value);
    else
        out_u64(out, value);
    end_cell(table, 0);
    if (kind == COLUMN_LINE && table->place_of)
        table_text(table, table->place_of(table->place_self, value));
}

void table_address(struct table *table, uint64_t value)
{
    struct out *out = begin_cell_of(table, COLUMN_ADDRESS);
    value = table->has_programs ? pc_address(value) : value;
    if (is_json(table)) {
        json_address(&table->json, value);
    } else if (is_columnar(table)) {
        put_number(table, value);
    } else {
        out_text(out, "0x");
        out_hex(out, value, 0);
    }
    end_cell(table, 0);
}

void table_share(struct table *table, uint64_t part, uint64_t whole)
{
    struct out *out = begin_cell_of(table, COLUMN_SHARE);
    if (is_json(table)) {
        json_share(&table->json, part, whole);
    } else if (is_columnar(table)) {
        put_double(table, whole ? (double)part / (double)whole : 0);
    } else if (is_separated(table)) {
        out_ratio(out, part, whole, 6);
    } else {
        out_percent(out, part, whole, 1);
        out_byte(out, '%');
    }
    end_cell(table, 0);
}

static double change_of(uint64_t before, uint64_t after)
{
    return after >= before ? (double)(after - before) : -(double)(before - after);
}

static uint64_t amount_of_change(uint64_t before, uint64_t after)
{
    return after > before ? after - before : before - after;
}

// Writes the sign of a change; no change has none.
static void put_sign(const struct table *table, struct out *out, uint64_t before, uint64_t after)
{
    if (after < before)
        out_byte(out, '-');
    else if (after > before && table->format == TABLE_TEXT)
        out_byte(out, '+');
}

void table_change(struct table *table, uint64_t before, uint64_t after)
{
    struct out *out = begin_cell_of(table, COLUMN_CHANGE);
    if (is_json(table)) {
        json_change(&table->json, before, after);
    } else if (is_columnar(table)) {
        put_double(table, change_of(before, after));
    } else {
        put_sign(table, out, before, after);
        out_u64(out, amount_of_change(before, after));
    }
    end_cell(table, 0);
}

void table_change_share(struct table *table, uint64_t before, uint64_t after)
{
    if (!before) {
        ASSERT(table->columns[table->next_column].kind == COLUMN_CHANGE_SHARE);
        table_none(table);
        return;
    }
    struct out *out = begin_cell_of(table, COLUMN_CHANGE_SHARE);
    if (is_json(table)) {
        json_change_share(&table->json, before, after);
    } else if (is_columnar(table)) {
        put_double(table, change_of(before, after) / (double)before);
    } else {
        put_sign(table, out, before, after);
        if (is_separated(table))
            out_ratio(out, amount_of_change(before, after), before, 6);
        else
            out_percent(out, amount_of_change(before, after), before, 1);
        out_text(out, table->format == TABLE_TEXT ? "%" : "");
    }
    end_cell(table, 0);
}

void table_seconds(struct table *table, uint64_t ticks, uint64_t hz)
{
    struct out *out = begin_cell_of(table, COLUMN_SECONDS);
    if (is_json(table))
        json_seconds(&table->json, ticks, hz);
    else if (is_columnar(table) && hz)
        put_double(table, (double)ticks / (double)hz);
    else if (is_columnar(table))
        put_none(table);
    else if (hz)
        out_ratio(out, ticks, hz, 9);
    end_cell(table, 0);
}

void table_text(struct table *table, const char *text)
{
    ASSERT(is_text(&table->columns[table->next_column]));
    struct out *out = begin_cell(table);
    size_t hidden_bytes = 0;
    if (is_json(table))
        json_text(&table->json, text);
    else if (is_columnar(table))
        put_text(table, text);
    else if (table->format == TABLE_CSV)
        csv_field(out, text);
    else if (table->format == TABLE_TSV)
        tsv_field(out, text);
    else if (text)
        hidden_bytes = out_clean(out, text);
    end_cell(table, hidden_bytes);
}

void table_below(struct table *table, const char *lines)
{
    struct out *out = begin_cell_of(table, COLUMN_BELOW);
    if (is_json(table))
        json_text(&table->json, lines);
    else if (is_columnar(table))
        put_text(table, lines);
    else if (table->format == TABLE_CSV)
        csv_lines(out, lines);
    else if (table->format == TABLE_TSV)
        tsv_field(out, lines);
    else if (lines)
        out_text(out, lines);
    end_cell(table, 0);
}

void table_none(struct table *table)
{
    bool is_line = table->columns[table->next_column].kind == COLUMN_LINE;
    begin_cell(table);
    if (is_json(table))
        json_text(&table->json, NULL);
    else if (is_columnar(table))
        put_none(table);
    else if (table->format == TABLE_TSV)
        tsv_field(table->out, NULL);
    end_cell(table, 0);
    if (is_line && table->place_of)
        table_none(table);
}

// Beginning and end

// The unit in a heading; NULL: the title states what is counted.
static const char *unit_of(const struct table *table, enum column_kind kind)
{
    switch (kind) {
    case COLUMN_TICKS:
    case COLUMN_CHANGE:
        return table->tick_unit;
    case COLUMN_SHARE:
    case COLUMN_CHANGE_SHARE:
        return "%";
    case COLUMN_SECONDS:
        return "s";
    default:
        return NULL;
    }
}

static void write_heading(struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        struct out *out = begin_cell(table);
        if (is_separated(table))
            csv_field(out, table->columns[i].key); // a plain word
        else if (table->columns[i].kind != COLUMN_BELOW) {
            // "Self [ticks]"
            const struct table_column *column = &table->columns[i];
            const char *unit = unit_of(table, column->kind);
            out_text(out, column->title);
            if (unit) {
                out_text(out, " [");
                out_text(out, unit);
                out_byte(out, ']');
            }
        }
        end_cell(table, 0);
    }
}

// Numbers and addresses stay numbers in Arrow.
static enum arrow_type arrow_type_of(enum column_kind kind)
{
    switch (kind) {
    case COLUMN_U64:
    case COLUMN_LINE:
    case COLUMN_TICKS:
    case COLUMN_ADDRESS:
        return ARROW_U64;
    case COLUMN_SHARE:
    case COLUMN_SECONDS:
    case COLUMN_CHANGE:
    case COLUMN_CHANGE_SHARE:
        return ARROW_F64;
    default:
        return ARROW_TEXT;
    }
}

static void names_of_columns(const struct table *table, const char **names)
{
    for (size_t i = 0; i < table->column_count; i++)
        names[i] = table->columns[i].key;
}

static void arrow_types_of(const struct table *table, enum arrow_type *types)
{
    for (size_t i = 0; i < table->column_count; i++)
        types[i] = arrow_type_of(table->columns[i].kind);
}

static enum status begin_arrow(struct table *table, bool is_part, struct error *err)
{
    enum arrow_type types[TABLE_COLUMNS_MAX];
    const char *names[TABLE_COLUMNS_MAX];
    table->arrow = malloc(sizeof *table->arrow);
    if (!table->arrow)
        return error_set(err, STATUS_MEMORY, "no memory for a table");
    arrow_types_of(table, types);
    names_of_columns(table, names);
    if (is_part)
        arrow_begin_part(table->arrow, types, table->column_count);
    else
        arrow_begin(table->arrow, table->out, types, names, table->column_count);
    return STATUS_OK;
}

enum status table_begin_kept(struct table *table, struct out *out, struct arrow *into,
                             const struct table_column *columns, size_t column_count,
                             struct error *err)
{
    enum arrow_type types[TABLE_COLUMNS_MAX];
    *table = (struct table){.out = out,
                            .format = TABLE_ARROW,
                            .columns = columns,
                            .column_count = column_count,
                            .arrow = into,
                            .is_kept = true};
    arrow_types_of(table, types);
    arrow_free(into);
    arrow_begin_part(into, types, column_count);
    return into->lacks_memory ? error_set(err, STATUS_MEMORY, "no memory for a table") : STATUS_OK;
}

static void types_of_columns(const struct table *table, enum parquet_type *types)
{
    for (size_t i = 0; i < table->column_count; i++) {
        enum column_kind kind = table->columns[i].kind;
        enum arrow_type type = arrow_type_of(kind);
        types[i] = kind == COLUMN_ADDRESS ? PARQUET_ADDRESS
                   : type == ARROW_U64    ? PARQUET_U64
                   : type == ARROW_F64    ? PARQUET_F64
                                          : PARQUET_TEXT;
    }
}

enum status table_begin_parquet(struct table *table, struct out *out, struct parquet *parquet,
                                const struct table_column *columns, size_t column_count,
                                struct error *err)
{
    enum parquet_type types[TABLE_COLUMNS_MAX];
    const char *names[TABLE_COLUMNS_MAX];
    struct parquet_schema schema = {types, names, column_count, 0};
    *table = (struct table){.out = out,
                            .format = TABLE_PARQUET,
                            .columns = columns,
                            .column_count = column_count,
                            .parquet = parquet,
                            .rows = parquet_rows(parquet)};
    types_of_columns(table, types);
    names_of_columns(table, names);
    while (strcmp(names[schema.lane_column], "lane") != 0)
        schema.lane_column++;
    return parquet_begin(parquet, &schema) ? STATUS_OK
                                           : error_set(err, STATUS_MEMORY, "no memory for a table");
}

enum status table_begin(struct table *table, struct out *out, enum table_format format,
                        const struct table_column *columns, size_t column_count, struct error *err)
{
    return table_begin_timed(table, out, format, columns, column_count, "ticks", err);
}

enum status table_begin_timed(struct table *table, struct out *out, enum table_format format,
                              const struct table_column *columns, size_t column_count,
                              const char *tick_unit, struct error *err)
{
    ASSERT(column_count > 0 && column_count <= TABLE_COLUMNS_MAX);
    *table = (struct table){.out = out,
                            .format = format,
                            .separator = format == TABLE_CSV   ? ','
                                         : format == TABLE_TSV ? '\t'
                                                               : 0,
                            .columns = columns,
                            .column_count = column_count,
                            .tick_unit = tick_unit};
    if (format == TABLE_JSON) {
        json_begin(&table->json, out, 1);
        json_begin_array(&table->json);
        return STATUS_OK;
    }
    if (format == TABLE_JSON_LINES) {
        json_begin(&table->json, out, 0);
        return STATUS_OK;
    }
    if (format == TABLE_ARROW)
        return begin_arrow(table, false, err);
    enum status status = format == TABLE_TEXT ? out_open_memory(&table->text, err) : STATUS_OK;
    if (status == STATUS_OK)
        write_heading(table);
    return status;
}

enum status table_begin_part(struct table *table, struct out *out, const struct table *whole,
                             struct error *err)
{
    ASSERT(whole->format != TABLE_TEXT && whole->format != TABLE_JSON);
    *table = (struct table){.out = out,
                            .format = whole->format,
                            .separator = whole->separator,
                            .columns = whole->columns,
                            .column_count = whole->column_count,
                            .covered_bytes = whole->covered_bytes,
                            .of_bytes = whole->of_bytes,
                            .has_programs = whole->has_programs};
    if (whole->format == TABLE_ARROW)
        return begin_arrow(table, true, err);
    if (whole->format == TABLE_PARQUET) {
        enum parquet_type types[TABLE_COLUMNS_MAX];
        table->rows = malloc(sizeof *table->rows);
        if (!table->rows)
            return error_set(err, STATUS_MEMORY, "no memory for a table");
        types_of_columns(table, types);
        parquet_cells_begin(table->rows, types, table->column_count);
        return STATUS_OK;
    }
    json_begin(&table->json, out, 0);
    return STATUS_OK;
}

void table_flush_part(struct table *part)
{
    if ((part->format == TABLE_PARQUET && part->rows->lacks_memory) ||
        (part->format == TABLE_ARROW && part->arrow->lacks_memory))
        part->out->error_number = ENOMEM;
}

void table_take(struct table *table, struct table *part)
{
    ASSERT(part->next_column == 0 && part->format == table->format);
    if (part->format == TABLE_PARQUET) {
        parquet_take(table->parquet, part->rows);
        if (parquet_failed(table->parquet))
            table->out->error_number = EIO;
        return;
    }
    if (part->format == TABLE_ARROW) {
        arrow_take(table->arrow, part->arrow);
        return;
    }
    out_bytes(table->out, part->out->buffer, part->out->used_bytes);
    out_clear(part->out);
}

enum status table_failure(const struct table *table, struct error *err)
{
    enum status status = table->parquet ? parquet_failure(table->parquet, err) : STATUS_OK;
    return status != STATUS_OK ? status : error_set(err, STATUS_IO, "cannot write");
}

void table_end_part(struct table *table)
{
    if (table->arrow)
        arrow_free(table->arrow);
    free(table->arrow);
    table->arrow = NULL;
    if (table->rows)
        parquet_cells_free(table->rows);
    free(table->rows);
    table->rows = NULL;
}

void table_begin_member(struct table *table, struct json *around,
                        const struct table_column *columns, size_t column_count)
{
    ASSERT(column_count > 0 && column_count <= TABLE_COLUMNS_MAX);
    *table = (struct table){.out = around->out,
                            .format = TABLE_JSON,
                            .columns = columns,
                            .column_count = column_count,
                            .json = *around,
                            .around = around};
    json_begin_array(&table->json);
}

void table_end(struct table *table)
{
    ASSERT(table->next_column == 0);
    if (table->format == TABLE_TEXT) {
        write_kept_rows(table);
        if (table->of_bytes) {
            out_text(table->out, "covers ");
            out_u64(table->out, table->covered_bytes);
            out_text(table->out, " of ");
            out_u64(table->out, table->of_bytes);
            out_text(table->out, " bytes of the trace\n");
        }
        out_abandon(&table->text);
        free(table->cells.items);
    } else if (table->is_kept) {
        if (table->arrow->lacks_memory)
            table->out->error_number = ENOMEM;
    } else if (table->format == TABLE_ARROW) {
        const char *names[TABLE_COLUMNS_MAX];
        names_of_columns(table, names);
        arrow_end(table->arrow, names);
        free(table->arrow);
    } else if (table->format == TABLE_JSON) {
        json_end_array(&table->json);
        if (table->around)
            *table->around = table->json;
        else
            json_end(&table->json);
    }
}

bool table_format_named(const char *name, enum table_format *format)
{
    return strcmp(name, "tsv") != 0 && table_format_named_with_tsv(name, format);
}

bool table_format_named_with_tsv(const char *name, enum table_format *format)
{
    static const char *const names[] = {
        [TABLE_TEXT] = "table", [TABLE_CSV] = "csv", [TABLE_TSV] = "tsv", [TABLE_JSON] = "json"};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (enum table_format)i;
            return true;
        }
    }
    return false;
}

// --- Cells of CSV --------------------------------------------------------------------------------

void csv_quoted(struct out *out, const char *text)
{
    for (const char *end = text + strlen(text); text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        if (*text == '"')
            out_byte(out, '"');
        out_bytes(out, bytes ? text : "?", bytes ? bytes : 1);
        text += bytes ? bytes : 1;
    }
}

void csv_lines(struct out *out, const char *lines)
{
    if (!lines)
        return;
    out_byte(out, '"');
    for (const char *at = lines; *at;) {
        size_t length = strcspn(at, "\n\"");
        out_bytes(out, at, length);
        at += length;
        if (*at == '"')
            out_byte(out, '"');
        if (*at)
            out_byte(out, *at++);
    }
    out_byte(out, '"');
}

void csv_field(struct out *out, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, ",\"")) {
        out_clean(out, text);
        return;
    }
    out_byte(out, '"');
    csv_quoted(out, text);
    out_byte(out, '"');
}

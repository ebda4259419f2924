#include "cmd/sframe.h"

#include "report/out.h"

#include <inttypes.h>
#include <stdio.h>

// Calls `each` for every readable row of a function; reports the first unreadable one.
struct row_visit {
    const struct sframe_table *table;
    const struct sframe_function *function;
    const struct sframe_row *row;
    const struct sframe_rule *rule;
};

static void each_row(const struct sframe_table *table, const struct sframe_function *function,
                     const struct sframe_faults *faults,
                     void (*each)(void *self, const struct row_visit *visit), void *self)
{
    uint64_t at = function->rows;
    for (uint32_t i = 0; i < function->row_count; i++) {
        struct sframe_row row;
        struct sframe_rule rule;
        struct error err;
        if (sframe_row_read(table, function, at, &row, &err) != STATUS_OK ||
            sframe_rule_resolve(table, function, &row, &rule, &err) != STATUS_OK) {
            faults->fault(faults->self, &err);
            return;
        }
        each(self, &(struct row_visit){table, function, &row, &rule});
        at = sframe_row_end(&row);
    }
}

// --- As readelf shows them -----------------------------------------------------------------------

enum { CFA_WIDTH = 10, FP_WIDTH = 10, RA_WIDTH = 13, TEXT_MAX = 48 };

static void place_text(char text[TEXT_MAX], const struct sframe_table *table,
                       const struct sframe_location *place)
{
    char base[TEXT_MAX];
    if (place->kind == SFRAME_SAME) {
        strcpy(text, "u");
    } else if (place->base == SFRAME_CFA) {
        snprintf(text, TEXT_MAX, "c%+" PRId64, place->offset);
    } else {
        const struct sframe_registers *registers = sframe_registers(table->abi);
        if (place->base == registers->sp)
            strcpy(base, "sp");
        else if (place->base == registers->fp)
            strcpy(base, "fp");
        else
            snprintf(base, TEXT_MAX, "r%" PRIu32, place->base);
        snprintf(text, TEXT_MAX,
                 place->kind == SFRAME_MEMORY ? "(%.12s%+" PRId64 ")" : "%.12s%+" PRId64, base,
                 place->offset);
    }
}

static void put_field(struct out *out, const char *text, size_t width)
{
    size_t length = strlen(text);
    out_text(out, text);
    if (length < width)
        out_pad(out, width - length);
}

static void put_row(void *self, const struct row_visit *visit)
{
    struct out *out = self;
    char text[TEXT_MAX];
    uint64_t start = visit->row->start;
    if (!visit->function->repeat_bytes)
        start += visit->function->address;
    out_text(out, "    ");
    out_hex(out, start, 16);
    out_text(out, "  ");
    if (visit->rule->kind == SFRAME_OUTERMOST) {
        out_text(out, "RA undefined\n");
        return;
    }
    place_text(text, visit->table, &visit->rule->cfa);
    put_field(out, text, CFA_WIDTH);
    if (visit->table->fixed_fp && !visit->function->is_flexible)
        strcpy(text, "f");
    else
        place_text(text, visit->table, &visit->rule->fp);
    put_field(out, text, FP_WIDTH);
    const struct sframe_table *table = visit->table;
    bool is_flexible = visit->function->is_flexible;
    if (is_flexible && visit->row->word_count > 2 &&
        sframe_word_unsigned(table, visit->row, 2) == 0)
        strcpy(text, "U");
    else if (table->fixed_ra && (!is_flexible || visit->row->word_count == 2))
        strcpy(text, "f");
    else
        place_text(text, table, &visit->rule->ra);
    if (sframe_is_mangled(visit->row->info))
        strcat(text, "[s]");
    put_field(out, text, RA_WIDTH);
    out_byte(out, '\n');
}

static void put_function(struct out *out, const struct sframe_table *table, uint32_t index,
                         const struct sframe_faults *faults)
{
    struct sframe_function function;
    struct error err;
    if (sframe_function_read(table, index, &function, &err) != STATUS_OK) {
        faults->fault(faults->self, &err);
        return;
    }
    out_text(out, index ? "\n    func idx [" : "    func idx [");
    out_u64(out, index);
    out_text(out, "]: pc = 0x");
    out_hex(out, function.address, 1);
    out_text(out, ", size = ");
    out_u64(out, function.size_bytes);
    out_text(out, " bytes");
    if (function.is_signal || function.is_flexible) {
        out_text(out, ", attr = \"");
        out_text(out, function.is_signal ? "S" : "");
        out_text(out, function.is_flexible ? "F\"" : "\"");
    }
    if (function.has_key_b)
        out_text(out, ", pauth = B key");
    out_text(out, "\n    STARTPC");
    put_field(out, function.repeat_bytes ? "[m]" : "", 9);
    out_text(out, "CFA       FP        RA           \n");
    each_row(table, &function, faults, put_row, out);
}

static const struct {
    unsigned flag;
    const char *name;
} flags[] = {{SFRAME_SORTED, "SFRAME_F_FDE_SORTED"},
             {SFRAME_FRAME_POINTER, "SFRAME_F_FRAME_POINTER"},
             {SFRAME_PC_RELATIVE, "SFRAME_F_FDE_FUNC_START_PCREL"}};

static void put_number(struct out *out, const char *title, int64_t value)
{
    out_text(out, title);
    if (value < 0)
        out_byte(out, '-');
    out_u64(out, value < 0 ? (uint64_t)-value : (uint64_t)value);
    out_byte(out, '\n');
}

void sframe_dump(struct out *out, const struct sframe_section *section,
                 const struct sframe_faults *faults)
{
    out_text(out, "Contents of the SFrame section ");
    out_clean(out, *section->name ? section->name : "of the segment");
    out_text(out, ":\n");
    if (section->tables.count == 0)
        out_text(out, "  No data\n");
    for (size_t i = 0; i < section->tables.count; i++) {
        const struct sframe_table *table = &section->tables.items[i];
        put_number(out, "  Header :\n\n    Version: SFRAME_VERSION_", table->version);
        const char *before = "    Flags: ";
        for (size_t k = 0; k < ARRAY_COUNT(flags); k++) {
            if (!(table->flags & flags[k].flag))
                continue;
            out_text(out, before);
            out_text(out, flags[k].name);
            before = ",\n           ";
        }
        out_text(out, before[0] == ',' ? "\n" : "    Flags: NONE\n");
        if (table->fixed_fp)
            put_number(out, "    CFA fixed FP offset: ", table->fixed_fp);
        if (table->fixed_ra)
            put_number(out, "    CFA fixed RA offset: ", table->fixed_ra);
        put_number(out, "    Num FDEs: ", table->function_count);
        put_number(out, "    Num FREs: ", table->row_count);
        out_text(out, "\n  Function Index :\n\n");
        for (uint32_t k = 0; k < table->function_count && !out_failed(out); k++)
            put_function(out, table, k, faults);
    }
}

// --- JSON ----------------------------------------------------------------------------------------

static void json_number(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

static void json_place(struct json *json, const char *key, unsigned abi,
                       const struct sframe_location *place)
{
    char text[SFRAME_TEXT_MAX];
    sframe_location_text(text, abi, place, strcmp(key, "cfa") == 0);
    json_key(json, key);
    json_text(json, text);
}

static void json_row(void *self, const struct row_visit *visit)
{
    struct json *json = self;
    char marks[SFRAME_TEXT_MAX];
    json_begin_object(json);
    json_number(json, "start", visit->row->start);
    json_key(json, "status");
    json_text(json, sframe_rule_kind_name(visit->rule->kind));
    if (visit->rule->kind == SFRAME_ROW) {
        json_place(json, "cfa", visit->table->abi, &visit->rule->cfa);
        json_place(json, "ra", visit->table->abi, &visit->rule->ra);
        json_place(json, "fp", visit->table->abi, &visit->rule->fp);
        sframe_marks_text(marks, visit->rule->marks);
        json_key(json, "marks");
        json_text(json, marks);
    }
    json_end_object(json);
}

static void json_function(struct json *json, const struct sframe_table *table, uint32_t index,
                          uint32_t code_section, const struct sframe_faults *faults)
{
    struct sframe_function function;
    struct error err;
    if (sframe_function_read(table, index, &function, &err) != STATUS_OK) {
        faults->fault(faults->self, &err);
        return;
    }
    json_begin_object(json);
    json_key(json, "pc");
    json_address(json, function.address);
    json_number(json, "size", function.size_bytes);
    if (code_section)
        json_number(json, "section", code_section);
    if (function.repeat_bytes)
        json_number(json, "repeat", function.repeat_bytes);
    json_key(json, "signal");
    json_bool(json, function.is_signal);
    json_key(json, "flexible");
    json_bool(json, function.is_flexible);
    json_key(json, "rows");
    json_begin_array(json);
    each_row(table, &function, faults, json_row, json);
    json_end_array(json);
    json_end_object(json);
}

static void json_table(struct json *json, const struct sframe_table *table,
                       const uint32_t *code_sections, const struct sframe_faults *faults)
{
    json_begin_object(json);
    json_number(json, "offset", table->offset);
    json_number(json, "version", table->version);
    json_key(json, "abi");
    json_text(json, sframe_abi_name(table->abi));
    json_key(json, "flags");
    json_begin_array(json);
    for (size_t i = 0; i < ARRAY_COUNT(flags); i++)
        if (table->flags & flags[i].flag)
            json_text(json, flags[i].name);
    json_end_array(json);
    json_number(json, "function_count", table->function_count);
    json_number(json, "row_count", table->row_count);
    json_key(json, "functions");
    json_begin_array(json);
    for (uint32_t i = 0; i < table->function_count && !out_failed(json->out); i++)
        json_function(json, table, i, code_sections ? code_sections[i] : 0, faults);
    json_end_array(json);
    json_end_object(json);
}

void sframe_dump_json(struct json *json, const struct sframe_section *section,
                      const struct sframe_faults *faults)
{
    json_begin_array(json);
    for (size_t i = 0; i < section->tables.count; i++) {
        const struct sframe_table *table = &section->tables.items[i];
        const uint32_t *code_sections = section->code_sections;
        json_table(json, table, code_sections ? code_sections + table->first_function : NULL,
                   faults);
    }
    json_end_array(json);
}

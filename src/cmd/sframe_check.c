// `trawl sframe --check`: what is wrong with the SFrame tables of an image, or of all images of a
// distribution.
//
// One image gets a line for each finding. Several, or a directory, get a table with a row for each
// image that has tables: whoever checks three thousand libraries first wants to know which of them.
#include "cmd/sframe.h"

#include "base/file_stamp.h"
#include "cmd/index.h"
#include "elf/cfi.h"
#include "elf/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct checked {
    struct image *image;
    struct sframe_section section;
    struct cfi *cfi;
    struct symbols *symbols;
    uint64_t counts[SFRAME_FINDING_KINDS];
    struct sframe_figures figures;
};

static void on_fault(void *self, const struct error *err)
{
    const struct sframe_check *check = self;
    diag_damage(check->diag, check->at, 0, err->offset, 0, err->text);
}

// Reads an image and checks its tables; `found` and `self` as in sframe_check. The caller closes it
// also after a failure. STATUS_NOT_FOUND: it has no tables.
static enum status check_image(struct sframe_check *check, const char *path,
                               struct checked *checked,
                               void (*found)(void *self, const struct sframe_finding *finding),
                               void *self, struct error *err)
{
    struct error ignored;
    *checked = (struct checked){0};
    check->at = path;
    enum status status = sframe_open(path, &checked->image, &checked->section,
                                     &(struct sframe_faults){check, on_fault}, err);
    if (status != STATUS_OK)
        return status;
    status = cfi_open(&checked->cfi, checked->image, err);
    if (status == STATUS_INPUT) {
        diag_warning(check->diag, "%s", err->text);
        status = STATUS_OK;
    }
    // Names are only for the reader.
    if (status == STATUS_OK &&
        symbols_load(&checked->symbols, checked->image, SYMBOLS_RIGHT, &ignored) == STATUS_MEMORY) {
        *err = ignored;
        status = STATUS_MEMORY;
    }
    if (status != STATUS_OK)
        return status;
    const struct sframe_witness witness = {image_file_bytes(checked->image), checked->cfi,
                                           checked->symbols};
    if (!sframe_check(&checked->section, &witness, found, self, &checked->figures))
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    return STATUS_OK;
}

static void close_image(struct checked *checked)
{
    symbols_free(checked->symbols);
    cfi_close(checked->cfi);
    sframe_section_free(&checked->section);
    image_close(checked->image);
}

static bool is_sound(const struct checked *checked)
{
    return !checked->counts[SFRAME_VIOLATION] && !checked->counts[SFRAME_DEFECT] &&
           !checked->counts[SFRAME_DIFFERENCE];
}

// --- One image -----------------------------------------------------------------------------------

struct findings {
    struct out *out;
    struct json *json; // NULL for text
    uint64_t *counts;
};

static void on_finding(void *self, const struct sframe_finding *finding)
{
    struct findings *findings = self;
    bool is_pc = finding->kind == SFRAME_GAP || finding->kind == SFRAME_DIFFERENCE;
    findings->counts[finding->kind]++;
    if (findings->json) {
        json_begin_object(findings->json);
        json_key(findings->json, "kind");
        json_text(findings->json, sframe_finding_name(finding->kind));
        json_key(findings->json, is_pc ? "pc" : "offset");
        json_address(findings->json, finding->at);
        json_key(findings->json, "text");
        json_text(findings->json, finding->text);
        json_end_object(findings->json);
        return;
    }
    out_text(findings->out, sframe_finding_name(finding->kind));
    out_text(findings->out, is_pc ? " at PC 0x" : " at .sframe+0x");
    out_hex(findings->out, finding->at, 1);
    out_text(findings->out, ": ");
    out_clean(findings->out, finding->text);
    out_byte(findings->out, '\n');
}

static void put_sums(struct out *out, const struct checked *checked)
{
    const struct sframe_figures *figures = &checked->figures;
    for (unsigned kind = 0; kind < SFRAME_FINDING_KINDS; kind++) {
        out_text(out, kind ? ", " : "");
        out_u64(out, checked->counts[kind]);
        out_byte(out, ' ');
        out_text(out, sframe_finding_name(kind));
        out_text(out, checked->counts[kind] == 1 ? "" : "s");
    }
    out_byte(out, '\n');
    if (figures->functions) {
        out_u64(out, figures->covered_functions);
        out_text(out, " of ");
        out_u64(out, figures->functions);
        out_text(out, " functions are covered, ");
        out_u64(out, figures->padding_bytes);
        out_text(out, " bytes between functions are padding\n");
    }
    if (checked->cfi) {
        out_u64(out, figures->compared_bytes);
        out_text(out, " bytes of code compared with call frame information\n");
    }
    if (figures->unread_functions) {
        out_u64(out, figures->unread_functions);
        out_text(out, " functions whose call frame information cannot be read\n");
    }
}

static enum status check_one(struct sframe_check *check, struct out *out, bool *has_found,
                             struct error *err)
{
    struct json json;
    struct checked checked;
    struct findings findings = {out, check->format == TABLE_JSON ? &json : NULL, checked.counts};
    if (findings.json) {
        json_begin(&json, out, 1);
        json_begin_array(&json);
    }
    enum status status = check_image(check, check->paths[0], &checked, on_finding, &findings, err);
    if (findings.json) {
        json_end_array(&json);
        json_end(&json);
    } else if (status == STATUS_OK) {
        put_sums(out, &checked);
    }
    *has_found = status == STATUS_OK && !is_sound(&checked);
    close_image(&checked);
    return status;
}

// --- Several -------------------------------------------------------------------------------------

static const struct table_column columns[] = {
    {"File", "file", COLUMN_TEXT},
    {"Functions", "functions", COLUMN_U64},
    {"Covered", "covered", COLUMN_U64},
    {"Compared [bytes]", "compared_bytes", COLUMN_U64},
    {"Violations", "violations", COLUMN_U64},
    {"Defects", "defects", COLUMN_U64},
    {"Differences", "differences", COLUMN_U64},
    {"Gaps", "gaps", COLUMN_U64},
};

static void count_finding(void *self, const struct sframe_finding *finding)
{
    uint64_t *counts = self;
    counts[finding->kind]++;
}

// The images to check: those that are named, and those in directories that are named.
static enum status gather(const struct sframe_check *check, struct index_inputs *inputs,
                          size_t *named_count, struct error *err)
{
    struct stat info;
    for (unsigned directories = 0; directories < 2; directories++) {
        for (size_t i = 0; i < check->path_count; i++) {
            bool is_directory = stat(check->paths[i], &info) == 0 && S_ISDIR(info.st_mode);
            enum status status = STATUS_OK;
            if (is_directory == (directories == 1))
                status = index_inputs_add(inputs, check->paths[i], "*", err);
            if (status != STATUS_OK)
                return status;
        }
        if (!directories)
            *named_count = inputs->items.count;
    }
    return STATUS_OK;
}

static enum status check_all(struct sframe_check *check, struct out *out, bool *has_found,
                             struct error *err)
{
    static const unsigned char magic[] = {0x7f, 'E', 'L', 'F'};
    struct index_inputs inputs = {0};
    struct table table;
    size_t named_count = 0;
    uint64_t without = 0;
    enum status worst = STATUS_OK, status = gather(check, &inputs, &named_count, err);
    if (status == STATUS_OK)
        status = table_begin(&table, out, check->format, columns, ARRAY_COUNT(columns), err);
    bool has_table = status == STATUS_OK;
    for (size_t i = 0; i < inputs.items.count && status == STATUS_OK; i++) {
        const char *path = inputs.items.items[i].trace;
        struct checked checked;
        if (i >= named_count && !file_starts_with(path, magic, sizeof magic))
            continue;
        status = check_image(check, path, &checked, count_finding, checked.counts, err);
        if (status == STATUS_OK) {
            table_text(&table, path);
            table_u64(&table, checked.figures.functions);
            table_u64(&table, checked.figures.covered_functions);
            table_u64(&table, checked.figures.compared_bytes);
            for (unsigned kind = 0; kind < SFRAME_FINDING_KINDS; kind++)
                table_u64(&table, checked.counts[kind]);
            *has_found |= !is_sound(&checked);
        } else if (status == STATUS_NOT_FOUND && i >= named_count) {
            without++;
            status = STATUS_OK;
        } else if (status != STATUS_MEMORY) { // the others can still be checked
            diag_error(check->diag, err);
            worst = status;
            status = STATUS_OK;
        }
        close_image(&checked);
    }
    if (has_table)
        table_end(&table);
    if (without)
        diag_note(check->diag, "images without SFrame tables: %" PRIu64, without);
    index_inputs_free(&inputs);
    check->has_failed = worst != STATUS_OK;
    return status;
}

// --- All -----------------------------------------------------------------------------------------

enum exit_status sframe_check_run(struct sframe_check *check)
{
    struct error err, closing;
    struct out out;
    struct stat info;
    bool has_found = false;
    bool is_one =
        check->path_count == 1 && !(stat(check->paths[0], &info) == 0 && S_ISDIR(info.st_mode));
    enum status status = check->output ? out_open(&out, check->output, &err)
                                       : out_open_fd(&out, STDOUT_FILENO, "standard output", &err);
    if (status == STATUS_OK) {
        status = is_one ? check_one(check, &out, &has_found, &err)
                        : check_all(check, &out, &has_found, &err);
        if (out_close(&out, &closing) != STATUS_OK && status == STATUS_OK) {
            err = closing;
            status = closing.status;
        }
    }
    if (status != STATUS_OK)
        diag_error(check->diag, &err);
    if (status != STATUS_OK || check->has_failed)
        return EXIT_STATUS_TROUBLE;
    enum exit_status ended =
        diag_end(check->diag, is_one ? check->paths[0] : "tables", "functions");
    return ended == EXIT_STATUS_DONE && has_found ? EXIT_STATUS_DIFFERENT : ended;
}

// The forms in which `trawl sframe` shows the tables of an image.
#ifndef TRAWL_CMD_SFRAME_H
#define TRAWL_CMD_SFRAME_H

#include "cli/diag.h"
#include "elf/sframe_flat.h"
#include "report/json.h"
#include "report/table.h"

// --- sframe_dump.c -------------------------------------------------------------------------------

// All tables in the form of `readelf --sframe`.
void sframe_dump(struct out *out, const struct sframe_section *section,
                 const struct sframe_faults *faults);

// The value of "tables": header, functions and rows of each.
void sframe_dump_json(struct json *json, const struct sframe_section *section,
                      const struct sframe_faults *faults);

// --- sframe.c ------------------------------------------------------------------------------------

// Opens an image and reads its tables. Both are the caller's also after a failure.
// STATUS_NOT_FOUND: it has none.
enum status sframe_open(const char *path, struct image **image, struct sframe_section *section,
                        const struct sframe_faults *faults, struct error *err);

// --- sframe_check.c ------------------------------------------------------------------------------

struct sframe_check {
    struct diag *diag;
    const char *const *paths; // images and directories
    size_t path_count;
    const char *output; // NULL: standard output
    enum table_format format;
    // Private.
    const char *at;  // the image being checked
    bool has_failed; // one of them could not be checked
};

// Checks images and writes what was found: of one image each finding, otherwise a row for each.
// EXIT_STATUS_DIFFERENT: there are violations, defects or differences; EXIT_STATUS_TROUBLE: an
// image could not be checked; EXIT_STATUS_DAMAGED: parts of tables could not be read.
enum exit_status sframe_check_run(struct sframe_check *check);

#endif

// Where the index of a trace is, and whether it fits the trace.
//
// The default name is TRACE.index, as in the manual of the Tarmac Trace Utilities. A file there is
// never replaced if trawl did not write it, such as one of their indexes, or if we may not read it,
// so that we cannot know what it is: then the name is TRACE.trawl. If reading fails for other
// reasons, the file may be a good index: it is not replaced, and no other index is made next to it.
#ifndef TRAWL_SESSION_INDEX_FILE_H
#define TRAWL_SESSION_INDEX_FILE_H

#include "base/fingerprint.h"
#include "idx/file_role.h"
#include "idx/trawl.h"

enum index_fit {
    INDEX_FITS,
    INDEX_MISSING,
    INDEX_STRANGE,       // something else: its role says what
    INDEX_SECRET,        // a file that we may not read
    INDEX_PLANTED,       // does not fit, not ours, and others may write there (base/dir_entry.h)
    INDEX_FAILING,       // reading it fails, or no file can have its name
    INDEX_OF_BEGINNING,  // the trace has only grown since then
    INDEX_OLDER,         // it is older than the trace
    INDEX_OTHER_VERSION, // of the format
    INDEX_DAMAGED,
    INDEX_OTHER_TRACE, // the trace was changed or replaced since then
    INDEX_OTHER_OPTIONS,
    INDEX_OTHER_TASK_KEY,  // its tasks were told apart by another key
    INDEX_OTHER_FUNCTIONS, // than those of the current images: its calls may differ
};

// The properties that an index must have to fit.
struct index_wanted {
    const char *trace;
    bool is_of_files; // of several files: the default name is different
    const struct fingerprint *fingerprint;
    const struct source *source; // if an index may cover its beginning; otherwise NULL
    uint64_t options;            // enum trawl_option
    uint64_t options_mask;       // the options that matter
    uint64_t functions;          // trawl_info.functions; 0: any
    const char *task_key;        // trawl_task_key; NULL: any
};

struct index_file {
    char *path;
    char *foreign_file; // the file at the default name if it cannot be used; NULL: none
    enum index_fit foreign_fit;
    enum file_role foreign_role;
    int foreign_error; // errno, if that file cannot be read
    enum index_fit fit;
    enum file_role role;
    int error_number;          // errno, if it cannot be read
    struct trawl_index *index; // open, if it can be opened as an index of this trace or another one
};

// Finds the index of a trace, at `named` if that is not NULL, and determines whether it fits. The
// only failure is STATUS_MEMORY. Free with index_file_free in any case.
enum status index_file_find(struct index_file *file, const char *named,
                            const struct index_wanted *wanted, struct error *err);

// Determines again whether it fits, after it was written.
enum status index_file_judge(struct index_file *file, const struct index_wanted *wanted,
                             struct error *err);

void index_file_free(struct index_file *file);

// Whether names that only the index has may be lost: it exists, and cannot be opened or is damaged.
bool index_fit_is_lost(enum index_fit fit);

// Whether it must not be replaced.
bool index_file_is_foreign(const struct index_file *file);

// Whether a file at that path may be made or replaced.
bool index_file_is_writable(const char *path);

// Reports that it is not replaced, and why. Returns the status for this.
enum status index_file_refuse(const struct index_file *file, struct error *err);

// The same for the foreign file: "index file X is not an index of trawl; leaving it alone".
void index_file_describe_foreign(const struct index_file *file, char *text, size_t size);

// "index file X is older than trace file T", "index file X cannot be read (Input/output error)":
// describes what is wrong with it, if anything.
void index_file_describe(const struct index_file *file, const char *trace, char *text, size_t size);

#endif

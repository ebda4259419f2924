// Where the index of a trace is, and whether it fits the trace.
//
// The default name is TRACE.index, as the manual of the Tarmac Trace Utilities has it. A file there
// that trawl did not write, such as an index of theirs, or that we may not read, so that it cannot
// show whose it is, is never replaced: then it is TRACE.trawl. Where reading fails for other
// reasons, it may be a good index: that is neither replaced nor is another one left next to it.
#ifndef TRAWL_SESSION_INDEX_FILE_H
#define TRAWL_SESSION_INDEX_FILE_H

#include "base/fingerprint.h"
#include "idx/file_role.h"
#include "idx/trawl.h"

enum index_fit {
    INDEX_FITS,
    INDEX_MISSING,
    INDEX_STRANGE, // something else: its role says what
    INDEX_SECRET,  // a file that we may not read
    INDEX_PLANTED, // does not fit, and is where others may write, and not ours (base/dir_entry.h)
    INDEX_FAILING, // reading it fails, or no file can have its name
    INDEX_OF_BEGINNING,  // the trace has only grown since
    INDEX_OLDER,         // than the trace
    INDEX_OTHER_VERSION, // of the format
    INDEX_DAMAGED,
    INDEX_OTHER_TRACE, // the trace was changed or replaced since
    INDEX_OTHER_OPTIONS,
    INDEX_OTHER_FUNCTIONS, // than those of the current images: its calls may be others
};

// What an index must be made from to fit.
struct index_wanted {
    const char *trace;
    bool is_of_files; // and of others: its default name is another one
    const struct fingerprint *fingerprint;
    const struct source *source; // of a trace by whose beginning an index may be known; else NULL
    uint64_t options;            // enum trawl_option
    uint64_t options_mask;       // those that matter
    uint64_t functions;          // trawl_info.functions; 0: any
};

struct index_file {
    char *path;
    char *foreign_file; // what is at the default name instead; NULL: nothing strange does
    enum index_fit foreign_fit;
    enum file_role foreign_role;
    int foreign_error; // errno, where that cannot be read
    enum index_fit fit;
    enum file_role role;
    int error_number;          // errno, where it cannot be read
    struct trawl_index *index; // open, where it can be opened as one of this trace or another
};

// Finds the index of a trace, at `named` if that is not NULL, and judges it. Only STATUS_MEMORY
// fails. Freed by index_file_free either way.
enum status index_file_find(struct index_file *file, const char *named,
                            const struct index_wanted *wanted, struct error *err);

// Judges it again, after it was written.
enum status index_file_judge(struct index_file *file, const struct index_wanted *wanted,
                             struct error *err);

void index_file_free(struct index_file *file);

// Whether with it names may be lost that only the index has: it is there, and cannot be opened or
// is damaged.
bool index_fit_is_lost(enum index_fit fit);

// Whether it must not be replaced.
bool index_file_is_foreign(const struct index_file *file);

// Says that it is not replaced, and why. Returns the status of that.
enum status index_file_refuse(const struct index_file *file, struct error *err);

// The same of the foreign file: "index file X is not an index of trawl; leaving it alone".
void index_file_describe_foreign(const struct index_file *file, char *text, size_t size);

// "index file X is older than trace file T", "index file X cannot be read (Input/output error)":
// what is wrong with it, or nothing.
void index_file_describe(const struct index_file *file, const char *trace, char *text, size_t size);

#endif

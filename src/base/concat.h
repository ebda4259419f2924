// Joins the text of several files into one: either the pieces of a rotated trace, one after the
// other, or files of several cores, merged by time (base/merge.h). Each file may be compressed.
//
// All files stay open from the beginning, so that the files that were identified are the ones that
// are read. A compressed one is decompressed (base/unpack/unpack_stream.h) when its turn comes.
#ifndef TRAWL_BASE_CONCAT_H
#define TRAWL_BASE_CONCAT_H

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/map.h"
#include "base/merge.h"

struct concat;
struct partial;
struct restarts;

// What is known about one of the files.
struct concat_file {
    const char *path;
    const char *packed_by; // NULL: it is not compressed
    const char *bytes;     // of the file; NULL: it is empty
    uint64_t file_bytes;
    const char *core; // if files are merged
    // For pieces: where the file begins in the joined text, in bytes, and in whole lines before it.
    // A file may begin in the middle of a line.
    uint64_t first_byte, lines_before;
};

// Damage of a compressed file, which ends the joined text.
struct concat_fault {
    const char *path;     // of the file
    const char *text;     // as in struct unpack_stream_fault; NULL: no damage
    uint64_t packed_byte; // in that file
    uint64_t plain_byte;  // in the joined text; UINT64_MAX: unknown, because files are merged
};

// How files are joined.
struct concat_manner {
    const char *const *cores;   // the core of each, to merge them; NULL: they are pieces, one after
                                // the other
    line_stamp_function *stamp; // reads times, to merge by
    const struct line_prefix
        *prefix;  // of their lines, valid as long as the concatenation; NULL: none
    bool follows; // they are read while they grow; ignored if any is compressed
};

// Opens files in the given order; they must be regular files. Paths and names of cores must stay
// valid.
enum status concat_open(struct concat **concat, const char *const *paths, size_t count,
                        const struct concat_manner *manner, struct error *err);

// Sets how many threads may decompress.
void concat_set_threads(struct concat *concat, unsigned threads);

// Leaves out the text after the last whole line of the last piece, or of each merged file, if
// another process has it open for writing and it is not compressed. To be called before anything is
// read. Returns how many bytes are left out.
uint64_t concat_end_at_line(struct concat *concat);

// Goes back to the beginning.
void concat_rewind(struct concat *concat);

// Reads until there are `wanted` bytes or the text ends. STATUS_INPUT: the files cannot be merged.
enum status concat_read(struct concat *concat, char *bytes, size_t wanted, size_t *have,
                        struct error *err);

// Copies the text from `position` on, without an effect on concat_read. False: not possible,
// because a file is compressed or files are merged.
bool concat_read_at(const struct concat *concat, uint64_t position, char *bytes, size_t size_bytes,
                    size_t *have);

// concat_keep_restarts: from now on, records places where decompression of the pieces can start
// again; to be called before anything is read. concat_restarts: these places, and where each piece
// begins, after everything was read without damage; they belong to the concatenation. NULL: there
// are none, no piece is compressed, or the files are merged.
void concat_keep_restarts(struct concat *concat);
const struct restarts *concat_restarts(const struct concat *concat);

// Makes the text available by recorded places of the same files, from which it takes what it needs.
// Afterwards it is known where each file begins. NULL: the places do not belong to these files, or
// there is no memory.
struct partial *concat_use_restarts(struct concat *concat, struct restarts *restarts);

// The size of the text in bytes; 0: unknown.
uint64_t concat_text_bytes(const struct concat *concat);

// The damage found so far.
struct concat_fault concat_fault(const struct concat *concat);

// The files. The beginning of each must be known.
size_t concat_file_count(const struct concat *concat);
struct concat_file concat_file(const struct concat *concat, size_t number);

// Whether the beginning of each file is known, because all were read to the end once.
bool concat_knows_files(const struct concat *concat);

// Reads all files to the end, and returns to the beginning.
enum status concat_find_files(struct concat *concat, struct error *err);

// The file in which a line of the text (from 1) begins, and its number there. The line must have
// been read, or the beginnings of files be known; any thread may call it. Merged files are read
// again up to the line, for ascending lines only once.
size_t concat_file_of_line(struct concat *concat, uint64_t line, uint64_t *line_in_file);

// The reverse. 0: the file has no such line.
uint64_t concat_line_of_file(struct concat *concat, size_t number, uint64_t line_in_file);

// The fingerprint of all files, combined by fingerprint_join.
enum status concat_fingerprint(struct concat *concat, struct fingerprint *fingerprint,
                               struct error *err);

// How the files have changed. MAP_GROWN: only the last piece, or some merged files, have grown.
enum map_change concat_change(const struct concat *concat);

// Whether the files that may grow still begin with what concat_fingerprint last saw.
bool concat_begins_the_same(const struct concat *concat);

// --- Files that grow -----------------------------------------------------------------------------
// For files that are followed, the text is what is certain: further text can only come after it.
// Pieces end with the last whole line. With merged files, the next line is certain if the next line
// of every other file is known, or the file is final, which means that nobody writes to it any
// more. Otherwise concat_read ends early.

// Whether no file is compressed, so that they can be followed.
bool concat_is_plain(const struct concat *concat);

// Follows the files from the beginning, as concat_manner.follows does. To be called before anything
// is read.
void concat_follow(struct concat *concat);

// Makes reading end after the current line, until concat_grow.
void concat_hold(struct concat *concat);

// Looks for new text of the files. Nothing may be read ahead. STATUS_INPUT: a file was truncated,
// rewritten or replaced, or a final one has grown.
enum status concat_grow(struct concat *concat, struct error *err);

// Adds a piece, which makes the previous one final. The path must stay valid. Fails like
// concat_grow.
enum status concat_add(struct concat *concat, const char *path, struct error *err);

// Whether more text can be read now.
bool concat_has_more(struct concat *concat);

// Whether it is certain that nobody writes to any of the files.
bool concat_has_no_writers(const struct concat *concat);

// How many bytes of a file were read; if it is not followed, all.
uint64_t concat_read_bytes(const struct concat *concat, size_t number);

// Ends the text with what was read, or, with `takes_rest`, with all that the files contain.
void concat_end_here(struct concat *concat, bool takes_rest);

// The fingerprint of what was read. STATUS_INPUT: a file no longer begins with what the previous
// fingerprint covered.
enum status concat_keep_progress(struct concat *concat, struct fingerprint *fingerprint,
                                 struct error *err);

// The beginning of a file, for a text that continues or may continue.
struct concat_beginning {
    uint64_t size_bytes;
    struct hash128 sample; // of these bytes and the name of its core
    bool is_final;         // more text in it would change the joined text
};

// The beginning of a file, as of the last fingerprint.
struct concat_beginning concat_beginning(const struct concat *concat, size_t number);

// Whether the text begins with that of these files.
bool concat_begins_with(const struct concat *concat, const struct concat_beginning *files,
                        size_t count);

// Ends the text after these beginnings, and returns to its beginning.
void concat_end_after(struct concat *concat, const struct concat_beginning *files, size_t count);

// Whether the name of one of the files now belongs to another file.
bool concat_is_replaced(const struct concat *concat);

// A file with the permissions for files that are made from all of them: the first, if all have the
// same, otherwise an empty file that only we can access. It belongs to the concatenation.
int concat_fd(const struct concat *concat);

void concat_close(struct concat *concat);

#endif

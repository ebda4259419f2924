// The text of several files as if it were one file's: the pieces of a trace that was rotated, laid
// end to end, or files of several cores, merged by time (base/merge.h). Each may be compressed by
// itself.
//
// Files stay open from the beginning, so that what they are told to be is what is read; a
// compressed one is decompressed (base/unpack/inflow.h) when its turn comes.
#ifndef TRAWL_BASE_JOINT_H
#define TRAWL_BASE_JOINT_H

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/map.h"
#include "base/merge.h"

struct joint;
struct partial;
struct restarts;

// What is known of one of the files.
struct joint_file {
    const char *path;
    const char *packed_by; // NULL: it is not compressed
    const char *bytes;     // of the file; NULL: it is empty
    uint64_t file_bytes;
    const char *core; // of files that are merged
    // Where its text begins in that of all, of pieces, in bytes and in whole lines that stand
    // before it. A file may begin in the midst of a line.
    uint64_t first_byte, lines_before;
};

// What is wrong with a compressed one: the text of all ends there.
struct joint_fault {
    const char *path;     // of the file
    const char *text;     // as of struct inflow_fault; NULL: nothing is
    uint64_t packed_byte; // of that file
    uint64_t plain_byte;  // of the text of all; UINT64_MAX: that goes on with other files
};

// How files become one text.
struct joint_manner {
    const char *const *cores;   // of each, to merge them; NULL: they are pieces, laid end to end
    line_stamp_function *stamp; // to merge them by
    bool follows;               // they are read as they grow; not of compressed ones
};

// Opens files, which have to be regular ones, in that order. Paths and names of cores have to stay.
enum status joint_open(struct joint **joint, const char *const *paths, size_t count,
                       const struct joint_manner *manner, struct error *err);

// How many threads may decompress.
void joint_set_threads(struct joint *joint, unsigned threads);

// Leaves out what the last piece, or each of the merged files, has after its last whole line, if
// some other process has it open for writing and it is not compressed. Before anything is read.
// Returns how much that is.
uint64_t joint_end_at_line(struct joint *joint);

// Goes back to the beginning.
void joint_rewind(struct joint *joint);

// Reads until there are `wanted` bytes, or the text ends. STATUS_INPUT: files cannot be merged.
enum status joint_read(struct joint *joint, char *bytes, size_t wanted, size_t *have,
                       struct error *err);

// Copies the text from `position` on, without any effect on what is read. False: it is not at hand,
// as one of the files is compressed.
bool joint_read_at(const struct joint *joint, uint64_t position, char *bytes, size_t size_bytes,
                   size_t *have);

// Has places of pieces be kept from which they may be begun again, before anything is read; and
// those of all, with where each piece begins, once all was read and nothing is wrong with it. They
// stay the joint's. NULL: there are none, no piece is compressed, or the files are merged.
void joint_keep_restarts(struct joint *joint);
const struct restarts *joint_restarts(const struct joint *joint);

// The text by places that were kept of such files, of which this takes what it uses; where each
// begins is known from then on. NULL: they are not of these files, or no memory.
struct partial *joint_use_restarts(struct joint *joint, struct restarts *restarts);

// How long the text is, where that is known; else 0.
uint64_t joint_text_bytes(const struct joint *joint);

// What is wrong with what was read so far.
struct joint_fault joint_fault(const struct joint *joint);

// The files. Where each begins has to be known for that.
size_t joint_file_count(const struct joint *joint);
struct joint_file joint_file(const struct joint *joint, size_t number);

// Whether it is, as all was read to its end once.
bool joint_knows_files(const struct joint *joint);

// Reads all to its end, and goes back to the beginning.
enum status joint_find_files(struct joint *joint, struct error *err);

// Which file a line of the text (from 1) begins in, and its number there. Also known of a line that
// was read, by any thread. Merged files are read for it up to there, once for lines that rise.
size_t joint_file_of_line(struct joint *joint, uint64_t line, uint64_t *line_in_file);

// The same the other way round. 0: the file has no such line.
uint64_t joint_line_of_file(struct joint *joint, size_t number, uint64_t line_in_file);

// Of all together, as by fingerprint_join.
enum status joint_fingerprint(struct joint *joint, struct fingerprint *fingerprint,
                              struct error *err);

// What became of the files: MAP_GROWN where only the last piece, or some of those merged, have.
enum map_change joint_change(const struct joint *joint);

// Whether those that may grow begin with what they were at the last joint_fingerprint.
bool joint_begins_the_same(const struct joint *joint);

// --- Files that grow -----------------------------------------------------------------------------
//
// Of files that are followed the text is what is certain: what comes after it stays after it,
// whatever is written. Pieces end with the last whole line. Of merged files the next line is
// certain while the next line of every file is known, or the file is final: nobody writes it any
// more. joint_read ends early where that is not so.

// Whether no file is compressed, so that they can be followed.
bool joint_is_plain(const struct joint *joint);

// Has files be followed from the beginning, before anything is read: joint_manner.follows.
void joint_follow(struct joint *joint);

// Has reading end with the line that was begun, until joint_grow.
void joint_hold(struct joint *joint);

// Looks for more of the files, with nothing read ahead. STATUS_INPUT: one was cut, written anew, or
// replaced, or one that was final has grown.
enum status joint_grow(struct joint *joint, struct error *err);

// Adds a piece, after which the last one is final. The path has to stay. Fails likewise.
enum status joint_add(struct joint *joint, const char *path, struct error *err);

// Whether more can be read.
bool joint_has_more(struct joint *joint);

// Whether certainly nobody writes any of them.
bool joint_has_no_writers(const struct joint *joint);

// How much of a file was read; all of one that is not followed.
uint64_t joint_read_bytes(const struct joint *joint, size_t number);

// Ends the text with what was read, or with all that the files have.
void joint_end_here(struct joint *joint, bool takes_rest);

// The fingerprint of what was read. STATUS_INPUT: the files no longer begin with what they were at
// the last one.
enum status joint_keep_progress(struct joint *joint, struct fingerprint *fingerprint,
                                struct error *err);

// How a file begins, of a text that goes on or may.
struct joint_beginning {
    uint64_t size_bytes;
    struct hash128 sample; // of those, and of the name of its core
    bool is_final;         // more of it would be another text
};

// That of a file, as of the last fingerprint.
struct joint_beginning joint_beginning(const struct joint *joint, size_t number);

// Whether the text begins with that of such files.
bool joint_begins_with(const struct joint *joint, const struct joint_beginning *files,
                       size_t count);

// Ends the text with theirs. Goes back to the beginning.
void joint_end_after(struct joint *joint, const struct joint_beginning *files, size_t count);

// Whether another file has the name of one of them by now.
bool joint_is_replaced(const struct joint *joint);

// A file with the rights that what is made of all of them may have: the first, where all have the
// same; else an empty one that is ours alone. Stays the joint's.
int joint_fd(const struct joint *joint);

void joint_close(struct joint *joint);

#endif

// Where the text of a trace comes from: a mapped file, a compressed file that is decompressed as it
// is read, several files whose text is concatenated or merged by time, or a pipe that is read once.
// Bytes and positions are always those of the uncompressed text.
//
// A source is divided into chunks that end with a line. Code that uses it does not depend on the
// kind: base/source_kind.h has what each kind must do, and source_*.c what each is for. Only the
// names of places differ: if there are several files, a line has a place in one of them
// (source_has_files).
//
// The text is mapped, not read into buffers: copying in the kernel took a third of a profile's time
// on top, and the code that reads lines gained nothing from finding them in the cache. Reading past
// the page cache with io_uring is faster once, but not for the next report, which would find
// nothing in memory (bench/RESULTS.md, at its beginning, has the figures for both).
#ifndef TRAWL_BASE_SOURCE_H
#define TRAWL_BASE_SOURCE_H

#include "base/base.h"
#include "base/error.h"
#include "base/fingerprint.h"
#include "base/merge.h"

// Bytes before a chunk that are provided with it, so that its reader can find the state after the
// previous line. Enough for some dozens of lines, but only a guess.
#define SOURCE_RUN_IN_BYTES 4096

struct source;

// Memory for a chunk that is not mapped. All zero at first; can be used again for the next chunk.
struct source_buffer {
    char *bytes;
    size_t capacity;
};

struct source_chunk {
    const char *data;
    size_t size_bytes;
    size_t run_in_bytes; // available before `data`, at most SOURCE_RUN_IN_BYTES
    uint64_t offset;     // of `data` in the trace
    bool starts_in_line; // the previous line was too long, and continues here
    bool is_last;
};

enum source_decoding {
    SOURCE_RAW,     // the bytes of the file with that name
    SOURCE_DECODED, // "-" is standard input, and a compressed file is decompressed
};

// Opens a file. STATUS_INPUT for a directory.
enum status source_open(struct source **source, const char *path, enum source_decoding decoding,
                        struct error *err);

// How several files become one text.
struct source_files_options {
    const char *const *cores;   // the core of each, to merge them by time (base/merge.h); NULL: the
                                // text of each follows that of the one before
    line_stamp_function *stamp; // reads times, to merge by
    const struct line_prefix *prefix; // of their lines, valid as long as the source; NULL: none
    bool follows;                     // they are read while they grow; ignored if any is compressed
};

// Opens several files in the given order. They must be regular files, and may be compressed. Paths
// and names of cores must stay valid.
enum status source_open_files(struct source **source, const char *const *paths, size_t count,
                              const struct source_files_options *options, struct error *err);

// Sets how many threads may decompress a compressed file, in addition to those that read it. To be
// called before anything is read; the default is one.
void source_set_threads(struct source *source, unsigned threads);

// The size of a text in memory, in bytes; 0 for any other.
uint64_t source_size_bytes(const struct source *source);

// The same, also for other text that was read to its end once; otherwise 0.
uint64_t source_text_bytes(const struct source *source);

// Whether the whole text is in memory: it is a mapped file, or was read completely.
bool source_is_mapped(const struct source *source);

// Whether it can be read several times: it is not a pipe.
bool source_is_file(const struct source *source);

// Whether the text is made while it is read, instead of being the bytes of one file: the file is
// compressed, or there are several.
bool source_is_synthesized(const struct source *source);

// The name of the compression of a file: "gzip". NULL: it is not compressed, or there are several
// files.
const char *source_packed_by(const struct source *source);

// The bytes of a text in memory; NULL for any other.
const char *source_bytes(const struct source *source);

// The bytes of any text, for code that cannot read in order: other text is read to its end into an
// unnamed file, which lasts as long as the source. To be called once, before any chunk is taken.
enum status source_read_all(struct source *source, const char **bytes, uint64_t *size_bytes,
                            struct error *err);

// Reads a synthesized text into memory, which can then be used like a mapped file.
// Does nothing for any other. Returns to the start.
enum status source_lay_out(struct source *source, struct error *err);

// source_keep_access_points: from now on, records places where decompression of the file or files
// can start again; to be called before anything is read. source_access_points: these places, after
// the text was read to its end without damage; they belong to the source. NULL: there are none
// except the beginning of a single file, or the text is not compressed.
struct access_points;
void source_keep_access_points(struct source *source);
const struct access_points *source_access_points(const struct source *source);

// Gives a source recorded places of its files, and takes their contents over. If they do not belong
// to these files, they are ignored. No other thread may use the source.
void source_use_access_points(struct source *source, struct access_points *access_points);

// A text for random access: either it is in memory, or source_want must be called for the parts
// that will be read. Lasts as long as the source.
struct source_view {
    const char *bytes;
    uint64_t size_bytes;
};

enum status source_view(struct source *source, struct source_view *view, struct error *err);

// The part of a text that is available while another thread reads it completely or decompresses it.
// It stays valid, and only grows.
struct source_view source_view_so_far(const struct source *source);

// source_want makes the text from `from` to `to` available in a view. If that has failed once,
// source_view_status returns the reason from then on. Any thread may call these.
bool source_want(const struct source *source, uint64_t from, uint64_t to);
enum status source_view_status(const struct source *source, struct error *err);

// Whether source_want may have to decompress.
bool source_makes_view(const struct source *source);

// Makes a source use the views of another source of the same files, which must outlive it.
void source_share_view(struct source *source, struct source *first);

// How much of the text was decompressed for views.
uint64_t source_unpacked_bytes(const struct source *source);

// Copies the text from `position` on, as far as there is any; not for a pipe. Returns the number of
// bytes; 0 also if it cannot be read. Returns to the start of the text.
size_t source_read_at(struct source *source, uint64_t position, char *bytes, size_t size_bytes);

// Copies up to `size_bytes` of the first bytes, before any chunk is taken; *have: how many there
// are. Chunks still begin with them.
enum status source_peek(struct source *source, void *bytes, size_t size_bytes, size_t *have,
                        struct error *err);

// Returns to the start, for another pass. For a pipe only after source_read_all.
void source_rewind(struct source *source);

// Gets the next chunk: up to the end of the line at the next multiple of `target_bytes` in the
// trace, but at most LIMIT_LINE_BYTES more; the last chunk is shorter. Calls must not overlap.
// `buffer` holds the bytes of a chunk that is not mapped, and must stay until the chunk is no
// longer used. After the end: an empty chunk with is_last set.
enum status source_next(struct source *source, size_t target_bytes, struct source_buffer *buffer,
                        struct source_chunk *chunk, struct error *err);

// Starts reading a text at a byte, where a line must begin. False: no line begins there, or the
// text is not that of a single uncompressed file. To be called before anything is read.
bool source_begin_at(struct source *source, uint64_t position);

// Makes chunks also end with the lines that contain the bytes before these two positions, so that a
// chunk begins with the first line after each. To be called before anything is read; 0 and
// UINT64_MAX have no effect.
void source_end_chunks_at(struct source *source, uint64_t first, uint64_t second);

// Makes chunks end early when an end is requested (base/interrupt.h): after a whole line, also
// while waiting for a pipe. A text in memory then ends there.
void source_end_when_asked(struct source *source, bool heeds);

// Whether that happened: there may be more text.
bool source_is_cut_short(const struct source *source);

// Tell the kernel that a chunk will be read now, and that it is no longer used. For workers.
void source_populate(const struct source *source, const struct source_chunk *chunk);
void source_release(const struct source *source, const struct source_chunk *chunk);

// Damage in the compressed data that was read. The text ends there, as if it were the end of the
// file.
struct source_fault {
    const char *path;     // of the compressed file
    const char *text;     // continues "the compressed data"; NULL: no damage
    uint64_t packed_byte; // in the file, about where the damage was found
    uint64_t plain_byte;  // in the text, where it ends
};

struct source_fault source_fault(const struct source *source);

// A file with the permissions for files that are made from the source, to which it belongs: the
// file itself; of several, the first, if all have the same permissions, otherwise an empty file
// that only we can access. -1 for a pipe.
int source_fd(const struct source *source);

// A mapped trace may grow while it is read. What counts is what it contained when it was opened;
// after source_end_at_line, up to the end of its last line.
//
// Leaves out the text after the last line end of a mapped trace, if another process has the file
// open for writing (base/file_stamp.h), because that is an incomplete line. To be called before
// anything is read.
void source_end_at_line(struct source *source);

// How many bytes were left out.
uint64_t source_unfinished_bytes(const struct source *source);

// Stores the fingerprint of a trace that is a file, to find out later whether it has changed. If
// that fails, a trace that grows counts as changed. To be called before anything is read.
void source_keep_fingerprint(struct source *source);

// The stored fingerprint, or else the current one, for several files combined by fingerprint_join.
// Fails like fingerprint_take. Not for a pipe.
enum status source_fingerprint(struct source *source, struct fingerprint *fingerprint,
                               struct error *err);

// Reads a mapped trace, or files that were opened for it, while they grow: chunks end with the last
// whole line. At the end there are empty chunks that are not the last, until source_grow finds more
// or source_end_here is called. To be called before anything is read.
void source_follow(struct source *source);

// Whether source_follow is possible: the trace is mapped and not compressed, or consists of
// uncompressed files that were opened for it.
bool source_can_be_followed(const struct source *source);

// Whether all text that was read ahead is in chunks, which the functions below require. If not, it
// will soon be, because nothing more is read ahead until source_grow.
bool source_settle(struct source *source);

// Whether there are whole lines that are in no chunk yet.
bool source_has_unread(struct source *source);

// The number of bytes in the chunks so far.
uint64_t source_read_bytes(const struct source *source);

// Looks for new text of a trace that is followed; no chunk may be in use. STATUS_INPUT: the trace
// was truncated, rewritten, or replaced by another file.
enum status source_grow(struct source *source, struct error *err);

// Adds a file to a trace of several files that is followed; so nothing is added to the one before
// any more. The path must stay valid. Fails like source_grow.
enum status source_add_file(struct source *source, const char *path, struct error *err);

// Replaces the stored fingerprint by that of the text in chunks so far, of a trace that is
// followed. Fails like fingerprint_sample, and with STATUS_INPUT if the file no longer fits the
// stored one.
enum status source_keep_progress(struct source *source, struct error *err);

// Ends a trace that is followed after the last chunk. With `takes_rest`, the rest of the file still
// counts, including an incomplete line at its end.
void source_end_here(struct source *source, bool takes_rest);

// Whether it is certain that no process has the file of a mapped trace, or any of several, open for
// writing.
bool source_has_no_writers(const struct source *source);

// False if a mapped trace was changed while it was read: it was truncated, or its size, time or the
// samples of its fingerprint differ.
bool source_is_intact(const struct source *source);

// A fast version for frequent calls, which may miss a change that source_is_intact finds.
bool source_seems_intact(const struct source *source);

// Whether a mapped trace has grown.
bool source_has_grown(const struct source *source);

// Whether the name of a mapped trace now belongs to another file. The mapped file stays the old
// one.
bool source_is_replaced(const struct source *source);

void source_close(struct source *source);

// --- Files ---------------------------------------------------------------------------------------

// One of the files of a source.
struct source_file {
    const char *path;
    const char *packed_by; // NULL: it is not compressed
    const char *bytes;     // of the file; NULL: it is empty
    uint64_t file_bytes;
    const char *core; // if files are merged
    // Of files whose text is concatenated, when it is known where they begin: where the file begins
    // in the text, in bytes, and in whole lines before it. It may begin in the middle of a line.
    uint64_t first_byte, lines_before;
};

// The files: none of a pipe.
size_t source_file_count(const struct source *source);
struct source_file source_file(const struct source *source, size_t number);

// Whether the trace was opened as several files, even if there is only one, so that places in it
// are named with their file.
bool source_has_files(const struct source *source);

// Finds where each file begins in the text, which may require reading all of them. Returns to the
// start if it has to read. Not to be called between chunks, unless it was also called before the
// first.
enum status source_find_files(struct source *source, struct error *err);

// The file in which a line of the text (from 1) begins, and its number there; 0: unknown. The line
// must have been read, or the beginnings of files be known; any thread may call it. Merged files
// are read again up to the line, for ascending lines only once.
size_t source_file_of_line(struct source *source, uint64_t line, uint64_t *line_in_file);

// The reverse. 0: the file has no such line.
uint64_t source_line_of_file(struct source *source, size_t number, uint64_t line_in_file);

// How many bytes of a file were read, if it is followed; otherwise all that it shows.
uint64_t source_file_read_bytes(const struct source *source, size_t number);

// The beginning of a file, of a text that continues or may continue.
struct source_file_beginning {
    uint64_t size_bytes;
    struct hash128 sample; // of these bytes and the name of its core
    bool is_final;         // more text in it would change the whole text
};

// The beginning of one of several files, as of the last fingerprint. False: the text cannot be
// recognized by those of its files, because there is only one file, or one is compressed.
bool source_file_beginning(const struct source *source, size_t number,
                           struct source_file_beginning *beginning);

// The beginning of a text, as an index of it describes it.
struct source_beginning {
    uint64_t text_bytes, file_bytes;           // of the text, and of the files
    struct hash128 sample;                     // of a single file
    const struct source_file_beginning *files; // of several files; NULL: there is only one
    size_t count;
};

// Whether the text begins like this, with whole lines, and more may follow.
bool source_begins_with(const struct source *source, const struct source_beginning *beginning);

// Ends a text that begins like this after its beginning. Returns to the start, if it was read.
void source_end_after(struct source *source, const struct source_beginning *beginning);

#endif
